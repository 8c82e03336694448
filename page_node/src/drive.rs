//! Who drives: one browser at a time, as long as it is heard.
//!
//! A browser that holds the stick says so many times a second; each word is a command and renews its lease. When the lease
//! has run out, the stick is let go or the browser is gone, the robot is halted at once by a zero command; it would also stop by itself, for
//! nothing is commanded in the browser's name in between.

/// A connected browser.
pub type ClientId = u64;

/// What a word of a browser comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It drives: send its command.
    Drives,
    /// Another one does.
    Taken(ClientId),
    /// The robot is stopped.
    Stopped,
}

/// The dead-man's switch.
#[derive(Clone, Debug, Default)]
pub struct Drive {
    /// Who drives, and until when unless heard again, s.
    driver: Option<(ClientId, f64)>,
    stopped: bool,
}

impl Drive {
    /// Who drives now.
    pub fn driver(&self) -> Option<ClientId> {
        self.driver.map(|(client, _)| client)
    }

    /// Until when it drives unless it is heard again, s.
    pub fn until(&self) -> Option<f64> {
        self.driver.map(|(_, until)| until)
    }

    /// A browser holds the stick at the time `now`, s. The first to do so drives.
    pub fn hold(&mut self, client: ClientId, now: f64, lease: f64) -> Verdict {
        match self.driver {
            _ if self.stopped => Verdict::Stopped,
            Some((driver, until)) if driver != client && now < until => Verdict::Taken(driver),
            _ => {
                self.driver = Some((client, now + lease));
                Verdict::Drives
            }
        }
    }

    /// A browser lets go, or is gone; whether the robot is to be halted.
    pub fn release(&mut self, client: ClientId) -> bool {
        let drove = self.driver() == Some(client);
        if drove {
            self.driver = None;
        }
        drove
    }

    /// Time passes; whether the robot is to be halted because its driver is silent.
    pub fn expire(&mut self, now: f64) -> bool {
        let silent = self.driver.is_some_and(|(_, until)| now >= until);
        if silent {
            self.driver = None;
        }
        silent
    }

    /// Nobody drives until the stop is cleared.
    pub fn stop(&mut self, stopped: bool) {
        self.stopped = stopped;
        if stopped {
            self.driver = None;
        }
    }

    /// Whether a stop holds.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Event {
        Hold(ClientId),
        Release(ClientId),
        Wait(f64),
        Stop(bool),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            4 => (0..3u64).prop_map(Event::Hold),
            1 => (0..3u64).prop_map(Event::Release),
            3 => (0.0..0.6).prop_map(Event::Wait),
            1 => any::<bool>().prop_map(Event::Stop),
        ]
    }

    proptest! {
        /// Whatever comes in which order: commands go out for one browser at a time, never while stopped, and whoever drove is
        /// halted no later than a lease after its last word.
        #[test]
        fn one_drives_and_only_while_it_is_heard(events in prop::collection::vec(event(), 0..200)) {
            let lease = 0.4;
            let (mut drive, mut now, mut stopped) = (Drive::default(), 0.0, false);
            let mut last: Option<(ClientId, f64)> = None;
            for event in events {
                match event {
                    Event::Hold(client) => match drive.hold(client, now, lease) {
                        Verdict::Drives => {
                            prop_assert!(!stopped);
                            prop_assert!(last.is_none_or(|(driver, at)| driver == client || now >= at + lease));
                            last = Some((client, now));
                        }
                        Verdict::Taken(by) => prop_assert!(last.is_some_and(|(driver, at)| driver == by && by != client && now < at + lease)),
                        Verdict::Stopped => prop_assert!(stopped),
                    },
                    Event::Release(client) => {
                        let halted = drive.release(client);
                        prop_assert_eq!(halted, last.is_some_and(|(driver, _)| driver == client));
                        if halted { last = None; }
                    }
                    Event::Wait(time) => {
                        now += time;
                        let halted = drive.expire(now);
                        prop_assert_eq!(halted, last.is_some_and(|(_, at)| now >= at + lease));
                        if halted { last = None; }
                    }
                    Event::Stop(on) => {
                        drive.stop(on);
                        stopped = on;
                        if on { last = None; }
                    }
                }
                prop_assert_eq!(drive.driver(), last.map(|(driver, _)| driver));
            }
        }
    }
}

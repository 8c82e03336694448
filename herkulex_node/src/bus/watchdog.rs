//! Old goals of one joint: hold, then release. It goes by when a goal was made, not by when it came, and only goals that
//! somebody commands count.

use super::Ns;

/// What the watchdog of a joint sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// No goals since it got torque: it stays where it is.
    Waiting,
    /// Goals come and are followed.
    Following,
    /// Goals stopped: it stays at the last.
    Holding,
    /// They stopped for too long: torque is released.
    Released,
}

/// The watchdog of one joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watchdog {
    watch: Watch,
    /// When the newest goal was made, or torque came.
    fed: Ns,
    /// Since when it waits or holds.
    idle: Ns,
}

impl Watchdog {
    /// For a joint that gets torque now. Armed from here on: a source that never comes is as bad as one that died.
    pub fn armed(now: Ns) -> Watchdog {
        Watchdog { watch: Watch::Waiting, fed: now, idle: now }
    }

    /// What it sees.
    pub fn watch(&self) -> Watch {
        self.watch
    }

    /// A commanded goal, made at `born`. True if the joint follows again after it did not.
    pub fn feed(&mut self, born: Ns) -> bool {
        self.fed = self.fed.max(born);
        let again = self.watch != Watch::Following;
        self.watch = Watch::Following;
        again
    }

    /// Looks at the age; gives the new state if it changed. 0 stands for "never" in both times.
    pub fn check(&mut self, now: Ns, timeout: Ns, release_after: Ns) -> Option<Watch> {
        if now < self.due(timeout, release_after) {
            return None;
        }
        self.watch = match self.watch {
            Watch::Following => {
                // Held since the goal grew too old, whenever that is noticed.
                self.idle = self.fed + timeout;
                Watch::Holding
            }
            _ => Watch::Released,
        };
        Some(self.watch)
    }

    /// When there is something to look at; never in the past for a state that has no way on.
    pub fn due(&self, timeout: Ns, release_after: Ns) -> Ns {
        let never = |span: Ns| if span == 0 { Ns::MAX } else { span };
        match self.watch {
            Watch::Following => self.fed.saturating_add(never(timeout)),
            // A joint that waits for its first goal has as long as one whose goals stopped.
            Watch::Waiting => self.idle.saturating_add(timeout).saturating_add(never(release_after)),
            Watch::Holding => self.idle.saturating_add(never(release_after)),
            Watch::Released => Ns::MAX,
        }
    }
}

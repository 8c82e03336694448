//! What services ask for. Torque off, brake and stop stand: they are kept whether or not the port is open, and hold until
//! another order replaces them.

use super::machine::{Bus, Event};
use super::phase::Input;
use super::torque::Standing;
use super::{Ns, Phase, ns};
use crate::codec::LAST_ID;

/// How long an order may take before its outcome is told, s. On a line that loses half of all answers, thirty servos take two.
const PATIENCE: f64 = 3.0;
/// How long a rebooting servo is left alone, s.
const REBOOT: f64 = 0.6;
/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Torque on, at the place where the servo is.
    TorqueOn,
    /// Torque off: the shaft turns freely.
    TorqueOff,
    /// Motor shorted: the shaft resists.
    Brake,
    /// All servos free, at once, until [`Command::ClearStop`].
    Stop,
    /// The stop is over. Torque stays off until it is ordered on.
    ClearStop,
    /// Errors forgotten; a servo that lost torque over one gets it back.
    ClearErrors,
    /// The servo starts anew, with its stored registers.
    Reboot,
    /// Which ids answer?
    Scan,
}

/// An order for some servos; stop, its end and scan are for all, whatever `servos` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Given back with the outcome.
    pub request_id: u64,
    /// What to do.
    pub command: Command,
    /// With which servos, by index.
    pub servos: Vec<usize>,
}

/// How an order ended: what was done, or what was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Of the order.
    pub request_id: u64,
    /// A text for people.
    pub result: Result<String, String>,
}

#[derive(Clone, Debug)]
pub(super) struct Pending {
    order: Order,
    since: Ns,
    deadline: Ns,
}

/// A scan under way.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    pub next: u8,
    /// Answers of the next one that did not come.
    pub missed: u8,
    pub found: Vec<u8>,
    pub done: bool,
}

impl Bus {
    /// Takes an order; its outcome comes through [`Bus::outcome`].
    pub fn order(&mut self, now: Ns, mut order: Order) {
        if matches!(order.command, Command::Stop | Command::ClearStop) {
            order.servos = (0..self.servos.len()).collect();
        }
        order.servos.retain(|i| *i < self.servos.len());
        let stands =
            matches!(order.command, Command::TorqueOff | Command::Brake | Command::Stop | Command::ClearStop);
        if !self.connected && !stands {
            return self.end(order.request_id, Err("the port is not open".into()));
        }
        if let Some(why) = self.refusal(order.command) {
            return self.end(order.request_id, Err(why.into()));
        }
        if order.command == Command::ClearStop && !self.stopped {
            return self.end(order.request_id, Ok("not stopped".into()));
        }
        self.start_order(now, &order);
        if !self.connected {
            let why = "the port is not open; the order stands and is carried out when it is";
            return self.end(order.request_id, Err(why.into()));
        }
        let mut patience = ns(PATIENCE);
        if order.command == Command::Scan {
            let exchange = self.config.exchange(7, 9) + ns(self.config.tuning.reply_timeout);
            patience += Ns::from(LAST_ID) * exchange * 3;
            self.scan = Some(Scan { next: 0, missed: 0, found: vec![], done: false });
        }
        self.pending.push(Pending { order, since: now, deadline: now + patience });
    }

    fn refusal(&self, command: Command) -> Option<&'static str> {
        match command {
            Command::TorqueOn if self.stopped => Some("stopped: clear_stop comes first"),
            Command::TorqueOn | Command::Reboot if self.farewell.is_some() => Some("the bridge is ending"),
            // What a node before us was told is known only when all were found; a reboot would wipe it.
            Command::TorqueOn | Command::Reboot | Command::ClearStop if !self.is_surveyed() => {
                Some("the servos are still being found, and how they were left: try again")
            }
            _ => None,
        }
    }

    fn start_order(&mut self, now: Ns, order: &Order) {
        match order.command {
            Command::TorqueOn => self.stand(now, order, Standing::On),
            Command::TorqueOff => self.stand(now, order, Standing::Off),
            Command::Brake => self.stand(now, order, Standing::Brake),
            Command::Stop => {
                if !std::mem::replace(&mut self.stopped, true) {
                    self.events.push_back(Event::Stopped);
                }
                self.stand_all(now);
            }
            Command::ClearStop => {
                self.stopped = false;
                self.servos.iter_mut().for_each(|s| s.order = Some(Standing::Off));
                self.stand_all(now);
            }
            Command::ClearErrors => order.servos.iter().for_each(|i| self.input(now, *i, Input::Clear)),
            Command::Reboot => {
                // One that was not found yet may bear a mark that a reboot would wipe.
                for &i in order.servos.iter().filter(|i| self.servos[**i].found.is_some()).collect::<Vec<_>>()
                {
                    let id = self.servos[i].id();
                    self.wire.send(now, |frame| {
                        frame.reboot(id);
                    });
                    self.input(now, i, Input::Reboot(now + ns(REBOOT)));
                }
            }
            Command::Scan => {}
        }
    }

    /// Orders whose port is gone: those that stand do so.
    pub(super) fn end_all(&mut self, why: &str) {
        for pending in std::mem::take(&mut self.pending) {
            self.end(pending.order.request_id, Err(why.into()));
        }
    }

    fn end(&mut self, request_id: u64, result: Result<String, String>) {
        self.outcomes.push_back(Outcome { request_id, result });
    }

    /// The next order that ended.
    pub fn outcome(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    /// Ends the orders that are done or out of time.
    pub(super) fn settle_orders(&mut self, now: Ns) {
        if self.pending.is_empty() {
            return;
        }
        for pending in std::mem::take(&mut self.pending) {
            let Order { command, request_id, ref servos } = pending.order;
            let overruled = |i: &usize| self.overruled(command, *i).is_some();
            let (over, standing): (Vec<usize>, Vec<usize>) = servos.iter().partition(|i| overruled(i));
            let done = |i: &usize| self.is_done(command, pending.since, *i);
            let open: Vec<usize> = standing.into_iter().filter(|i| !done(i)).collect();
            let scanning = command == Command::Scan && self.scan.as_ref().is_some_and(|s| !s.done);
            if (!open.is_empty() || scanning) && now < pending.deadline {
                self.pending.push(pending);
                continue;
            }
            let result = match command {
                Command::Scan => {
                    Ok(self.scan.take().map_or_else(String::new, |scan| self.scan_text(&scan.found)))
                }
                _ if open.is_empty() && over.is_empty() => Ok(format!("{} servos", servos.len())),
                _ => Err(self.failure_text(command, &open, &over, servos.len())),
            };
            self.end(request_id, result);
        }
    }

    /// What stands now in place of an order, if that stands no longer.
    pub(super) fn overruled(&self, command: Command, i: usize) -> Option<&'static str> {
        let order = self.servos.get(i)?.order;
        let other = |wanted: Standing| order.filter(|o| *o != wanted).map(Standing::name);
        match command {
            Command::TorqueOn | Command::Brake if self.stopped => Some("stop"),
            Command::TorqueOn if self.farewell.is_some() => Some("the end of the bridge"),
            Command::TorqueOn => other(Standing::On),
            Command::TorqueOff => other(Standing::Off),
            Command::Brake => other(Standing::Brake),
            Command::Stop if !self.stopped => Some("clear_stop"),
            Command::ClearStop if self.stopped => Some("stop"),
            _ => None,
        }
    }

    /// Whether a servo has done what was ordered, by an answer that it gave since.
    fn is_done(&self, command: Command, since: Ns, i: usize) -> bool {
        let Some(servo) = self.servos.get(i) else { return true };
        if command != Command::Scan && (self.is_lost(i) || servo.link.answered <= since) {
            return false;
        }
        match (command, servo.fsm.phase) {
            (Command::TorqueOn, phase) => phase == Phase::Ready,
            (Command::TorqueOff | Command::Brake | Command::Stop | Command::ClearStop, _) => {
                servo.fsm.is_relaxed()
            }
            (Command::ClearErrors, Phase::Ready | Phase::Resting) => !servo.fsm.is_clearing(),
            (Command::Reboot, Phase::Ready | Phase::Resting) | (Command::Scan, _) => true,
            _ => false,
        }
    }

    /// When an order runs out of time.
    pub(super) fn pending_due(&self) -> Ns {
        self.pending.iter().map(|p| p.deadline).min().unwrap_or(Ns::MAX)
    }
}

//! What services ask for. Torque off, brake and stop stand: they are kept whether or not the port is open, and hold until
//! another order replaces them.

use super::machine::{Bus, Event};
use super::phase::Input;
use super::torque::Standing;
use super::{Ns, Phase, ns};
use crate::codec::LAST_ID;

/// How long an order may take before its outcome is told, s. On a line that loses half of all answers, thirty servos take two.
const PATIENCE: f64 = 5.0;
/// How long a rebooting servo is left alone, s.
const REBOOT: f64 = 0.6;
/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Torque on, at the place where the servo is.
    TorqueOn,
    /// Torque off.
    TorqueOff,
    /// Motor shorted.
    Brake,
    /// All servos free, at once, until [`Command::ClearStop`].
    Stop,
    /// The stop is over. Torque stays off until it is ordered on.
    ClearStop,
    /// Errors forgotten; a servo that lost torque over one gets it back.
    ClearErrors,
    /// Started anew.
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
    deadline: Ns,
}

/// A scan under way.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    pub next: u8,
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
        if let Some(why) = self.refusal(order.command) {
            return self.end(order.request_id, Err(why.into()));
        }
        if order.command == Command::ClearStop && !self.stopped {
            return self.end(order.request_id, Ok("not stopped".into()));
        }
        if !self.connected && !stands {
            return self.end(order.request_id, Err("the port is not open".into()));
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
            self.scan = Some(Scan { next: 0, found: vec![], done: false });
        }
        self.pending.push(Pending { order, deadline: now + patience });
    }

    fn refusal(&self, command: Command) -> Option<&'static str> {
        match command {
            Command::TorqueOn if self.stopped => Some("stopped: clear_stop comes first"),
            Command::TorqueOn | Command::Reboot if self.farewell.is_some() => Some("the bridge is ending"),
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
                self.apply_all(now);
            }
            Command::ClearStop => {
                self.stopped = false;
                self.servos.iter_mut().for_each(|s| s.order = Some(Standing::Off));
                self.apply_all(now);
            }
            Command::ClearErrors => order.servos.iter().for_each(|i| self.input(now, *i, Input::Clear)),
            Command::Reboot => {
                for &i in &order.servos {
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
            let open: Vec<usize> = servos.iter().copied().filter(|i| !self.is_done(command, *i)).collect();
            let scanning = command == Command::Scan && self.scan.as_ref().is_some_and(|s| !s.done);
            if (!open.is_empty() || scanning) && now < pending.deadline {
                self.pending.push(pending);
                continue;
            }
            let result = match command {
                Command::Scan => {
                    Ok(self.scan.take().map_or_else(String::new, |scan| self.scan_text(&scan.found)))
                }
                _ if open.is_empty() => Ok(format!("{} servos", servos.len())),
                _ => Err(open.iter().map(|i| self.problem_text(*i)).collect::<Vec<_>>().join("; ")),
            };
            self.end(request_id, result);
        }
    }

    fn is_done(&self, command: Command, i: usize) -> bool {
        let Some(servo) = self.servos.get(i) else { return true };
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

//! What services ask for, until it is done.

use super::machine::Bus;
use super::servo::{Phase, Torque};
use super::{Ns, ns};
use crate::codec::{Frame, LAST_ID};

/// How long an order may take, s.
const PATIENCE: f64 = 3.0;
/// How long a rebooting servo is left alone, s.
const REBOOT: f64 = 0.6;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Torque on, at the place where the servo is.
    TorqueOn,
    /// Torque off.
    TorqueOff,
    /// Motor shorted.
    Brake,
    /// Errors forgotten; a servo that lost torque over one gets it back.
    ClearErrors,
    /// Started anew.
    Reboot,
    /// Which ids answer?
    Scan,
}

/// An order for some servos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Given back with the outcome.
    pub ticket: u64,
    /// What to do.
    pub what: What,
    /// With which servos, by index.
    pub servos: Vec<usize>,
}

/// How an order ended: what was done, or what was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Of the order.
    pub ticket: u64,
    /// A text for people.
    pub result: Result<String, String>,
}

#[derive(Clone, Debug)]
pub(super) struct Pending {
    order: Order,
    deadline: Ns,
}

impl Pending {
    pub(super) fn failed(self, why: &str) -> Outcome {
        Outcome { ticket: self.order.ticket, result: Err(why.into()) }
    }
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
    pub fn order(&mut self, now: Ns, order: Order) {
        if !self.connected {
            let result = Err("the port is not open".into());
            self.outcomes.push_back(Outcome { ticket: order.ticket, result });
            return;
        }
        for &i in &order.servos {
            self.start_order(now, order.what, i);
        }
        let mut patience = ns(PATIENCE);
        if order.what == What::Scan {
            patience +=
                Ns::from(LAST_ID) * (self.config.exchange(7, 9) + ns(self.config.tuning.reply_timeout)) * 3;
            self.scan = Some(Scan { next: 0, found: vec![], done: false });
        }
        self.pending.push(Pending { order, deadline: now + patience });
    }

    fn start_order(&mut self, now: Ns, what: What, i: usize) {
        let Some(servo) = self.servos.get_mut(i) else { return };
        servo.not_before = now;
        match what {
            What::TorqueOn => self.set_torque(i, Torque::On),
            What::TorqueOff => self.set_torque(i, Torque::Free),
            What::Brake => self.set_torque(i, Torque::Brake),
            What::ClearErrors => match servo.phase {
                Phase::Ready | Phase::Resting => servo.clear = true,
                Phase::Faulted { .. } => servo.enter(Phase::Greet),
                _ => {}
            },
            What::Reboot => {
                servo.enter(Phase::Rebooting { until: now + ns(REBOOT) });
                let id = servo.id();
                let mut frame = Frame::default();
                self.send(now, frame.reboot(id));
            }
            What::Scan => {}
        }
    }

    /// What a servo's motor shall do from now on; the way there begins at once.
    pub(super) fn set_torque(&mut self, i: usize, wanted: Torque) {
        let servo = &mut self.servos[i];
        let same = servo.wanted == wanted;
        servo.wanted = wanted;
        match (servo.phase, wanted) {
            (Phase::Rebooting { .. }, _) => {}
            (Phase::Ready, Torque::On) => {}
            (Phase::Resting, Torque::Brake | Torque::Free) if same => {}
            (_, Torque::On) => servo.enter(Phase::Greet),
            (_, Torque::Brake | Torque::Free) => {
                servo.enter(Phase::Relax);
                self.first.retain(|f| *f != i);
                self.first.push_front(i);
            }
        }
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
            let open: Vec<usize> = pending
                .order
                .servos
                .iter()
                .copied()
                .filter(|i| !self.is_done(pending.order.what, *i))
                .collect();
            let scanning = pending.order.what == What::Scan && self.scan.as_ref().is_some_and(|s| !s.done);
            if (!open.is_empty() || scanning) && now < pending.deadline {
                self.pending.push(pending);
                continue;
            }
            let result = match pending.order.what {
                What::Scan => {
                    Ok(self.scan.take().map_or_else(String::new, |scan| self.scan_text(&scan.found)))
                }
                _ if open.is_empty() => Ok(format!("{} servos", pending.order.servos.len())),
                _ => Err(open.iter().map(|i| self.problem_text(*i)).collect::<Vec<_>>().join("; ")),
            };
            self.outcomes.push_back(Outcome { ticket: pending.order.ticket, result });
        }
    }

    fn is_done(&self, what: What, i: usize) -> bool {
        let Some(servo) = self.servos.get(i) else { return true };
        match (what, servo.phase) {
            (What::TorqueOn, phase) => phase == Phase::Ready,
            (What::TorqueOff | What::Brake, phase) => phase == Phase::Resting,
            (What::ClearErrors, Phase::Ready | Phase::Resting) => !servo.clear,
            (What::Reboot, Phase::Ready | Phase::Resting) | (What::Scan, _) => true,
            _ => false,
        }
    }

    fn scan_text(&self, found: &[u8]) -> String {
        let name = |id: &u8| match self.servos.iter().find(|s| s.id() == *id) {
            Some(servo) => format!("{id} ({})", servo.name()),
            None => format!("{id} (not configured)"),
        };
        let missing = self.servos.iter().filter(|s| !found.contains(&s.id()));
        let missing: Vec<String> = missing.map(|s| format!("{} ({})", s.id(), s.name())).collect();
        let found = found.iter().map(name).collect::<Vec<_>>().join(", ");
        let missing =
            if missing.is_empty() { String::new() } else { format!("; no answer: {}", missing.join(", ")) };
        format!("answered: {found}{missing}")
    }

    /// When an order runs out of time.
    pub(super) fn pending_due(&self) -> Ns {
        self.pending.iter().map(|p| p.deadline).min().unwrap_or(Ns::MAX)
    }

    /// What is wrong with a servo, by name.
    pub fn problem_text(&self, i: usize) -> String {
        let Some(servo) = self.servos.get(i) else { return format!("servo {i}: unknown") };
        let what = match (servo.phase, servo.status.error) {
            _ if self.is_lost(i) => "no answer".to_string(),
            (_, error) if error != 0 => servo.status.to_string(),
            (Phase::Rebooting { .. }, _) => "rebooting".to_string(),
            (Phase::Ready | Phase::Resting, _) => "ok".to_string(),
            _ => "not ready".to_string(),
        };
        format!("{} (id {}): {what}", servo.name(), servo.id())
    }
}

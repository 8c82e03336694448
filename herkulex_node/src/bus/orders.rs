//! What services ask for. Torque off, brake and stop stand: they are kept whether or not the port is open, and hold until
//! another order replaces them.

use super::machine::{Bus, Event};
use super::phase::Input;
use super::torque::{Demand, Mark, Standing, Torque};
use super::watchdog::Watchdog;
use super::{Ns, Phase, ns};
use crate::codec::{BROADCAST, LAST_ID, reg};

/// How long an order may take before its outcome is told, s. On a line that loses half of all answers, thirty servos take two.
const PATIENCE: f64 = 5.0;
/// How long a rebooting servo is left alone, s.
const REBOOT: f64 = 0.6;
/// A broadcast is not answered, so it is said so many times, with this between, ns.
const SHOUTS: (u8, Ns) = (3, 5_000_000);

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

/// A broadcast that is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shout {
    torque: Torque,
    left: u8,
    pub next: Ns,
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

    fn stand(&mut self, now: Ns, order: &Order, standing: Standing) {
        for &i in &order.servos {
            let servo = &mut self.servos[i];
            servo.order = Some(standing);
            servo.released = false;
            servo.link.not_before = 0;
            servo.watchdog = Watchdog::armed(now);
        }
        for &i in &order.servos {
            // Somebody may have put right what it was refused for.
            if matches!(self.servos[i].fsm.phase, Phase::Refused(_)) {
                self.input(now, i, Input::Again);
            }
        }
        if order.servos.len() == self.servos.len() {
            self.apply_all(now);
        } else {
            order.servos.iter().for_each(|i| self.apply(now, *i));
        }
    }

    /// What a servo shall do by all that stands: stop, order, end, watchdog, in this order.
    pub(super) fn demand(&self, i: usize) -> Option<Demand> {
        let servo = &self.servos[i];
        if self.stopped {
            return Some(Demand { torque: Torque::Free, mark: Mark::STOP });
        }
        let order = servo.order?;
        let mark = Mark::of(order);
        Some(match (order, self.farewell) {
            // Handed back: a node that starts after a good end finds a bus that is nobody's.
            (Standing::On, Some(torque)) => Demand { torque, mark: Mark::NONE },
            (Standing::On, None) if servo.released => {
                Demand { torque: self.config.tuning.release.torque(), mark }
            }
            _ => Demand { torque: order.torque(), mark },
        })
    }

    /// Lets a servo know what it shall do.
    pub(super) fn apply(&mut self, now: Ns, i: usize) {
        let Some(demand) = self.demand(i) else { return };
        self.input(now, i, Input::Want(demand));
        if self.servos[i].fsm.phase == Phase::Relax {
            self.scheduler.hurry(i);
        }
    }

    /// Lets all know, and when none shall have torque and all the same, says so to all at once before each is asked.
    pub(super) fn apply_all(&mut self, now: Ns) {
        (0..self.servos.len()).for_each(|i| self.apply(now, i));
        let mut demands = (0..self.servos.len()).map(|i| self.demand(i).map(|d| d.torque));
        let first = demands.next().flatten().filter(|t| *t != Torque::On);
        if let Some(torque) = first.filter(|t| demands.all(|d| d == Some(*t))) {
            self.shout = Some(Shout { torque, left: SHOUTS.0, next: now });
        } else {
            self.shout = None;
        }
    }

    /// Says again to all what nobody confirms.
    pub(super) fn shout(&mut self, now: Ns) {
        let Some(shout) = self.shout.filter(|s| s.next <= now) else { return };
        self.wire.write(now, BROADCAST, &reg::TORQUE, &[shout.torque.register()]);
        let again = shout.left > 1 && !self.servos.iter().all(|s| s.fsm.is_relaxed());
        self.shout = again.then_some(Shout { left: shout.left - 1, next: now + SHOUTS.1, ..shout });
    }

    /// Takes torque from all servos that have it by order; [`Bus::is_relaxed`] says when it is done. Nothing that is
    /// ordered afterwards gives it back.
    pub fn relax(&mut self, now: Ns, torque: Torque) {
        self.farewell = Some(torque);
        self.servos.iter_mut().for_each(|s| s.link.not_before = 0);
        self.apply_all(now);
    }

    /// Whether every servo that answers and shall have no torque has none.
    pub fn is_relaxed(&self) -> bool {
        let shall = |i: usize| self.demand(i).is_some_and(|d| d.torque != Torque::On);
        (0..self.servos.len()).all(|i| !shall(i) || self.servos[i].fsm.is_relaxed() || self.is_lost(i))
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
        let what = match (servo.fsm.phase, servo.status.error) {
            _ if self.is_lost(i) => "no answer".to_string(),
            (Phase::Refused(why), _) => why.to_string(),
            (Phase::Locked, 0) => "off after too many faults, until clear_errors".to_string(),
            (Phase::Locked, _) => format!("{}: off after too many faults, until clear_errors", servo.status),
            (_, error) if error != 0 => servo.status.to_string(),
            (Phase::Rebooting { .. }, _) => "rebooting".to_string(),
            (Phase::Ready | Phase::Resting, _) => "ok".to_string(),
            _ => "not ready".to_string(),
        };
        format!("{} (id {}): {what}", servo.name(), servo.id())
    }
}

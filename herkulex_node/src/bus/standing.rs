//! What each servo shall do by all that stands, and how it is told.

use super::Ns;
use super::machine::Bus;
use super::orders::Order;
use super::phase::{Input, Phase};
use super::torque::{Demand, Mark, Standing, Torque};
use super::watchdog::Watchdog;
use crate::codec::{BROADCAST, reg};

/// A broadcast is not answered, so it is said so many times, with this between, ns.
const SHOUTS: (u8, Ns) = (3, 5_000_000);

/// A broadcast that is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shout {
    said: Said,
    left: u8,
    pub next: Ns,
}

/// What may be said to all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    torque: Torque,
    /// Whether it is what each of them shall do; else only as far as that none has torque.
    exact: bool,
}

impl Bus {
    pub(super) fn stand(&mut self, now: Ns, order: &Order, standing: Standing) {
        for &i in &order.servos {
            let servo = &mut self.servos[i];
            servo.order = Some(standing);
            servo.undelivered = standing != Standing::On;
            servo.released = false;
            servo.link.not_before = 0;
            servo.watchdog = Watchdog::armed(now);
        }
        self.orders_version += 1;
        for &i in &order.servos {
            // Somebody may have put right what it was refused for.
            let refused = matches!(self.servos[i].fsm.phase, Phase::Refused(_));
            self.input(now, i, if refused { Input::Again } else { Input::Confirm });
        }
        if order.servos.len() == self.servos.len() {
            self.apply_all(now);
        } else {
            order.servos.iter().for_each(|i| self.apply(now, *i));
        }
    }

    /// All servos shall do what stands for all of them, and prove it anew.
    pub(super) fn stand_all(&mut self, now: Ns) {
        self.servos.iter_mut().for_each(|s| s.undelivered = true);
        self.orders_version += 1;
        (0..self.servos.len()).for_each(|i| self.input(now, i, Input::Confirm));
        self.apply_all(now);
    }

    /// What a servo shall do by all that stands: stop, order, end, watchdog, in this order.
    pub(super) fn demand(&self, i: usize) -> Option<Demand> {
        let servo = &self.servos[i];
        if self.stopped {
            return Some(Demand { torque: Torque::Free, mark: Some(Mark::STOP) });
        }
        // Before everything was found, a mark may be the last that knows of a stop.
        let known = self.was_ours.is_some() && servo.found.is_some();
        let mark = |mark: Mark| known.then_some(mark);
        Some(match (servo.order, self.farewell) {
            (None, None) => return None,
            (None, Some(torque)) => Demand { torque, mark: None },
            // Handed back: a node that starts after a good end finds a bus that is nobody's.
            (Some(Standing::On), Some(torque)) => Demand { torque, mark: mark(Mark::NONE) },
            (Some(Standing::On), None) if servo.released => {
                Demand { torque: self.config.tuning.release.torque(), mark: mark(Mark::of(Standing::On)) }
            }
            (Some(order), _) => Demand { torque: order.torque(), mark: mark(Mark::of(order)) },
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

    /// What may be said to all: nothing while one of them shall have torque, or be left as it is.
    fn said_to_all(&self) -> Option<Said> {
        let mut said: Option<Said> = None;
        for i in 0..self.servos.len() {
            let torque = self.demand(i)?.torque;
            said = match said {
                _ if torque == Torque::On => return None,
                Some(s) if s.torque != torque => Some(Said { torque: Torque::Brake, exact: false }),
                said => said.or(Some(Said { torque, exact: true })),
            };
        }
        said
    }

    /// Lets all know, and when none shall have torque, says so to all at once before each is asked.
    pub(super) fn apply_all(&mut self, now: Ns) {
        self.servos.iter_mut().for_each(|s| s.link.not_before = 0);
        (0..self.servos.len()).for_each(|i| self.apply(now, i));
        self.shout = self.said_to_all().map(|said| {
            // What is not right for each of them is said once, before each is told its own.
            Shout { said, left: if said.exact { SHOUTS.0 } else { 1 }, next: now }
        });
        if let Some(Said { torque, exact: false }) = self.shout.map(|s| s.said) {
            let others = |bus: &Bus, i: usize| bus.demand(i).is_some_and(|d| d.torque != torque);
            for i in (0..self.servos.len()).filter(|i| others(self, *i)).collect::<Vec<_>>() {
                self.input(now, i, Input::Confirm);
                self.scheduler.hurry(i);
            }
        }
    }

    /// Says again to all what nobody confirms, for as long as it is right for all.
    pub(super) fn shout(&mut self, now: Ns) {
        let Some(shout) = self.shout.filter(|s| s.next <= now) else { return };
        self.shout = None;
        if self.said_to_all() != Some(shout.said) {
            return;
        }
        self.wire.write(now, BROADCAST, &reg::TORQUE, &[shout.said.torque.register()]);
        if shout.left > 1 && !self.servos.iter().all(|s| s.fsm.is_relaxed()) {
            self.shout = Some(Shout { left: shout.left - 1, next: now + SHOUTS.1, ..shout });
        }
    }

    /// Takes torque from all servos that have it by order; [`Bus::is_relaxed`] says when it is done. Nothing that is
    /// ordered afterwards gives it back.
    pub fn relax(&mut self, now: Ns, torque: Torque) {
        self.farewell = Some(torque);
        self.apply_all(now);
    }

    /// Whether every servo that answers and shall have no torque has none.
    pub fn is_relaxed(&self) -> bool {
        let shall = |i: usize| self.demand(i).is_some_and(|d| d.torque != Torque::On);
        (0..self.servos.len()).all(|i| !shall(i) || self.servos[i].fsm.is_relaxed() || self.is_lost(i))
    }
}

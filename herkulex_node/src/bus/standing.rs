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
    torque: Torque,
    left: u8,
    pub next: Ns,
}

impl Bus {
    pub(super) fn stand(&mut self, now: Ns, order: &Order, standing: Standing) {
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
}

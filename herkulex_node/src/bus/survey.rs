//! The start: what is found on the bus, and what becomes of it.

use super::Ns;
use super::machine::{Bus, Event};
use super::phase::Phase;
use super::servo::Servo;
use super::torque::{Mark, Standing};
use super::watchdog::Watchdog;

/// Answers missing or making no sense after which the start waits for a servo no longer.
const PATIENCE: u32 = 8;

impl Bus {
    /// Whether it is known how a node before us left the bus. Until then nobody gets torque and no mark is written but the
    /// stop's: one that was told to stay off may be the last to be asked.
    pub(super) fn is_surveyed(&self) -> bool {
        self.was_ours.is_some()
    }

    /// Decides what becomes of servos that were found: at first of all together, later of each that comes.
    pub(super) fn survey(&mut self, now: Ns) {
        match self.was_ours {
            None if self.all_found() => self.take_stock(now),
            None => {}
            Some(was_ours) => self.latecomers(now, was_ours),
        }
    }

    /// Whether every servo was found, or is not to be found for now; and one was.
    fn all_found(&self) -> bool {
        let refused = |s: &Servo| matches!(s.fsm.phase, Phase::Refused(_));
        let settled = |s: &Servo| {
            s.found.is_some()
                || s.link.misses >= PATIENCE
                || u32::from(s.fsm.tries) >= PATIENCE
                || refused(s)
                || matches!(s.fsm.phase, Phase::Rebooting { .. })
        };
        self.servos.iter().any(|s| s.found.is_some() || refused(s)) && self.servos.iter().all(settled)
    }

    fn take_stock(&mut self, now: Ns) {
        let found = || self.servos.iter().filter_map(|s| s.found);
        let ours = found().filter(|f| f.is_ours()).count();
        let stopped = found().any(|f| f.mark == Mark::STOP);
        if ours > 0 {
            self.events.push_back(Event::Adopted(ours));
        }
        if stopped && !std::mem::replace(&mut self.stopped, true) {
            self.events.push_back(Event::Stopped);
        }
        self.was_ours = Some(ours > 0);
        (0..self.servos.len()).for_each(|i| self.take_in(now, i, ours > 0));
        self.apply_all(now);
    }

    /// What comes after that is taken in by itself. One that bears a stop of another life does not stop a robot that walks:
    /// it stays off alone, whatever was ordered while it was away.
    fn latecomers(&mut self, now: Ns, was_ours: bool) {
        for i in 0..self.servos.len() {
            let servo = &mut self.servos[i];
            let refused = servo.order.is_none() && matches!(servo.fsm.phase, Phase::Refused(_));
            if servo.fsm.phase != Phase::Waiting && !refused {
                continue;
            }
            if servo.found.is_some_and(|f| f.mark == Mark::STOP) && !self.stopped {
                servo.order = Some(Standing::Off);
                self.events.push_back(Event::LeftStopped(i));
            }
            self.take_in(now, i, was_ours);
            self.apply(now, i);
        }
    }

    /// The order of a servo that has none. What cannot be proved shall have no torque.
    fn take_in(&mut self, now: Ns, i: usize, was_ours: bool) {
        let torque_at_start = self.config.torque_at_start;
        let servo = &mut self.servos[i];
        if servo.order.is_none() {
            servo.order = match (servo.found, servo.fsm.phase) {
                (Some(found), _) => Some(found.adopt(was_ours, torque_at_start)),
                (None, Phase::Refused(_)) => Some(Standing::Off),
                (None, _) => return,
            };
            servo.watchdog = Watchdog::armed(now);
        }
    }
}

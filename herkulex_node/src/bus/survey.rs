//! The start: what is found on the bus, and what becomes of it.

use super::Ns;
use super::machine::{Bus, Event};
use super::phase::Phase;
use super::servo::Servo;
use super::torque::Mark;
use super::watchdog::Watchdog;

/// Answers missing or making no sense after which the start waits for a servo no longer.
const PATIENCE: u32 = 8;

impl Bus {
    /// Decides what becomes of servos that were found at the start. Nobody gets torque before all were found, or do not
    /// answer: one that a node before us was told to leave off may be the last to be asked.
    pub(super) fn survey(&mut self, now: Ns) {
        let waiting = |s: &Servo| s.order.is_none() && s.fsm.phase == Phase::Waiting;
        if self.farewell.is_some() || !self.servos.iter().any(waiting) {
            return;
        }
        let settled = |s: &Servo| {
            s.order.is_some()
                || s.link.misses >= PATIENCE
                || u32::from(s.fsm.tries) >= PATIENCE
                || matches!(s.fsm.phase, Phase::Waiting | Phase::Refused(_) | Phase::Rebooting { .. })
        };
        if self.was_ours.is_none() && !self.servos.iter().all(settled) {
            return;
        }
        let found = self.servos.iter().filter_map(|s| s.found);
        let ours = found.clone().filter(|f| f.is_ours()).count();
        let was_ours = *self.was_ours.get_or_insert_with(|| {
            if ours > 0 {
                self.events.push_back(Event::Adopted(ours));
            }
            ours > 0
        });
        for servo in self.servos.iter_mut().filter(|s| waiting(s)) {
            let Some(found) = servo.found else { continue };
            servo.order = Some(found.adopt(was_ours, self.config.torque_at_start));
            servo.watchdog = Watchdog::armed(now);
            if found.mark == Mark::STOP && !std::mem::replace(&mut self.stopped, true) {
                self.events.push_back(Event::Stopped);
            }
        }
        self.apply_all(now);
    }
}

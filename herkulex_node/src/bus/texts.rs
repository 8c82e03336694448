//! What people read of orders and servos.

use super::machine::Bus;
use super::phase::Phase;

impl Bus {
    pub(super) fn scan_text(&self, found: &[u8]) -> String {
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

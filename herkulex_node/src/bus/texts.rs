//! What people read of orders and servos.

use super::machine::Bus;
use super::orders::Command;
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

    /// Why an order failed: servos that have not done it, and those for which another one stands.
    pub(super) fn failure_text(
        &self,
        command: Command,
        open: &[usize],
        over: &[usize],
        all: usize,
    ) -> String {
        let by = |i: &usize| self.overruled(command, *i).unwrap_or("another order");
        match over {
            [first, others @ ..] if over.len() == all && others.iter().all(|i| by(i) == by(first)) => {
                format!("overruled by {}", by(first))
            }
            _ => {
                let name = |i: &usize| {
                    self.servos.get(*i).map_or_else(String::new, |s| format!("{} (id {})", s.name(), s.id()))
                };
                let over = over.iter().map(|i| format!("{}: overruled by {}", name(i), by(i)));
                open.iter().map(|i| self.problem_text(*i)).chain(over).collect::<Vec<_>>().join("; ")
            }
        }
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

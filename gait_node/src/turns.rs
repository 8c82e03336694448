//! Whose turn it is to lift.

use crate::pattern::Pattern;

/// The gait's phase, and the legs whose time to lift has come. One that may not lift goes first when it may: until then the phase
/// waits. So every leg lifts once in each period, in the gait's order, and no swing is hurried.
#[derive(Clone, Debug)]
pub struct Turns {
    pattern: Pattern,
    /// Periods of the gait since it began; not wrapped, so that no lift falls between two roundings.
    phase: f64,
    stepping: bool,
    due: Vec<bool>,
}

impl Turns {
    /// No leg lifts.
    pub fn new(pattern: Pattern, legs: usize) -> Turns {
        Turns { pattern, phase: 0.0, stepping: false, due: vec![false; legs] }
    }

    /// No leg lifts, from now on.
    pub fn end(&mut self) {
        self.stepping = false;
        self.due.fill(false);
    }

    /// A gait begins, with a leg that lifts first.
    pub fn begin(&mut self, pattern: &Pattern, leg: usize, period: f64) {
        self.pattern.become_like(pattern);
        self.phase = self.pattern.start(leg, period / self.pattern.period);
        self.stepping = true;
        self.due.fill(false);
    }

    /// The same gait with another period or duty: no leg loses its turn, none has it twice.
    pub fn retime(&mut self, pattern: &Pattern) {
        if self.pattern.phases == pattern.phases {
            self.phase += pattern.duty - self.pattern.duty;
            self.pattern.become_like(pattern);
        }
    }

    /// The gait.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Where in the gait's period it is.
    pub fn phase(&self) -> f64 {
        self.phase.rem_euclid(1.0)
    }

    /// How fast that goes on, periods per second.
    pub fn phase_rate(&self) -> f64 {
        if self.stepping && !self.is_waiting() { 1.0 / self.pattern.period } else { 0.0 }
    }

    /// Whether legs lift, each in its turn.
    pub fn is_stepping(&self) -> bool {
        self.stepping
    }

    /// Time until a leg lifts, s, if none has to wait.
    pub fn lifts_in(&self, leg: usize) -> f64 {
        if self.due[leg] { 0.0 } else { self.pattern.lifts_in(leg, self.phase) }
    }

    /// Whether a leg's time to lift has come.
    pub fn is_due(&self, leg: usize) -> bool {
        self.due[leg]
    }

    /// Calls the legs that lift in this period, and each until it has had its turn; `lift` gives whether that is so.
    pub fn call(&mut self, period: f64, mut lift: impl FnMut(usize) -> bool) {
        let share = period / self.pattern.period;
        if !self.is_waiting() {
            for (leg, due) in self.due.iter_mut().enumerate() {
                *due = self.pattern.lifts(leg, self.phase, share);
            }
        }
        for (leg, due) in self.due.iter_mut().enumerate() {
            *due = *due && !lift(leg);
        }
        if !self.is_waiting() {
            self.phase += share;
        }
    }

    fn is_waiting(&self) -> bool {
        self.due.contains(&true)
    }
}

//! Efforts from one source to another without a jump.

use filters_lib::Handover;

/// Efforts of all joints through their changes of source, each within the time of its kind.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    own: Vec<Handover>,
    /// The time of the change that is under way, s.
    time: f64,
    given: Vec<(Handover, bool)>,
}

impl Transfer {
    pub fn new(joints: usize) -> Self {
        let none = Handover::default();
        Self { own: vec![none; joints], time: 0.0, given: vec![(none, false); joints] }
    }

    /// What the motion takes, as it goes on after a step of time (s; none: anew); `change` is the time of a change that this step
    /// brings.
    pub fn own(&mut self, efforts: &[f64], step: Option<f64>, change: Option<f64>) {
        if let Some(time) = change {
            // A change within another one does not hurry it.
            self.time = if self.is_own_under_way() { self.time.max(time) } else { time };
        }
        let part = part(step, self.time);
        for (own, effort) in self.own.iter_mut().zip(efforts).filter(|(_, effort)| effort.is_finite()) {
            own.step(*effort, change.is_some(), part);
        }
    }

    /// The effort of a joint: what the motion takes, and what the message gives for it, which may begin or cease to give it.
    pub fn total(&mut self, joint: usize, given: Option<f64>, step: Option<f64>, fade_time: f64) -> f64 {
        let (through, was_given) = &mut self.given[joint];
        let changed = std::mem::replace(was_given, given.is_some()) != given.is_some();
        self.own[joint].output() + through.step(given.unwrap_or(0.0), changed, part(step, fade_time))
    }

    /// Whether a change is under way.
    pub fn is_under_way(&self) -> bool {
        self.is_own_under_way() || self.given.iter().any(|(given, _)| given.is_under_way())
    }

    fn is_own_under_way(&self) -> bool {
        self.own.iter().any(Handover::is_under_way)
    }
}

/// The part of a change that a step of time makes up; all of it when things begin anew.
pub(crate) fn part(step: Option<f64>, time: f64) -> f64 {
    match step {
        Some(step) if time > 0.0 => step / time,
        _ => 1.0,
    }
}

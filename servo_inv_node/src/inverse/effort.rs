//! Efforts that not every message gives: what is left out is not zero at once, and what comes back does not kick.

use filters_lib::Handover;

/// The effort of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    used: Handover,
    is_given: bool,
}

impl Effort {
    /// The effort that counts, for the one that a message gives or leaves out; `part` of a change is made in this step.
    #[inline]
    pub fn take(&mut self, given: Option<f64>, part: f64) -> f64 {
        let changed = given.is_some() != self.is_given;
        self.is_given = given.is_some();
        self.used.step(given.unwrap_or(0.0), changed, part)
    }
}

/// The part of a fade that the time `since` the pose before makes up; all of it for a pose that begins anew.
pub(crate) fn part(since: Option<f64>, fade_time: f64) -> f64 {
    match since {
        Some(since) if fade_time > 0.0 => (since / fade_time).max(0.0),
        _ => 1.0,
    }
}

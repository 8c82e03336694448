//! Efforts that not every message gives: what is left out is not zero at once, and what comes back does not kick.

use filters_lib::Handover;

/// The effort of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    used: Handover,
    /// What the last message gives, 0 when it leaves it out.
    input: f64,
    is_given: bool,
}

impl Effort {
    /// The effort that counts, for the one that a message gives or leaves out; `part` of a change is made in this step.
    #[inline]
    pub fn take(&mut self, given: Option<f64>, part: f64) -> f64 {
        let changed = given.is_some() != self.is_given;
        self.is_given = given.is_some();
        self.input = given.unwrap_or(0.0);
        self.used.step(self.input, changed, part)
    }

    /// The effort of a message from before the last one, beside which it will be seen: what is fading counts for both alike, or the
    /// fade would look like motion. One that gives an effort where the last does not, or the other way round, is of the time before
    /// the change; nobody knows how much of that was motion, so none.
    pub fn beside(&self, given: Option<f64>) -> f64 {
        let change = if given.is_some() == self.is_given { given.unwrap_or(0.0) - self.input } else { 0.0 };
        self.used.output() + change
    }
}

/// The part of a fade that the time `since` the pose before makes up; all of it for a pose that begins anew.
pub(crate) fn part(since: Option<f64>, fade_time: f64) -> f64 {
    match since {
        Some(since) if fade_time > 0.0 => (since / fade_time).max(0.0),
        _ => 1.0,
    }
}

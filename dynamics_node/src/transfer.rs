//! Efforts from one source to another without a jump.

use filters_lib::Handover;

/// What makes efforts jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Change {
    /// Others carry, or otherwise.
    Feet,
    /// They are worked out of something else.
    Reckoning,
}

/// The parts of a change that a step of time makes up, by its kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts {
    pub feet: f64,
    pub fade: f64,
}

/// Efforts of all joints through their changes, each within the time of its kind.
///
/// A foot's share of the weight is no measure for its load: at a tenth of the others' it still carries a third of what it did. So feet
/// have their shares at once, and the efforts go over evenly.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    /// Of each joint from feet to feet, and then from reckoning to reckoning.
    own: Vec<[Handover; 2]>,
    given: Vec<(Handover, bool)>,
}

impl Transfer {
    pub fn new(joints: usize) -> Self {
        let none = Handover::default();
        Self { own: vec![[none; 2]; joints], given: vec![(none, false); joints] }
    }

    /// What the motion takes, as it goes on after a step; `change` is what that brings.
    pub fn own(&mut self, efforts: &[f64], change: Option<Change>, parts: Parts) {
        let finite = self.own.iter_mut().zip(efforts).filter(|(_, effort)| effort.is_finite());
        for ([feet, fade], effort) in finite {
            let carried = feet.step(*effort, change == Some(Change::Feet), parts.feet);
            fade.step(carried, change == Some(Change::Reckoning), parts.fade);
        }
    }

    /// The effort of a joint: what the motion takes, and what the message gives for it, which may begin or cease to give it.
    pub fn total(&mut self, joint: usize, given: Option<f64>, parts: Parts) -> f64 {
        let (through, was_given) = &mut self.given[joint];
        let changed = std::mem::replace(was_given, given.is_some()) != given.is_some();
        self.own[joint][1].output() + through.step(given.unwrap_or(0.0), changed, parts.fade)
    }

    /// Whether a change is under way.
    pub fn is_under_way(&self) -> bool {
        let mut own = self.own.iter().flatten();
        own.any(Handover::is_under_way) || self.given.iter().any(|(given, _)| given.is_under_way())
    }
}

/// The part of a change that a step of time makes up; all of it when things begin anew.
pub(crate) fn part(step: Option<f64>, time: f64) -> f64 {
    match step {
        Some(step) if time > 0.0 => step / time,
        _ => 1.0,
    }
}

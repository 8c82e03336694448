//! Which hooves are to be believed: a hoof that stands does not move over the ground.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion};

use crate::estimate::Leg;
use crate::search::MAX_LEGS;

/// Weighs hooves by how fast they would slide if the body went on as it went.
///
/// Hooves that touch down still skid, and hooves that lift off lie within every tolerance of the ground while they
/// already swing: half of the legs then say that the body moves one way, half another, and geometry cannot tell who is
/// right. Inertia can: a body does not change its velocity within a cycle, a hoof does.
#[derive(Debug, Clone)]
pub(crate) struct Trust {
    /// Speed over the ground, m/s, at which a hoof is believed half, and beyond which it has lost its place; 0 = never.
    pub settle_speed: f64,
    /// Where each contact was in the world a cycle ago.
    places: [Point3<f64>; MAX_LEGS],
    /// How the body went in the last cycle, seen from where it was, and how long that took, s.
    step: Isometry3<f64>,
    took: f64,
    weights: [f64; MAX_LEGS],
}

impl Trust {
    pub(crate) fn new() -> Self {
        Self {
            settle_speed: 0.0,
            places: [Point3::origin(); MAX_LEGS],
            step: Isometry3::identity(),
            took: 0.0,
            weights: [1.0; MAX_LEGS],
        }
    }

    /// Weighs the legs of a cycle, `dt` after that in which the base was at `pose`: 1/(1 + (v/settle_speed)²).
    pub(crate) fn weigh(&mut self, pose: &Isometry3<f64>, legs: &[Leg], dt: f64) {
        let reach = self.settle_speed * dt;
        self.weights = [1.0; MAX_LEGS];
        if reach <= 0.0 {
            return;
        }
        let ahead = pose * self.step_in(dt);
        for ((weight, leg), place) in self.weights.iter_mut().zip(legs).zip(&self.places) {
            let slide = (ahead * leg.pose.centre - place).norm() / reach;
            *weight = 1.0 / (1.0 + slide * slide);
        }
    }

    /// How much a leg counts.
    pub(crate) fn weight(&self, leg: usize) -> f64 {
        self.weights[leg]
    }

    /// Whether a contact is no longer where it was a cycle ago.
    pub(crate) fn lost(&self, leg: usize, place: &Point3<f64>, dt: f64) -> bool {
        let reach = self.settle_speed * dt;
        reach > 0.0 && (place - self.places[leg]).norm() > reach
    }

    /// The body has come from `before` to `pose`.
    pub(crate) fn went(&mut self, before: &Isometry3<f64>, pose: &Isometry3<f64>, dt: f64) {
        if dt > 0.0 {
            (self.step, self.took) = (before.inv_mul(pose), dt);
        }
    }

    /// Nothing is known of how the body went.
    pub(crate) fn forget(&mut self) {
        (self.step, self.took) = (Isometry3::identity(), 0.0);
    }

    /// The last step, had it taken `dt`. Its turn is small: a cosine counts as one where it is scaled.
    fn step_in(&self, dt: f64) -> Isometry3<f64> {
        if self.took <= 0.0 || dt == self.took {
            return self.step;
        }
        let share = dt / self.took;
        let turn = &self.step.rotation;
        let scaled = Quaternion::from_parts(turn.w.abs(), turn.imag() * (share * turn.w.signum()));
        let turn = UnitQuaternion::new_normalize(scaled);
        Isometry3::from_parts((self.step.translation.vector * share).into(), turn)
    }

    /// Remembers where the contacts are.
    pub(crate) fn remember(&mut self, pose: &Isometry3<f64>, legs: &[Leg]) {
        for (place, leg) in self.places.iter_mut().zip(legs) {
            *place = pose * leg.pose.centre;
        }
    }
}

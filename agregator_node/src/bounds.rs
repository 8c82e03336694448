//! What a joint can do: where it can be, how fast it can go, how fast it can gain speed.

use crate::params::AgregatorParams;
use robot_model_lib::Limits;

/// Bounds of one joint's motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Lowest and highest position, rad or m.
    pub lower: f64,
    pub upper: f64,
    /// Highest speed, rad/s or m/s.
    pub speed: f64,
    /// Highest acceleration, rad/s² or m/s².
    pub acceleration: f64,
}

impl Bounds {
    pub fn new(limits: &Limits, params: &AgregatorParams) -> Bounds {
        // A limit of zero is one that nobody filled in.
        let speed = if limits.velocity > 0.0 { limits.velocity } else { f64::INFINITY };
        Bounds { lower: limits.lower, upper: limits.upper, speed, acceleration: params.acceleration_limit }
    }

    /// Whether `position` is one that the joint can take; NaN gives none.
    pub fn allow(&self, position: f64) -> bool {
        position.is_nan() || (self.lower..=self.upper).contains(&position)
    }

    /// The nearest position that the joint can take.
    pub fn position(&self, position: f64) -> f64 {
        position.max(self.lower).min(self.upper)
    }

    /// The nearest velocity that the joint can have.
    pub fn velocity(&self, velocity: f64) -> f64 {
        velocity.max(-self.speed).min(self.speed)
    }

    /// The nearest acceleration that the joint can have.
    pub fn acceleration(&self, acceleration: f64) -> f64 {
        acceleration.max(-self.acceleration).min(self.acceleration)
    }
}

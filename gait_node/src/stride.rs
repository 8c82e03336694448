//! How to step: what parameters say, and what the joints can do of it.

use crate::foot_reach::FootReach;
use crate::gait_speed::GaitSpeed;
use crate::pattern::Pattern;
use nalgebra::Isometry2;

/// What walking is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The gait.
    pub pattern: Pattern,
    /// Where the feet stand when the body stands, seen from the body.
    pub homes: Vec<Isometry2<f64>>,
    /// How high a foot is lifted, m.
    pub lift: f64,
    /// The longest way of a foot over the ground while it stands, m: faster commands are scaled down to it.
    pub longest: f64,
    /// Of the body, m/s².
    pub acceleration: f64,
    /// Of the body, rad/s².
    pub turn_acceleration: f64,
    /// What the joints can do; without, any speed.
    pub speed: GaitSpeed,
    /// How far from home each foot can be, for a body that sways; empty for any distance.
    pub reach: Vec<FootReach>,
}

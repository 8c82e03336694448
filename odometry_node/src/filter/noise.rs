//! What disturbs the robot and its measurements, in physical units: nothing here is per cycle.

use nalgebra::{Matrix3, Vector3};

use super::block::{Block, ZERO, add_outer, diagonal, joined};

/// Least variance of a foot's measurement, rad² and m²: legs with fewer than six joints measure some directions exactly.
const FLOOR: f64 = 1e-12;
/// Variance of what a point foot says of its orientation, rad²: nothing.
const FREE: f64 = 1e4;

/// The disturbances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Noise {
    /// σ of a joint's position, rad or m.
    pub joint: f64,
    /// Random walk of a standing foot, m/√s; of its turn about the ground's normal and of its lean, rad/√s.
    pub slip: f64,
    pub pivot: f64,
    pub rock: f64,
    /// White acceleration of the body, m/s²/√Hz and rad/s²/√Hz.
    pub acceleration: f64,
    pub angular_acceleration: f64,
    /// σ of the ground under a foot: its height, m, and its lean, rad.
    pub ground_height: f64,
    pub ground_lean: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            joint: 1e-3,
            slip: 1e-3,
            pivot: 0.5,
            rock: 0.05,
            acceleration: 0.5,
            angular_acceleration: 2.0,
            ground_height: 3e-3,
            ground_lean: 2e-2,
        }
    }
}

impl Noise {
    /// Covariance of what a standing foot does in a time, s, on a ground with this normal.
    pub(crate) fn slipped(&self, dt: f64, up: &Vector3<f64>) -> Block {
        let rock = self.rock * self.rock * dt;
        let mut noise = diagonal(rock, self.slip * self.slip * dt);
        let pivot = self.pivot * self.pivot * dt - rock;
        add_outer(&mut noise, &joined(up, &Vector3::zeros()), pivot);
        noise
    }
}

/// Covariance of a foot's measured (orientation, place) in world axes: σ²·J·Jᵀ of its joints, whose errors are one another's
/// business neither in space nor, at the rate at which they are used, in time.
///
/// `columns` are the Jacobian's (linear first, base axes), `lever` leads from its point to the contact.
pub(crate) fn leg_noise(
    columns: &[[f64; 6]],
    lever: &Vector3<f64>,
    turn: &Matrix3<f64>,
    joint: f64,
    is_flat: bool,
) -> Block {
    let mut noise = ZERO;
    for column in columns {
        let (linear, angular) =
            (Vector3::new(column[0], column[1], column[2]), Vector3::new(column[3], column[4], column[5]));
        let place = turn * (linear + angular.cross(lever));
        add_outer(&mut noise, &joined(&(turn * angular), &place), joint * joint);
    }
    for (at, column) in noise.iter_mut().enumerate() {
        column[at] += if at < 3 && !is_flat { FREE } else { FLOOR };
    }
    noise
}

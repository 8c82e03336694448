//! How sure the estimate is, from what the fits could not explain.

use nalgebra::{Matrix3, Matrix6, UnitQuaternion};

use crate::velocity::Stance;

/// Variance of a coordinate of the velocity, m²/s² or rad²/s², when no contact tells it.
const UNKNOWN_VELOCITY: f64 = 1.0;
/// The same when one contact tells it and nothing is left over to judge it by.
const SINGLE_CONTACT: f64 = 1e-4;
/// Never less than this, m² or rad²: filters that take the odometry cannot invert a zero.
const FLOOR: f64 = 1e-12;

/// Covariance of (linear, angular) at the base's origin, in base axes, for contacts with this variance each.
///
/// With the contacts' mean c: δv = δċ + c × δω, and δċ and δω do not depend on each other.
fn of_stance(stance: &Stance, variance: f64) -> Matrix6<f64> {
    let turn = stance.turn * variance;
    let arm = stance.centre.cross_matrix();
    let centre = Matrix3::identity() * (variance / stance.contacts as f64);
    let mixed = arm * turn;
    blocks(&(centre + mixed * arm.transpose()), &mixed, &turn)
}

fn blocks(linear: &Matrix3<f64>, mixed: &Matrix3<f64>, angular: &Matrix3<f64>) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    whole.fixed_slice_mut::<3, 3>(0, 0).copy_from(linear);
    whole.fixed_slice_mut::<3, 3>(0, 3).copy_from(mixed);
    whole.fixed_slice_mut::<3, 3>(3, 0).copy_from(&mixed.transpose());
    whole.fixed_slice_mut::<3, 3>(3, 3).copy_from(angular);
    whole
}

/// The same covariance in the axes of the frame in which the base is turned by `rotation`.
fn turned(covariance: &Matrix6<f64>, rotation: &UnitQuaternion<f64>) -> Matrix6<f64> {
    let turn = rotation.to_rotation_matrix().into_inner();
    let part = |row, column| turn * covariance.fixed_slice::<3, 3>(row, column) * turn.transpose();
    blocks(&part(0, 0), &part(0, 3), &part(3, 3))
}

/// Of the velocity, in base axes.
pub(crate) fn of_velocity(stance: Option<&Stance>, variance: Option<f64>) -> Matrix6<f64> {
    let floor = Matrix6::identity() * FLOOR;
    match (stance, variance) {
        (Some(stance), variance) => of_stance(stance, variance.unwrap_or(SINGLE_CONTACT)) + floor,
        (None, _) => Matrix6::identity() * UNKNOWN_VELOCITY,
    }
}

/// Of the pose, in world axes: what the steps so far have added up to, and the present fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PoseCovariance {
    walked: Matrix6<f64>,
    present: Matrix6<f64>,
}

impl PoseCovariance {
    pub(crate) fn new() -> Self {
        Self { walked: Matrix6::zeros(), present: Matrix6::zeros() }
    }

    /// A fit; when the hooves step, its error stays in the new anchors for ever.
    pub(crate) fn fitted(
        &mut self,
        stance: Option<&Stance>,
        variance: f64,
        at: &UnitQuaternion<f64>,
        steps: bool,
    ) {
        let Some(stance) = stance else { return };
        self.present = turned(&of_stance(stance, variance), at);
        if steps {
            self.walked += self.present;
        }
    }

    /// A stretch of integrated velocity; the next anchors carry its error on.
    pub(crate) fn integrated(&mut self, velocity: &Matrix6<f64>, dt: f64, at: &UnitQuaternion<f64>) {
        self.walked += turned(velocity, at) * (dt * dt);
        self.present = Matrix6::zeros();
    }

    pub(crate) fn total(&self) -> Matrix6<f64> {
        self.walked + self.present + Matrix6::identity() * FLOOR
    }
}

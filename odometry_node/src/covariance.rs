//! How sure the fit is: what joints and slips do to a pose that is fitted to feet, step by step.

use nalgebra::{Isometry3, Matrix3, Matrix6, Vector3};

use crate::velocity::Stance;

/// Variance of a coordinate of the velocity, m²/s² or rad²/s², when no contact tells it.
const UNKNOWN_VELOCITY: f64 = 1.0;
/// The same when one contact tells it and nothing is left over to judge it by.
const SINGLE_CONTACT: f64 = 1e-4;
/// Never less than this, m² or rad²: filters that take the odometry cannot invert a zero.
const FLOOR: f64 = 1e-12;
/// Over this time, s, what fits leave unexplained is averaged: a step or two.
const RESIDUAL_TIME: f64 = 1.0;

pub(crate) fn blocks(linear: &Matrix3<f64>, mixed: &Matrix3<f64>, angular: &Matrix3<f64>) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    whole.fixed_slice_mut::<3, 3>(0, 0).copy_from(linear);
    whole.fixed_slice_mut::<3, 3>(0, 3).copy_from(mixed);
    whole.fixed_slice_mut::<3, 3>(3, 0).copy_from(&mixed.transpose());
    whole.fixed_slice_mut::<3, 3>(3, 3).copy_from(angular);
    whole
}

/// Of the velocity, in base axes: of (linear, angular) at the base's origin, for contacts with this variance each.
///
/// With the contacts' mean c: δv = δċ + c × δω, and δċ and δω do not depend on each other.
pub(crate) fn of_velocity(stance: Option<&Stance>, variance: Option<f64>) -> Matrix6<f64> {
    let Some(stance) = stance else { return Matrix6::identity() * UNKNOWN_VELOCITY };
    let variance = variance.unwrap_or(SINGLE_CONTACT);
    let turn = stance.turn * variance;
    let arm = stance.centre.cross_matrix();
    let centre = Matrix3::identity() * (variance / stance.contacts as f64);
    let mixed = arm * turn;
    blocks(&(centre + mixed * arm.transpose()), &mixed, &turn) + Matrix6::identity() * FLOOR
}

/// Of the pose: truth = Exp(φ)·estimate + ρ about the world's origin, for all that was and will be alike, so that an error of the
/// heading turns the way that follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PoseCovariance {
    /// What stays in the anchors for ever, of (ρ, φ).
    walked: Matrix6<f64>,
    /// What the present sample adds.
    present: Matrix6<f64>,
    /// What fits leave unexplained, of what joints would explain.
    unexplained: f64,
}

/// What a fit says of its own error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FitError {
    /// Covariance of (place, orientation) of the base in world axes by the joints' noise of one sample.
    pub joints: Matrix6<f64>,
    /// The same by the slip of a second, 1/s.
    pub slip: Matrix6<f64>,
    /// The variance that it left unexplained, of what the joints explain.
    pub unexplained: f64,
    /// The feet that are anchored anew, of those that it used, 1 at the most.
    pub renewed: f64,
}

impl PoseCovariance {
    pub(crate) fn new() -> Self {
        Self { walked: Matrix6::zeros(), present: Matrix6::zeros(), unexplained: 1.0 }
    }

    /// A fit, a time (s) after the last.
    ///
    /// A foot that is anchored anew has the error of the pose that it is anchored by and that of its own sample. When a share s
    /// of the feet is, the pose goes on with s of the former (s² of its variance) and the mean of the latter (s of its).
    pub(crate) fn fitted(&mut self, error: &FitError, at: &Vector3<f64>, dt: f64) {
        let share = (dt / RESIDUAL_TIME).min(1.0);
        self.unexplained += (error.unexplained - self.unexplained) * share;
        let scale = self.unexplained.max(1.0);
        self.present = about_origin(&(error.joints * scale), at);
        let s = error.renewed;
        self.walked += self.present * (s * s + s) + about_origin(&(error.slip * dt), at);
    }

    /// A stretch of integrated velocity; the next anchors carry its error on.
    pub(crate) fn integrated(&mut self, velocity: &Matrix6<f64>, dt: f64, at: &Isometry3<f64>) {
        let turn = at.rotation.to_rotation_matrix().into_inner();
        let part = |row, column| turn * velocity.fixed_slice::<3, 3>(row, column) * turn.transpose();
        let velocity = blocks(&part(0, 0), &part(0, 3), &part(3, 3));
        self.walked += about_origin(&velocity, &at.translation.vector) * (dt * dt);
        self.present = Matrix6::zeros();
    }

    /// At a place of the base, in world axes: δp = ρ + φ × p.
    pub(crate) fn total(&self, at: &Vector3<f64>) -> Matrix6<f64> {
        about_origin(&(self.walked + self.present), &-at) + Matrix6::identity() * FLOOR
    }
}

/// Of errors that are told about the world's origin, from those about a place: ρ = δp + p × φ.
fn about_origin(own: &Matrix6<f64>, place: &Vector3<f64>) -> Matrix6<f64> {
    let arm = place.cross_matrix();
    let (linear, mixed, angular) =
        (own.fixed_slice::<3, 3>(0, 0), own.fixed_slice::<3, 3>(0, 3), own.fixed_slice::<3, 3>(3, 3));
    let moved = mixed + arm * angular;
    blocks(&(linear + arm * mixed.transpose() + moved * arm.transpose()), &moved, &angular.into_owned())
}

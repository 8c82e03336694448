//! The errors that are claimed: covariances as messages have them.

use nalgebra::{Matrix3, Matrix6};

use super::Filter;
use super::block::quarter;
use super::covariance::{POSE, RATE};

impl Filter {
    /// Covariance in world axes, translation first, of the pose that [`Filter::ahead`] gives for the same time, s.
    ///
    /// At the body itself the errors are δp = ρ − (p − o) × φ and φ; a time τ later δp + τ·ρv and φ + τ·ρω, and white
    /// acceleration of density q has added q²·τ³/3.
    pub(crate) fn pose_covariance(&self, ahead: f64) -> Matrix6<f64> {
        let state = &self.state;
        let arm = -(state.pose.translation.vector + state.linear * ahead - state.origin).cross_matrix();
        let (own, with, rate) =
            (self.covariance.at(POSE, POSE), self.covariance.at(POSE, RATE), self.covariance.at(RATE, RATE));
        let (turn, mixed, place) = (quarter(own, 0, 0), quarter(own, 0, 3), quarter(own, 3, 3));
        let cross = arm * turn + mixed.transpose();
        let place = cross * arm.transpose() + arm * mixed + place;
        // What the velocity has to do with place and orientation: (δp, ρω), (δp, ρv), (φ, ρω), (φ, ρv).
        let (turn_spin, turn_speed) = (quarter(with, 0, 0), quarter(with, 0, 3));
        let place_spin = arm * turn_spin + quarter(with, 3, 0);
        let place_speed = arm * turn_speed + quarter(with, 3, 3);
        let square = ahead * ahead;
        let [spin, push] = self.unforeseen();
        let pushed = |square: f64| Matrix3::identity() * (square * ahead / 3.0);
        let both = |own: Matrix3<f64>| (own + own.transpose()) * ahead;
        let speed = quarter(rate, 3, 3) + pushed(push);
        let spin = quarter(rate, 0, 0) + pushed(spin);
        whole(
            &(place + both(place_speed) + speed * square),
            &(cross + (place_spin + turn_speed.transpose()) * ahead + quarter(rate, 3, 0) * square),
            &(turn + both(turn_spin) + spin * square),
        )
    }

    /// Covariance of the velocity in base axes, linear first, when it has been expected to stay for a time, s.
    pub(crate) fn twist_covariance(&self, ahead: f64) -> Matrix6<f64> {
        let own = self.covariance.at(RATE, RATE);
        let back = self.state.pose.rotation.inverse().to_rotation_matrix().into_inner();
        let part = |row, column| back * quarter(own, row, column) * back.transpose();
        let [spin, speed] = self.unforeseen().map(|square| Matrix3::identity() * (square * ahead));
        whole(&(part(3, 3) + speed), &part(3, 0), &(part(0, 0) + spin))
    }
}

/// From the quarters of a symmetric matrix: its first, the one beside it, its last.
fn whole(first: &Matrix3<f64>, mixed: &Matrix3<f64>, last: &Matrix3<f64>) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    whole.fixed_slice_mut::<3, 3>(0, 0).copy_from(&((first + first.transpose()) * 0.5));
    whole.fixed_slice_mut::<3, 3>(0, 3).copy_from(mixed);
    whole.fixed_slice_mut::<3, 3>(3, 0).copy_from(&mixed.transpose());
    whole.fixed_slice_mut::<3, 3>(3, 3).copy_from(&((last + last.transpose()) * 0.5));
    whole
}

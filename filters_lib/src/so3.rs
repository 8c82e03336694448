//! Rotations: exponential, logarithm and the left Jacobian of SO(3).
//!
//! Formulas: J. Solà, J. Deray, D. Atchuthan, "A micro Lie theory for state estimation in robotics", 2018, eq. 132–146.

use crate::signal::Manifold;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Below this angle (rad) the series replaces the quotient; its next term is then below the rounding error.
const SMALL: f64 = 1e-3;

/// The rotation by the vector `v` (axis times angle, rad). Sine and cosine of one angle make it unit but for rounding.
#[inline]
pub fn exp(v: &Vector3<f64>) -> UnitQuaternion<f64> {
    let half = 0.5 * v.norm();
    let (sin, cos) = half.sin_cos();
    let scale =
        if half < SMALL { 0.5 * (1.0 - half * half / 6.0 + half.powi(4) / 120.0) } else { 0.5 * sin / half };
    UnitQuaternion::new_unchecked(Quaternion::new(cos, v.x * scale, v.y * scale, v.z * scale))
}

/// The shortest rotation vector of `q`, of length 0…π.
#[inline]
pub fn log(q: &UnitQuaternion<f64>) -> Vector3<f64> {
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let imag = Vector3::new(q.i, q.j, q.k) * sign;
    let (sin, cos) = (imag.norm(), q.w * sign);
    // 2·atan2(s, c)/s for s → 0 is 2/c·(1 − (s/c)²/3 + …).
    let ratio = sin / cos;
    let scale = if sin < SMALL {
        2.0 / cos * (1.0 - ratio * ratio / 3.0 + ratio.powi(4) / 5.0)
    } else {
        2.0 * sin.atan2(cos) / sin
    };
    imag * scale
}

/// Left Jacobian times a vector: the angular velocity η of exp(e), in the fixed axes, when ė = `rate`.
#[inline]
pub fn left_jacobian(e: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
    let angle = e.norm();
    let square = angle * angle;
    let (b, c) = if angle < SMALL {
        (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
    } else {
        ((1.0 - angle.cos()) / square, (angle - angle.sin()) / (square * angle))
    };
    let cross = e.cross(rate);
    rate + cross * b + e.cross(&cross) * c
}

/// Inverse of the left Jacobian times a vector, for |e| below 2π.
#[inline]
pub fn left_jacobian_inverse(e: &Vector3<f64>, velocity: &Vector3<f64>) -> Vector3<f64> {
    let half = 0.5 * e.norm();
    let d = if half < SMALL {
        1.0 / 12.0 + half * half / 180.0
    } else {
        (1.0 - half * half.cos() / half.sin()) / (4.0 * half * half)
    };
    let cross = e.cross(velocity);
    velocity - cross * 0.5 + e.cross(&cross) * d
}

/// A group of rotations, or of translations and rotations each on its own, as the second-order transients need it: error
/// coordinates e between a value and its reference, whose rate follows from the velocities.
pub(crate) trait Group: Manifold<Tangent: Copy> + Copy {
    /// Error coordinates of `reference` seen from `self`.
    fn error_to(&self, reference: &Self) -> Self::Tangent;

    /// `self` moved by `scale`·`velocity`.
    fn moved(&self, scale: f64, velocity: &Self::Tangent) -> Self;

    /// The reference's velocity in the axes of the value that sees it with the error `error`.
    fn seen(error: &Self::Tangent, reference_velocity: &Self::Tangent) -> Self::Tangent;

    /// ė from the velocity difference.
    fn rate(error: &Self::Tangent, difference: &Self::Tangent) -> Self::Tangent;

    /// The velocity difference from ė.
    fn difference(error: &Self::Tangent, rate: &Self::Tangent) -> Self::Tangent;
}

//! Orientation: the unit quaternions, with the angular velocity in body axes.

use super::{Manifold, Signal};
use crate::error::{Error, Result};
use crate::second_order::{Motion, SecondOrderInput, group_exp};
use crate::second_order_limited::{Approach, group_limited};
use crate::so3::{self, Group};
use nalgebra::{UnitQuaternion, Vector3};

impl Signal for UnitQuaternion<f64> {
    #[inline]
    fn size(&self) -> usize {
        4
    }

    #[inline]
    fn check(&self, what: &'static str) -> Result<()> {
        let square = self.coords.norm_squared();
        if (square - 1.0).abs() < 2e-6 {
            return Ok(()); // and so finite
        }
        self.coords.check(what)?;
        Err(Error::NotUnit { what, norm: square.sqrt() })
    }

    /// The angle of the shortest arc, rad.
    #[inline]
    fn gap(&self, to: &Self) -> [f64; 2] {
        [so3::log(&(self.inverse() * to)).norm(), 0.0]
    }

    /// Along the shortest arc of the sphere.
    #[inline]
    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self) {
        *out = match share[0] {
            0.0 => *self,
            1.0 => *to,
            share => self.moved(share, &self.error_to(to)),
        };
    }
}

impl Manifold for UnitQuaternion<f64> {
    type Tangent = Vector3<f64>;

    fn origin(&self) -> Self {
        Self::identity()
    }

    #[inline]
    fn zero_velocity(&self) -> Vector3<f64> {
        Vector3::zeros()
    }

    /// Poisson's equation over one period with a constant body rate: q' = q ∘ exp(T·ω/2), renormalised.
    #[inline]
    fn advance(&mut self, scale: f64, velocity: &Vector3<f64>) {
        *self = self.moved(scale, velocity);
    }

    /// Body rate that turns `base` into `self`: 2·log(base* ∘ self).
    #[inline]
    fn difference_into(&self, base: &Self, scale: f64, out: &mut Vector3<f64>) {
        *out = so3::log(&(base.inverse() * self)) * scale;
    }

    #[inline]
    fn add_commutator(a: &Vector3<f64>, b: &Vector3<f64>, scale: f64, sum: &mut Vector3<f64>) {
        *sum += a.cross(b) * scale;
    }

    #[inline]
    fn second_exp(transition: &[[f64; 2]; 2], period: f64, u: &SecondOrderInput<Self>, y: &mut Motion<Self>) {
        *y = group_exp(transition, period, u);
    }

    #[inline]
    fn second_limited(approach: &Approach, u: &SecondOrderInput<Self>, y: &mut Motion<Self>) {
        *y = group_limited(approach, u);
    }
}

impl Group for UnitQuaternion<f64> {
    /// The group error log(qᵀ·qr).
    #[inline]
    fn error_to(&self, reference: &Self) -> Vector3<f64> {
        so3::log(&(self.inverse() * reference))
    }

    #[inline]
    fn moved(&self, scale: f64, velocity: &Vector3<f64>) -> Self {
        UnitQuaternion::new_normalize((self * so3::exp(&(velocity * scale))).into_inner())
    }

    #[inline]
    fn seen(error: &Vector3<f64>, reference_velocity: &Vector3<f64>) -> Vector3<f64> {
        so3::exp(error) * reference_velocity
    }

    /// Re = qᵀ·qr = exp(e) turns with η = Re·ωr − ω in the axes of q, and η = Jl(e)·ė.
    #[inline]
    fn rate(error: &Vector3<f64>, difference: &Vector3<f64>) -> Vector3<f64> {
        so3::left_jacobian_inverse(error, difference)
    }

    #[inline]
    fn difference(error: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
        so3::left_jacobian(error, rate)
    }
}

//! Orientation: the unit quaternions with angular velocity in body axes as the tangent.

use super::{Manifold, Signal, Trackable};
use crate::error::{Error, Result};
use crate::so3;
use nalgebra::{UnitQuaternion, Vector3};

impl Signal for UnitQuaternion<f64> {
    #[inline]
    fn size(&self) -> usize {
        4
    }

    #[inline]
    fn check(&self, what: &'static str) -> Result<()> {
        self.coords.check(what)?;
        let square = self.coords.norm_squared();
        if (square - 1.0).abs() < 2e-6 { Ok(()) } else { Err(Error::NotUnit { what, norm: square.sqrt() }) }
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

    #[inline]
    fn zero_velocity(&self) -> Vector3<f64> {
        Vector3::zeros()
    }

    #[inline]
    fn velocity_size(&self) -> usize {
        3
    }

    /// Poisson's equation over one period with a constant body rate: q' = q ∘ exp(T·ω/2), renormalised.
    #[inline]
    fn advance(&mut self, scale: f64, velocity: &Vector3<f64>) {
        *self = self.moved(scale, velocity);
    }

    /// Body rate that turns `base` into `self`: 2·log(base* ∘ self).
    #[inline]
    fn add_difference(&self, base: &Self, scale: f64, sum: &mut Vector3<f64>) {
        *sum += so3::log(&(base.inverse() * self)) * scale;
    }

    #[inline]
    fn add_commutator(a: &Vector3<f64>, b: &Vector3<f64>, scale: f64, sum: &mut Vector3<f64>) {
        *sum += a.cross(b) * scale;
    }
}

impl Trackable for UnitQuaternion<f64> {
    /// The group error log(qᵀ·qr).
    #[inline]
    fn error_to(&self, reference: &Self) -> Vector3<f64> {
        so3::log(&(self.inverse() * reference))
    }

    #[inline]
    fn behind(reference: &Self, error: &Vector3<f64>) -> Self {
        reference.moved(-1.0, error)
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

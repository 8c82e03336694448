//! Pose. Integrated and differentiated as one rigid motion with its twist in body axes; blended and tracked as a
//! translation (axes of the reference frame) and an orientation (body axes), each on its own.

use super::{Manifold, Signal, Trackable, Twist};
use crate::error::Result;
use crate::so3;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

impl Signal for Isometry3<f64> {
    #[inline]
    fn size(&self) -> usize {
        7
    }

    #[inline]
    fn check(&self, what: &'static str) -> Result<()> {
        self.translation.vector.check(what)?;
        self.rotation.check(what)
    }

    /// Distance, m, and angle, rad.
    #[inline]
    fn gap(&self, to: &Self) -> [f64; 2] {
        [self.translation.vector.gap(&to.translation.vector)[0], self.rotation.gap(&to.rotation)[0]]
    }

    #[inline]
    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self) {
        let first = [share[0], 0.0];
        self.translation.vector.blend_into(&to.translation.vector, first, &mut out.translation.vector);
        self.rotation.blend_into(&to.rotation, [share[1], 0.0], &mut out.rotation);
    }
}

impl Manifold for Isometry3<f64> {
    type Tangent = Twist;

    #[inline]
    fn zero_velocity(&self) -> Twist {
        Twist::default()
    }

    #[inline]
    fn velocity_size(&self) -> usize {
        6
    }

    /// Rigid motion with a constant twist in body axes: R' = R·exp(T·ω), p' = p + R·Jl(T·ω)·T·v.
    #[inline]
    fn advance(&mut self, scale: f64, velocity: &Twist) {
        let turn = velocity.angular() * scale;
        let shift = self.rotation * so3::left_jacobian(&turn, &(velocity.linear() * scale));
        self.translation.vector += shift;
        self.rotation.advance(1.0, &turn);
    }

    #[inline]
    fn add_difference(&self, base: &Self, scale: f64, sum: &mut Twist) {
        let turn = so3::log(&(base.rotation.inverse() * self.rotation));
        let shift = base.rotation.inverse() * (self.translation.vector - base.translation.vector);
        let linear = so3::left_jacobian_inverse(&turn, &shift);
        sum.advance(scale, &Twist::new(linear, turn));
    }

    #[inline]
    fn add_commutator(a: &Twist, b: &Twist, scale: f64, sum: &mut Twist) {
        let linear = a.angular().cross(&b.linear()) - b.angular().cross(&a.linear());
        sum.advance(scale, &Twist::new(linear, a.angular().cross(&b.angular())));
    }
}

impl Trackable for Isometry3<f64> {
    #[inline]
    fn error_to(&self, reference: &Self) -> Twist {
        let linear = reference.translation.vector - self.translation.vector;
        Twist::new(linear, self.rotation.error_to(&reference.rotation))
    }

    #[inline]
    fn behind(reference: &Self, error: &Twist) -> Self {
        reference.moved(-1.0, error)
    }

    #[inline]
    fn moved(&self, scale: f64, velocity: &Twist) -> Self {
        Self::from_parts(
            Translation3::from(self.translation.vector + velocity.linear() * scale),
            self.rotation.moved(scale, &velocity.angular()),
        )
    }

    #[inline]
    fn seen(error: &Twist, reference_velocity: &Twist) -> Twist {
        let angular = UnitQuaternion::seen(&error.angular(), &reference_velocity.angular());
        Twist::new(reference_velocity.linear(), angular)
    }

    #[inline]
    fn rate(error: &Twist, difference: &Twist) -> Twist {
        Twist::new(difference.linear(), UnitQuaternion::rate(&error.angular(), &difference.angular()))
    }

    #[inline]
    fn difference(error: &Twist, rate: &Twist) -> Twist {
        Twist::new(rate.linear(), UnitQuaternion::difference(&error.angular(), &rate.angular()))
    }
}

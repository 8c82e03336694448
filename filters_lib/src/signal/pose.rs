//! Pose. Integrated and differentiated as one rigid motion; blended and tracked as a translation and an orientation,
//! each on its own. Its velocity is a [`BodyTwist`] for every filter.

use super::{BodyTwist, Manifold, Signal};
use crate::error::Result;
use crate::second_order::{Motion, SecondOrderInput, group_exp};
use crate::second_order_limited::{Approach, group_limited};
use crate::so3::{self, Group};
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
    type Tangent = BodyTwist;

    fn origin(&self) -> Self {
        Self::identity()
    }

    #[inline]
    fn zero_velocity(&self) -> BodyTwist {
        BodyTwist::default()
    }

    /// Rigid motion with a constant twist in body axes: R' = R·exp(T·ω), p' = p + R·Jl(T·ω)·T·v.
    #[inline]
    fn advance(&mut self, scale: f64, velocity: &BodyTwist) {
        let turn = velocity.angular() * scale;
        let shift = self.rotation * so3::left_jacobian(&turn, &(velocity.linear() * scale));
        self.translation.vector += shift;
        self.rotation.advance(1.0, &turn);
    }

    #[inline]
    fn difference_into(&self, base: &Self, scale: f64, out: &mut BodyTwist) {
        let turn = so3::log(&(base.rotation.inverse() * self.rotation));
        let shift = base.rotation.inverse() * (self.translation.vector - base.translation.vector);
        let linear = so3::left_jacobian_inverse(&turn, &shift);
        *out = BodyTwist::new(linear * scale, turn * scale);
    }

    #[inline]
    fn add_commutator(a: &BodyTwist, b: &BodyTwist, scale: f64, sum: &mut BodyTwist) {
        let linear = a.angular().cross(&b.linear()) - b.angular().cross(&a.linear());
        sum.advance(scale, &BodyTwist::new(linear, a.angular().cross(&b.angular())));
    }

    #[inline]
    fn second_exp(transition: &[[f64; 2]; 2], period: f64, u: &SecondOrderInput<Self>, y: &mut Motion<Self>) {
        *y = to_body(group_exp(transition, period, &from_body(u)));
    }

    #[inline]
    fn second_limited(approach: &Approach, u: &SecondOrderInput<Self>, y: &mut Motion<Self>) {
        *y = to_body(group_limited(approach, &from_body(u)));
    }
}

/// The linear part turned into other axes; the angular part stays in body axes.
fn linear_turned(rotation: &UnitQuaternion<f64>, twist: &BodyTwist) -> BodyTwist {
    BodyTwist::new(rotation * twist.linear(), twist.angular())
}

/// Translation and orientation are tracked apart, so the linear parts go to the reference axes, in which a resting
/// body that turns has no linear acceleration.
fn from_body(u: &SecondOrderInput<Isometry3<f64>>) -> SecondOrderInput<Isometry3<f64>> {
    let (now, then) = (&u.x.rotation, &u.xr.rotation);
    let (v, vr, ar) = (linear_turned(now, &u.v), linear_turned(then, &u.vr), linear_turned(then, &u.ar));
    SecondOrderInput { x: u.x, v, xr: u.xr, vr, ar }
}

fn to_body(motion: Motion<Isometry3<f64>>) -> Motion<Isometry3<f64>> {
    Motion { x: motion.x, v: linear_turned(&motion.x.rotation.inverse(), &motion.v) }
}

impl Group for Isometry3<f64> {
    #[inline]
    fn error_to(&self, reference: &Self) -> BodyTwist {
        let linear = reference.translation.vector - self.translation.vector;
        BodyTwist::new(linear, self.rotation.error_to(&reference.rotation))
    }

    #[inline]
    fn moved(&self, scale: f64, velocity: &BodyTwist) -> Self {
        Self::from_parts(
            Translation3::from(self.translation.vector + velocity.linear() * scale),
            self.rotation.moved(scale, &velocity.angular()),
        )
    }

    #[inline]
    fn seen(error: &BodyTwist, reference_velocity: &BodyTwist) -> BodyTwist {
        let angular = UnitQuaternion::seen(&error.angular(), &reference_velocity.angular());
        BodyTwist::new(reference_velocity.linear(), angular)
    }

    #[inline]
    fn rate(error: &BodyTwist, difference: &BodyTwist) -> BodyTwist {
        BodyTwist::new(difference.linear(), UnitQuaternion::rate(&error.angular(), &difference.angular()))
    }

    #[inline]
    fn difference(error: &BodyTwist, rate: &BodyTwist) -> BodyTwist {
        BodyTwist::new(rate.linear(), UnitQuaternion::difference(&error.angular(), &rate.angular()))
    }
}

//! Vector spaces: `f64`, fixed and run-time length arrays, and the calculus they all share.

use super::{Manifold, Signal, VectorSpace, all_finite, of_part, part_norms};
use crate::error::{Error, Result};
use crate::second_order::{Motion, SecondOrderInput};
use crate::second_order_limited::Approach;
use nalgebra::SVector;

/// A joint array whose length is known at run time only. Filters keep its storage and never allocate per step.
pub type JointArray = Vec<f64>;

impl VectorSpace for f64 {
    #[inline]
    fn elements(&self) -> &[f64] {
        std::slice::from_ref(self)
    }

    #[inline]
    fn elements_mut(&mut self) -> &mut [f64] {
        std::slice::from_mut(self)
    }
}

impl<const N: usize> VectorSpace for SVector<f64, N> {
    #[inline]
    fn elements(&self) -> &[f64] {
        self.as_slice()
    }

    #[inline]
    fn elements_mut(&mut self) -> &mut [f64] {
        self.as_mut_slice()
    }
}

impl VectorSpace for JointArray {
    #[inline]
    fn elements(&self) -> &[f64] {
        self
    }

    #[inline]
    fn elements_mut(&mut self) -> &mut [f64] {
        self
    }
}

impl<V: VectorSpace> Signal for V {
    #[inline]
    fn size(&self) -> usize {
        self.elements().len()
    }

    #[inline]
    fn check(&self, what: &'static str) -> Result<()> {
        if all_finite(self.elements()) { Ok(()) } else { Err(first_not_finite(what, self.elements())) }
    }

    #[inline]
    fn gap(&self, to: &Self) -> [f64; 2] {
        let differences = self.elements().iter().zip(to.elements()).map(|(a, b)| b - a);
        part_norms(differences, self.first_part())
    }

    #[inline]
    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self) {
        let first = self.first_part();
        let (a, b) = (self.elements().split_at(first), to.elements().split_at(first));
        let out = out.elements_mut().split_at_mut(first);
        for (share, a, b, out) in [(share[0], a.0, b.0, out.0), (share[1], a.1, b.1, out.1)] {
            let ends = a.iter().zip(b);
            out.iter_mut().zip(ends).for_each(|(y, (a, b))| *y = (1.0 - share) * a + share * b);
        }
    }
}

#[cold]
fn first_not_finite(what: &'static str, elements: &[f64]) -> Error {
    let fault = elements.iter().enumerate().find(|(_, e)| !e.is_finite());
    let (index, value) = fault.map_or((0, f64::NAN), |(i, e)| (i, *e));
    Error::NotFinite { what, index, value }
}

impl<V: VectorSpace> Manifold for V {
    type Tangent = V;

    fn origin(&self) -> V {
        let mut zero = self.clone();
        zero.elements_mut().fill(0.0);
        zero
    }

    fn zero_velocity(&self) -> V {
        self.origin()
    }

    #[inline]
    fn advance(&mut self, scale: f64, velocity: &V) {
        for (x, v) in self.elements_mut().iter_mut().zip(velocity.elements()) {
            *x += scale * v;
        }
    }

    #[inline]
    fn difference_into(&self, base: &V, scale: f64, out: &mut V) {
        let ends = self.elements().iter().zip(base.elements());
        for (y, (a, b)) in out.elements_mut().iter_mut().zip(ends) {
            *y = scale * (a - b);
        }
    }

    #[inline]
    fn second_exp(t: &[[f64; 2]; 2], period: f64, u: &SecondOrderInput<V>, y: &mut Motion<V>) {
        let (x, v) = (u.x.elements(), u.v.elements());
        let (xr, vr, ar) = (u.xr.elements(), u.vr.elements(), u.ar.elements());
        let (yx, yv) = (y.x.elements_mut(), y.v.elements_mut());
        for e in 0..x.len() {
            let (error, rate) = (xr[e] - x[e], vr[e] - v[e]);
            yx[e] = xr[e] + period * (vr[e] + 0.5 * period * ar[e]) - (t[0][0] * error + t[0][1] * rate);
            yv[e] = vr[e] + period * ar[e] - (t[1][0] * error + t[1][1] * rate);
        }
    }

    /// The same as for the groups, in place: `y.v` holds the wanted velocity, then the reached one.
    #[inline]
    fn second_limited(plan: &Approach, u: &SecondOrderInput<V>, y: &mut Motion<V>) {
        let (period, gain, first) = (plan.period(), plan.gain, u.x.first_part());
        let (x, v) = (u.x.elements(), u.v.elements());
        let (xr, vr, ar) = (u.xr.elements(), u.vr.elements(), u.ar.elements());
        let ahead = |e: usize| xr[e] - x[e] + 0.5 * period * (vr[e] - v[e]);
        let speed = plan.speed_per_distance(part_norms((0..x.len()).map(ahead), first));
        let wanted = y.v.elements_mut();
        for e in 0..wanted.len() {
            let relative = (1.0 - gain) * (v[e] - vr[e]) + gain * of_part(speed, first, e) * ahead(e);
            wanted[e] = vr[e] + period * ar[e] + relative;
        }
        let share = plan.velocity_share(part_norms(wanted.iter().copied(), first));
        wanted.iter_mut().enumerate().for_each(|(e, w)| *w *= of_part(share, first, e));
        let change = wanted.iter().zip(v).map(|(w, v)| w - v);
        let share = plan.acceleration_share(part_norms(change, first));
        let reached = wanted;
        for e in 0..reached.len() {
            reached[e] = v[e] + of_part(share, first, e) * (reached[e] - v[e]);
        }
        if share != [1.0; 2] {
            let norms = (part_norms(reached.iter().copied(), first), part_norms(v.iter().copied(), first));
            for (e, reached) in reached.iter_mut().enumerate() {
                if let Some(scale) = plan.brake(norms, usize::from(e >= first)) {
                    *reached = scale * v[e];
                }
            }
        }
        for (e, yx) in y.x.elements_mut().iter_mut().enumerate() {
            *yx = x[e] + 0.5 * period * (v[e] + y.v.elements()[e]);
        }
    }
}

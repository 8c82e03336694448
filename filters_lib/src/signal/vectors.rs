//! Vector spaces: `f64`, fixed and run-time length arrays, and the calculus they all share.

use super::{Manifold, Signal, Trackable, VectorSpace, check_two, norm_of};
use crate::check::same_length;
use crate::error::Result;
use crate::sweep::{flaw, flawless, refuse_flaws, sweep};
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
        let flaws = self.elements().iter().fold(0, |flaws, e| flaws | flaw(*e));
        refuse_flaws(flaws, what, self.elements())
    }

    #[inline]
    fn gap(&self, to: &Self) -> [f64; 2] {
        let differences = self.elements().iter().zip(to.elements()).map(|(a, b)| b - a);
        let split = self.split();
        if split == self.size() {
            return [norm_of(differences), 0.0];
        }
        [norm_of(differences.clone().take(split)), norm_of(differences.skip(split))]
    }

    #[inline]
    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self) {
        mix_parts(self, to, share, out);
    }

    /// A blend is finite only if both ends are, whatever the share: so one look at it is enough.
    #[inline]
    fn blend_checked(
        &self,
        to: &Self,
        share: impl FnOnce() -> [f64; 2],
        out: &mut Self,
        what: [&'static str; 2],
    ) -> Result<()> {
        same_length(what[1], self.size(), to.size())?;
        same_length("y", self.size(), out.size())?;
        if flawless(mix_parts(self, to, share(), out)) { Ok(()) } else { check_two(what, self, to) }
    }
}

/// [`mix`] for each part.
#[inline]
fn mix_parts<V: VectorSpace>(from: &V, to: &V, share: [f64; 2], out: &mut V) -> u64 {
    let split = from.split();
    if split == from.size() {
        return mix(from.elements(), to.elements(), share[0], out.elements_mut());
    }
    let (out_first, out_second) = out.elements_mut().split_at_mut(split);
    let (from_first, from_second) = from.elements().split_at(split);
    let (to_first, to_second) = to.elements().split_at(split);
    mix(from_first, to_first, share[0], out_first) | mix(from_second, to_second, share[1], out_second)
}

/// (1 − share)·from + share·to, and its flaws.
#[inline]
fn mix(from: &[f64], to: &[f64], share: f64, out: &mut [f64]) -> u64 {
    sweep(from, [to], out, [], |a, [b]| {
        let y = (1.0 - share) * a + share * b;
        (y, [], y)
    })
}

impl<V: VectorSpace> Manifold for V {
    type Tangent = V;

    fn zero_velocity(&self) -> V {
        let mut zero = self.clone();
        zero.elements_mut().fill(0.0);
        zero
    }

    #[inline]
    fn velocity_size(&self) -> usize {
        self.elements().len()
    }

    #[inline]
    fn advance(&mut self, scale: f64, velocity: &V) {
        for (x, v) in self.elements_mut().iter_mut().zip(velocity.elements()) {
            *x += scale * v;
        }
    }

    #[inline]
    fn add_difference(&self, base: &V, scale: f64, sum: &mut V) {
        let ends = self.elements().iter().zip(base.elements());
        for (y, (a, b)) in sum.elements_mut().iter_mut().zip(ends) {
            *y += scale * (a - b);
        }
    }

    /// A slope is finite only if the input is: so one look at it is enough.
    #[inline]
    fn slope_into(&self, base: &V, scale: f64, fade: Option<(f64, &V)>, out: &mut V) -> Result<()> {
        let (u, base, out) = (self.elements(), base.elements(), out.elements_mut());
        let flaws = if let Some((share, before)) = fade {
            sweep(u, [base, before.elements()], out, [], |u, [base, before]| {
                let y = share * before + scale * (u - base);
                (y, [], y)
            })
        } else {
            sweep(u, [base], out, [], |u, [base]| {
                let y = 0.0 + scale * (u - base);
                (y, [], y)
            })
        };
        if flawless(flaws) { Ok(()) } else { self.check("u") }
    }
}

impl<V: VectorSpace + Copy> Trackable for V {
    #[inline]
    fn error_to(&self, reference: &V) -> V {
        let mut error = self.zero_velocity();
        reference.add_difference(self, 1.0, &mut error);
        error
    }

    #[inline]
    fn behind(reference: &V, error: &V) -> V {
        reference.moved(-1.0, error)
    }

    #[inline]
    fn moved(&self, scale: f64, velocity: &V) -> V {
        let mut moved = *self;
        moved.advance(scale, velocity);
        moved
    }
}

//! What a filter can carry, in three steps: each filter asks for no more than it needs.
//!
//! - [`Signal`]: can be checked and blended with another of its kind; fusions and first-order transients.
//! - [`VectorSpace`]: a list of numbers; filters that work on each number alone. `Signal` and `Manifold` follow.
//! - [`Manifold`]: has velocities and can move along them; integrators, differentiators, second-order transients.
//!
//! They are not in the crate's root: their methods exist on `f64` and `Vec<f64>` too, and a glob import must not
//! put them in the way of std's.

mod joint_state;
mod orientation;
mod pose;
mod spherical;
mod twist;
mod vectors;

pub use joint_state::JointState;
pub use spherical::Spherical;
pub use twist::{BodyTwist, WorldTwist, Wrench};
pub use vectors::JointArray;

use crate::check::same_length;
use crate::error::{Error, Result};
use crate::second_order::{Motion, SecondOrderInput};
use crate::second_order_limited::Approach;
use std::fmt::Debug;

/// A value that can be checked and blended.
///
/// Copying with [`Clone::clone_from`] must not allocate when the sizes agree.
pub trait Signal: Clone + Debug + PartialEq {
    /// How many numbers it has.
    fn size(&self) -> usize;

    /// Refuses a value that is not finite (or not a rotation); `what` names it in the error.
    fn check(&self, what: &'static str) -> Result<()>;

    /// The distance to `to`: one norm for each part (see [`Limit`](crate::Limit)), the second 0 for a signal of one part.
    fn gap(&self, to: &Self) -> [f64; 2];

    /// Goes the given share of the way to `to`, part by part: 0 gives `self`, 1 gives `to`, both to the last bit.
    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self);
}

/// A list of numbers. Implement this, and [`Signal`] and [`Manifold`] follow.
pub trait VectorSpace: Clone + Debug + PartialEq {
    /// All numbers of the value, in one slice.
    fn elements(&self) -> &[f64];

    /// The numbers, to be changed.
    fn elements_mut(&mut self) -> &mut [f64];

    /// How many numbers the first part has; all of them when there is one part only.
    #[inline]
    fn first_part(&self) -> usize {
        self.elements().len()
    }
}

/// A signal that can be integrated and differentiated.
pub trait Manifold: Signal {
    /// What a velocity is.
    type Tangent: VectorSpace;

    /// Zero, or the identity, of the same size.
    fn origin(&self) -> Self;

    /// A zero velocity of the right size.
    fn zero_velocity(&self) -> Self::Tangent;

    /// Moves by `scale`·`velocity`.
    fn advance(&mut self, scale: f64, velocity: &Self::Tangent);

    /// `scale` times the velocity that leads from `base` to `self` in one second, into `out`.
    fn difference_into(&self, base: &Self, scale: f64, out: &mut Self::Tangent);

    /// Adds `scale` times the commutator \[a, b\] to `sum`; zero in a vector space.
    #[inline]
    fn add_commutator(_a: &Self::Tangent, _b: &Self::Tangent, _scale: f64, _sum: &mut Self::Tangent) {}

    /// One step of [`TransientSecondExp`](crate::TransientSecondExp) with the error's transition matrix.
    fn second_exp(transition: &[[f64; 2]; 2], period: f64, u: &SecondOrderInput<Self>, y: &mut Motion<Self>);

    /// One step of [`TransientSecondLimited`](crate::TransientSecondLimited).
    fn second_limited(approach: &Approach, u: &SecondOrderInput<Self>, y: &mut Motion<Self>);
}

/// Whether all numbers are finite; without a branch in the loop, so that it is a few instructions for four numbers.
#[inline]
pub(crate) fn all_finite(elements: &[f64]) -> bool {
    elements.iter().fold(true, |ok, e| ok & e.is_finite())
}

/// Refuses an output or a state with a number that is not finite.
#[inline]
pub(crate) fn no_overflow(elements: &[f64]) -> Result<()> {
    if all_finite(elements) { Ok(()) } else { Err(Error::Overflow) }
}

/// The boundary of every filter: an input `u` of the filter's size, finite, and a place `y` of the right size.
#[inline]
pub(crate) fn accept<S: Signal>(size: usize, u: &S, y_size: usize, y: usize) -> Result<()> {
    same_length("u", size, u.size())?;
    same_length("y", y_size, y)?;
    u.check("u")
}

/// A start value of the filter's size.
pub(crate) fn accept_start<S: Signal>(size: usize, x0: &S) -> Result<()> {
    same_length("x0", size, x0.size())?;
    x0.check("x0")
}

/// Two signals of one size.
#[inline]
pub(crate) fn accept_two<S: Signal>(what: [&'static str; 2], first: &S, second: &S) -> Result<()> {
    same_length(what[1], first.size(), second.size())?;
    first.check(what[0])?;
    second.check(what[1])
}

/// The norms of the two parts of a list of numbers whose second part begins at `first_part`.
#[inline]
pub(crate) fn part_norms(numbers: impl ExactSizeIterator<Item = f64> + Clone, first_part: usize) -> [f64; 2] {
    if first_part == numbers.len() {
        return [norm(numbers), 0.0];
    }
    [norm(numbers.clone().take(first_part)), norm(numbers.skip(first_part))]
}

/// Euclidean norm that neither overflows nor underflows for finite numbers of any size.
#[inline]
pub(crate) fn norm(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
    let square: f64 = numbers.clone().map(|n| n * n).sum();
    if (1e-200..1e200).contains(&square) {
        return square.sqrt();
    }
    let largest = numbers.clone().fold(0.0, |most: f64, n| most.max(n.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * numbers.map(|n| (n / largest).powi(2)).sum::<f64>().sqrt()
}

/// The factor of an element whose part begins at `first_part`.
#[inline]
pub(crate) fn of_part(factor: [f64; 2], first_part: usize, index: usize) -> f64 {
    if index < first_part { factor[0] } else { factor[1] }
}

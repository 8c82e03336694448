//! What a filter can carry: one small abstraction, so that each filter is written once.
//!
//! - [`Signal`]: can be checked and blended with another of its kind. Enough for fusions and first-order transients.
//! - [`Manifold`]: has differences (tangents) and can move along them. Needed to integrate and differentiate.
//! - [`VectorSpace`]: a list of numbers; linear links work on it element by element.
//! - [`Trackable`]: a manifold with error coordinates, for second-order transients.

/// `Clone` that keeps the storage in `clone_from`; the derived one would allocate.
macro_rules! clone_keeping_storage {
    ($name:ident $(<$s:ident>)? { $($field:ident),+ }) => {
        impl $(<$s: Clone>)? Clone for $name $(<$s>)? {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),+ }
            }

            #[inline]
            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)+
            }
        }
    };
}
pub(crate) use clone_keeping_storage;

mod joint_state;
mod orientation;
mod pose;
mod spatial;
mod spherical;
mod vectors;

pub use joint_state::JointState;
pub use spatial::{Twist, Wrench};
pub use spherical::Spherical;
pub use vectors::JointArray;

use crate::check::same_length;
use crate::error::Result;
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

    /// Checks both ends and the sizes, and blends; `what` names the two ends.
    #[inline]
    fn blend_checked(
        &self,
        to: &Self,
        share: impl FnOnce() -> [f64; 2],
        out: &mut Self,
        what: [&'static str; 2],
    ) -> Result<()> {
        check_two(what, self, to)?;
        same_length("y", self.size(), out.size())?;
        self.blend_into(to, share(), out);
        Ok(())
    }
}

/// Two signals of one size.
#[inline]
pub(crate) fn check_two<S: Signal>(what: [&'static str; 2], first: &S, second: &S) -> Result<()> {
    same_length(what[1], first.size(), second.size())?;
    first.check(what[0])?;
    second.check(what[1])
}

/// A signal that can be integrated and differentiated.
pub trait Manifold: Signal {
    /// What a difference of two values, and so a velocity, is.
    type Tangent: VectorSpace;

    /// A zero velocity of the right size.
    fn zero_velocity(&self) -> Self::Tangent;

    /// How many numbers a velocity has.
    fn velocity_size(&self) -> usize;

    /// Moves by `scale`·`velocity`.
    fn advance(&mut self, scale: f64, velocity: &Self::Tangent);

    /// Adds `scale` times the difference `self` − `base`, seen from `base`, to `sum`.
    fn add_difference(&self, base: &Self, scale: f64, sum: &mut Self::Tangent);

    /// The sum `fade` + `scale`·(`self` − `base`) into `out`, where `fade` is a share of another velocity; refuses
    /// `self` as the input u of a filter.
    #[inline]
    fn slope_into(
        &self,
        base: &Self,
        scale: f64,
        fade: Option<(f64, &Self::Tangent)>,
        out: &mut Self::Tangent,
    ) -> Result<()> {
        self.check("u")?;
        out.elements_mut().fill(0.0);
        if let Some((share, before)) = fade {
            out.elements_mut().iter_mut().zip(before.elements()).for_each(|(y, before)| *y = share * before);
        }
        self.add_difference(base, scale, out);
        Ok(())
    }

    /// Adds `scale` times the commutator \[a, b\] to `sum`; zero in a vector space.
    #[inline]
    fn add_commutator(_a: &Self::Tangent, _b: &Self::Tangent, _scale: f64, _sum: &mut Self::Tangent) {}
}

/// A list of numbers. Implement this, and [`Signal`] and [`Manifold`] follow.
pub trait VectorSpace: Clone + Debug + PartialEq {
    /// The numbers.
    fn elements(&self) -> &[f64];

    /// The numbers, to be changed.
    fn elements_mut(&mut self) -> &mut [f64];

    /// Where the second part begins; the number of elements when there is one part only.
    #[inline]
    fn split(&self) -> usize {
        self.elements().len()
    }
}

/// A manifold with error coordinates e between a value and its reference. Their rates follow from the velocities:
/// ė = rate(vr seen from x − v).
pub trait Trackable: Manifold<Tangent: Copy> + Copy {
    /// Error coordinates of `reference` seen from `self`.
    fn error_to(&self, reference: &Self) -> Self::Tangent;

    /// The value from which `reference` has the error coordinates `error`.
    fn behind(reference: &Self, error: &Self::Tangent) -> Self;

    /// `self` moved by `scale`·`velocity`, translation and orientation each on its own.
    fn moved(&self, scale: f64, velocity: &Self::Tangent) -> Self;

    /// The reference's velocity in the axes of the value that sees it with the error `error`.
    #[inline]
    fn seen(_error: &Self::Tangent, reference_velocity: &Self::Tangent) -> Self::Tangent {
        *reference_velocity
    }

    /// ė from the velocity difference.
    #[inline]
    fn rate(_error: &Self::Tangent, difference: &Self::Tangent) -> Self::Tangent {
        *difference
    }

    /// The velocity difference from ė.
    #[inline]
    fn difference(_error: &Self::Tangent, rate: &Self::Tangent) -> Self::Tangent {
        *rate
    }
}

/// The norms of the two parts of a vector.
#[inline]
pub(crate) fn part_norms<V: VectorSpace>(v: &V) -> [f64; 2] {
    let (first, second) = v.elements().split_at(v.split());
    [norm(first), norm(second)]
}

/// Euclidean norm that neither overflows nor underflows for finite numbers of any size.
#[inline]
pub(crate) fn norm(numbers: &[f64]) -> f64 {
    norm_of(numbers.iter().copied())
}

/// [`norm`] of any run of numbers.
#[inline]
pub(crate) fn norm_of(numbers: impl Iterator<Item = f64> + Clone) -> f64 {
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

/// Scales the two parts of a vector, each by its factor.
#[inline]
pub(crate) fn scale_parts<V: VectorSpace>(v: &mut V, factor: [f64; 2]) {
    let split = v.split();
    let (first, second) = v.elements_mut().split_at_mut(split);
    first.iter_mut().for_each(|e| *e *= factor[0]);
    second.iter_mut().for_each(|e| *e *= factor[1]);
}

//! Dice signals for tests that hold for all filters.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use filters_lib::signal::{Manifold, Signal, VectorSpace};
use filters_lib::*;
use nalgebra::{Isometry3, SVector, Translation3, UnitQuaternion, Vector3};
pub use test_lib::Dice;

/// A random value, its numbers, and the same with one number fewer where the length may vary.
pub trait Draw: Clone {
    fn draw(r: &mut Dice) -> Self;

    /// Puts a number into one random place.
    fn spoil(&mut self, with: f64, r: &mut Dice);

    /// Takes one number away; false when the type fixes the length.
    fn shorten(&mut self) -> bool {
        false
    }
}

/// Equal but for rounding.
pub trait Near {
    fn near(&self, other: &Self, tolerance: f64) -> bool;
}

/// A manifold to draw from and compare on.
pub trait Around: Manifold<Tangent: Draw> + Draw + Near {}
impl<S: Manifold<Tangent: Draw> + Draw + Near> Around for S {}

fn spoil_one(elements: &mut [f64], with: f64, r: &mut Dice) {
    let last = elements.len() - 1;
    elements[r.count(0, last)] = with;
}

macro_rules! vector_space {
    ($($t:ty, $r:ident => $draw:expr $(, $s:ident => $shorten:expr)?;)*) => {$(
        impl Draw for $t {
            fn draw($r: &mut Dice) -> Self {
                $draw
            }

            fn spoil(&mut self, with: f64, r: &mut Dice) {
                spoil_one(self.elements_mut(), with, r);
            }

            $(fn shorten(&mut self) -> bool {
                let $s = self;
                $shorten;
                true
            })?
        }

        impl Near for $t {
            fn near(&self, other: &Self, tolerance: f64) -> bool {
                self.elements().iter().zip(other.elements()).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
            }
        }
    )*};
}

vector_space!(
    f64, r => r.within(-5.0, 5.0);
    Vector3<f64>, r => Vector3::from_fn(|_, _| f64::draw(r));
    SVector<f64, 7>, r => SVector::from_fn(|_, _| f64::draw(r));
    JointArray, r => (0..7).map(|_| f64::draw(r)).collect(), s => s.pop();
    JointState, r => JointState::new(&JointArray::draw(r), &JointArray::draw(r)).unwrap(),
        s => *s = JointState::new(&s.position()[1..], &s.velocity()[1..]).unwrap();
    BodyTwist, r => BodyTwist::new(Draw::draw(r), Draw::draw(r));
    WorldTwist, r => WorldTwist::new(Draw::draw(r), Draw::draw(r));
    Wrench, r => Wrench::new(Draw::draw(r), Draw::draw(r));
);

impl Draw for () {
    fn draw(_r: &mut Dice) -> Self {}
    fn spoil(&mut self, _with: f64, _r: &mut Dice) {}
}

impl Draw for Spherical {
    fn draw(r: &mut Dice) -> Self {
        Spherical(Draw::draw(r))
    }
    fn spoil(&mut self, with: f64, r: &mut Dice) {
        self.0.spoil(with, r);
    }
}

impl Draw for UnitQuaternion<f64> {
    fn draw(r: &mut Dice) -> Self {
        UnitQuaternion::from_scaled_axis(Vector3::draw(r))
    }
    fn spoil(&mut self, with: f64, r: &mut Dice) {
        let mut coords: [f64; 4] = self.coords.into();
        spoil_one(&mut coords, with, r);
        *self = UnitQuaternion::new_unchecked(nalgebra::Quaternion::from(coords));
    }
}

impl Near for UnitQuaternion<f64> {
    fn near(&self, other: &Self, tolerance: f64) -> bool {
        self.gap(other)[0] <= tolerance
    }
}

impl Draw for Isometry3<f64> {
    fn draw(r: &mut Dice) -> Self {
        Isometry3::from_parts(Translation3::from(Vector3::draw(r)), Draw::draw(r))
    }
    fn spoil(&mut self, with: f64, r: &mut Dice) {
        if r.unit() < 0.5 { self.translation.vector.spoil(with, r) } else { self.rotation.spoil(with, r) }
    }
}

impl Near for Isometry3<f64> {
    fn near(&self, other: &Self, tolerance: f64) -> bool {
        self.translation.vector.near(&other.translation.vector, tolerance)
            && self.rotation.near(&other.rotation, tolerance)
    }
}

impl<S: Around> Near for Motion<S>
where
    S::Tangent: Near,
{
    fn near(&self, other: &Self, tolerance: f64) -> bool {
        self.x.near(&other.x, tolerance) && self.v.near(&other.v, tolerance)
    }
}

macro_rules! shorten_first {
    ($value:ident, $first:ident $(, $rest:ident)*) => {
        $value.$first.shorten()
    };
}

/// Several parts: one of them is spoilt or shortened.
macro_rules! parts {
    ($t:ident<$s:ident: $bound:path>, $($part:ident),+) => {
        impl<$s: $bound> Draw for $t<$s> {
            fn draw(r: &mut Dice) -> Self {
                $t { $($part: Draw::draw(r)),+ }
            }
            fn spoil(&mut self, with: f64, r: &mut Dice) {
                let chosen = r.count(0, [$(stringify!($part)),+].len() - 1);
                let mut index = 0;
                $(if index == chosen { self.$part.spoil(with, r); }
                index += 1;)+
                let _ = index;
            }
            fn shorten(&mut self) -> bool {
                shorten_first!(self, $($part),+)
            }
        }
    };
}

parts!(Pair<S: Draw>, u1, u2);
parts!(TransientInput<S: Draw>, u, ur);
parts!(SecondOrderInput<S: Around>, x, v, xr, vr, ar);
parts!(Motion<S: Around>, x, v);
parts!(ValueAndRate<S: Around>, value, rate);

//! Four numbers that go through the same arithmetic: one per chain, so that four legs cost little
//! more than one.

use std::ops::{Add, Mul, Neg, Sub};

/// How many chains are computed side by side.
pub(crate) const WIDTH: usize = 4;

/// One number for each of [`WIDTH`] chains. Plain arrays: the compiler turns their loops into
/// vector instructions of whatever machine it builds for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lanes(pub [f64; WIDTH]);

/// A vector for each chain.
pub(crate) type Lanes3 = [Lanes; 3];

impl Lanes {
    pub const ZERO: Self = Self([0.0; WIDTH]);
    pub const ONE: Self = Self([1.0; WIDTH]);
}

macro_rules! lane_by_lane {
    ($operation:ident, $method:ident, $symbol:tt) => {
        impl $operation for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0] $symbol b[0], a[1] $symbol b[1], a[2] $symbol b[2], a[3] $symbol b[3]])
            }
        }
    };
}
lane_by_lane!(Add, add, +);
lane_by_lane!(Sub, sub, -);
lane_by_lane!(Mul, mul, *);

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|value| -value))
    }
}

/// `x·a.x + y·a.y + z·a.z`: the matrix of columns x, y, z times the vector a.
#[inline(always)]
pub(crate) fn combine(columns: &[Lanes3; 3], a: &Lanes3) -> Lanes3 {
    let [x, y, z] = columns;
    let row = |i: usize| x[i] * a[0] + y[i] * a[1] + z[i] * a[2];
    [row(0), row(1), row(2)]
}

/// The sum of two vectors.
#[inline(always)]
pub(crate) fn add(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a × b`.
#[inline(always)]
pub(crate) fn cross(a: &Lanes3, b: &Lanes3) -> Lanes3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

//! The one loop over elements in which a filter computes and checks at once.

use crate::error::{Error, Result};
use std::array::from_fn;

/// (y, next, witness) = f(u, x) for each element of arrays of one length; the [`flaw`]s of all witnesses.
#[inline]
pub(crate) fn sweep<const N: usize, const M: usize>(
    u: &[f64],
    x: [&[f64]; N],
    y: &mut [f64],
    next: [&mut [f64]; M],
    f: impl Fn(f64, [f64; N]) -> (f64, [f64; M], f64),
) -> u64 {
    const { assert!(N <= 2 && M <= 2, "a memory of two numbers at most") };
    let (mut x, mut next) = (x.into_iter(), next.into_iter());
    let (x0, x1) = (x.next().unwrap_or_default(), x.next().unwrap_or_default());
    let (next0, next1) = (next.next().unwrap_or_default(), next.next().unwrap_or_default());
    run(u, x0, x1, y, next0, next1, f)
}

/// [`sweep`] with each array as an argument of its own: so the compiler knows that none overlaps another.
#[inline]
fn run<const N: usize, const M: usize>(
    u: &[f64],
    x0: &[f64],
    x1: &[f64],
    y: &mut [f64],
    next0: &mut [f64],
    next1: &mut [f64],
    f: impl Fn(f64, [f64; N]) -> (f64, [f64; M], f64),
) -> u64 {
    let length = |used: bool| if used { u.len() } else { 0 };
    let (x0, x1, y) = (&x0[..length(N > 0)], &x1[..length(N > 1)], &mut y[..u.len()]);
    let (next0, next1) = (&mut next0[..length(M > 0)], &mut next1[..length(M > 1)]);
    let mut flaws = 0;
    for e in 0..u.len() {
        let (value, after, witness) = f(u[e], from_fn(|i| if i == 0 { x0[e] } else { x1[e] }));
        y[e] = value;
        if M > 0 {
            next0[e] = after[0];
        }
        if M > 1 {
            next1[e] = after[1];
        }
        flaws |= flaw(witness);
    }
    flaws
}

/// Bits to be or-ed over the elements: 0·e is ±0 for a finite number and NaN otherwise.
#[inline]
pub(crate) fn flaw(e: f64) -> u64 {
    (e * 0.0).to_bits()
}

/// Whether there is no [`flaw`] among these; the sign does not count.
#[inline]
pub(crate) fn flawless(flaws: u64) -> bool {
    flaws << 1 == 0
}

/// Refuses elements with a [`flaw`] among them.
#[inline]
pub(crate) fn refuse_flaws(flaws: u64, what: &'static str, elements: &[f64]) -> Result<()> {
    if flawless(flaws) { Ok(()) } else { Err(first_not_finite(what, elements)) }
}

#[cold]
fn first_not_finite(what: &'static str, elements: &[f64]) -> Error {
    let fault = elements.iter().enumerate().find(|(_, e)| !e.is_finite());
    let (index, value) = fault.map_or((0, f64::NAN), |(i, e)| (i, *e));
    Error::NotFinite { what, index, value }
}

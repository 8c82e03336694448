//! The one loop over elements in which a filter computes and checks at once.

use crate::error::{Error, Result};

/// (y, next, witness) = f(u, x) for each element, as far as all arrays go; the [`flaw`]s of all witnesses.
#[inline]
pub(crate) fn sweep<const N: usize, const M: usize>(
    u: &[f64],
    x: [&[f64]; N],
    y: &mut [f64],
    next: [&mut [f64]; M],
    f: impl Fn(f64, [f64; N]) -> (f64, [f64; M], f64),
) -> u64 {
    let lengths = x.iter().map(|x| x.len()).chain(next.iter().map(|next| next.len()));
    let n = lengths.fold(u.len().min(y.len()), usize::min);
    let (u, x, y) = (&u[..n], x.map(|x| &x[..n]), &mut y[..n]);
    let mut next = next.map(|next| &mut next[..n]);
    let mut flaws = 0;
    for e in 0..n {
        let (value, after, witness) = f(u[e], x.map(|x| x[e]));
        y[e] = value;
        next.iter_mut().zip(after).for_each(|(next, after)| next[e] = after);
        flaws |= flaw(witness);
    }
    flaws
}

/// Bits to be or-ed over the elements: e − e is 0 for a finite number and NaN otherwise.
#[inline]
#[allow(clippy::eq_op, reason = "e − e tells what e is")]
pub(crate) fn flaw(e: f64) -> u64 {
    (e - e).to_bits()
}

/// Whether there is no [`flaw`] among these.
#[inline]
pub(crate) fn flawless(flaws: u64) -> bool {
    flaws == 0
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

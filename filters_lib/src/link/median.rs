//! Moving median.

use super::check_like;
use crate::check::same_length;
use crate::error::Result;
use crate::filter::Filter;
use crate::link::WindowParams;
use crate::signal::{Signal, VectorSpace};

/// y\[k\] = median of u\[k\], …, u\[k−N+1\], element by element; the mean of the two middle ones for an even N.
///
/// The N − 1 past samples are kept sorted, so the newest needs no sorting: the i-th of all N is
/// min(max(u, sᵢ₋₁), sᵢ).
///
/// ```
/// # use filters_lib::{Filter, Median, WindowParams};
/// let mut median = Median::new(WindowParams { window: 3 }, &0.0)?;
/// assert_eq!((median.update(&9.0)?, median.update(&2.0)?, median.update(&3.0)?), (0.0, 2.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Median<S> {
    params: WindowParams,
    // The last N − 1 inputs in a ring, the oldest first in line.
    past: Vec<S>,
    oldest: usize,
    // For each element its N − 1 past numbers in rising order, one element after the other.
    sorted: Vec<f64>,
    like: S,
}

impl<S: VectorSpace> Median<S> {
    /// Starts as if the input had been `x0` for ever.
    pub fn new(params: WindowParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let past = vec![x0.clone(); params.window - 1];
        let mut filter = Self { params, past, oldest: 0, sorted: Vec::new(), like: x0.clone() };
        filter.sort();
        Ok(filter)
    }

    /// Replaces the window. Past inputs stay; a longer window is filled up with the oldest one.
    pub fn set_params(&mut self, params: WindowParams) -> Result<()> {
        params.check()?;
        self.past.rotate_left(self.oldest);
        self.oldest = 0;
        let (now, wanted) = (self.past.len(), params.window - 1);
        if wanted < now {
            self.past.drain(..now - wanted);
        } else {
            let oldest = self.past.first().unwrap_or(&self.like).clone();
            self.past.splice(..0, std::iter::repeat_n(oldest, wanted - now));
        }
        self.params = params;
        self.sort();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &WindowParams {
        &self.params
    }

    fn sort(&mut self) {
        self.sorted.clear();
        for e in 0..self.like.size() {
            let from = self.sorted.len();
            self.sorted.extend(self.past.iter().map(|past| past.elements()[e]));
            self.sorted[from..].sort_unstable_by(f64::total_cmp);
        }
    }
}

/// The i-th smallest of the sorted numbers and `u`.
#[inline]
fn ranked(sorted: &[f64], u: f64, i: usize) -> f64 {
    let above = if i == 0 { u } else { u.max(sorted[i - 1]) };
    sorted.get(i).map_or(above, |next| above.min(*next))
}

/// Puts `new` in the place of `old` and restores the order.
#[inline]
fn replace(sorted: &mut [f64], old: f64, new: f64) {
    // By value, as below: 0.0 and −0.0 are one number in two forms and lie in any order.
    let mut i = sorted.partition_point(|s| *s < old);
    while i + 1 < sorted.len() && sorted[i + 1] < new {
        sorted[i] = sorted[i + 1];
        i += 1;
    }
    while i > 0 && sorted[i - 1] > new {
        sorted[i] = sorted[i - 1];
        i -= 1;
    }
    sorted[i] = new;
}

impl<S: VectorSpace> Filter for Median<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.like.size(), x0)?;
        self.like.clone_from(x0);
        self.past.iter_mut().for_each(|past| past.clone_from(x0));
        self.sort();
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.like.size(), u)?;
        same_length("y", u.size(), y.size())?;
        let (past, window) = (self.past.len(), self.params.window);
        for (e, (y, u)) in y.elements_mut().iter_mut().zip(u.elements()).enumerate() {
            let sorted = &self.sorted[e * past..(e + 1) * past];
            let upper = ranked(sorted, *u, window / 2);
            *y = if window % 2 == 1 { upper } else { 0.5 * ranked(sorted, *u, window / 2 - 1) + 0.5 * upper };
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.like.size(), u)?;
        let past = self.past.len();
        if past == 0 {
            return Ok(());
        }
        for (e, u) in u.elements().iter().enumerate() {
            replace(&mut self.sorted[e * past..(e + 1) * past], self.past[self.oldest].elements()[e], *u);
        }
        self.past[self.oldest].clone_from(u);
        self.oldest = if self.oldest + 1 == past { 0 } else { self.oldest + 1 };
        Ok(())
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Moving median.

use crate::error::Result;
use crate::filter::Filter;
use crate::ring::{Ring, WindowParams};
use crate::signal::{Signal, VectorSpace, accept, accept_start};

/// y\[k\] = median of u\[k\], …, u\[k−N+1\], element by element; the mean of the two middle ones for an even number.
/// After a reset the median is that of the samples there are, as in `MedianFilter` of the ROS package `filters`.
///
/// The past samples are kept sorted, so the newest needs no sorting: the i-th of all is min(max(u, sᵢ₋₁), sᵢ).
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
    // The last N − 1 inputs.
    past: Ring<S>,
    // For each element room for its N − 1 past numbers, as many as are known in rising order at the front.
    sorted: Vec<f64>,
    size: usize,
}

impl<S: VectorSpace> Median<S> {
    /// Begins as if the input had been `x0` for ever.
    pub fn new(params: WindowParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let past = Ring::filled(params.window - 1, x0);
        let mut filter = Self { params, past, sorted: vec![], size: x0.size() };
        filter.sort();
        Ok(filter)
    }

    /// Replaces the window. Past inputs stay; a longer window is filled up with the oldest one.
    pub fn set_params(&mut self, params: WindowParams) -> Result<()> {
        params.check()?;
        self.past.resize(params.window - 1);
        self.params = params;
        self.sort();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &WindowParams {
        &self.params
    }

    fn sort(&mut self) {
        let room = self.params.window - 1;
        self.sorted.resize(room * self.size, 0.0);
        for e in 0..self.size {
            let sorted = &mut self.sorted[e * room..][..self.past.known()];
            sorted.iter_mut().zip(self.past.iter()).for_each(|(s, past)| *s = past.elements()[e]);
            sorted.sort_unstable_by(f64::total_cmp);
        }
    }
}

/// The i-th smallest of the sorted numbers and `u`.
#[inline]
fn ranked(sorted: &[f64], u: f64, i: usize) -> f64 {
    let above = if i == 0 { u } else { u.max(sorted[i - 1]) };
    sorted.get(i).map_or(above, |next| above.min(*next))
}

/// Puts `new` into the place `i` and restores the order.
#[inline]
fn insert(sorted: &mut [f64], mut i: usize, new: f64) {
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
        accept_start(self.size, x0)?;
        self.past.fill(x0);
        self.sort();
        Ok(())
    }

    fn reset(&mut self) {
        self.past.clear();
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size, u, u.size(), y.size())?;
        let (room, known) = (self.params.window - 1, self.past.known());
        let count = known + 1;
        for (e, (y, u)) in y.elements_mut().iter_mut().zip(u.elements()).enumerate() {
            let sorted = &self.sorted[e * room..][..known];
            let upper = ranked(sorted, *u, count / 2);
            *y = if count % 2 == 1 { upper } else { 0.5 * ranked(sorted, *u, count / 2 - 1) + 0.5 * upper };
        }
        Ok(())
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.past.prepare(u);
        Ok(())
    }

    #[inline]
    fn commit(&mut self) {
        let (room, known) = (self.params.window - 1, self.past.known());
        for e in 0..if room == 0 { 0 } else { self.size } {
            let new = self.past.prepared().elements()[e];
            let sorted = &mut self.sorted[e * room..][..room];
            match self.past.leaving() {
                // By value: 0.0 and −0.0 are one number in two forms and lie in any order.
                Some(old) => {
                    let place = sorted.partition_point(|s| *s < old.elements()[e]);
                    insert(sorted, place, new);
                }
                None => insert(&mut sorted[..=known], known, new),
            }
        }
        self.past.commit();
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Moving median.

use crate::error::Result;
use crate::ring::Ring;
use crate::signal::VectorSpace;
use crate::window::{Summary, Window, WindowParams};
use crate::wrapped::wrapped;

wrapped!(
    /// y\[k\] = median of u\[k\], …, u\[k−N+1\], element by element; the mean of the two middle ones for an even number.
    /// After a reset the median is that of the samples there are, as in `MedianFilter` of the ROS package `filters`. A
    /// longer window is filled up with the oldest sample.
    ///
    /// The past samples are kept sorted, so the newest needs no sorting: the i-th of all is min(max(u, sᵢ₋₁), sᵢ).
    ///
    /// ```
    /// # use filters_lib::{Filter, Median, WindowParams};
    /// let mut median = Median::new(WindowParams { window: 3 }, &0.0)?;
    /// assert_eq!((median.update(&9.0)?, median.update(&2.0)?, median.update(&3.0)?), (0.0, 2.0, 3.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Median, WindowParams, Window<S, Sorted>
);

/// For each element room for its N − 1 past numbers, as many as are known in rising order at the front.
#[derive(Debug, Clone, Default)]
struct Sorted(Vec<f64>);

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

impl Summary for Sorted {
    fn renew<S: VectorSpace>(&mut self, past: &Ring<S>) {
        let (room, size) = (past.length(), past.prepared().elements().len());
        self.0.resize(room * size, 0.0);
        for e in 0..size {
            let sorted = &mut self.0[e * room..][..past.known()];
            sorted.iter_mut().zip(past.iter()).for_each(|(s, past)| *s = past.elements()[e]);
            sorted.sort_unstable_by(f64::total_cmp);
        }
    }

    #[inline]
    fn output_into<S: VectorSpace>(&self, past: &Ring<S>, u: &S, y: &mut S) -> Result<()> {
        let (room, known) = (past.length(), past.known());
        let count = known + 1;
        for (e, (y, u)) in y.elements_mut().iter_mut().zip(u.elements()).enumerate() {
            let sorted = &self.0[e * room..][..known];
            let upper = ranked(sorted, *u, count / 2);
            *y = if count % 2 == 1 { upper } else { 0.5 * ranked(sorted, *u, count / 2 - 1) + 0.5 * upper };
        }
        Ok(())
    }

    #[inline]
    fn commit<S: VectorSpace>(&mut self, past: &Ring<S>) {
        let (room, known, new) = (past.length(), past.known(), past.prepared().elements());
        // A window of one sample has no past.
        for (sorted, e) in self.0.chunks_exact_mut(room.max(1)).zip(0..) {
            match past.leaving() {
                // By value: 0.0 and −0.0 are one number in two forms and lie in any order.
                Some(old) => {
                    let place = sorted.partition_point(|s| *s < old.elements()[e]);
                    insert(sorted, place, new[e]);
                }
                None => insert(&mut sorted[..=known], known, new[e]),
            }
        }
    }
}

//! Moving average.

use crate::error::Result;
use crate::ring::Ring;
use crate::signal::{VectorSpace, no_overflow};
use crate::window::{Summary, Window, WindowParams};
use crate::wrapped::wrapped;

wrapped!(
    /// y\[k\] = (u\[k\] + … + u\[k−N+1\])/N. The sum is formed anew in every step, so that no rounding error accumulates.
    /// After a reset the mean is that of the samples there are, as in `MeanFilter` of the ROS package `filters`. A longer
    /// window is filled up with the oldest sample.
    ///
    /// ```
    /// # use filters_lib::{Filter, MovingAverage, WindowParams};
    /// let mut mean = MovingAverage::new(WindowParams { window: 2 }, &0.0)?;
    /// assert_eq!((mean.update(&2.0)?, mean.update(&4.0)?), (1.0, 3.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    MovingAverage, WindowParams, Window<S, Mean>
);

#[derive(Debug, Clone, Default)]
struct Mean;

impl Summary for Mean {
    #[inline]
    fn output_into<S: VectorSpace>(&self, past: &Ring<S>, u: &S, y: &mut S) -> Result<()> {
        let share = ((past.known() + 1) as f64).recip();
        y.clone_from(u);
        for past in past.iter() {
            y.elements_mut().iter_mut().zip(past.elements()).for_each(|(y, past)| *y += past);
        }
        y.elements_mut().iter_mut().for_each(|y| *y *= share);
        no_overflow(y.elements())
    }
}

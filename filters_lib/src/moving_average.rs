//! Moving average.

use crate::error::Result;
use crate::filter::Filter;
use crate::ring::{Ring, WindowParams};
use crate::signal::{Signal, VectorSpace, accept, accept_start, no_overflow};

/// y\[k\] = (u\[k\] + … + u\[k−N+1\])/N. The sum is formed anew in every step, so that no rounding error accumulates.
/// After a reset the mean is that of the samples there are, as in `MeanFilter` of the ROS package `filters`.
///
/// ```
/// # use filters_lib::{Filter, MovingAverage, WindowParams};
/// let mut mean = MovingAverage::new(WindowParams { window: 2 }, &0.0)?;
/// assert_eq!((mean.update(&2.0)?, mean.update(&4.0)?), (1.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MovingAverage<S> {
    params: WindowParams,
    // The last N − 1 inputs.
    past: Ring<S>,
    size: usize,
}

impl<S: VectorSpace> MovingAverage<S> {
    /// Begins as if the input had been `x0` for ever.
    pub fn new(params: WindowParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, past: Ring::filled(params.window - 1, x0), size: x0.size() })
    }

    /// Replaces the window. Past inputs stay; a longer window is filled up with the oldest one.
    pub fn set_params(&mut self, params: WindowParams) -> Result<()> {
        params.check()?;
        self.past.resize(params.window - 1);
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &WindowParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for MovingAverage<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.size, x0)?;
        self.past.fill(x0);
        Ok(())
    }

    fn reset(&mut self) {
        self.past.clear();
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size, u, u.size(), y.size())?;
        let share = ((self.past.known() + 1) as f64).recip();
        y.clone_from(u);
        for past in self.past.iter() {
            y.elements_mut().iter_mut().zip(past.elements()).for_each(|(y, past)| *y += past);
        }
        y.elements_mut().iter_mut().for_each(|y| *y *= share);
        no_overflow(y.elements())
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.past.prepare(u);
        Ok(())
    }

    #[inline]
    fn commit(&mut self) {
        self.past.commit();
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

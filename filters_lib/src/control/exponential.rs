//! Exponential filter as `control_filters` defines it.

use crate::check::{same_length, within};
use crate::error::Result;
use crate::filter::Filter;
use crate::link::check_like;
use crate::signal::{Signal, VectorSpace};

/// Parameters of an [`ExponentialFilter`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentialParams {
    /// Share α of the newest sample, 0…1.
    pub alpha: f64,
}

impl ExponentialParams {
    /// Refuses a share outside 0…1.
    pub fn check(&self) -> Result<()> {
        within("alpha", self.alpha, (0.0..=1.0).contains(&self.alpha), "0…1")
    }
}

/// y(n) = α·x(n) + (1 − α)·y(n−1); the first output is the first input.
///
/// ```
/// # use filters_lib::{ExponentialFilter, ExponentialParams, Filter};
/// let mut filter = ExponentialFilter::new(ExponentialParams { alpha: 0.5 }, &0.0)?;
/// assert_eq!((filter.update(&2.0)?, filter.update(&4.0)?), (2.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ExponentialFilter<S> {
    params: ExponentialParams,
    // y(n−1), valid after the first sample.
    output: S,
    started: bool,
}

impl<S: VectorSpace> ExponentialFilter<S> {
    /// Waits for its first sample; `like` is any value of the right size.
    pub fn new(params: ExponentialParams, like: &S) -> Result<Self> {
        params.check()?;
        Ok(Self { params, output: like.clone(), started: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: ExponentialParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &ExponentialParams {
        &self.params
    }

    /// Waits for a first sample again.
    pub fn reset(&mut self) {
        self.started = false;
    }
}

impl<S: VectorSpace> Filter for ExponentialFilter<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.output.size(), x0)?;
        self.output.clone_from(x0);
        self.started = true;
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.output.size(), u)?;
        same_length("y", u.size(), y.size())?;
        if !self.started {
            y.clone_from(u);
            return Ok(());
        }
        let alpha = self.params.alpha;
        let past = u.elements().iter().zip(self.output.elements());
        for (y, (u, before)) in y.elements_mut().iter_mut().zip(past) {
            *y = alpha * u + (1.0 - alpha) * before;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.output.size(), u)?;
        if !self.started {
            return self.start(u);
        }
        let alpha = self.params.alpha;
        for (y, u) in self.output.elements_mut().iter_mut().zip(u.elements()) {
            *y = alpha * u + (1.0 - alpha) * *y;
        }
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        // After the step the state is the output.
        same_length("y", self.output.size(), y.size())?;
        self.step(u)?;
        y.clone_from(&self.output);
        Ok(())
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

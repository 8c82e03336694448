//! Exponential filter as `control_filters` defines it.

use super::FirstSample;
use crate::check::within;
use crate::error::Result;
use crate::filter::Params;
use crate::link::LinkLaw;

/// Parameters of an [`ExponentialFilter`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExponentialParams {
    /// Share α of the newest sample, 0…1.
    pub alpha: f64,
}

impl Params for ExponentialParams {
    type Ready = ();

    /// Refuses a share outside 0…1.
    fn check(&self) -> Result<()> {
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
pub type ExponentialFilter<S> = FirstSample<S, ExponentialParams, 1>;

impl LinkLaw<1> for ExponentialParams {
    #[inline]
    fn step(&self, _ready: &(), u: f64, [before]: [f64; 1]) -> (f64, [f64; 1]) {
        let y = self.alpha * u + (1.0 - self.alpha) * before;
        (y, [y])
    }
}

//! Schmitt trigger.

use super::{Link, LinkLaw};
use crate::check::{finite, ordered};
use crate::error::Result;
use crate::filter::Params;

/// Parameters of a [`Schmitt`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchmittParams {
    /// At or below this input the output goes low.
    pub low: f64,
    /// At or above this input the output goes high.
    pub high: f64,
    /// Output when low.
    pub output_low: f64,
    /// Output when high.
    pub output_high: f64,
}

impl Params for SchmittParams {
    type Ready = ();

    /// Refuses thresholds in the wrong order and numbers that are not finite.
    fn check(&self) -> Result<()> {
        let Self { low, high, output_low, output_high } = *self;
        for (name, value) in
            [("low", low), ("high", high), ("output_low", output_low), ("output_high", output_high)]
        {
            finite(name, value)?;
        }
        ordered("low", low, "high", high)
    }
}

/// Hysteresis: y\[k\] is high for u\[k\] ≥ high, low for u\[k\] ≤ low, and x\[k\] in between; x\[k+1\] = y\[k\].
///
/// ```
/// # use filters_lib::{Filter, Schmitt, SchmittParams};
/// let params = SchmittParams { low: 1.0, high: 2.0, output_low: 0.0, output_high: 1.0 };
/// let mut trigger = Schmitt::new(params, &0.0)?;
/// assert_eq!((trigger.update(&1.5)?, trigger.update(&2.5)?, trigger.update(&1.5)?), (0.0, 1.0, 1.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type Schmitt<S> = Link<S, SchmittParams, 1>;

impl LinkLaw<1> for SchmittParams {
    #[inline]
    fn step(&self, _ready: &(), u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        let y = if u >= self.high {
            self.output_high
        } else if u <= self.low {
            self.output_low
        } else {
            x
        };
        (y, [y])
    }
}

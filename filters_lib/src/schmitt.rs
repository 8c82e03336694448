//! Schmitt trigger.

use crate::check::{finite, ordered};
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`Schmitt`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

wrapped!(
    /// Hysteresis: high from u\[k\] ≥ high on, low from u\[k\] ≤ low on. The state is the side, not the level: a new
    /// `output_high` is put out at once. A start between the thresholds is low.
    ///
    /// ```
    /// # use filters_lib::{Filter, Schmitt, SchmittParams};
    /// let params = SchmittParams { low: 1.0, high: 2.0, output_low: 0.0, output_high: 1.0 };
    /// let mut trigger = Schmitt::new(params, &1.5)?;
    /// assert_eq!((trigger.update(&1.5)?, trigger.update(&2.5)?, trigger.update(&1.5)?), (0.0, 1.0, 1.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Schmitt, SchmittParams, Elementwise<S, SchmittRule, 1>
);

#[derive(Debug, Clone)]
struct SchmittRule;

/// The memory is 1 when high, 0 when low.
impl Rule<1> for SchmittRule {
    const STATE_IS_BOUNDED: bool = true;

    type Params = SchmittParams;
    type Coefficients = SchmittParams;

    fn coefficients(params: &SchmittParams) -> Result<SchmittParams> {
        let SchmittParams { low, high, output_low, output_high } = *params;
        for (name, value) in
            [("low", low), ("high", high), ("output_low", output_low), ("output_high", output_high)]
        {
            finite(name, value)?;
        }
        ordered("low", low, "high", high)?;
        Ok(*params)
    }

    fn rest(params: &SchmittParams, u: f64) -> [f64; 1] {
        [f64::from(u >= params.high)]
    }

    #[inline]
    fn step(params: &SchmittParams, u: f64, [side]: [f64; 1]) -> (f64, [f64; 1]) {
        let is_high = u >= params.high || (u > params.low && side > 0.5);
        (if is_high { params.output_high } else { params.output_low }, [f64::from(is_high)])
    }
}

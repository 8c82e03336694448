//! Backlash (play).

use crate::check::not_negative;
use crate::elementwise::{Elementwise, Rule, clip};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`Backlash`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BacklashParams {
    /// Full width of the play w, units of the signal.
    pub width: f64,
}

wrapped!(
    /// Play between a driving and a driven part: y\[k\] = min(max(y₁, u\[k\] − w/2), u\[k\] + w/2). A start is in the
    /// middle of the play. A narrower play takes the driven part along at once, as far as it must.
    ///
    /// ```
    /// # use filters_lib::{Filter, Backlash, BacklashParams};
    /// let mut play = Backlash::new(BacklashParams { width: 1.0 }, &0.0)?;
    /// assert_eq!((play.update(&0.4)?, play.update(&2.0)?, play.update(&1.5)?), (0.0, 1.5, 1.5));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Backlash, BacklashParams, Elementwise<S, BacklashRule, 1>
);

#[derive(Debug, Clone)]
struct BacklashRule;

impl Rule<1> for BacklashRule {
    const STATE_IS_BOUNDED: bool = true;

    type Params = BacklashParams;
    /// Half the width, w/2.
    type Coefficients = f64;

    fn coefficients(params: &BacklashParams) -> Result<f64> {
        not_negative("width", params.width)?;
        Ok(0.5 * params.width)
    }

    fn rest(_half: &f64, u: f64) -> [f64; 1] {
        [u]
    }

    #[inline]
    fn step(half: &f64, u: f64, [before]: [f64; 1]) -> (f64, [f64; 1]) {
        let y = clip(before, u - half, u + half);
        (y, [y])
    }
}

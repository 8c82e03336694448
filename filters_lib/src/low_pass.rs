//! Low-pass and exponential filter as the ROS package `control_filters` defines them.

use crate::check::{finite, positive, within};
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`LowPassFilter`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LowPassParams {
    /// Sampling frequency sf, Hz.
    pub sampling_frequency: f64,
    /// Damping frequency df, Hz.
    pub damping_frequency: f64,
    /// Damping intensity di, dB.
    pub damping_intensity: f64,
}

wrapped!(
    /// y(n) = b·x(n−1) + a·y(n−1), a = exp(−(1/sf)·2π·df/10^(di/−10)), b = 1 − a.
    ///
    /// ```
    /// # use filters_lib::{Filter, LowPassFilter, LowPassParams};
    /// let params = LowPassParams { sampling_frequency: 100.0, damping_frequency: 10.0, damping_intensity: 0.0 };
    /// let mut filter = LowPassFilter::new(params, &0.0)?;
    /// filter.reset();
    /// assert_eq!((filter.update(&2.0)?, filter.update(&5.0)?), (2.0, 2.0), "the first sample sets x and y to itself");
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    LowPassFilter, LowPassParams, Elementwise<S, LowPassRule, 2>
);

#[derive(Debug, Clone)]
struct LowPassRule;

/// The memory is x(n−1) and y(n−1).
impl Rule<2> for LowPassRule {
    const STATE_IS_BOUNDED: bool = true;

    type Params = LowPassParams;
    /// Weight of the output before, a.
    type Coefficients = f64;

    fn coefficients(params: &LowPassParams) -> Result<f64> {
        positive("sampling_frequency", params.sampling_frequency)?;
        positive("damping_frequency", params.damping_frequency)?;
        finite("damping_intensity", params.damping_intensity)?;
        let intensity = 10.0_f64.powf(params.damping_intensity / -10.0);
        let turn = 2.0 * std::f64::consts::PI * params.damping_frequency / params.sampling_frequency;
        // An intensity beyond the range of numbers means "let everything through" or "hold", not NaN.
        Ok((-turn / intensity.max(f64::MIN_POSITIVE)).exp())
    }

    fn rest(_feedback: &f64, u: f64) -> [f64; 2] {
        [u, u]
    }

    #[inline]
    fn step(feedback: &f64, u: f64, [input, output]: [f64; 2]) -> (f64, [f64; 2]) {
        let y = (1.0 - feedback) * input + feedback * output;
        (y, [u, y])
    }

    fn with_period(params: &LowPassParams, period: f64) -> Option<LowPassParams> {
        Some(LowPassParams { sampling_frequency: period.recip(), ..*params })
    }
}

/// Parameters of an [`ExponentialFilter`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExponentialParams {
    /// Share α of the newest sample, 0…1.
    pub alpha: f64,
}

wrapped!(
    /// y(n) = α·x(n) + (1 − α)·y(n−1); after a reset the first output is the first input.
    ///
    /// ```
    /// # use filters_lib::{ExponentialFilter, ExponentialParams, Filter};
    /// let mut filter = ExponentialFilter::new(ExponentialParams { alpha: 0.5 }, &2.0)?;
    /// assert_eq!((filter.update(&2.0)?, filter.update(&4.0)?), (2.0, 3.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    ExponentialFilter, ExponentialParams, Elementwise<S, ExponentialRule, 1>
);

#[derive(Debug, Clone)]
struct ExponentialRule;

impl Rule<1> for ExponentialRule {
    const STATE_IS_BOUNDED: bool = true;

    type Params = ExponentialParams;
    /// Weight of the new sample, α.
    type Coefficients = f64;

    fn coefficients(params: &ExponentialParams) -> Result<f64> {
        within("alpha", params.alpha, (0.0..=1.0).contains(&params.alpha), "0…1")?;
        Ok(params.alpha)
    }

    fn rest(_alpha: &f64, u: f64) -> [f64; 1] {
        [u]
    }

    #[inline]
    fn step(alpha: &f64, u: f64, [before]: [f64; 1]) -> (f64, [f64; 1]) {
        let y = alpha * u + (1.0 - alpha) * before;
        (y, [y])
    }
}

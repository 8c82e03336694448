//! Low-pass filter as `control_filters` defines it.

use super::FirstSample;
use crate::check::{finite, positive};
use crate::error::Result;
use crate::filter::Params;
use crate::link::LinkLaw;

/// Parameters of a [`LowPassFilter`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowPassParams {
    /// Sampling frequency sf, Hz.
    pub sampling_frequency: f64,
    /// Damping frequency df, Hz.
    pub damping_frequency: f64,
    /// Damping intensity di, dB.
    pub damping_intensity: f64,
}

impl LowPassParams {
    /// a = exp(−(1/sf)·2π·df/10^(di/−10)).
    pub fn feedback(&self) -> f64 {
        let intensity = 10.0_f64.powf(self.damping_intensity / -10.0);
        let cycles = 2.0 * std::f64::consts::PI * self.damping_frequency / self.sampling_frequency;
        // An intensity beyond the range of numbers means "let everything through" or "hold", not NaN.
        (-cycles / intensity.max(f64::MIN_POSITIVE)).exp()
    }
}

impl Params for LowPassParams {
    type Ready = f64;

    /// Refuses frequencies that are not above zero and an intensity that is not finite.
    fn check(&self) -> Result<f64> {
        positive("sampling_frequency", self.sampling_frequency)?;
        positive("damping_frequency", self.damping_frequency)?;
        finite("damping_intensity", self.damping_intensity)?;
        Ok(self.feedback())
    }
}

/// y(n) = b·x(n−1) + a·y(n−1), a = exp(−(1/sf)·2π·df/10^(di/−10)), b = 1 − a. The first sample sets x(n−1) and y(n−1) to
/// itself.
///
/// ```
/// # use filters_lib::{Filter, LowPassFilter, LowPassParams};
/// let params = LowPassParams { sampling_frequency: 100.0, damping_frequency: 10.0, damping_intensity: 0.0 };
/// let mut filter = LowPassFilter::new(params, &0.0)?;
/// assert_eq!((filter.update(&2.0)?, filter.update(&5.0)?), (2.0, 2.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type LowPassFilter<S> = FirstSample<S, LowPassParams, 2>;

/// The memory is x(n−1) and y(n−1).
impl LinkLaw<2> for LowPassParams {
    #[inline]
    fn step(&self, feedback: &f64, u: f64, [input, output]: [f64; 2]) -> (f64, [f64; 2]) {
        let y = (1.0 - feedback) * input + feedback * output;
        (y, [u, y])
    }
}

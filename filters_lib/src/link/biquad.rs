//! Biquad low-pass.

use super::{Link, LinkLaw};
use crate::check::{positive, within};
use crate::error::Result;
use crate::filter::Params;

/// Parameters of a [`BiquadLowPass`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiquadLowPassParams {
    /// Period T, s.
    pub period: f64,
    /// Corner frequency, Hz; below half of 1/T.
    pub frequency: f64,
    /// Quality; 1/√2 is Butterworth's, more rings.
    pub quality: f64,
}

impl Params for BiquadLowPassParams {
    type Ready = [f64; 3];

    /// Refuses numbers that are not above zero and a corner at or above half the sampling frequency.
    fn check(&self) -> Result<[f64; 3]> {
        positive("period", self.period)?;
        positive("frequency", self.frequency)?;
        positive("quality", self.quality)?;
        let below = self.frequency * self.period < 0.5;
        within("frequency", self.frequency, below, "below half the sampling frequency")?;
        // b0 (b1 = 2·b0, b2 = b0), a1, a2 for a0 = 1.
        let k = (std::f64::consts::PI * self.frequency * self.period).tan();
        let scale = (1.0 + k / self.quality + k * k).recip();
        Ok([k * k * scale, 2.0 * (k * k - 1.0) * scale, (1.0 - k / self.quality + k * k) * scale])
    }
}

/// ω²/(s² + ω·s/Q + ω²) by the bilinear transform with the corner frequency kept, k = tan(π·f·T) (R. Bristow-Johnson's
/// cookbook): y = b0·(u + 2u₁ + u₂) − a1·y₁ − a2·y₂, in direct form II transposed.
///
/// ```
/// # use filters_lib::{BiquadLowPass, BiquadLowPassParams, Filter};
/// let params = BiquadLowPassParams { period: 0.01, frequency: 5.0, quality: 0.7 };
/// let filter = BiquadLowPass::new(params, &3.0)?;
/// assert!((filter.output(&3.0)? - 3.0).abs() < 1e-12);
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type BiquadLowPass<S> = Link<S, BiquadLowPassParams, 2>;

impl LinkLaw<2> for BiquadLowPassParams {
    /// At rest y = u, so z1 = (1 − b0)·u and z2 = (b0 − a2)·u.
    #[inline]
    fn memory([b0, _, a2]: &[f64; 3], x0: f64) -> [f64; 2] {
        [(1.0 - b0) * x0, (b0 - a2) * x0]
    }

    #[inline]
    fn step(&self, [b0, a1, a2]: &[f64; 3], u: f64, [z1, z2]: [f64; 2]) -> (f64, [f64; 2]) {
        let y = b0 * u + z1;
        (y, [z2 + 2.0 * b0 * u - a1 * y, b0 * u - a2 * y])
    }
}

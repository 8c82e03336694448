//! Second-order low-pass, high-pass, band-pass and notch (R. Bristow-Johnson's cookbook).

use crate::check::{positive, resolved, within};
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of [`BiquadLowPass`], [`BiquadHighPass`], [`BiquadBandPass`] and [`Notch`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BiquadParams {
    /// Period T, s.
    pub period: f64,
    /// Corner or centre frequency f, Hz; below half of 1/T, and from either end of that range at least 7·10⁻⁶/T, where
    /// rounding would move gain and poles.
    pub frequency: f64,
    /// Quality Q; so far as rounding lets the poles be told from the unit circle. Low- and high-pass: 1/√2 is Butterworth's, more rings; band-pass and notch: f over their width.
    pub quality: f64,
}

/// The least k, where a Q of 1 or more still gives poles that are not lost to rounding: 4·k²/(1 + k + k²) = 8·ε/10⁻⁶.
const LOWEST: f64 = 2.2e-5;

/// The bilinear transform with f kept, k = tan(π·f·T): the denominator k² + k·s/Q + s² at s = (1 − z⁻¹)/(1 + z⁻¹),
/// and `numerator`, the coefficients of 1, s, s² above it. Gives b0, b1, b2, a1, a2 for a0 = 1.
fn bilinear(params: &BiquadParams, numerator: impl Fn(f64) -> [f64; 3]) -> Result<[f64; 5]> {
    let BiquadParams { period, frequency, quality } = *params;
    positive("period", period)?;
    positive("frequency", frequency)?;
    positive("quality", quality)?;
    within("frequency", frequency, frequency * period < 0.5, "below half the sampling frequency")?;
    let k = (std::f64::consts::PI * frequency * period).tan();
    let [n0, n1, n2] = numerator(k);
    let (d0, d1) = (k * k, k / quality);
    let scale = (1.0 + d1 + d0).recip();
    let b = [n0 + n1 + n2, 2.0 * (n0 - n2), n0 - n1 + n2].map(|b| b * scale);
    let a = [2.0 * (d0 - 1.0) * scale, (d0 - d1 + 1.0) * scale];
    // Of the three numbers that make the poles, k alone is the frequency's.
    let in_the_middle = (LOWEST..=LOWEST.recip()).contains(&k);
    within("frequency", frequency, in_the_middle, "farther from 0 and half the sampling frequency")?;
    within("quality", quality, resolved(a), "nearer to 1, or its poles are lost to rounding")?;
    Ok([b[0], b[1], b[2], a[0], a[1]])
}

/// y = b0·u + b1·u₁ + b2·u₂ − a1·y₁ − a2·y₂ in direct form I: the memory [u₁, u₂, y₁, y₂] is made of signals, so it is
/// as good for other coefficients.
macro_rules! biquad {
    ($(#[$doc:meta])* $name:ident, $rule:ident, $at_rest:literal, $numerator:expr) => {
        wrapped!($(#[$doc])* $name, BiquadParams, Elementwise<S, $rule, 4>);

        #[derive(Debug, Clone)]
        struct $rule;

        impl Rule<4> for $rule {
            const STATE_IS_BOUNDED: bool = true;

            type Params = BiquadParams;
            type Coefficients = [f64; 5];

            fn coefficients(params: &BiquadParams) -> Result<[f64; 5]> {
                let quality = params.quality;
                bilinear(params, |k| ($numerator)(k, quality))
            }

            fn rest(_coefficients: &[f64; 5], u: f64) -> [f64; 4] {
                [u, u, $at_rest * u, $at_rest * u]
            }

            #[inline]
            fn step([b0, b1, b2, a1, a2]: &[f64; 5], u: f64, [u1, u2, y1, y2]: [f64; 4]) -> (f64, [f64; 4]) {
                let y = b0 * u + b1 * u1 + b2 * u2 - a1 * y1 - a2 * y2;
                (y, [u, u1, y, y1])
            }

            fn with_period(params: &BiquadParams, period: f64) -> Option<BiquadParams> {
                Some(BiquadParams { period, ..*params })
            }
        }
    };
}

biquad!(
    /// ω²/(s² + ω·s/Q + ω²).
    ///
    /// ```
    /// # use filters_lib::{BiquadLowPass, BiquadParams, Filter};
    /// let params = BiquadParams { period: 0.01, frequency: 5.0, quality: 0.7 };
    /// let filter = BiquadLowPass::new(params, &3.0)?;
    /// assert!((filter.output(&3.0)? - 3.0).abs() < 1e-12);
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    BiquadLowPass, LowPassRule, 1.0, |k: f64, _q: f64| [k * k, 0.0, 0.0]
);
biquad!(
    /// s²/(s² + ω·s/Q + ω²): what is slower than f goes.
    BiquadHighPass, HighPassRule, 0.0, |_k: f64, _q: f64| [0.0, 0.0, 1.0]
);
biquad!(
    /// (ω·s/Q)/(s² + ω·s/Q + ω²): gain 1 at f, and −3 dB at the edges of a band f/Q wide.
    BiquadBandPass, BandPassRule, 0.0, |k: f64, q: f64| [0.0, k / q, 0.0]
);
biquad!(
    /// (s² + ω²)/(s² + ω·s/Q + ω²): takes out f, and −3 dB at the edges of a band f/Q wide.
    Notch, NotchRule, 1.0, |k: f64, _q: f64| [k * k, 0.0, 1.0]
);

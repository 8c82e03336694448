//! Biquad low-pass.

use super::check_like;
use crate::check::{positive, same_length, within};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Manifold, Signal, VectorSpace};

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

impl BiquadLowPassParams {
    /// Refuses numbers that are not above zero and a corner at or above half the sampling frequency.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("frequency", self.frequency)?;
        positive("quality", self.quality)?;
        let below = self.frequency * self.period < 0.5;
        within("frequency", self.frequency, below, "below half the sampling frequency")
    }

    /// b0 (b1 = 2·b0, b2 = b0), a1, a2 for a0 = 1.
    fn coefficients(&self) -> [f64; 3] {
        let k = (std::f64::consts::PI * self.frequency * self.period).tan();
        let scale = (1.0 + k / self.quality + k * k).recip();
        [k * k * scale, 2.0 * (k * k - 1.0) * scale, (1.0 - k / self.quality + k * k) * scale]
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
#[derive(Debug, Clone)]
pub struct BiquadLowPass<S> {
    params: BiquadLowPassParams,
    coefficients: [f64; 3],
    z: [S; 2],
}

impl<S: VectorSpace> BiquadLowPass<S> {
    /// Starts as if the input had been `x0` for ever.
    pub fn new(params: BiquadLowPassParams, x0: &S) -> Result<Self> {
        params.check()?;
        let zero = x0.zero_velocity();
        let mut filter = Self { params, coefficients: params.coefficients(), z: [zero.clone(), zero] };
        filter.start(x0)?;
        Ok(filter)
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: BiquadLowPassParams) -> Result<()> {
        params.check()?;
        self.params = params;
        self.coefficients = params.coefficients();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &BiquadLowPassParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for BiquadLowPass<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.z[0].size(), x0)?;
        // At rest y = u, so z1 = (1 − b0)·u and z2 = (b0 − a2)·u.
        let [b0, _, a2] = self.coefficients;
        let [z1, z2] = &mut self.z;
        let states = z1.elements_mut().iter_mut().zip(z2.elements_mut());
        for ((z1, z2), x) in states.zip(x0.elements()) {
            (*z1, *z2) = ((1.0 - b0) * x, (b0 - a2) * x);
        }
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.z[0].size(), u)?;
        same_length("y", u.size(), y.size())?;
        let b0 = self.coefficients[0];
        for (y, (u, z)) in y.elements_mut().iter_mut().zip(u.elements().iter().zip(self.z[0].elements())) {
            *y = b0 * u + z;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.z[0].size(), u)?;
        let [b0, a1, a2] = self.coefficients;
        let [z1, z2] = &mut self.z;
        let states = z1.elements_mut().iter_mut().zip(z2.elements_mut());
        for ((z1, z2), u) in states.zip(u.elements()) {
            let y = b0 * u + *z1;
            *z1 = *z2 + 2.0 * b0 * u - a1 * y;
            *z2 = b0 * u - a2 * y;
        }
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.z[0].size(), u)?;
        same_length("y", u.size(), y.size())?;
        let [b0, a1, a2] = self.coefficients;
        let [z1, z2] = &mut self.z;
        let states = z1.elements_mut().iter_mut().zip(z2.elements_mut());
        for ((z1, z2), (u, y)) in states.zip(u.elements().iter().zip(y.elements_mut())) {
            *y = b0 * u + *z1;
            *z1 = *z2 + 2.0 * b0 * u - a1 * *y;
            *z2 = b0 * u - a2 * *y;
        }
        Ok(())
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Low-pass filter as `control_filters` defines it.

use crate::check::{finite, positive, same_length};
use crate::error::Result;
use crate::filter::Filter;
use crate::link::check_like;
use crate::signal::{Signal, VectorSpace};

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
    /// Refuses frequencies that are not above zero and an intensity that is not finite.
    pub fn check(&self) -> Result<()> {
        positive("sampling_frequency", self.sampling_frequency)?;
        positive("damping_frequency", self.damping_frequency)?;
        finite("damping_intensity", self.damping_intensity)
    }

    /// a = exp(−(1/sf)·2π·df/10^(di/−10)).
    pub fn feedback(&self) -> f64 {
        let intensity = 10.0_f64.powf(self.damping_intensity / -10.0);
        let cycles = 2.0 * std::f64::consts::PI * self.damping_frequency / self.sampling_frequency;
        // An intensity beyond the range of numbers means "let everything through" or "hold", not NaN.
        (-cycles / intensity.max(f64::MIN_POSITIVE)).exp()
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
#[derive(Debug, Clone)]
pub struct LowPassFilter<S> {
    params: LowPassParams,
    feedback: f64,
    // x(n−1) and y(n−1), valid after the first sample.
    input: S,
    output: S,
    started: bool,
}

impl<S: VectorSpace> LowPassFilter<S> {
    /// Waits for its first sample; `like` is any value of the right size.
    pub fn new(params: LowPassParams, like: &S) -> Result<Self> {
        params.check()?;
        let feedback = params.feedback();
        Ok(Self { params, feedback, input: like.clone(), output: like.clone(), started: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: LowPassParams) -> Result<()> {
        params.check()?;
        self.params = params;
        self.feedback = params.feedback();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &LowPassParams {
        &self.params
    }

    /// Waits for a first sample again.
    pub fn reset(&mut self) {
        self.started = false;
    }
}

impl<S: VectorSpace> Filter for LowPassFilter<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.input.size(), x0)?;
        self.input.clone_from(x0);
        self.output.clone_from(x0);
        self.started = true;
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.input.size(), u)?;
        same_length("y", u.size(), y.size())?;
        if !self.started {
            y.clone_from(u);
            return Ok(());
        }
        let past = self.input.elements().iter().zip(self.output.elements());
        for (y, (x1, y1)) in y.elements_mut().iter_mut().zip(past) {
            *y = (1.0 - self.feedback) * x1 + self.feedback * y1;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.input.size(), u)?;
        if !self.started {
            return self.start(u);
        }
        for (y1, x1) in self.output.elements_mut().iter_mut().zip(self.input.elements()) {
            *y1 = (1.0 - self.feedback) * x1 + self.feedback * *y1;
        }
        self.input.clone_from(u);
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

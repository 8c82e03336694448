//! First-order lag.

use super::{Link, LinkLaw};
use crate::check::positive;
use crate::error::Result;
use crate::filter::Params;

/// Parameters of a [`Lag`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LagParams {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s.
    pub tau: f64,
}

impl Params for LagParams {
    type Ready = f64;

    /// Refuses a period or a time constant that is not above zero.
    fn check(&self) -> Result<f64> {
        positive("period", self.period)?;
        positive("tau", self.tau)?;
        Ok(-(-self.period / self.tau).exp_m1())
    }
}

/// 1/(τs + 1), exact for an input held between samples: y\[k\] = x\[k\], x\[k+1\] = a·x\[k\] + (1 − a)·u\[k\] with
/// a = exp(−T/τ).
///
/// ```
/// # use filters_lib::{Filter, Lag, LagParams};
/// let mut lag = Lag::new(LagParams { period: 0.1, tau: 0.1 }, &0.0)?;
/// assert_eq!(lag.update(&1.0)?, 0.0);
/// assert!((lag.update(&1.0)? - (1.0 - (-1.0_f64).exp())).abs() < 1e-15);
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type Lag<S> = Link<S, LagParams, 1>;

impl LinkLaw<1> for LagParams {
    #[inline]
    fn step(&self, gain: &f64, u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        (x, [x + gain * (u - x)])
    }
}

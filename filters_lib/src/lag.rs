//! First-order lag.

use crate::check::positive;
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`Lag`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LagParams {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s.
    pub tau: f64,
}

wrapped!(
    /// 1/(τs + 1), exact for an input held between samples: y\[k\] = x\[k\], x\[k+1\] = x\[k\] + (1 − a)·(u\[k\] − x\[k\])
    /// with a = exp(−T/τ).
    ///
    /// ```
    /// # use filters_lib::{Filter, Lag, LagParams};
    /// let mut lag = Lag::new(LagParams { period: 0.1, tau: 0.1 }, &0.0)?;
    /// assert_eq!(lag.update(&1.0)?, 0.0);
    /// assert!((lag.update(&1.0)? - (1.0 - (-1.0_f64).exp())).abs() < 1e-15);
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Lag, LagParams, Elementwise<S, LagRule, 1>
);

#[derive(Debug, Clone)]
struct LagRule;

impl Rule<1> for LagRule {
    const STATE_IS_BOUNDED: bool = true;
    const LOOKS_AHEAD: bool = true;

    type Params = LagParams;
    /// 1 − a.
    type Coefficients = f64;

    fn coefficients(params: &LagParams) -> Result<f64> {
        positive("period", params.period)?;
        positive("tau", params.tau)?;
        Ok(-(-params.period / params.tau).exp_m1())
    }

    fn rest(_gain: &f64, u: f64) -> [f64; 1] {
        [u]
    }

    #[inline]
    fn step(gain: &f64, u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        (x, [(1.0 - gain) * x + gain * u])
    }

    fn with_period(params: &LagParams, period: f64) -> Option<LagParams> {
        Some(LagParams { period, ..*params })
    }
}

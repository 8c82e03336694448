//! First-order lag.

use super::{map_into, map_state, map_update, set_state};
use crate::check::positive;
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};

/// Parameters of a [`Lag`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LagParams {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s.
    pub tau: f64,
}

impl LagParams {
    /// Refuses a period or a time constant that is not above zero.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("tau", self.tau)
    }

    fn gain(&self) -> f64 {
        -(-self.period / self.tau).exp_m1()
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
#[derive(Debug, Clone)]
pub struct Lag<S> {
    params: LagParams,
    // 1 − a.
    gain: f64,
    x: S,
}

impl<S: VectorSpace> Lag<S> {
    /// Starts with the output `x0`.
    pub fn new(params: LagParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, gain: params.gain(), x: x0.clone() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: LagParams) -> Result<()> {
        params.check()?;
        self.params = params;
        self.gain = params.gain();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &LagParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for Lag<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        set_state(&mut self.x, x0)
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        map_into(u, &self.x, y, |_, x| x)
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        let gain = self.gain;
        map_state(u, &mut self.x, |u, x| x + gain * (u - x))
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        let gain = self.gain;
        map_update(u, &mut self.x, y, |u, x| (x, x + gain * (u - x)))
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }
}

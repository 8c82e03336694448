//! Lead–lag.

use super::{map_into, map_state, map_update, set_state};
use crate::check::{finite, not_negative, positive};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};

/// Parameters of a [`LeadLag`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeadLagParams {
    /// Period T, s.
    pub period: f64,
    /// Gain at rest k.
    pub gain: f64,
    /// Time constant of the zero τ1, s; 0 = none.
    pub tau_lead: f64,
    /// Time constant of the pole τ2, s.
    pub tau_lag: f64,
}

impl LeadLagParams {
    /// Refuses a period or pole that is not above zero, a negative zero and a gain that is not finite.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        finite("gain", self.gain)?;
        not_negative("tau_lead", self.tau_lead)?;
        positive("tau_lag", self.tau_lag)
    }

    fn share(&self) -> f64 {
        -(-self.period / self.tau_lag).exp_m1()
    }
}

/// k·(τ1·s + 1)/(τ2·s + 1), exact for an input held between samples: y\[k\] = k·(r·u\[k\] + (1 − r)·x\[k\]),
/// x\[k+1\] = a·x\[k\] + (1 − a)·u\[k\] with r = τ1/τ2, a = exp(−T/τ2).
///
/// ```
/// # use filters_lib::{Filter, LeadLag, LeadLagParams};
/// let params = LeadLagParams { period: 0.1, gain: 1.0, tau_lead: 0.2, tau_lag: 0.1 };
/// assert_eq!(LeadLag::new(params, &0.0)?.output(&1.0)?, 2.0);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LeadLag<S> {
    params: LeadLagParams,
    // 1 − a.
    share: f64,
    x: S,
}

impl<S: VectorSpace> LeadLag<S> {
    /// Starts as if the input had been `x0` for ever.
    pub fn new(params: LeadLagParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, share: params.share(), x: x0.clone() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: LeadLagParams) -> Result<()> {
        params.check()?;
        self.params = params;
        self.share = params.share();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &LeadLagParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for LeadLag<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        set_state(&mut self.x, x0)
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        let LeadLagParams { gain, tau_lead, tau_lag, .. } = self.params;
        let ratio = tau_lead / tau_lag;
        map_into(u, &self.x, y, |u, x| gain * (x + ratio * (u - x)))
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        let share = self.share;
        map_state(u, &mut self.x, |u, x| x + share * (u - x))
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        let LeadLagParams { gain, tau_lead, tau_lag, .. } = self.params;
        let (ratio, share) = (tau_lead / tau_lag, self.share);
        map_update(u, &mut self.x, y, |u, x| (gain * (x + ratio * (u - x)), x + share * (u - x)))
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }
}

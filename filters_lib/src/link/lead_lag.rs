//! Lead–lag.

use super::{Link, LinkLaw};
use crate::check::{finite, not_negative, positive};
use crate::error::Result;
use crate::filter::Params;

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

impl Params for LeadLagParams {
    type Ready = [f64; 2];

    /// Refuses a period or pole that is not above zero, a negative zero and a gain that is not finite.
    fn check(&self) -> Result<[f64; 2]> {
        positive("period", self.period)?;
        finite("gain", self.gain)?;
        not_negative("tau_lead", self.tau_lead)?;
        positive("tau_lag", self.tau_lag)?;
        Ok([self.tau_lead / self.tau_lag, -(-self.period / self.tau_lag).exp_m1()])
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
pub type LeadLag<S> = Link<S, LeadLagParams, 1>;

impl LinkLaw<1> for LeadLagParams {
    #[inline]
    fn step(&self, [ratio, share]: &[f64; 2], u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        (self.gain * (x + ratio * (u - x)), [x + share * (u - x)])
    }
}

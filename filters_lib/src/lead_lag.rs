//! Lead–lag.

use crate::check::{finite, not_negative, positive, within};
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`LeadLag`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

wrapped!(
    /// k·(τ1·s + 1)/(τ2·s + 1), exact for an input held between samples: y\[k\] = k·(x\[k\] + r·(u\[k\] − x\[k\])),
    /// x\[k+1\] = x\[k\] + (1 − a)·(u\[k\] − x\[k\]) with r = τ1/τ2, a = exp(−T/τ2). A new gain takes effect at once.
    ///
    /// ```
    /// # use filters_lib::{Filter, LeadLag, LeadLagParams};
    /// let params = LeadLagParams { period: 0.1, gain: 1.0, tau_lead: 0.2, tau_lag: 0.1 };
    /// assert_eq!(LeadLag::new(params, &0.0)?.output(&1.0)?, 2.0);
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    LeadLag, LeadLagParams, Elementwise<S, LeadLagRule, 1>
);

#[derive(Debug, Clone)]
struct LeadLagRule;

impl Rule<1> for LeadLagRule {
    const STATE_IS_BOUNDED: bool = true;
    const LOOKS_AHEAD: bool = true;

    type Params = LeadLagParams;
    /// k, r and 1 − a.
    type Coefficients = [f64; 3];

    fn coefficients(params: &LeadLagParams) -> Result<[f64; 3]> {
        let LeadLagParams { period, gain, tau_lead, tau_lag } = *params;
        positive("period", period)?;
        finite("gain", gain)?;
        not_negative("tau_lead", tau_lead)?;
        positive("tau_lag", tau_lag)?;
        within("tau_lag", tau_lag, (tau_lead / tau_lag).is_finite(), "large enough beside tau_lead")?;
        Ok([gain, tau_lead / tau_lag, -(-period / tau_lag).exp_m1()])
    }

    fn rest(_coefficients: &[f64; 3], u: f64) -> [f64; 1] {
        [u]
    }

    #[inline]
    fn step([gain, ratio, share]: &[f64; 3], u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        (gain * (x + ratio * (u - x)), [(1.0 - share) * x + share * u])
    }

    fn with_period(params: &LeadLagParams, period: f64) -> Option<LeadLagParams> {
        Some(LeadLagParams { period, ..*params })
    }
}

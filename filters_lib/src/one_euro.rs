//! One-euro filter.

use crate::check::{not_negative, positive};
use crate::elementwise::{Elementwise, Rule};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`OneEuro`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneEuroParams {
    /// Period T, s.
    pub period: f64,
    /// Corner frequency at rest, Hz: lower it until a resting signal does not tremble.
    pub min_cutoff: f64,
    /// How much the corner rises with the speed, Hz per unit/s: raise it until a moving signal does not lag.
    pub beta: f64,
    /// Corner frequency of the speed, Hz; 1 is a good value.
    pub derivative_cutoff: f64,
}

wrapped!(
    /// A first-order low-pass whose corner rises with the signal's speed: calm at rest, quick in motion (G. Casiez,
    /// N. Roussel, D. Vogel 2012). ŷ' = α_d·(u − y₁)/T + (1 − α_d)·ŷ'₁, f = f_min + β·|ŷ'|, y = α·u + (1 − α)·y₁ with
    /// α = 1/(1 + 1/(2π·f·T)).
    ///
    /// ```
    /// # use filters_lib::{Filter, OneEuro, OneEuroParams};
    /// let params = OneEuroParams { period: 0.01, min_cutoff: 1.0, beta: 0.1, derivative_cutoff: 1.0 };
    /// let filter = OneEuro::new(params, &0.0)?;
    /// let (small, large) = (filter.output(&0.01)? / 0.01, filter.output(&10.0)? / 10.0);
    /// assert!(small < 0.1 && large > 4.0 * small, "a large step passes, a small one is smoothed");
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    OneEuro, OneEuroParams, Elementwise<S, OneEuroRule, 2>
);

#[derive(Debug, Clone)]
struct OneEuroRule;

/// The memory is y₁ and its filtered speed.
impl Rule<2> for OneEuroRule {
    type Params = OneEuroParams;
    /// The parameters and α of the speed.
    type Coefficients = (OneEuroParams, f64);

    fn coefficients(params: &OneEuroParams) -> Result<(OneEuroParams, f64)> {
        positive("period", params.period)?;
        positive("min_cutoff", params.min_cutoff)?;
        not_negative("beta", params.beta)?;
        positive("derivative_cutoff", params.derivative_cutoff)?;
        Ok((*params, share(params.derivative_cutoff, params.period)))
    }

    fn rest(_coefficients: &(OneEuroParams, f64), u: f64) -> [f64; 2] {
        [u, 0.0]
    }

    #[inline]
    fn step((p, quick): &(OneEuroParams, f64), u: f64, [before, speed]: [f64; 2]) -> (f64, [f64; 2]) {
        let speed = quick * (u - before) / p.period + (1.0 - quick) * speed;
        let share = share(p.min_cutoff + p.beta * speed.abs(), p.period);
        let y = share * u + (1.0 - share) * before;
        (y, [y, speed])
    }

    fn with_period(params: &OneEuroParams, period: f64) -> Option<OneEuroParams> {
        Some(OneEuroParams { period, ..*params })
    }
}

/// α of a corner frequency.
#[inline]
fn share(cutoff: f64, period: f64) -> f64 {
    (1.0 + (2.0 * std::f64::consts::PI * cutoff * period).recip()).recip()
}

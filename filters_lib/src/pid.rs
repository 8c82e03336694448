//! PID controller with the parameters of `control_toolbox`.

use crate::check::{finite, not_negative, positive, range, within};
use crate::elementwise::{Elementwise, Rule, clip};
use crate::error::Result;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// What keeps the integral from growing while the output is at its limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum AntiWindup {
    /// Nothing but the limits on the integral itself.
    #[default]
    None,
    /// The integral is led back by (u − u_unlimited)/τ (K. Åström, R. Murray 2008, ch. 10.4), by all of it where τ is
    /// below T.
    BackCalculation {
        /// Time constant τ, s; 0: √(d/i), or p/i without d, as `control_toolbox` has it. One below T counts as T.
        tracking_time_constant: f64,
    },
    /// It stops while the output is at its limit and i·error would drive it further.
    ConditionalIntegration,
}

/// Parameters of a [`Pid`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PidParams {
    /// Period T, s.
    pub period: f64,
    /// Proportional gain.
    pub p: f64,
    /// Integral gain, per s.
    pub i: f64,
    /// Derivative gain, s.
    pub d: f64,
    /// Time constant of the derivative's filter s/(τs + 1), s; 0 = plain difference.
    pub derivative_tau: f64,
    /// Largest output.
    pub u_max: f64,
    /// Smallest output.
    pub u_min: f64,
    /// Largest integral term, units of the output.
    pub i_max: f64,
    /// Smallest integral term, units of the output.
    pub i_min: f64,
    /// The integral rests while |error| is not above this.
    pub error_deadband: f64,
    /// What keeps the integral from winding up.
    pub antiwindup: AntiWindup,
}

impl Default for PidParams {
    fn default() -> Self {
        let (inf, none) = (f64::INFINITY, AntiWindup::None);
        Self {
            period: 0.01,
            p: 0.0,
            i: 0.0,
            d: 0.0,
            derivative_tau: 0.0,
            u_max: inf,
            u_min: -inf,
            i_max: inf,
            i_min: -inf,
            error_deadband: 0.0,
            antiwindup: none,
        }
    }
}

wrapped!(
    /// Input: the error e = target − state; output: the command
    /// u\[k\] = p·e\[k\] + I\[k\] + d·ė\[k\] within u_min…u_max, I\[k+1\] = I\[k\] + T·i·e\[k\] (+ anti-windup).
    ///
    /// The integral is kept in units of the output, so that new gains do not move a loop at rest. Every start is with
    /// I = 0, or what i_min…i_max have next to it, and the error at rest.
    ///
    /// ```
    /// # use filters_lib::{Filter, Pid, PidParams};
    /// let params = PidParams { period: 0.1, p: 2.0, i: 1.0, u_max: 5.0, u_min: -5.0, ..Default::default() };
    /// let mut pid = Pid::new(params, &0.0)?;
    /// assert_eq!((pid.update(&1.0)?, pid.update(&1.0)?, pid.update(&9.0)?), (2.0, 2.1, 5.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Pid, PidParams, Elementwise<S, PidRule, 3>
);

#[derive(Debug, Clone)]
struct PidRule;

/// The memory is the last error, its filtered derivative and the integral term.
impl Rule<3> for PidRule {
    type Params = PidParams;
    /// The parameters, exp(−T/τ) of the derivative and 1/τ of the back-calculation, at most 1/T.
    type Coefficients = (PidParams, f64, f64);

    fn coefficients(params: &PidParams) -> Result<(PidParams, f64, f64)> {
        let PidParams { period, p, i, d, derivative_tau, .. } = *params;
        positive("period", period)?;
        for (name, gain) in [("p", p), ("i", i), ("d", d)] {
            finite(name, gain)?;
        }
        not_negative("derivative_tau", derivative_tau)?;
        not_negative("error_deadband", params.error_deadband)?;
        range("u_min", params.u_min, "u_max", params.u_max)?;
        range("i_min", params.i_min, "i_max", params.i_max)?;
        let decay = if derivative_tau > 0.0 { (-period / derivative_tau).exp() } else { 0.0 };
        let AntiWindup::BackCalculation { tracking_time_constant: given } = params.antiwindup else {
            return Ok((*params, decay, 0.0));
        };
        not_negative("tracking_time_constant", given)?;
        let tau = match (given > 0.0, d != 0.0) {
            (true, _) => given,
            (false, true) => (d / i).abs().sqrt(),
            (false, false) => (p / i).abs(),
        };
        // Without an integral there is nothing to lead back.
        let back = if i == 0.0 { 0.0 } else { tau.recip() };
        within("tracking_time_constant", tau, back.is_finite(), "above 0, or p or d other than 0")?;
        // More than the whole excess in one period would throw the command to its other limit.
        Ok((*params, decay, back.min(period.recip())))
    }

    fn rest(_coefficients: &(PidParams, f64, f64), error: f64) -> [f64; 3] {
        [error, 0.0, 0.0]
    }

    #[inline]
    fn step(
        (c, decay, back): &(PidParams, f64, f64),
        error: f64,
        [before, slope, integral]: [f64; 3],
    ) -> (f64, [f64; 3]) {
        let slope = decay * slope + (1.0 - decay) * (error - before) / c.period;
        // Limits that have shrunk since hold at once.
        let integral = clip(integral, c.i_min, c.i_max);
        let unlimited = c.p * error + integral + c.d * slope;
        let command = clip(unlimited, c.u_min, c.u_max);
        // Further beyond the limit, whatever the signs of gain and limits.
        let drives_on = command != unlimited && (c.i * error > 0.0) == (unlimited > command);
        let stops = c.antiwindup == AntiWindup::ConditionalIntegration && drives_on;
        let rate = if error.abs() <= c.error_deadband || stops {
            0.0
        } else {
            c.i * error + back * (command - unlimited)
        };
        (command, [error, slope, clip(integral + c.period * rate, c.i_min, c.i_max)])
    }

    fn with_period(params: &PidParams, period: f64) -> Option<PidParams> {
        Some(PidParams { period, ..*params })
    }
}

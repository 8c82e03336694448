//! Limiter of value, first and second derivative.

use super::{Link, LinkLaw, clip};
use crate::check::{ordered, positive, positive_or_infinite, within};
use crate::error::Result;
use crate::filter::Params;
use crate::second_order_limited::braking_speed;

/// Parameters of a [`RateLimiter`]; an infinite limit is no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimiterParams {
    /// Period T, s.
    pub period: f64,
    /// Smallest value.
    pub min_value: f64,
    /// Largest value.
    pub max_value: f64,
    /// Fastest fall, per s; below zero.
    pub min_first_derivative: f64,
    /// Fastest rise, per s; above zero.
    pub max_first_derivative: f64,
    /// Largest second derivative either way, per s².
    pub max_second_derivative: f64,
}

impl Default for RateLimiterParams {
    fn default() -> Self {
        Self {
            period: 0.01,
            min_value: f64::NEG_INFINITY,
            max_value: f64::INFINITY,
            min_first_derivative: f64::NEG_INFINITY,
            max_first_derivative: f64::INFINITY,
            max_second_derivative: f64::INFINITY,
        }
    }
}

impl Params for RateLimiterParams {
    type Ready = ();

    /// Refuses limits of the wrong sign or order, and NaN.
    fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        ordered("min_value", self.min_value, "max_value", self.max_value)?;
        let falls = self.min_first_derivative < 0.0;
        within("min_first_derivative", self.min_first_derivative, falls, "< 0 (-infinity: no limit)")?;
        positive_or_infinite("max_first_derivative", self.max_first_derivative)?;
        positive_or_infinite("max_second_derivative", self.max_second_derivative)
    }
}

/// Follows its input within limits on value, first and second derivative.
///
/// y\[k\] = y₁ + min(max(d, d₁ − A·T²), d₁ + A·T²), where d = T·(the speed from which the limit A can still brake to the
/// input, within the limits on the first derivative) and d₁ = y₁ − y₂: an input at rest is reached in the shortest
/// time without overshoot. Without A, d is the distance within the limits on the first derivative.
///
/// ```
/// # use filters_lib::{Filter, RateLimiter, RateLimiterParams};
/// let params = RateLimiterParams { period: 0.1, max_first_derivative: 5.0, ..Default::default() };
/// let mut limiter = RateLimiter::new(params, &0.0)?;
/// assert_eq!((limiter.update(&0.8)?, limiter.update(&0.8)?), (0.5, 0.8));
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type RateLimiter<S> = Link<S, RateLimiterParams, 2>;

/// The memory is the last output y₁ and its last change d₁ = y₁ − y₂.
impl LinkLaw<2> for RateLimiterParams {
    #[inline]
    fn memory(_ready: &(), x0: f64) -> [f64; 2] {
        [x0, 0.0]
    }

    #[inline]
    fn step(&self, _ready: &(), u: f64, [before, change_before]: [f64; 2]) -> (f64, [f64; 2]) {
        let target = clip(u, self.min_value, self.max_value);
        let gap = target - before;
        let (fall, rise) = (self.min_first_derivative * self.period, self.max_first_derivative * self.period);
        let y = if self.max_second_derivative.is_infinite() {
            let change = clip(gap, fall, rise);
            if change == gap { target } else { before + change }
        } else {
            let bend = self.max_second_derivative * self.period * self.period;
            let wanted = braking_speed(gap.abs(), self.max_second_derivative, self.period) * self.period;
            let change = clip(wanted.copysign(gap), fall, rise);
            let change = change.max(change_before - bend).min(change_before + bend);
            if change == gap { target } else { before + change }
        };
        (y, [y, y - before])
    }
}

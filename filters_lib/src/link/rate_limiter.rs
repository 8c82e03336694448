//! Limiter of value, first and second derivative.

use super::{check_like, map_into};
use crate::check::{ordered, positive, positive_or_infinite, same_length, within};
use crate::error::Result;
use crate::filter::Filter;
use crate::second_order_limited::braking_speed;
use crate::signal::{Manifold, Signal, VectorSpace};

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

impl RateLimiterParams {
    /// Refuses limits of the wrong sign or order, and NaN.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        ordered("min_value", self.min_value, "max_value", self.max_value)?;
        let falls = self.min_first_derivative < 0.0;
        within("min_first_derivative", self.min_first_derivative, falls, "< 0 (-infinity: no limit)")?;
        positive_or_infinite("max_first_derivative", self.max_first_derivative)?;
        positive_or_infinite("max_second_derivative", self.max_second_derivative)
    }

    /// y[k] for the input u, the last output y₁ and the change before it d₁ = y₁ − y₂.
    #[inline]
    fn limit(&self, u: f64, before: f64, change_before: f64) -> f64 {
        let target = u.max(self.min_value).min(self.max_value);
        let gap = target - before;
        if self.max_second_derivative.is_infinite() {
            let (fall, rise) =
                (self.min_first_derivative * self.period, self.max_first_derivative * self.period);
            return if gap > rise {
                before + rise
            } else if gap < fall {
                before + fall
            } else {
                target
            };
        }
        let bend = self.max_second_derivative * self.period * self.period;
        let wanted = braking_speed(gap.abs(), self.max_second_derivative, self.period) * self.period;
        let (fall, rise) = (self.min_first_derivative * self.period, self.max_first_derivative * self.period);
        let change = wanted.copysign(gap).max(fall).min(rise);
        let change = change.max(change_before - bend).min(change_before + bend);
        if change == gap { target } else { before + change }
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
#[derive(Debug, Clone)]
pub struct RateLimiter<S> {
    params: RateLimiterParams,
    // y[k−1] and y[k−1] − y[k−2].
    before: S,
    change: S,
}

impl<S: VectorSpace> RateLimiter<S> {
    /// Starts at rest at `x0`.
    pub fn new(params: RateLimiterParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, before: x0.clone(), change: x0.zero_velocity() })
    }

    /// Replaces the limits; the state stays.
    pub fn set_params(&mut self, params: RateLimiterParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &RateLimiterParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for RateLimiter<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.before.size(), x0)?;
        self.before.clone_from(x0);
        self.change.elements_mut().fill(0.0);
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        map_into(u, &self.before, y, |u, _| u)?;
        let past = self.before.elements().iter().zip(self.change.elements());
        for (y, (before, change)) in y.elements_mut().iter_mut().zip(past) {
            *y = self.params.limit(*y, *before, *change);
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        check_like("u", self.before.size(), u)?;
        let past = self.before.elements_mut().iter_mut().zip(self.change.elements_mut());
        for ((before, change), u) in past.zip(u.elements()) {
            let y = self.params.limit(*u, *before, *change);
            *change = y - *before;
            *before = y;
        }
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        check_like("u", self.before.size(), u)?;
        same_length("y", u.size(), y.size())?;
        let past = self.before.elements_mut().iter_mut().zip(self.change.elements_mut());
        for (y, ((before, change), u)) in y.elements_mut().iter_mut().zip(past.zip(u.elements())) {
            *y = self.params.limit(*u, *before, *change);
            *change = *y - *before;
            *before = *y;
        }
        Ok(())
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Limiter of value and first, second and third derivative.

use crate::check::{positive, positive_or_infinite, range, within};
use crate::elementwise::{Elements, Elementwise, Rule, clip};
use crate::error::Result;
use crate::jerk;
use crate::second_order_limited::braking_speed;
use crate::wrapped::wrapped;
use serde::{Deserialize, Serialize};

/// Parameters of a [`RateLimiter`]; an infinite limit is no limit, NaN is "not set".
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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
    /// Fastest fall while the value is above zero (towards zero), per s; not set: `min_first_derivative`.
    pub min_first_derivative_pos: f64,
    /// Fastest rise while the value is below zero (towards zero), per s; not set: `max_first_derivative`.
    pub max_first_derivative_neg: f64,
    /// Smallest second derivative, per s²; below zero; not set: −`max_second_derivative`.
    pub min_second_derivative: f64,
    /// Largest second derivative, per s².
    pub max_second_derivative: f64,
    /// Largest third derivative (jerk) either way, per s³.
    pub max_third_derivative: f64,
}

impl Default for RateLimiterParams {
    fn default() -> Self {
        Self {
            period: 0.01,
            min_value: f64::NEG_INFINITY,
            max_value: f64::INFINITY,
            min_first_derivative: f64::NEG_INFINITY,
            max_first_derivative: f64::INFINITY,
            min_first_derivative_pos: f64::NAN,
            max_first_derivative_neg: f64::NAN,
            min_second_derivative: f64::NAN,
            max_second_derivative: f64::INFINITY,
            max_third_derivative: f64::INFINITY,
        }
    }
}

wrapped!(
    /// Follows its input within limits on value and derivatives, as fast as they allow.
    ///
    /// - First derivative: y\[k\] = y₁ + min(max(u − y₁, fall·T), rise·T).
    /// - Second: it brakes in time, with n·A·T at the distance A·T²·n(n+1)/2 from the input, so an input at rest is
    ///   reached in the shortest time without overshoot. An input that moves at a steady rate (the smaller of its last
    ///   two changes) is met at that rate and followed without lag. Where the speed limits differ by the sign of the value,
    ///   it brakes before zero.
    /// - Third: the same with jerk, see [`RateLimiterParams::max_third_derivative`]; value, speed and acceleration are
    ///   then those of a motion with constant jerk in each period, and the input is met after three periods of fine
    ///   correction. The time is Ruckig's to a few periods. An input may be passed by a part of J·T³, the ends of the range
    ///   of values are not.
    ///
    /// A start value or an input outside the limits on the value counts as the limit. When a limit shrinks while it runs,
    /// the output comes within it as fast as the other limits allow; the higher derivative has the last word.
    /// `RateLimiterDouble` of `control_filters` limits the second derivative only while the output speeds up; here it
    /// is limited while it slows down too.
    ///
    /// ```
    /// # use filters_lib::{Filter, RateLimiter, RateLimiterParams};
    /// let params = RateLimiterParams { period: 0.1, max_first_derivative: 5.0, ..Default::default() };
    /// let mut limiter = RateLimiter::new(params, &0.0)?;
    /// assert_eq!((limiter.update(&0.8)?, limiter.update(&0.8)?), (0.5, 0.8));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    RateLimiter, RateLimiterParams, Elementwise<S, RateLimiterRule, 5>
);

#[derive(Debug, Clone)]
struct RateLimiterRule;

/// The memory is the last output y₁, its first and second derivative, the last target and its rate.
impl Rule<5> for RateLimiterRule {
    const STATE_IS_BOUNDED: bool = true;

    type Params = RateLimiterParams;
    /// The parameters with everything set.
    type Coefficients = RateLimiterParams;

    fn coefficients(params: &RateLimiterParams) -> Result<RateLimiterParams> {
        let mut p = *params;
        let or = |value: &mut f64, otherwise: f64| {
            if value.is_nan() {
                *value = otherwise;
            }
        };
        positive("period", p.period)?;
        range("min_value", p.min_value, "max_value", p.max_value)?;
        or(&mut p.min_first_derivative_pos, p.min_first_derivative);
        or(&mut p.max_first_derivative_neg, p.max_first_derivative);
        or(&mut p.min_second_derivative, -p.max_second_derivative);
        // Upper limits first: where lower ones mirror them, the upper ones are what was set.
        positive_or_infinite("max_first_derivative", p.max_first_derivative)?;
        positive_or_infinite("max_first_derivative_neg", p.max_first_derivative_neg)?;
        positive_or_infinite("max_second_derivative", p.max_second_derivative)?;
        positive_or_infinite("max_third_derivative", p.max_third_derivative)?;
        for (name, value) in [
            ("min_first_derivative", p.min_first_derivative),
            ("min_first_derivative_pos", p.min_first_derivative_pos),
            ("min_second_derivative", p.min_second_derivative),
        ] {
            within(name, value, value < 0.0, "< 0 (-infinity: no limit)")?;
        }
        Ok(p)
    }

    fn rest(p: &RateLimiterParams, u: f64) -> [f64; 5] {
        let target = clip(u, p.min_value, p.max_value);
        [target, 0.0, 0.0, target, 0.0]
    }

    #[inline]
    fn step(p: &RateLimiterParams, u: f64, x: [f64; 5]) -> (f64, [f64; 5]) {
        match p.order() {
            3 => third(p, u, x),
            2 => second(p, u, x),
            _ => {
                let (y, [_, speed]) = First::new(p).step(u, x[0]);
                (y, [y, speed, 0.0, y, 0.0])
            }
        }
    }

    fn retuned(before: &RateLimiterParams, x: [f64; 5]) -> [f64; 5] {
        // Without the higher derivatives nobody looked after the target; they find it at rest.
        if before.order() == 1 { [x[0], x[1], 0.0, x[0], 0.0] } else { x }
    }

    /// The equation is chosen once for all elements.
    #[inline]
    fn all<const M: usize>(
        p: &RateLimiterParams,
        elements: Elements<'_, 5, M>,
        from: impl Fn(f64, [f64; 5]) -> [f64; 5],
    ) {
        let p = *p;
        match p.order() {
            3 => elements.run(|u, x| third(&p, u, from(u, x))),
            2 => elements.run(|u, x| second(&p, u, from(u, x))),
            _ => {
                let first = First::new(&p);
                elements.run(|u, x| first.step(u, from(u, x)[0]));
            }
        }
    }

    fn with_period(params: &RateLimiterParams, period: f64) -> Option<RateLimiterParams> {
        Some(RateLimiterParams { period, ..*params })
    }
}

impl RateLimiterParams {
    /// The highest derivative that is limited.
    fn order(&self) -> usize {
        let second = self.max_second_derivative.is_finite() || self.min_second_derivative.is_finite();
        if self.max_third_derivative.is_finite() { 3 } else { 1 + usize::from(second) }
    }
}

/// The step with limits on the value and the first derivative: the changes of one period that they allow, for a value
/// below zero (for the rise) or above it (for the fall) and otherwise.
struct First {
    range: [f64; 2],
    fall: [f64; 2],
    rise: [f64; 2],
    per_second: f64,
}

impl First {
    #[inline]
    fn new(p: &RateLimiterParams) -> First {
        let change = |speed: f64| speed * p.period;
        First {
            range: [p.min_value, p.max_value],
            fall: [p.min_first_derivative_pos, p.min_first_derivative].map(change),
            rise: [p.max_first_derivative_neg, p.max_first_derivative].map(change),
            per_second: p.period.recip(),
        }
    }

    /// y and the memory that this step needs, y₁ and its derivative.
    #[inline]
    fn step(&self, u: f64, before: f64) -> (f64, [f64; 2]) {
        let target = clip(u, self.range[0], self.range[1]);
        let fall = if before > 0.0 { self.fall[0] } else { self.fall[1] };
        let rise = if before < 0.0 { self.rise[0] } else { self.rise[1] };
        let change = clip(target - before, fall, rise);
        let y = if change == target - before { target } else { before + change };
        (y, [y, bounded(change * self.per_second)])
    }
}

/// A rate beyond all numbers is the largest of them.
#[inline]
fn bounded(rate: f64) -> f64 {
    clip(rate, f64::MIN, f64::MAX)
}

/// Fastest fall and rise at a value.
#[inline]
fn speeds(p: &RateLimiterParams, value: f64) -> (f64, f64) {
    let fall = if value > 0.0 { p.min_first_derivative_pos } else { p.min_first_derivative };
    let rise = if value < 0.0 { p.max_first_derivative_neg } else { p.max_first_derivative };
    (fall, rise)
}

/// The same with the second derivative limited: a value that goes towards zero brakes in time for the limit beyond it.
#[inline]
fn braking_speeds(p: &RateLimiterParams, value: f64) -> (f64, f64) {
    let (fall, rise) = speeds(p, value);
    let before = |beyond: f64, brake: f64| speed_before_zero(value.abs(), beyond, brake, p.period);
    if value > 0.0 {
        (fall.max(-before(-p.min_first_derivative, p.max_second_derivative)), rise)
    } else {
        (fall, rise.min(before(p.max_first_derivative, -p.min_second_derivative)))
    }
}

/// The speed at the distance `gap` from zero from which steps of T with the deceleration A = `brake` have come down to
/// `beyond` = b when zero is passed: b + n·A·T at the distance T·(n·b + A·T·n(n+1)/2), which is
/// √((b + A·T/2)² + 2·A·gap) − A·T/2.
#[inline]
fn speed_before_zero(gap: f64, beyond: f64, brake: f64, period: f64) -> f64 {
    if brake.is_infinite() || beyond.is_infinite() {
        return f64::INFINITY;
    }
    let (start, way) = (beyond + 0.5 * brake * period, 2.0 * brake * gap);
    // Without the difference of two large numbers.
    beyond + way / ((start * start + way).sqrt() + start)
}

/// The target's rate now and its steady rate: a jump is none, what counts is the smaller of two changes in one direction.
fn rates(p: &RateLimiterParams, target: f64, [_, _, _, input, rate]: [f64; 5]) -> (f64, f64) {
    let now = bounded((target - input) / p.period);
    (now, if rate * now > 0.0 { rate.abs().min(now.abs()).copysign(rate) } else { 0.0 })
}

/// The step with limits on the first and second derivative.
fn second(p: &RateLimiterParams, u: f64, x: [f64; 5]) -> (f64, [f64; 5]) {
    let target = clip(u, p.min_value, p.max_value);
    let ((rate_now, steady), [before, speed, ..]) = (rates(p, target, x), x);
    let (fall, rise) = braking_speeds(p, before);
    let (least, most) = (p.min_second_derivative * p.period, p.max_second_derivative * p.period);
    let wanted = clip(planned(p, target, steady, before), fall, rise);
    let y = before + clip(wanted, speed + least, speed + most) * p.period;
    // To the last bit, where nothing but rounding is in the way.
    let y = if (y - target).abs() <= 4.0 * f64::EPSILON * (target.abs() + before.abs()) { target } else { y };
    (y, [y, bounded((y - before) / p.period), 0.0, target, rate_now])
}

/// The step with a limit on the third derivative too.
fn third(p: &RateLimiterParams, u: f64, x: [f64; 5]) -> (f64, [f64; 5]) {
    let target = clip(u, p.min_value, p.max_value);
    let (rate_now, steady) = rates(p, target, x);
    let limits = jerk::Limits {
        value: [p.min_value, p.max_value],
        speed: [p.min_first_derivative, p.max_first_derivative],
        towards_zero: [p.min_first_derivative_pos, p.max_first_derivative_neg],
        acceleration: [p.min_second_derivative, p.max_second_derivative],
        jerk: p.max_third_derivative,
    };
    let y = jerk::step(limits, p.period, [x[0], x[1], x[2]], [target, steady]);
    (y[0], [y[0], bounded(y[1]), bounded(y[2]), target, rate_now])
}

/// The speed from which the limits on the second derivative can still brake to the target, which moves at the rate
/// `steady`, and to the ends of the range of values.
#[inline]
fn planned(p: &RateLimiterParams, target: f64, steady: f64, before: f64) -> f64 {
    let (down, up) = (-p.min_second_derivative, p.max_second_derivative);
    let gap = target - steady * p.period - before;
    let relative = braking_speed(gap.abs(), if gap > 0.0 { down } else { up }, p.period).copysign(gap);
    let highest = braking_speed((p.max_value - before).max(0.0), down, p.period);
    let lowest = -braking_speed((before - p.min_value).max(0.0), up, p.period);
    clip(steady + relative, lowest, highest)
}

//! Second-order transient with limits on acceleration and velocity.

use crate::check::positive;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::limit::Limit;
use crate::second_order::{Motion, SecondOrderGains, SecondOrderInput, combine, second_order_map};
use crate::signal::{Manifold, VectorSpace, no_overflow, of_part, part_norms};
use crate::so3::Group;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// Share of the acceleration limit that the braking curve plans with; the rest corrects deviations from it.
const BRAKING_SHARE: f64 = 0.75;

/// Parameters of a [`TransientSecondLimited`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransientSecondLimitedParams {
    /// Period T, s.
    pub period: f64,
    /// Gains of the error's dynamics near the trajectory.
    pub gains: SecondOrderGains,
    /// Largest acceleration, units of the signal per s².
    pub acceleration: Limit,
    /// Largest velocity, units of the signal per s; [`Limit::NONE`] for the variant without.
    #[serde(default)]
    pub velocity: Limit,
}

/// Second-order transient whose acceleration is constant within each period and never above its limit, nor the
/// velocity above its own.
///
/// A start above the velocity limit V comes down as fast as the acceleration limit A lets it and stays below from
/// then on: |v\[k+1\]| ≤ max(V, |v\[k\]| − A·T).
///
/// On SO(3) the body rate is v\[k\] in the first half of the period and v\[k+1\] in the second,
/// q\[k+1\] = q\[k\] ∘ exp(T·v\[k\]/4) ∘ exp(T·v\[k+1\]/4). So the angle between two outputs is at most V·T, and
/// |v\[k+1\] − v\[k\]| at most A·T, exactly. The mean rates ω = log(q\[k\]ᵀ·q\[k+1\])/T of successive periods, which a
/// differentiator of the outputs sees, differ by up to A·T·(1 + V·T/4 + …): the second term is the curvature of SO(3).
///
/// With the position error ê half a period ahead and the relative velocity s = v − vr, constant acceleration means
/// exactly ê\[k+1\] = ê\[k\] − T·s\[k+1\]. Near the trajectory
///
///   s\[k+1\] = s + (1 − γ)·(Λ·ê − s),   γ = e^(−a1·T),   Λ·T = (1 − p1)(1 − p2)/(1 − γ)
///
/// has the poles p = e^(λT) of v̇ = ar + a0·xe + a1·ve exactly, at any T (for Λ·T ≤ 1, which real poles always fulfil;
/// beyond it Λ = 1/T keeps the decay and drops the overshoot). Far from it Λ·ê gives way to the velocity from
/// which the limit can still brake to rest at the target, the sampled square-root curve (R. Zanasi, C. Guarino Lo
/// Bianco, A. Tonielli 2000). v\[k+1\] is then brought into the velocity ball, and v\[k+1\] − v\[k\] into the
/// acceleration ball, in that order: both are convex, so neither breaks the other.
///
/// A target at rest, approached from rest with real poles (a1² ≥ 4·a0), is overshot by at most
/// (0.75·A/a1)²/(2A) + A·T²/8: the velocity lags behind the braking curve of 0.75·A by 0.75·A/a1, and full braking from
/// there needs the first term; constant acceleration in a period adds the second. Complex poles overshoot by their own
/// nature. It has no state of its own.
///
/// ```
/// # use filters_lib::*;
/// let params = TransientSecondLimitedParams {
///     period: 0.1, gains: SecondOrderGains::critical(0.1), acceleration: Limit::from(2.0), velocity: Limit::from(1.0),
/// };
/// let y = TransientSecondLimited::new(params)?.output(&SecondOrderInput { x: 0.0, v: 0.0, xr: 9.0, vr: 0.0, ar: 0.0 })?;
/// assert!((y.v - 0.2).abs() < 1e-12 && (y.x - 0.01).abs() < 1e-12);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TransientSecondLimited<S> {
    params: TransientSecondLimitedParams,
    approach: Approach,
    signal: PhantomData<S>,
}

impl<S: Manifold> TransientSecondLimited<S> {
    /// With validated parameters.
    pub fn new(params: TransientSecondLimitedParams) -> Result<Self> {
        Ok(Self { params, approach: Approach::new(params)?, signal: PhantomData })
    }

    #[inline]
    fn compute(&self, u: &SecondOrderInput<S>, y: &mut Motion<S>) {
        S::second_limited(&self.approach, u, y);
    }
}

second_order_map!(TransientSecondLimited, TransientSecondLimitedParams);

/// The coefficients of a [`TransientSecondLimited`] and what it does to norms, the same for every signal.
#[derive(Debug, Clone, Copy)]
pub struct Approach {
    params: TransientSecondLimitedParams,
    // Λ and 1 − γ.
    slope: f64,
    pub(crate) gain: f64,
}

impl Approach {
    fn new(params: TransientSecondLimitedParams) -> Result<Self> {
        let TransientSecondLimitedParams { period, gains, acceleration, velocity } = params;
        positive("period", period)?;
        gains.check()?;
        acceleration.check("acceleration")?;
        velocity.check("velocity")?;
        let [[xx, _], [_, vv]] = gains.transition(period);
        // Trace and determinant of exp(A·T) are the sum and the product of its poles.
        let gamma = (-gains.a1 * period).exp();
        let gain = -(-gains.a1 * period).exp_m1();
        Ok(Self { params, slope: (1.0 + gamma - (xx + vv)).max(0.0) / (gain * period), gain })
    }

    #[inline]
    pub(crate) fn period(&self) -> f64 {
        self.params.period
    }

    /// Approach speed per unit of distance for the distances `gap` of the parts.
    #[inline]
    pub(crate) fn speed_per_distance(&self, gap: [f64; 2]) -> [f64; 2] {
        let limit = self.params.acceleration.values();
        [0, 1].map(|part| {
            if gap[part] == 0.0 {
                return self.slope;
            }
            let braking = braking_speed(gap[part], BRAKING_SHARE * limit[part], self.params.period);
            self.slope.min(braking / gap[part])
        })
    }

    /// The share of a velocity of these norms that the limit lets through.
    #[inline]
    pub(crate) fn velocity_share(&self, norms: [f64; 2]) -> [f64; 2] {
        self.params.velocity.share(norms, 1.0)
    }

    /// The share of a change of velocity of these norms that the limit lets through.
    #[inline]
    pub(crate) fn acceleration_share(&self, norms: [f64; 2]) -> [f64; 2] {
        self.params.acceleration.share(norms, self.params.period)
    }

    /// A step that ends above the velocity limit came from above it, for the ball is convex. That part then goes
    /// straight towards the ball instead of towards the wanted velocity, which may lie behind it: the factor of the
    /// velocity before, from the norms of the reached velocity and of the one before.
    #[inline]
    pub(crate) fn brake(&self, (now, then): ([f64; 2], [f64; 2]), part: usize) -> Option<f64> {
        let limit = self.params.velocity.values()[part];
        // One ulp of rounding is no excess.
        if now[part] <= limit * (1.0 + 4.0 * f64::EPSILON) {
            return None;
        }
        let brake = self.params.acceleration.values()[part] * self.params.period;
        Some((then[part] - brake).max(limit) / then[part])
    }
}

/// The speed at the distance `gap` from which steps of `period` with the deceleration `limit` end exactly at rest at
/// zero: n·A·T at the distances A·T²·n(n+1)/2, and linear in between.
#[inline]
pub fn braking_speed(gap: f64, limit: f64, period: f64) -> f64 {
    let unit = limit * period * period;
    let distance = gap / unit;
    // An infinite limit stops within one period, from any distance; beyond 2⁵⁰ steps the curve is the square root itself.
    if distance <= 1.0 || limit.is_infinite() {
        return gap / period;
    }
    let steps = 0.5 * ((1.0 + 8.0 * distance).sqrt() - 1.0);
    if steps > 1e15 {
        return steps * limit * period;
    }
    let whole = steps.floor();
    limit * period * (whole + (distance - 0.5 * whole * (whole + 1.0)) / (whole + 1.0))
}

/// [`TransientSecondLimited`] on a group.
#[inline]
pub(crate) fn group_limited<S: Group>(plan: &Approach, u: &SecondOrderInput<S>) -> Motion<S> {
    let (period, gain) = (plan.period(), plan.gain);
    let half = u.x.moved(0.5 * period, &u.v);
    let reference = u.xr.moved(0.5 * period, &u.vr);
    let mut ahead = half.error_to(&reference);
    let seen = S::seen(&ahead, &u.vr);
    let seen_next = S::seen(&ahead, &combine(1.0, &u.vr, period, &u.ar));
    let relative = combine(1.0, &u.v, -1.0, &seen);
    let speed = plan.speed_per_distance(norms(&ahead));
    scale_parts(&mut ahead, speed);
    let relative_next = combine(1.0 - gain, &relative, gain, &ahead);
    let mut wanted = combine(1.0, &seen_next, 1.0, &relative_next);
    let share = plan.velocity_share(norms(&wanted));
    scale_parts(&mut wanted, share);
    let mut change = combine(1.0, &wanted, -1.0, &u.v);
    let share = plan.acceleration_share(norms(&change));
    scale_parts(&mut change, share);
    let mut v = combine(1.0, &u.v, 1.0, &change);
    if share != [1.0; 2] {
        let (both, first) = ((norms(&v), norms(&u.v)), v.first_part());
        for (e, v) in v.elements_mut().iter_mut().enumerate() {
            if let Some(scale) = plan.brake(both, usize::from(e >= first)) {
                *v = scale * u.v.elements()[e];
            }
        }
    }
    Motion { x: half.moved(0.5 * period, &v), v }
}

#[inline]
fn norms<V: VectorSpace>(v: &V) -> [f64; 2] {
    part_norms(v.elements().iter().copied(), v.first_part())
}

#[inline]
fn scale_parts<V: VectorSpace>(v: &mut V, factor: [f64; 2]) {
    let first = v.first_part();
    v.elements_mut().iter_mut().enumerate().for_each(|(e, v)| *v *= of_part(factor, first, e));
}

//! Second-order transient with limits on acceleration and velocity.

use crate::check::positive;
use crate::error::Result;
use crate::filter::Params;
use crate::limit::Limit;
use crate::memoryless::{Memoryless, MemorylessLaw, Sample};
use crate::second_order::{Motion, SecondOrderGains, SecondOrderInput, combine};
use crate::signal::{Trackable, VectorSpace, part_norms, scale_parts};

/// Share of the acceleration limit that the braking curve plans with; the rest corrects deviations from it.
const BRAKING_SHARE: f64 = 0.75;

/// Parameters of a [`TransientSecondLimited`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransientSecondLimitedParams {
    /// Period T, s.
    pub period: f64,
    /// Gains of the error's law near the trajectory.
    pub gains: SecondOrderGains,
    /// Largest acceleration, units of the signal per s².
    pub acceleration: Limit,
    /// Largest velocity, units of the signal per s; [`Limit::NONE`] for the variant without.
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
/// A target at rest, approached from rest with real poles (a1² ≥ 4·a0, τ = 1/√a0), is overshot by at most 0.04·A·τ² and
/// 0.15 % of the distance; complex poles overshoot by their own nature.
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
pub type TransientSecondLimited<S> = Memoryless<S, TransientSecondLimitedParams>;

impl Params for TransientSecondLimitedParams {
    /// Λ and 1 − γ.
    type Ready = [f64; 2];

    fn check(&self) -> Result<[f64; 2]> {
        positive("period", self.period)?;
        self.gains.check()?;
        self.acceleration.check("acceleration")?;
        self.velocity.check("velocity")?;
        let [[xx, _], [_, vv]] = self.gains.transition(self.period);
        // Trace and determinant of exp(A·T) are the sum and the product of its poles.
        let gamma = (-self.gains.a1 * self.period).exp();
        let gain = -(-self.gains.a1 * self.period).exp_m1();
        Ok([(1.0 + gamma - (xx + vv)).max(0.0) / (gain * self.period), gain])
    }
}

impl TransientSecondLimitedParams {
    /// A step that ends above the velocity limit came from above it, for the ball is convex. The part concerned then
    /// goes straight towards the ball instead of towards the wanted velocity, which may lie behind it.
    #[inline]
    fn brake<V: VectorSpace>(&self, before: &V, v: &mut V) {
        let limits = self.velocity.values();
        let (now, then) = (part_norms(v), part_norms(before));
        let split = v.split();
        for part in [0, 1] {
            // One ulp of rounding is no excess.
            if now[part] <= limits[part] * (1.0 + 4.0 * f64::EPSILON) {
                continue;
            }
            let brake = self.acceleration.values()[part] * self.period;
            let scale = (then[part] - brake).max(limits[part]) / then[part];
            let range = if part == 0 { 0..split } else { split..v.elements().len() };
            for (v, before) in v.elements_mut()[range.clone()].iter_mut().zip(&before.elements()[range]) {
                *v = scale * before;
            }
        }
    }

    /// Approach speed per unit of distance, at most `slope`, for a part at the distance `gap` with the acceleration limit `limit`.
    #[inline]
    fn approach(&self, slope: f64, gap: f64, limit: f64) -> f64 {
        if gap == 0.0 {
            return slope;
        }
        slope.min(braking_speed(gap, BRAKING_SHARE * limit, self.period) / gap)
    }
}

/// The speed at the distance `gap` from which steps of `period` with the deceleration `limit` end exactly at rest at
/// zero: n·A·T at the distances A·T²·n(n+1)/2, and linear in between.
#[inline]
pub(crate) fn braking_speed(gap: f64, limit: f64, period: f64) -> f64 {
    let unit = limit * period * period;
    let distance = gap / unit;
    // An infinite limit stops within one period; beyond 2⁵⁰ steps the curve is the square root itself.
    if distance <= 1.0 {
        return gap / period;
    }
    let steps = 0.5 * ((1.0 + 8.0 * distance).sqrt() - 1.0);
    if steps > 1e15 {
        return steps * limit * period;
    }
    let whole = steps.floor();
    limit * period * (whole + (distance - 0.5 * whole * (whole + 1.0)) / (whole + 1.0))
}

impl<S: Trackable> MemorylessLaw<S> for TransientSecondLimitedParams {
    type Input = SecondOrderInput<S>;

    #[inline]
    fn output_into(&self, ready: &[f64; 2], u: &SecondOrderInput<S>, y: &mut Motion<S>) -> Result<()> {
        u.accept()?;
        let [slope, gain] = *ready;
        let Self { period, acceleration, velocity, .. } = *self;
        let half = u.x.moved(0.5 * period, &u.v);
        let reference = u.xr.moved(0.5 * period, &u.vr);
        let mut ahead = half.error_to(&reference);
        let seen = S::seen(&ahead, &u.vr);
        let seen_next = S::seen(&ahead, &combine(1.0, &u.vr, period, &u.ar));
        let relative = combine(1.0, &u.v, -1.0, &seen);

        let gaps = part_norms(&ahead);
        let limits = acceleration.values();
        scale_parts(
            &mut ahead,
            [self.approach(slope, gaps[0], limits[0]), self.approach(slope, gaps[1], limits[1])],
        );
        let relative_next = combine(1.0 - gain, &relative, gain, &ahead);
        let mut wanted = combine(1.0, &seen_next, 1.0, &relative_next);
        let share = velocity.share(part_norms(&wanted), 1.0);
        scale_parts(&mut wanted, share);
        let mut change = combine(1.0, &wanted, -1.0, &u.v);
        let share = acceleration.share(part_norms(&change), period);
        scale_parts(&mut change, share);
        y.v = combine(1.0, &u.v, 1.0, &change);
        if share != [1.0; 2] {
            self.brake(&u.v, &mut y.v);
        }
        y.x = half.moved(0.5 * period, &y.v);
        Ok(())
    }
}

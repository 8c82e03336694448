//! One period of a motion with limited speed, acceleration and jerk towards a target.
//!
//! The jerk is constant in the period. It is the largest one from which full braking (the time-optimal way to rest:
//! jerk, hold, jerk back) still ends at the target and not behind it. Near the target the three jerks that end there
//! at rest exactly (deadbeat) take over, as soon as they are within the limits.

/// Share of the acceleration limits that braking plans with; the rest makes up for beginning in the middle of a period.
const BRAKING_SHARE: f64 = 0.95;

/// The limits; lower then upper. `speed` is that of a value that goes away from zero.
pub(crate) struct Limits {
    pub(crate) value: [f64; 2],
    pub(crate) speed: [f64; 2],
    /// Speeds of a value that goes towards zero: falls from above, rises from below.
    pub(crate) towards_zero: [f64; 2],
    pub(crate) acceleration: [f64; 2],
    pub(crate) jerk: f64,
}

impl Limits {
    /// The speed limits of a period that begins at `x`.
    fn speed_at(&self, x: f64) -> [f64; 2] {
        let ([fall, rise], [fall_towards, rise_towards]) = (self.speed, self.towards_zero);
        [if x > 0.0 { fall_towards } else { fall }, if x < 0.0 { rise_towards } else { rise }]
    }

    /// Seen the other way round.
    fn mirrored(&self) -> Limits {
        let turned = |[low, high]: [f64; 2]| [-high, -low];
        Limits {
            value: turned(self.value),
            speed: turned(self.speed),
            towards_zero: turned(self.towards_zero),
            acceleration: turned(self.acceleration),
            jerk: self.jerk,
        }
    }
}

/// Position, speed and acceleration after one period, towards a target of a position and a steady rate.
pub(crate) fn step(limits: Limits, t: f64, now: [f64; 3], [target, rate]: [f64; 2]) -> [f64; 3] {
    // The full acceleration comes and goes in whole periods, or braking would begin too late by a part of one.
    let whole = |acceleration: f64| {
        if acceleration.is_finite() {
            acceleration / (t * (acceleration / (limits.jerk * t) - 1e-9).ceil().max(1.0))
        } else {
            limits.jerk
        }
    };
    let jerk = whole(-limits.acceleration[0]).min(whole(limits.acceleration[1]));
    let limits = &Limits { jerk, ..limits };
    // Seen from the target, which was at `target − rate·t` a period ago.
    let relative = [now[0] - (target - rate * t), now[1] - rate, now[2]];
    let jerk = deadbeat(limits, t, now, relative).unwrap_or_else(|| {
        let (low, high) = bounds(limits, t, now);
        let behind = |jerk: f64| rest_position(limits, after(relative, jerk, t));
        let past = |end: f64| move |jerk: f64| rest_position(limits, after(now, jerk, t)) - end;
        let [lowest, highest] = range_ends(limits, t);
        let mut jerk = largest(low, high, behind);
        if past(highest)(jerk) > 0.0 {
            jerk = largest(low, jerk, past(highest));
        } else if past(lowest)(jerk) < 0.0 {
            jerk = largest(jerk, high, past(lowest));
        }
        // Where the limit beyond zero is the lower one, braking to it ends before zero.
        if now[0] < 0.0 && limits.towards_zero[1] > limits.speed[1] {
            jerk = slow_for_zero(limits, t, now, [low, jerk]);
        } else if now[0] > 0.0 && limits.towards_zero[0] < limits.speed[0] {
            jerk = -slow_for_zero(&limits.mirrored(), t, now.map(|number| -number), [-high, -jerk]);
        }
        jerk
    });
    after(now, jerk, t)
}

/// The largest jerk up to `high` with which a value that rises from below is down to the speed limit beyond zero when it
/// gets there. It aims one period and the grain of braking (see [`range_ends`]) before zero.
fn slow_for_zero(limits: &Limits, t: f64, now: [f64; 3], [low, high]: [f64; 2]) -> f64 {
    let beyond = limits.speed[1];
    let early = beyond * t + 0.25 * limits.jerk * t.powi(3);
    largest(low, high, |jerk| {
        let [x, v, a] = after(now, jerk, t);
        let faster = v - beyond;
        // It stays below the limit when the acceleration is taken back from now on, in whole periods as `bounds` has it.
        let back = if a > 0.0 { t * (a / (limits.jerk * t) - 1e-9).ceil() } else { -a / limits.jerk };
        if faster + 0.5 * a * back <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let (way, time) = braking(limits, faster, a);
        x + way + beyond * time + early
    })
}

/// The ends of the range of values that braking aims at. Periods are its grain: it may end 0.22·J·T³ too far (the most of
/// many random motions), so it aims that much before the true end. From there the deadbeat jerks m/T³·(1, −2, 1) go the
/// rest m, which asks for m ≤ J·T³/2 and for the speed 3/4·m/T.
fn range_ends(limits: &Limits, t: f64) -> [f64; 2] {
    let slowest = |[fall, rise]: [f64; 2]| rise.min(-fall);
    let ([low, high], speed) = (limits.value, slowest(limits.speed).min(slowest(limits.towards_zero)));
    let grain = (0.25 * limits.jerk * t.powi(3)).min(speed * t);
    if high - low > 2.0 * grain { [low + grain, high - grain] } else { [low + 0.5 * (high - low); 2] }
}

fn after([x, v, a]: [f64; 3], jerk: f64, t: f64) -> [f64; 3] {
    [x + t * (v + t * (0.5 * a + t * jerk / 6.0)), v + t * (a + 0.5 * t * jerk), a + t * jerk]
}

/// The largest number of low…high for which the rising `f` is not above zero; `low` when there is none.
fn largest(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    if f(high) <= 0.0 {
        return high;
    }
    let (mut below, mut above) = (low, high);
    // 50 halvings leave nothing of the interval but rounding.
    for _ in 0..50 {
        let middle = 0.5 * (below + above);
        if f(middle) <= 0.0 { below = middle } else { above = middle }
    }
    below
}

/// The jerks with which acceleration and speed stay within their limits, in the period and when the acceleration is then
/// taken back.
fn bounds(limits: &Limits, t: f64, now: [f64; 3]) -> (f64, f64) {
    let full = limits.jerk;
    let high = full.min((limits.acceleration[1] - now[2]) / t).max(-full);
    let low = (-full).max((limits.acceleration[0] - now[2]) / t).min(full);
    let mirrored = now.map(|number| -number);
    let slowest = |now: [f64; 3], jerk: f64| lowest_speed(full, t, now, jerk);
    let [fall, rise] = limits.speed_at(now[0]);
    let high =
        if rise.is_finite() { largest(-full, high, |jerk| -slowest(mirrored, -jerk) - rise) } else { high };
    let low = if fall.is_finite() { -largest(-full, -low, |jerk| fall - slowest(now, -jerk)) } else { low };
    (low.min(high), high)
}

/// The lowest speed of a period with this jerk, and of taking the acceleration back evenly in as few periods as it needs
/// after it.
fn lowest_speed(full: f64, t: f64, now: [f64; 3], jerk: f64) -> f64 {
    let [_, v, a] = after(now, jerk, t);
    // Where the acceleration changes its sign within the period, the speed turns there.
    if now[2] < 0.0 && a > 0.0 {
        return now[1] - 0.5 * now[2] * now[2] / jerk;
    }
    v + 0.5 * a * t * (a.abs() / (full * t) - 1e-9).ceil().max(0.0)
}

/// Where full braking ends.
fn rest_position(limits: &Limits, [x, v, a]: [f64; 3]) -> f64 {
    x + braking(limits, v, a).0
}

/// Way and time of full braking from a speed and an acceleration to rest.
fn braking(limits: &Limits, v: f64, a: f64) -> (f64, f64) {
    let j = limits.jerk;
    // Braking from a speed downwards is the mirror image.
    let sign = if v + 0.5 * a * a.abs() / j >= 0.0 { 1.0 } else { -1.0 };
    let most = BRAKING_SHARE * if sign > 0.0 { -limits.acceleration[0] } else { limits.acceleration[1] };
    let (v, a) = (sign * v, sign * a);
    // Jerk −j to the deceleration d, hold it, jerk j back to zero: the speed is gone when d² = j·v + a²/2.
    let d = (j * v + 0.5 * a * a).max(0.0).sqrt().min(most).max(-a);
    let hold = if d > 0.0 { ((v + 0.5 * a * a / j) / d - d / j).max(0.0) } else { 0.0 };
    let turn = ((a + d) / j).max(0.0);
    let mut at = after([0.0, v, a], -j, turn);
    at[2] = -d;
    at = after(at, 0.0, hold);
    (sign * after(at, j, d / j)[0], turn + hold + d / j)
}

/// The first of the three jerks that end at rest at the target, if all three are within the limits.
fn deadbeat(limits: &Limits, t: f64, now: [f64; 3], [x, v, a]: [f64; 3]) -> Option<f64> {
    let alpha = -a / t;
    let sigma = -(v + 3.0 * t * a) / (t * t);
    let pi = -(x + 3.0 * t * v + 4.5 * t * t * a) / (t * t * t);
    let first = pi - sigma + alpha / 3.0;
    let second = sigma - 0.5 * alpha - 2.0 * first;
    let jerks = [first, second, alpha - first - second];
    let rounding = 1e-12 * limits.jerk * t;
    let within = |value: f64, [low, high]: [f64; 2], by: f64| low - by <= value && value <= high + by;
    let mut state = now;
    for jerk in jerks {
        // The speed has its extreme where the acceleration changes its sign.
        let turns = state[2] * (state[2] + t * jerk) < 0.0;
        let extreme = if turns { state[1] - 0.5 * state[2] * state[2] / jerk } else { state[1] };
        let speed = limits.speed_at(state[0]);
        state = after(state, jerk, t);
        let good = jerk.abs() <= limits.jerk * (1.0 + 1e-12)
            && within(state[2], limits.acceleration, rounding)
            && within(state[1], speed, rounding * t)
            && within(extreme, speed, rounding * t)
            && within(rest_position(limits, state), limits.value, 1e-9 * limits.jerk * t.powi(3));
        if !good {
            return None;
        }
    }
    Some(first)
}

//! The same arithmetic as the filters, written as plain loops. Every slice is cut to the common length
//! first, so that the compiler can drop the bounds checks and vectorise.

use filters_lib::{GravityFrames, JointArray, Motion, Pair, SecondOrderInput, TransientInput, Wrench};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

type V = JointArray;

/// An integrator: its state is looked at too, for its output is a step behind.
pub fn integrator(n: usize, period: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0; n];
    move |u, y| {
        let (u, x, y) = (&u[..n], &mut x[..n], &mut y[..n]);
        for i in 0..n {
            (y[i], x[i]) = (x[i], x[i] + period * u[i]);
        }
        assert!(crate::all_finite(x));
    }
}

/// One loop over elements with a state: (y, x) = f(u, x).
pub fn map(n: usize, f: impl Fn(f64, f64) -> (f64, f64)) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0; n];
    move |u, y| {
        let (u, x, y) = (&u[..n], &mut x[..n], &mut y[..n]);
        for i in 0..n {
            (y[i], x[i]) = f(u[i], x[i]);
        }
    }
}

pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

pub fn trapezoid(n: usize, period: f64) -> impl FnMut(&V, &mut V) {
    let (mut x, mut u1) = (vec![0.0; n], vec![0.0; n]);
    move |u, y| {
        let (u, y, x, u1) = (&u[..n], &mut y[..n], &mut x[..n], &mut u1[..n]);
        for i in 0..n {
            y[i] = x[i];
            x[i] += period * (1.5 * u[i] - 0.5 * u1[i]);
            u1[i] = u[i];
        }
        assert!(crate::all_finite(x));
    }
}

pub fn simpson(n: usize, period: f64) -> impl FnMut(&V, &mut V) {
    let (mut x, mut u1, mut u2) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let w = [23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0];
    move |u, y| {
        let (u, y, x, u1, u2) = (&u[..n], &mut y[..n], &mut x[..n], &mut u1[..n], &mut u2[..n]);
        for i in 0..n {
            y[i] = x[i];
            x[i] += period * (w[0] * u[i] + w[1] * u1[i] + w[2] * u2[i]);
            u2[i] = u1[i];
            u1[i] = u[i];
        }
        assert!(crate::all_finite(x));
    }
}

pub fn poisson(period: f64) -> impl FnMut(&Vector3<f64>, &mut UnitQuaternion<f64>) {
    let mut q = UnitQuaternion::identity();
    move |w, y| {
        *y = q;
        let half = 0.5 * period * w.norm();
        let (sin, cos) = half.sin_cos();
        let s = 0.5 * period * sin / half;
        let turn = Quaternion::new(cos, s * w.x, s * w.y, s * w.z);
        q = UnitQuaternion::new_normalize(q.into_inner() * turn);
        assert!(crate::all_finite(q.coords.as_slice()));
    }
}

pub fn inertial(n: usize, period: f64, tau: f64) -> impl FnMut(&V, &mut V) {
    let (mut x, mut y1) = (vec![0.0; n], vec![0.0; n]);
    let a = (-period / tau).exp();
    let scale = (1.0 - a) / period;
    move |u, y| {
        let (u, y, x, y1) = (&u[..n], &mut y[..n], &mut x[..n], &mut y1[..n]);
        for i in 0..n {
            y[i] = a * y1[i] + scale * (u[i] - x[i]);
            y1[i] = y[i];
            x[i] = u[i];
        }
    }
}

/// The past samples in a ring, oldest next to be replaced: y = start(u) + Σ term(weight, past, u), y = finish(y).
pub fn ring(
    n: usize,
    weights: Vec<f64>,
    start: impl Fn(f64) -> f64,
    term: impl Fn(f64, f64, f64) -> f64,
    finish: impl Fn(f64) -> f64,
) -> impl FnMut(&V, &mut V) {
    let mut past = vec![vec![0.0; n]; weights.len()];
    let mut newest = 0;
    move |u, y| {
        let (u, y) = (&u[..n], &mut y[..n]);
        for i in 0..n {
            y[i] = start(u[i]);
        }
        let mut place = newest;
        for w in &weights {
            let p = &past[place][..n];
            for i in 0..n {
                y[i] += term(*w, p[i], u[i]);
            }
            place += 1;
            if place == weights.len() {
                place = 0;
            }
        }
        for i in 0..n {
            y[i] = finish(y[i]);
        }
        newest = if newest == 0 { weights.len() - 1 } else { newest - 1 };
        past[newest].copy_from_slice(u);
    }
}

fn blend(from: &[f64], to: &[f64], share: f64, y: &mut [f64]) {
    let n = y.len();
    let (from, to) = (&from[..n], &to[..n]);
    for i in 0..n {
        y[i] = (1.0 - share) * from[i] + share * to[i];
    }
}

fn gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt()
}

pub fn fusion_linear(step: f64) -> impl FnMut(&Pair<V>, &mut V) {
    let mut x: f64 = 1.0;
    move |u, y| {
        blend(&u.u1, &u.u2, 1.0 - x, y);
        x = (x - step).max(0.0);
    }
}

pub fn fusion_exp(rate: f64) -> impl FnMut(&Pair<V>, &mut V) {
    let mut x = 1.0;
    move |u, y| {
        blend(&u.u1, &u.u2, 1.0 - x, y);
        x *= 1.0 - rate;
    }
}

pub fn fusion_limited(rate: f64, most: f64) -> impl FnMut(&Pair<V>, &mut V) {
    let mut x = 1.0;
    move |u, y| {
        blend(&u.u1, &u.u2, 1.0 - x, y);
        let wanted = x * rate;
        let size = wanted * gap(&u.u1, &u.u2);
        x -= wanted * if size > most { most / size } else { 1.0 };
    }
}

pub fn linear(most: f64) -> impl FnMut(&TransientInput<V>, &mut V) {
    move |u, y| {
        let gap = gap(&u.u, &u.ur);
        blend(&u.u, &u.ur, if gap > most { most / gap } else { 1.0 }, y);
    }
}

pub fn exp(share: f64) -> impl FnMut(&TransientInput<V>, &mut V) {
    move |u, y| blend(&u.u, &u.ur, share, y)
}

pub fn limited(share: f64, most: f64) -> impl FnMut(&TransientInput<V>, &mut V) {
    move |u, y| {
        let size = gap(&u.u, &u.ur) * share;
        blend(&u.u, &u.ur, share * if size > most { most / size } else { 1.0 }, y);
    }
}

pub fn follower(n: usize, most: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0; n];
    move |u, y| {
        let gap = gap(&x, u);
        blend(&x, u, if gap > most { most / gap } else { 1.0 }, y);
        x.copy_from_slice(y);
    }
}

type Second = SecondOrderInput<Vector3<f64>>;

pub fn second(e: [[f64; 2]; 2], period: f64) -> impl FnMut(&Second, &mut Motion<Vector3<f64>>) {
    move |u, y| {
        let (xe, ve) = (u.xr - u.x, u.vr - u.v);
        y.x = u.xr + (u.vr + u.ar * (0.5 * period)) * period - (xe * e[0][0] + ve * e[0][1]);
        y.v = u.vr + u.ar * period - (xe * e[1][0] + ve * e[1][1]);
    }
}

/// `slope` and `gain` are the Λ and 1 − γ of the filter, `a` and `v` its limits.
pub fn second_limited(
    period: f64,
    [slope, gain, a, v]: [f64; 4],
) -> impl FnMut(&Second, &mut Motion<Vector3<f64>>) {
    let braking = move |gap: f64, limit: f64| {
        let distance = gap / (limit * period * period);
        if distance <= 1.0 {
            return gap / period;
        }
        let steps = 0.5 * ((1.0 + 8.0 * distance).sqrt() - 1.0);
        let whole = steps.floor();
        limit * period * (whole + (distance - 0.5 * whole * (whole + 1.0)) / (whole + 1.0))
    };
    move |u, y| {
        let half = u.x + u.v * (0.5 * period);
        let ahead = u.xr + u.vr * (0.5 * period) - half;
        let gap = ahead.norm();
        let approach = if gap == 0.0 { slope } else { slope.min(braking(gap, 0.75 * a) / gap) };
        let relative = (u.v - u.vr) * (1.0 - gain) + ahead * (approach * gain);
        let mut wanted = u.vr + u.ar * period + relative;
        let speed = wanted.norm();
        if speed > v {
            wanted *= v / speed;
        }
        let mut change = wanted - u.v;
        let size = change.norm();
        if size > a * period {
            change *= a * period / size;
        }
        y.v = u.v + change;
        y.x = half + y.v * (0.5 * period);
    }
}

pub fn lag_number(gain: f64) -> impl FnMut(&f64, &mut f64) {
    let mut x = 0.0;
    move |u, y| {
        *y = x;
        x += gain * (u - x);
    }
}

/// Direct form I, as [`biquad`]: past inputs and outputs, newest first, in rings.
pub fn transfer_number(b: Vec<f64>, a: Vec<f64>) -> impl FnMut(&f64, &mut f64) {
    let order = b.len() - 1;
    let (mut us, mut ys, mut newest) = (vec![0.0; order], vec![0.0; order], 0);
    move |u, y| {
        *y = b[0] * u;
        let mut place = newest;
        for k in 1..=order {
            *y += b[k] * us[place] - a[k] * ys[place];
            place = if place + 1 == order { 0 } else { place + 1 };
        }
        newest = if newest == 0 { order - 1 } else { newest - 1 };
        (us[newest], ys[newest]) = (*u, *y);
    }
}

pub fn transfer(n: usize, b: Vec<f64>, a: Vec<f64>) -> impl FnMut(&V, &mut V) {
    let order = b.len() - 1;
    let (mut us, mut ys, mut newest) = (vec![vec![0.0; n]; order], vec![vec![0.0; n]; order], 0);
    move |u, y| {
        let (u, y) = (&u[..n], &mut y[..n]);
        for i in 0..n {
            y[i] = b[0] * u[i];
        }
        let mut place = newest;
        for k in 1..=order {
            let (past_u, past_y) = (&us[place][..n], &ys[place][..n]);
            for i in 0..n {
                y[i] += b[k] * past_u[i] - a[k] * past_y[i];
            }
            place = if place + 1 == order { 0 } else { place + 1 };
        }
        newest = if newest == 0 { order - 1 } else { newest - 1 };
        us[newest].copy_from_slice(u);
        ys[newest].copy_from_slice(y);
    }
}

/// Direct form I: a state of signals survives a change of coefficients, that of the transposed form II does not.
pub fn biquad(n: usize, period: f64, frequency: f64, quality: f64) -> impl FnMut(&V, &mut V) {
    let k = (std::f64::consts::PI * frequency * period).tan();
    let s = 1.0 / (1.0 + k / quality + k * k);
    let (b, a1, a2) = (k * k * s, 2.0 * (k * k - 1.0) * s, (1.0 - k / quality + k * k) * s);
    let [mut u1, mut u2, mut y1, mut y2] = [(); 4].map(|()| vec![0.0; n]);
    move |u, y| {
        let (u, y) = (&u[..n], &mut y[..n]);
        let (u1, u2, y1, y2) = (&mut u1[..n], &mut u2[..n], &mut y1[..n], &mut y2[..n]);
        for i in 0..n {
            y[i] = b * u[i] + 2.0 * b * u1[i] + b * u2[i] - a1 * y1[i] - a2 * y2[i];
            (u2[i], u1[i]) = (u1[i], u[i]);
            (y2[i], y1[i]) = (y1[i], y[i]);
        }
    }
}

/// With limits on the value and on rise and fall, each for values above and below zero. The state is the last output and
/// its rate, as the limits on higher derivatives need them when they are set.
pub fn rate(n: usize, period: f64) -> impl FnMut(&V, &mut V) {
    let (mut x, mut d) = (vec![0.0_f64; n], vec![0.0; n]);
    // As unknown to the compiler as parameters are.
    let [low, high] = std::hint::black_box([f64::NEG_INFINITY, f64::INFINITY]);
    let [fall_pos, fall_neg, rise_neg, rise_pos] = std::hint::black_box([-period, -period, period, period]);
    let per_second = 1.0 / period;
    move |u, y| {
        let (u, y, x, d) = (&u[..n], &mut y[..n], &mut x[..n], &mut d[..n]);
        for i in 0..n {
            let target = smaller(larger(u[i], low), high);
            let fall = if x[i] > 0.0 { fall_pos } else { fall_neg };
            let rise = if x[i] < 0.0 { rise_neg } else { rise_pos };
            let gap = target - x[i];
            let step = smaller(larger(gap, fall), rise);
            y[i] = if step == gap { target } else { x[i] + step };
            d[i] = smaller(larger(step * per_second, f64::MIN), f64::MAX);
            x[i] = y[i];
        }
    }
}

pub fn median(n: usize, window: usize) -> impl FnMut(&V, &mut V) {
    let past = window - 1;
    let (mut ring, mut sorted, mut oldest) = (vec![vec![0.0; n]; past], vec![0.0_f64; n * past], 0);
    move |u, y| {
        for e in 0..n {
            let s = &mut sorted[e * past..(e + 1) * past];
            y[e] = u[e].max(s[past / 2 - 1]).min(s[past / 2]);
            let (old, new) = (ring[oldest][e], u[e]);
            let mut i = s.partition_point(|s| *s < old);
            while i + 1 < past && s[i + 1] < new {
                s[i] = s[i + 1];
                i += 1;
            }
            while i > 0 && s[i - 1] > new {
                s[i] = s[i - 1];
                i -= 1;
            }
            s[i] = new;
        }
        ring[oldest].copy_from_slice(u);
        oldest = if oldest + 1 == past { 0 } else { oldest + 1 };
    }
}

pub fn low_pass(n: usize, a: f64) -> impl FnMut(&V, &mut V) {
    let (mut x1, mut y1) = (vec![0.0; n], vec![0.0; n]);
    move |u, y| {
        let (u, y, x1, y1) = (&u[..n], &mut y[..n], &mut x1[..n], &mut y1[..n]);
        for i in 0..n {
            y1[i] = (1.0 - a) * x1[i] + a * y1[i];
            y[i] = y1[i];
            x1[i] = u[i];
        }
    }
}

pub fn gravity(
    cog: Vector3<f64>,
    force: Vector3<f64>,
    frames: GravityFrames,
) -> impl FnMut(&Wrench, &mut Wrench) {
    move |u, y| {
        let weight = frames.sensor_from_world.rotation * force;
        let (input, output) = (&frames.sensor_from_input, &frames.output_from_sensor);
        let f = input.rotation * u.force();
        let t = input.rotation * u.torque() + input.translation.vector.cross(&f);
        let (f, t) = (output.rotation * (f - weight), output.rotation * (t - cog.cross(&weight)));
        *y = Wrench::new(f, t + output.translation.vector.cross(&f));
    }
}

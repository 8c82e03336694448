//! The same arithmetic as the filters, written as plain loops without checks.

use filters_lib::{GravityFrames, JointArray, Motion, Pair, SecondOrderInput, TransientInput, Wrench};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

type V = JointArray;

pub fn integrator(n: usize, period: f64, w: [f64; 3]) -> impl FnMut(&V, &mut V) {
    let (mut x, mut u1, mut u2) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let order = w.iter().filter(|w| **w != 0.0).count();
    move |u, y| {
        y.copy_from_slice(&x);
        for i in 0..n {
            x[i] += period * (w[0] * u[i] + if order > 1 { w[1] * u1[i] + w[2] * u2[i] } else { 0.0 });
        }
        if order > 1 {
            std::mem::swap(&mut u1, &mut u2);
            u1.copy_from_slice(u);
        }
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
    }
}

pub fn difference(n: usize, period: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0; n];
    move |u, y| {
        for i in 0..n {
            y[i] = (u[i] - x[i]) / period;
            x[i] = u[i];
        }
    }
}

pub fn inertial(n: usize, period: f64, tau: f64) -> impl FnMut(&V, &mut V) {
    let (mut x, mut y1) = (vec![0.0; n], vec![0.0; n]);
    let a = (-period / tau).exp();
    move |u, y| {
        for i in 0..n {
            y1[i] = a * y1[i] + (1.0 - a) / period * (u[i] - x[i]);
            y[i] = y1[i];
            x[i] = u[i];
        }
    }
}

pub fn fir(n: usize, weights: Vec<f64>) -> impl FnMut(&V, &mut V) {
    let mut past = vec![vec![0.0; n]; weights.len() - 1];
    let mut newest = 0;
    move |u, y| {
        for i in 0..n {
            y[i] = weights[0] * u[i];
        }
        for (age, w) in weights[1..].iter().enumerate() {
            let place = &past[(newest + age) % past.len()];
            for i in 0..n {
                y[i] += w * place[i];
            }
        }
        newest = if newest == 0 { past.len() - 1 } else { newest - 1 };
        past[newest].copy_from_slice(u);
    }
}

pub fn fusion(rate: f64) -> impl FnMut(&Pair<V>, &mut V) {
    let mut x = 1.0;
    move |u, y| {
        for i in 0..y.len() {
            y[i] = x * u.u1[i] + (1.0 - x) * u.u2[i];
        }
        x *= 1.0 - rate;
    }
}

pub fn linear(most: f64) -> impl FnMut(&TransientInput<V>, &mut V) {
    move |u, y| {
        let gap = u.u.iter().zip(&u.ur).map(|(a, b)| (b - a) * (b - a)).sum::<f64>().sqrt();
        let share = if gap > most { most / gap } else { 1.0 };
        for i in 0..y.len() {
            y[i] = (1.0 - share) * u.u[i] + share * u.ur[i];
        }
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

pub fn lag_number(gain: f64) -> impl FnMut(&f64, &mut f64) {
    let mut x = 0.0;
    move |u, y| {
        *y = x;
        x += gain * (u - x);
    }
}

pub fn lag(n: usize, gain: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0; n];
    move |u, y| {
        for i in 0..n {
            y[i] = x[i];
            x[i] += gain * (u[i] - x[i]);
        }
    }
}

pub fn transfer_number(b: Vec<f64>, a: Vec<f64>) -> impl FnMut(&f64, &mut f64) {
    let mut z = vec![0.0; b.len()];
    move |u, y| {
        *y = b[0] * u + z[0];
        for k in 1..b.len() {
            z[k - 1] = z[k] + b[k] * u - a[k] * *y;
        }
    }
}

pub fn transfer(n: usize, b: Vec<f64>, a: Vec<f64>) -> impl FnMut(&V, &mut V) {
    let mut z = vec![vec![0.0; n]; b.len()];
    move |u, y| {
        for i in 0..n {
            y[i] = b[0] * u[i] + z[0][i];
        }
        for k in 1..b.len() {
            let (before, after) = z.split_at_mut(k);
            for i in 0..n {
                before[k - 1][i] = after[0][i] + b[k] * u[i] - a[k] * y[i];
            }
        }
    }
}

pub fn biquad(n: usize, period: f64, frequency: f64, quality: f64) -> impl FnMut(&V, &mut V) {
    let k = (std::f64::consts::PI * frequency * period).tan();
    let s = 1.0 / (1.0 + k / quality + k * k);
    let (b, a1, a2) = (k * k * s, 2.0 * (k * k - 1.0) * s, (1.0 - k / quality + k * k) * s);
    let (mut z1, mut z2) = (vec![0.0; n], vec![0.0; n]);
    move |u, y| {
        for i in 0..n {
            y[i] = b * u[i] + z1[i];
            z1[i] = z2[i] + 2.0 * b * u[i] - a1 * y[i];
            z2[i] = b * u[i] - a2 * y[i];
        }
    }
}

pub fn backlash(n: usize, half: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0_f64; n];
    move |u, y| {
        for i in 0..n {
            x[i] = x[i].max(u[i] - half).min(u[i] + half);
            y[i] = x[i];
        }
    }
}

pub fn saturation(most: f64) -> impl FnMut(&V, &mut V) {
    move |u, y| {
        for (y, u) in y.iter_mut().zip(u) {
            *y = u.max(-most).min(most);
        }
    }
}

pub fn rate(n: usize, most: f64) -> impl FnMut(&V, &mut V) {
    let mut x = vec![0.0_f64; n];
    move |u, y| {
        for i in 0..n {
            x[i] += (u[i] - x[i]).max(-most).min(most);
            y[i] = x[i];
        }
    }
}

pub fn median(n: usize, window: usize) -> impl FnMut(&V, &mut V) {
    let mut past = vec![vec![0.0; n]; window];
    let (mut newest, mut sorted) = (0, vec![0.0; window]);
    move |u, y| {
        past[newest].copy_from_slice(u);
        newest = (newest + 1) % window;
        for i in 0..n {
            for (s, p) in sorted.iter_mut().zip(&past) {
                *s = p[i];
            }
            sorted.sort_unstable_by(f64::total_cmp);
            y[i] = sorted[window / 2];
        }
    }
}

pub fn exponential(n: usize, alpha: f64) -> impl FnMut(&V, &mut V) {
    let mut y1 = vec![0.0; n];
    move |u, y| {
        for i in 0..n {
            y1[i] = alpha * u[i] + (1.0 - alpha) * y1[i];
            y[i] = y1[i];
        }
    }
}

pub fn low_pass(n: usize, a: f64) -> impl FnMut(&V, &mut V) {
    let (mut x1, mut y1) = (vec![0.0; n], vec![0.0; n]);
    move |u, y| {
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

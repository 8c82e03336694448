//! Speed and acceleration from positions with coarse steps, without a bias.
//!
//! The model equation is multiplied by a smooth bump w(t) and integrated (modulating functions; Shinbrot 1957). By parts,
//! ∫w·q̇ = −∫w′·q and ∫w·q̈ = ∫w″·q: the derivatives move to the bump, whose derivatives are known exactly. Every term of
//! the equation is smoothed in the same way, so the alphas stay what they are, however wide the bump.

use super::delay::{DELAYS, NOMINAL};
use std::collections::VecDeque;

/// What is known of one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// When it was measured, s.
    pub at_s: f64,
    /// Measured position, rad.
    pub position: f64,
    /// Setpoint of the servo's regulator less the measured position, for each delay of the goals that is tried, rad.
    pub deflection: [f64; DELAYS],
    /// The goals' trajectory at this time, rad.
    pub goal: f64,
    /// Velocity about this moment, rad/s.
    pub velocity: f64,
    /// Torque, for each delay, N·m.
    pub effort: [f64; DELAYS],
    /// Voltage of the supply, V.
    pub voltage: f64,
    /// Whether velocity and deflection are known.
    pub complete: bool,
}

/// w(u) = 315/256·(1 − u²)⁴ on −1 … 1: its integral is 1, and it is smooth enough at its ends for sums to be as good as
/// integrals.
const BUMP: f64 = 315.0 / 256.0;

/// The bump's place in time.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Middle of the window, s.
    pub middle_s: f64,
    /// Half of the width, s.
    pub half_s: f64,
}

/// The terms of the model equation, smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Smoothed {
    /// Acceleration in the middle, rad/s².
    pub acceleration: f64,
    /// Velocity in the middle, rad/s.
    pub velocity: f64,
    /// For each delay of the goals, N·m.
    pub effort: [f64; DELAYS],
    /// For each delay of the goals, rad.
    pub deflection: [f64; DELAYS],
    /// The setpoint's first three derivatives, rad/s, rad/s², rad/s³.
    pub setpoint: [f64; 3],
    /// The goals' trajectory less the measured position, rad.
    pub behind: f64,
    /// Velocity of the goals' trajectory, rad/s.
    pub goal_velocity: f64,
    /// All velocities and deflections are known.
    pub complete: bool,
}

impl Window {
    /// Slope of the straight line that fits the positions in the window best; none when they are fewer than three.
    pub fn slope(&self, samples: &VecDeque<Sample>) -> Option<f64> {
        let first = samples.partition_point(|s| s.at_s < self.middle_s - self.half_s);
        let last = samples.partition_point(|s| s.at_s <= self.middle_s + self.half_s);
        if last < first + 3 {
            return None;
        }
        let n = (last - first) as f64;
        let origin = samples.get(first)?.position;
        let inside = || samples.range(first..last).map(|s| (s.at_s - self.middle_s, s.position - origin));
        let (t, q) = inside().fold((0.0, 0.0), |(t, q), s| (t + s.0 / n, q + s.1 / n));
        let (tq, tt) =
            inside().fold((0.0, 0.0), |(tq, tt), s| (tq + (s.0 - t) * (s.1 - q), tt + (s.0 - t).powi(2)));
        Some(tq / tt)
    }

    /// The direction of a motion that never slows down to `slowest` in the window; none when it does. A servo that stands or
    /// turns round hides how strong its friction is.
    pub fn direction(&self, samples: &VecDeque<Sample>, slowest: f64) -> Option<f64> {
        let first = samples.partition_point(|s| s.at_s < self.middle_s - self.half_s);
        let last = samples.partition_point(|s| s.at_s <= self.middle_s + self.half_s);
        let mut inside = samples.range(first..last).map(|s| if s.complete { s.velocity } else { 0.0 });
        let direction = 1f64.copysign(inside.clone().next()?);
        inside.all(|v| v * direction > slowest).then_some(direction)
    }

    /// Smooths what lies in the window; none when samples are too few or leave a gap.
    pub fn smooth(&self, samples: &VecDeque<Sample>) -> Option<Smoothed> {
        const FEWEST: usize = 7;
        let (begin, end) = (self.middle_s - self.half_s, self.middle_s + self.half_s);
        let first = samples.partition_point(|s| s.at_s < begin);
        let last = samples.partition_point(|s| s.at_s <= end).checked_sub(1)?;
        if last < first + FEWEST - 1 {
            return None;
        }
        let (a, b) = (samples.get(first)?, samples.get(last)?);
        // A straight line is taken out before and put back after, or uneven sampling would turn the position itself into
        // speed.
        let slope = (b.position - a.position) / (b.at_s - a.at_s);
        let setpoint = |s: &Sample| s.position + s.deflection[NOMINAL];
        let setpoint_slope = (setpoint(b) - setpoint(a)) / (b.at_s - a.at_s);
        let goal_slope = (b.goal - a.goal) / (b.at_s - a.at_s);
        let (mut sum, mut weight) = (Smoothed { complete: true, ..Smoothed::default() }, 0.0);
        for i in first..=last {
            let s = samples.get(i)?;
            let before = samples.get(i.wrapping_sub(1)).map_or(s.at_s, |s| s.at_s);
            let after = samples.get(i + 1).map_or(s.at_s, |s| s.at_s);
            let duration = 0.5 * (after - before);
            if duration > 0.5 * self.half_s {
                return None;
            }
            let u = (s.at_s - self.middle_s) / self.half_s;
            let d = 1.0 - u * u;
            let w = BUMP * d.powi(4) / self.half_s * duration;
            let w1 = BUMP * -8.0 * u * d.powi(3) / self.half_s.powi(2) * duration;
            let w2 = BUMP * -8.0 * d * d * (1.0 - 7.0 * u * u) / self.half_s.powi(3) * duration;
            let w3 = BUMP * 48.0 * u * d * (3.0 - 7.0 * u * u) / self.half_s.powi(4) * duration;
            let bent = s.position - a.position - slope * (s.at_s - a.at_s);
            weight += w;
            sum.acceleration += w2 * bent;
            sum.velocity -= w1 * bent;
            sum.effort.iter_mut().zip(s.effort).for_each(|(sum, effort)| *sum += w * effort);
            sum.deflection.iter_mut().zip(s.deflection).for_each(|(sum, deflection)| *sum += w * deflection);
            sum.behind += w * (s.goal - s.position);
            sum.goal_velocity -= w1 * (s.goal - a.goal - goal_slope * (s.at_s - a.at_s));
            let bent = setpoint(s) - setpoint(a) - setpoint_slope * (s.at_s - a.at_s);
            sum.setpoint.iter_mut().zip([-w1, w2, -w3]).for_each(|(sum, w)| *sum += w * bent);
            sum.complete &= s.complete;
        }
        sum.velocity += slope * weight;
        sum.goal_velocity += goal_slope * weight;
        sum.setpoint[0] += setpoint_slope * weight;
        let single = [&mut sum.acceleration, &mut sum.velocity, &mut sum.behind, &mut sum.goal_velocity];
        let motion = single.into_iter().chain(&mut sum.setpoint);
        motion.chain(&mut sum.effort).chain(&mut sum.deflection).for_each(|term| *term /= weight);
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples(at: impl Fn(usize) -> f64, position: impl Fn(f64) -> f64) -> VecDeque<Sample> {
        (0..100).map(|k| Sample { at_s: at(k), position: position(at(k)), ..Sample::default() }).collect()
    }

    /// What the bump leaves of a sine, by Simpson's rule.
    fn attenuation(omega: f64, half: f64) -> f64 {
        let n = 2000;
        let f = |u: f64| BUMP * (1.0 - u * u).powi(4) * (omega * half * u).cos();
        let h = 2.0 / n as f64;
        let inner: f64 = (1..n).map(|k| f(-1.0 + k as f64 * h) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum();
        h / 3.0 * (f(-1.0) + inner + f(1.0))
    }

    #[test]
    fn a_sine_loses_amplitude_by_one_factor_in_speed_and_acceleration_alike() {
        let (omega, half) = (12.0, 0.1);
        let data = samples(|k| k as f64 * 0.01, |t| 0.7 + (omega * t).sin());
        let kept = attenuation(omega, half);
        for k in 20..80 {
            let t = k as f64 * 0.01;
            let found = Window { middle_s: t, half_s: half }.smooth(&data).unwrap();
            assert!((found.velocity - kept * omega * (omega * t).cos()).abs() < 2e-3 * omega);
            assert!(
                (found.acceleration + kept * omega * omega * (omega * t).sin()).abs() < 2e-3 * omega * omega
            );
        }
    }

    proptest! {
        #[test]
        fn even_motion_is_found_exactly_at_uneven_times(
            jitter in prop::collection::vec(-0.004..0.004f64, 100), position in -3.0..3.0f64, speed in -5.0..5.0f64,
        ) {
            let data = samples(|k| k as f64 * 0.01 + jitter[k], |t| position + speed * t);
            let found = Window { middle_s: 0.5, half_s: 0.1 }.smooth(&data).unwrap();
            prop_assert!((found.velocity - speed).abs() < 1e-9);
            prop_assert!(found.acceleration.abs() < 1e-9);
            let slope = Window { middle_s: 0.5, half_s: 0.03 }.slope(&data).unwrap();
            prop_assert!((slope - speed).abs() < 1e-9);
        }
    }

    #[test]
    fn motion_has_a_direction_as_long_as_it_does_not_slow_down() {
        let moving = |velocity: fn(f64) -> f64| -> VecDeque<Sample> {
            let at = |k| f64::from(k) * 0.01;
            let sample =
                |k| Sample { at_s: at(k), velocity: velocity(at(k)), complete: true, ..Sample::default() };
            (0..100).map(sample).collect()
        };
        let window = Window { middle_s: 0.5, half_s: 0.1 };
        assert_eq!(window.direction(&moving(|t| 0.2 + t), 0.1), Some(1.0));
        assert_eq!(window.direction(&moving(|t| -0.2 - t), 0.1), Some(-1.0));
        assert_eq!(window.direction(&moving(|t| t - 0.45), 0.1), None);
        assert_eq!(window.direction(&moving(|t| if t == 0.5 { 0.1 } else { 1.0 }), 0.1), None);
        assert_eq!(window.direction(&VecDeque::new(), 0.1), None);
    }

    #[test]
    fn a_gap_or_too_few_samples_give_nothing() {
        let sparse = samples(|k| k as f64 * 0.04, |t| t);
        assert_eq!(Window { middle_s: 1.0, half_s: 0.1 }.smooth(&sparse), None);
        let gap = samples(|k| k as f64 * 0.01 + if k > 50 { 0.1 } else { 0.0 }, |t| t);
        assert_eq!(Window { middle_s: 0.5, half_s: 0.1 }.smooth(&gap), None);
        assert_eq!(Window { middle_s: 0.5, half_s: 0.1 }.smooth(&VecDeque::new()), None);
    }
}

//! Sway of the body over its feet, with which a gait that lifts one leg at a time never stands on a polygon that its weight is
//! outside of.
//!
//! Over one period of the gait the weight shall be inside polygon after polygon, and shall move smoothly. Both are convex sets of
//! curves: those that are `margin` inside at each of some phases, and those of few harmonics with bounded accelerations. Projecting
//! onto one and the other in turn leads to a curve that is in both, if there is one (von Neumann 1933, Bregman 1965), else to one in between. One turn in
//! each cycle, from where the last ended, follows the velocity and the pose of the body.

use crate::ground::Velocity;
use crate::pattern::Pattern;
use crate::support_polygon::{margin, moved_inside};
use nalgebra::{Isometry2, Point2, Vector2};
use std::f64::consts::TAU;

/// Phases at which polygons are looked at.
const SAMPLES: usize = 64;
/// Harmonics of the curve.
const HARMONICS: usize = 2;
/// The weight shall not be accelerated harder by one harmonic and the next, m/s².
const HARDEST: [f64; HARMONICS] = [0.6, 0.4];
/// The weight can be accelerated so hard from side to side without being thrown, m/s²: by a·h/g what presses on the ground is beside it, 12 mm for
/// a body 0.39 m high. On physics the pony leans by 0.8° with it; asked
/// for 0.58 it falls.
const GENTLE: f64 = 0.3;
/// A leg counts as standing so much of a period after it landed and before it lifts.
const LATE: f64 = 0.5 / SAMPLES as f64;

/// Where the sway is, and how it moves with the phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwayPoint {
    /// m.
    pub place: Vector2<f64>,
    /// m per period.
    pub slope: Vector2<f64>,
    /// m per period².
    pub curvature: Vector2<f64>,
}

/// The plan: a mean and some harmonics.
#[derive(Clone, Debug, Default)]
pub struct Sway {
    mean: Vector2<f64>,
    /// Of cosine and sine.
    harmonics: [[Vector2<f64>; 2]; HARMONICS],
    /// The least margin over the period, m; below zero where there is none.
    least: f64,
}

/// What a gait does with the feet: where they are at each phase.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The gait.
    pub pattern: &'a Pattern,
    /// Where the feet stand when the body stands, seen from the body.
    pub homes: &'a [Isometry2<f64>],
    /// The body's velocity.
    pub velocity: Velocity,
}

impl Steps<'_> {
    /// The feet that stand at a phase, seen from the body.
    fn standing(&self, phase: f64) -> impl Iterator<Item = Point2<f64>> + Clone + '_ {
        let Pattern { period, duty, phases } = self.pattern;
        let feet = phases.iter().zip(self.homes).filter_map(move |(own, home)| {
            let at = (phase + own).rem_euclid(1.0);
            let stands = at > LATE && at < duty - LATE;
            stands.then(|| self.velocity.after((0.5 * duty - at) * period) * home)
        });
        feet.map(|place| Point2::from(place.translation.vector))
    }
}

/// The largest margin that a sway can have, m. Two legs of four that lift one after the other at opposite ends of a diagonal leave triangles on
/// either side of it: while all four stand, for (duty − ¾)·period, the weight has to cross by two margins. A sway of amplitude A
/// passes the middle with 2π·A/period and is accelerated by A·(2π/period)², so that the margin is at most a·period²·(duty − ¾)/4π.
/// With other numbers of legs polygons overlap, and there is no such bound.
pub fn largest_margin(pattern: &Pattern) -> f64 {
    if pattern.phases.len() != 4 {
        return f64::INFINITY;
    }
    (GENTLE * pattern.period * pattern.period * (pattern.duty - 0.75) / (2.0 * TAU)).max(0.0)
}

impl Sway {
    /// One more turn, for a weight that is at `weight` when the body does not sway and shall be `wanted` (m) inside.
    pub fn improve(&mut self, steps: Steps<'_>, weight: Vector2<f64>, wanted: f64) {
        let share = 1.0 / SAMPLES as f64;
        let mut next = Sway { least: f64::INFINITY, ..Sway::default() };
        for sample in 0..SAMPLES {
            let phase = sample as f64 * share;
            let at = Point2::from(self.at(phase).place + weight);
            next.least = next.least.min(margin(&at, steps.standing(phase)));
            let place = moved_inside(at, steps.standing(phase), wanted).coords - weight;
            next.mean += place * share;
            for (number, [cosine, sine]) in next.harmonics.iter_mut().enumerate() {
                let angle = TAU * (number + 1) as f64 * phase;
                *cosine += place * (2.0 * share * angle.cos());
                *sine += place * (2.0 * share * angle.sin());
            }
        }
        let rate = TAU / steps.pattern.period;
        for (number, harmonic) in next.harmonics.iter_mut().enumerate() {
            let size = harmonic[0].norm().hypot(harmonic[1].norm());
            let most = HARDEST[number] / (rate * (number + 1) as f64).powi(2);
            harmonic.iter_mut().for_each(|part| *part *= (most / size.max(most)).min(1.0));
        }
        *self = next;
    }

    /// The least margin of the weight over the period, at the phases looked at in the last turn, m.
    pub fn least_margin(&self) -> f64 {
        self.least
    }

    /// The sway at a phase.
    pub fn at(&self, phase: f64) -> SwayPoint {
        let mut point = SwayPoint { place: self.mean, ..SwayPoint::default() };
        for (number, [cosine, sine]) in self.harmonics.iter().enumerate() {
            let rate = TAU * (number + 1) as f64;
            let (s, c) = (rate * phase).sin_cos();
            point.place += cosine * c + sine * s;
            point.slope += (sine * c - cosine * s) * rate;
            point.curvature -= (cosine * c + sine * s) * (rate * rate);
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{trot_phases, walk_phases};
    use proptest::prelude::*;

    /// As it is after a second or two of cycles.
    fn planned(steps: Steps<'_>, weight: Vector2<f64>) -> Sway {
        let mut sway = Sway::default();
        (0..200).for_each(|_| sway.improve(steps, weight, 0.02));
        sway
    }

    fn homes(legs: usize) -> Vec<Isometry2<f64>> {
        let pairs = legs / 2;
        let place = |leg: usize| {
            let x = 0.2 - 0.4 * (leg / 2) as f64 / (pairs - 1) as f64;
            Isometry2::new(Vector2::new(x, if leg.is_multiple_of(2) { 0.1 } else { -0.1 }), 0.0)
        };
        (0..legs).map(place).collect()
    }

    fn points(homes: &[Isometry2<f64>]) -> Vec<Point2<f64>> {
        homes.iter().map(|home| Point2::from(home.translation.vector)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Walking with one leg at a time in any direction (strides up to 8 cm): the weight is inside at every phase, also
        /// between those that were planned for.
        #[test]
        fn a_walk_is_statically_stable_in_any_direction(
            angle in -3.2..3.2_f64, share in 0.0..1.0_f64, duty in 0.8..0.93_f64,
            off in (-0.02..0.02_f64, -0.01..0.01_f64)
        ) {
            let homes = homes(4);
            let pattern = Pattern { period: 2.0, duty, phases: walk_phases(&points(&homes)) };
            let speed = share * 0.08 / pattern.stance_time();
            let velocity = Velocity { forward: speed * angle.cos(), left: speed * angle.sin(), turn: 0.0 };
            let steps = Steps { pattern: &pattern, homes: &homes, velocity };
            let weight = Vector2::new(off.0, off.1);
            let sway = planned(steps, weight);
            prop_assert!(sway.least_margin() > 0.0, "{}", sway.least_margin());
            for look in 0..1000 {
                let phase = f64::from(look) * 1e-3;
                let at = Point2::from(sway.at(phase).place + weight);
                prop_assert!(margin(&at, steps.standing(phase)) > 0.0, "at {}", phase);
            }
        }
    }

    #[test]
    fn six_legs_in_a_wave_need_no_sway_and_a_trot_has_none() {
        let six = homes(6);
        let pattern = Pattern { period: 2.0, duty: 0.85, phases: walk_phases(&points(&six)) };
        let sway =
            planned(Steps { pattern: &pattern, homes: &six, velocity: Velocity::ZERO }, Vector2::zeros());
        assert!(sway.least_margin() > 0.02 && sway.at(0.3).place.norm() < 0.02);
        let four = homes(4);
        let pattern = Pattern { period: 1.0, duty: 0.55, phases: trot_phases(&points(&four)) };
        let sway =
            planned(Steps { pattern: &pattern, homes: &four, velocity: Velocity::ZERO }, Vector2::zeros());
        assert!(sway.least_margin() <= 0.0);
    }

    #[test]
    fn slope_and_curvature_are_derivatives() {
        let four = homes(4);
        let pattern = Pattern { period: 1.6, duty: 0.8, phases: walk_phases(&points(&four)) };
        let sway =
            planned(Steps { pattern: &pattern, homes: &four, velocity: Velocity::ZERO }, Vector2::zeros());
        let h = 1e-5;
        for look in 0..100 {
            let phase = 0.01 * f64::from(look);
            let (before, here, after) = (sway.at(phase - h), sway.at(phase), sway.at(phase + h));
            // Central differences: the next term is h²/6 times the third derivative, 4π·2 harmonics cubed at most.
            assert!(((after.place - before.place) / (2.0 * h) - here.slope).norm() < 1e-6);
            assert!(((after.slope - before.slope) / (2.0 * h) - here.curvature).norm() < 1e-4);
        }
    }
}

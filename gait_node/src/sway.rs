//! Sway of the body over its feet, with which a gait that lifts one leg at a time never stands on a polygon that its weight is
//! outside of.
//!
//! Over one period of the gait the weight shall be inside polygon after polygon, and shall move smoothly. Both are convex sets of
//! curves: those that are `margin` inside at each of some phases, and those of few harmonics with bounded accelerations. Projecting
//! onto one and the other in turn leads to a curve that is in both, if there is one (von Neumann 1933, Bregman 1965), else to one in between. One turn in
//! each cycle, from where the last ended, follows the velocity and the pose of the body.

use crate::pattern::Pattern;
use crate::steps::Steps;
use crate::support_polygon::{margin, moved_inside};
use nalgebra::{Point2, Vector2};
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

/// Turns with which a plan begins; the cycles do the rest.
const FIRST_TURNS: usize = 60;

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

/// The plan as the body follows it: the weight moves less than the body.
#[derive(Clone, Copy, Debug)]
pub struct BodySway<'a> {
    /// Of the weight; none for a body that does not sway.
    pub weight: Option<&'a Sway>,
    /// How far the weight moves when the body sways by one metre.
    pub response: Vector2<f64>,
}

impl BodySway<'_> {
    /// Where the body is at a phase.
    pub fn at(&self, phase: f64) -> SwayPoint {
        let Some(SwayPoint { place, slope, curvature }) = self.weight.map(|sway| sway.at(phase)) else {
            return SwayPoint::default();
        };
        let [place, slope, curvature] =
            [place, slope, curvature].map(|part| part.component_div(&self.response));
        SwayPoint { place, slope, curvature }
    }
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

/// The largest margin that a sway can have, m. Two legs of four that lift one after the other at opposite ends of a diagonal leave triangles on
/// either side of it: while all four stand, for (duty − ¾)·period, the weight has to cross by two margins. A sway of amplitude A
/// passes the middle with 2π·A/period and is accelerated by A·(2π/period)², so that the margin is at most a·period²·(duty − ¾)/4π.
/// With other numbers of legs polygons overlap, and there is no such bound.
fn largest_margin(pattern: &Pattern) -> f64 {
    if pattern.phases.len() != 4 {
        return f64::INFINITY;
    }
    (GENTLE * pattern.period * pattern.period * (pattern.duty - 0.75) / (2.0 * TAU)).max(0.0)
}

impl Sway {
    /// As good as it gets from here, for a body that stands.
    pub fn planned(mut self, steps: Steps<'_>, weight: Vector2<f64>, wanted: f64) -> Sway {
        (0..FIRST_TURNS).for_each(|_| self.improve(steps, weight, wanted));
        self
    }

    /// One more turn, for a weight that is at `weight` when the body does not sway and shall be `wanted` (m) inside.
    pub fn improve(&mut self, steps: Steps<'_>, weight: Vector2<f64>, wanted: f64) {
        let wanted = wanted.min(largest_margin(steps.pattern));
        let share = 1.0 / SAMPLES as f64;
        let mut next = Sway { least: f64::INFINITY, ..Sway::default() };
        for sample in 0..SAMPLES {
            let phase = sample as f64 * share;
            let standing = steps.standing(phase, LATE);
            let at = Point2::from(steps.within_reach(self.at(phase).place, phase) + weight);
            next.least = next.least.min(margin(&at, standing.clone()));
            let place = moved_inside(at, standing, wanted).coords - weight;
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
mod tests;

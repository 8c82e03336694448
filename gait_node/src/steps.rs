//! What a gait does with the feet: where they are at each of its phases.

use crate::foot_reach::FootReach;
use crate::ground::Velocity;
use crate::pattern::Pattern;
use crate::stride::Stride;
use crate::swing_probe::smooth;
use filters_lib::Motion;
use nalgebra::{Isometry2, Point2, Vector2};

/// Steps of a gait with a velocity.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The gait.
    pub pattern: &'a Pattern,
    /// Where the feet stand when the body stands, seen from the body.
    pub homes: &'a [Isometry2<f64>],
    /// How far the legs reach from there; empty for any distance.
    pub reach: &'a [FootReach],
    /// The body's velocity.
    pub velocity: Velocity,
    /// How far the weight moves when the body sways by one metre.
    pub response: Vector2<f64>,
}

impl<'a> Steps<'a> {
    /// Those of a stride, in a gait that may be another.
    pub fn of(stride: &'a Stride, pattern: &'a Pattern, velocity: Velocity, response: Vector2<f64>) -> Self {
        Steps { pattern, homes: &stride.homes, reach: &stride.reach, velocity, response }
    }

    /// The feet that stand at a phase, `late` (in periods) after they landed and before they lift, seen from the body.
    pub fn standing(&self, phase: f64, late: f64) -> impl Iterator<Item = Point2<f64>> + Clone + '_ {
        let Pattern { period, duty, phases } = self.pattern;
        let feet = phases.iter().zip(self.homes).filter_map(move |(own, home)| {
            let at = (phase + own).rem_euclid(1.0);
            let stands = at > late && at < duty - late;
            stands.then(|| self.velocity.after((0.5 * duty - at) * period) * home)
        });
        feet.map(|place| Point2::from(place.translation.vector))
    }

    /// The sway of the weight nearest to `sway` (m) with which all feet are in reach at a phase.
    pub fn within_reach(&self, sway: Vector2<f64>, phase: f64) -> Vector2<f64> {
        let Pattern { period, duty, phases } = self.pattern;
        let still = |x| Motion { x, v: Vector2::zeros() };
        let mut body = still(sway.component_div(&self.response));
        for ((own, home), reach) in phases.iter().zip(self.homes).zip(self.reach) {
            let at = (phase + own).rem_euclid(1.0);
            let swung = smooth((at - duty).max(0.0) / (1.0 - duty))[0];
            let time = period * (0.5 * duty - at.min(*duty) + duty * swung);
            let place = self.velocity.after(time) * home;
            body = reach.keep(body, still(place.translation.vector - home.translation.vector));
        }
        body.x.component_mul(&self.response)
    }
}

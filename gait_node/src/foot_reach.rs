//! How far from its home a leg can put its foot.

use crate::foot::Foot;
use crate::legs::Legs;
use crate::posture::Base;
use crate::stepper::Stepper;
use crate::stride::Stride;
use filters_lib::Motion;
use nalgebra::{Isometry2, Vector2};
use std::f64::consts::{PI, TAU};

/// Directions in which that is tried.
const DIRECTIONS: usize = 12;
/// No farther than this, m, halved so many times.
const FARTHEST: f64 = 0.25;
const HALVINGS: usize = 6;
/// A foot stays so far from the end of its reach, m: the sway follows its plan with some delay.
const RESERVE: f64 = 0.005;

/// The places that a foot reaches, seen from its home: a polygon, by the normal and the distance (m) of each edge.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReach {
    edges: [(Vector2<f64>, f64); DIRECTIONS],
}

impl FootReach {
    /// Of all legs, with the body at rest at `base` and joints `stance`, for feet on the ground and lifted.
    pub fn of(legs: &mut Legs, base: &Base, stride: &Stride, stance: &[f64]) -> Vec<FootReach> {
        let homes = &stride.homes;
        let mut reaches = vec![FootReach { edges: [(Vector2::zeros(), 0.0); DIRECTIONS] }; homes.len()];
        for at in 0..DIRECTIONS {
            let (y, x) = (TAU * at as f64 / DIRECTIONS as f64).sin_cos();
            let normal = Vector2::new(x, y);
            let mut far = vec![0.0; homes.len()];
            for halving in 1..=HALVINGS {
                let more = FARTHEST * 0.5_f64.powi(halving as i32);
                let places = homes.iter().zip(&far).map(|(home, far)| moved(home, normal * (far + more)));
                let mut feet: Vec<Foot> = places.map(Foot::standing).collect();
                let mut is_there = vec![true; homes.len()];
                for height in [0.0, stride.lift] {
                    feet.iter_mut().for_each(|foot| foot.height.0 = height);
                    let (mut q, mut leg) = (stance.to_vec(), 0);
                    legs.place(base, &feet, &mut q, |reach| {
                        is_there[leg] &= reach.miss == 0.0;
                        leg += 1;
                    });
                }
                far.iter_mut().zip(is_there).for_each(|(far, there)| *far += if there { more } else { 0.0 });
            }
            for (reach, far) in reaches.iter_mut().zip(far) {
                // The corners of the polygon, not the middles of its edges, are as far as was tried.
                let far = far * (PI / DIRECTIONS as f64).cos() - RESERVE;
                reach.edges[at] = (normal, far.max(0.0));
            }
        }
        reaches
    }

    /// Where the body has to be (m from its place above the homes, m/s), as near to `body` as can be, for a foot to be in reach that is and
    /// moves so from its home.
    pub fn keep(&self, mut body: Motion<Vector2<f64>>, foot: Motion<Vector2<f64>>) -> Motion<Vector2<f64>> {
        for (normal, far) in &self.edges {
            let beyond = normal.dot(&(foot.x - body.x)) - far;
            if beyond > 0.0 {
                body.x += normal * beyond;
                body.v += normal * normal.dot(&(foot.v - body.v)).max(0.0);
            }
        }
        body
    }
}

/// Turns with which a sway comes within reach of all legs, also in a corner.
const CORNERS: usize = 4;

/// The sway nearest to one that is planned, with which all feet are in reach where they are.
pub fn sway_in_reach(
    planned: Motion<Vector2<f64>>,
    stepper: &Stepper,
    stride: &Stride,
) -> Motion<Vector2<f64>> {
    let legs = || stepper.feet().iter().zip(&stride.homes).zip(&stride.reach);
    let keep = |body, ((foot, home), reach): ((&Foot, &Isometry2<f64>), &FootReach)| {
        let (place, home) = (foot.place.translation.vector, home.translation.vector);
        let over_ground = Vector2::new(foot.velocity.forward, foot.velocity.left);
        let v = over_ground - stepper.velocity().at(&place.into());
        reach.keep(body, Motion { x: place - home, v })
    };
    (0..CORNERS).fold(planned, |body, _| legs().fold(body, keep))
}

fn moved(home: &Isometry2<f64>, by: Vector2<f64>) -> Isometry2<f64> {
    Isometry2::from_parts((home.translation.vector + by).into(), home.rotation)
}

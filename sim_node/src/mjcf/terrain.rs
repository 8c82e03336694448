//! The ground.

use super::{GROUND, numbers};
use crate::{Base, Scene, Terrain};
use herkulex_node::sim::Noise;
use std::fmt::Write as _;

/// Side of a slab or patch, m.
const CELL: f64 = 0.25;
/// Slabs and patches in each direction from the middle.
const CELLS: i32 = 16;
/// Those around the start stay level and dry, m.
const START: f64 = 0.6;
/// How far a patch stands out of the floor, m: more than a foot sinks in, less than it would stumble over.
const PATCH: f64 = 0.002;

/// Geoms of the ground. Bit 2 is the ground's, bit 1 the robot's: nothing touches its own kind.
pub(super) fn ground(scene: &Scene) -> String {
    let mut noise = Noise::new(match scene.terrain {
        Terrain::Steps { seed, .. } | Terrain::Patches { seed, .. } => seed,
        _ => 0,
    });
    // A robot on a stand has its base at the origin, and its legs would reach into the floor.
    let bits = if scene.base == Base::Fixed { [0, 0] } else { [2, 1] };
    let touch = |friction: f64| {
        format!("contype=\"{}\" conaffinity=\"{}\" friction=\"{friction} 0.005 0.0001\"", bits[0], bits[1])
    };
    let half = scene.slope() / 2.0;
    let quat = numbers(&[half.cos(), 0.0, -half.sin(), 0.0]);
    let mut text = format!(
        "<geom name=\"{GROUND}\" type=\"plane\" size=\"0 0 1\" quat=\"{quat}\" {}/>",
        touch(scene.friction)
    );
    for (x, y) in (-CELLS..=CELLS).flat_map(|x| (-CELLS..=CELLS).map(move |y| (x, y))) {
        let (at_x, at_y) = (f64::from(x) * CELL, f64::from(y) * CELL);
        let (random, near) = (noise.unit(), at_x.abs().max(at_y.abs()) < START);
        let (height, friction) = match scene.terrain {
            Terrain::Steps { height, .. } if !near => (height * random, scene.friction),
            // The lower friction of two counts only where it has the say.
            Terrain::Patches { friction, .. } if !near && random < 1.0 / 3.0 => (PATCH, friction),
            _ => continue,
        };
        let priority = i32::from(matches!(scene.terrain, Terrain::Patches { .. }));
        let size = numbers(&[CELL / 2.0, CELL / 2.0, height / 2.0 + 0.05]);
        let pos = numbers(&[at_x, at_y, height / 2.0 - 0.05]);
        let _ = write!(
            text,
            "<geom name=\"{GROUND}/{x}/{y}\" type=\"box\" size=\"{size}\" pos=\"{pos}\" priority=\"{priority}\" {}/>",
            touch(friction)
        );
    }
    text
}

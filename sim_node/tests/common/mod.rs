//! The example robots as config/ has them, and what became of a command.

#![allow(dead_code, clippy::unwrap_used)]

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector2, Vector3};
use sim_node::{Lockstep, RobotFiles};
use std::path::Path;

/// One of `pony`, `hexapod`, `quadruped`.
pub fn robot(name: &str) -> RobotFiles {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config");
    let folder = if name == "pony" { config.clone() } else { config.join(name) };
    RobotFiles::read(&folder, &config.join(format!("{name}.urdf"))).unwrap()
}

/// A command for some time, and what became of it in the axes of its start: x, y, m, and heading, rad.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    pub wanted: [f64; 3],
    pub moved: [f64; 3],
    /// The largest tilt on the way, rad.
    pub tilt: f64,
    pub is_up: bool,
}

impl Stretch {
    /// Whether the true end lies within a tenth of the commanded way and turn from the commanded end.
    pub fn is_within_a_tenth(&self) -> bool {
        let [x, y, yaw] = self.wanted;
        let [mx, my, turned] = self.moved;
        let (way, off) = (x.hypot(y), (mx - x).hypot(my - y));
        (way < 1e-9 || off < 0.1 * way) && (yaw == 0.0 || (turned - yaw).abs() < 0.1 * yaw.abs())
    }
}

/// Where a constant twist ends: the exponential of SE(2).
pub fn arc(forward: f64, left: f64, turn: f64) -> Vector2<f64> {
    let (s, c) = if turn.abs() < 1e-9 { (1.0, 0.0) } else { (turn.sin() / turn, (1.0 - turn.cos()) / turn) };
    Vector2::new(s * forward - c * left, c * forward + s * left)
}

/// Where the base would be without its sway: some centimetres to one side and the other, which are no way.
fn walks_at(robot: &mut Lockstep) -> Isometry3<f64> {
    let sway = robot.gait().sway().push(0.0);
    let base = robot.truth().base;
    let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), base.rotation.euler_angles().2);
    Translation3::from(heading * -sway) * base
}

/// One command (m/s ahead and to the left, rad/s) for so long, s. Turns of half a circle and more are told by their end alone.
pub fn stretch(robot: &mut Lockstep, velocity: [f64; 3], seconds: f64) -> Stretch {
    let before = walks_at(robot);
    robot.take_tilt();
    let is_up = robot.go(velocity, seconds).unwrap();
    let moved = before.inverse() * walks_at(robot);
    let [forward, left, turn] = velocity.map(|v| v * seconds);
    let (wanted, at) = (arc(forward, left, turn), moved.translation);
    let turned = moved.rotation.euler_angles().2;
    let turned = turn + (turned - turn + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
        - std::f64::consts::PI;
    Stretch {
        wanted: [wanted.x, wanted.y, turn],
        moved: [at.x, at.y, turned],
        tilt: robot.take_tilt(),
        is_up,
    }
}

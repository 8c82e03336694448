//! How a robot's base moves, and what acts on it.

use nalgebra::{UnitQuaternion, Vector3};

/// How the root link moves. Vectors are in the root link's own axes. Its velocity does not matter: physics is the same for
/// whoever moves along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseMotion {
    /// Turns the root link's axes into the world's, whose Oz points up.
    pub orientation: UnitQuaternion<f64>,
    /// Angular velocity of the base, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Angular acceleration of the base, rad/s².
    pub angular_acceleration: Vector3<f64>,
    /// Rate of the origin's velocity over the ground, m/s²: zero for a robot at rest, and what an accelerometer there shows
    /// plus gravity. Pinocchio's spatial acceleration is this minus ω × v.
    pub linear_acceleration: Vector3<f64>,
}

impl Default for BaseMotion {
    /// Level and at rest.
    fn default() -> Self {
        Self {
            orientation: UnitQuaternion::identity(),
            angular_velocity: Vector3::zeros(),
            angular_acceleration: Vector3::zeros(),
            linear_acceleration: Vector3::zeros(),
        }
    }
}

/// A force and a moment about the origin of the frame in which they are given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench {
    /// Force at the origin of the axes, N.
    pub force: Vector3<f64>,
    /// Moment about the origin of the axes, N·m.
    pub moment: Vector3<f64>,
}

impl Wrench {
    /// Neither force nor moment.
    pub const ZERO: Self = Self { force: Vector3::new(0.0, 0.0, 0.0), moment: Vector3::new(0.0, 0.0, 0.0) };
}

/// What a motion takes.
#[derive(Debug, Clone, Copy)]
pub struct Efforts<'a> {
    /// Of each joint in model joint order, N·m or N. A mimic joint's is carried by its master, times the mimic's multiplier.
    pub joints: &'a [f64],
    /// What has to act on the robot from outside, in the root link's frame: on a standing robot the ground does it.
    pub base: Wrench,
}

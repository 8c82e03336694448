//! How the robot really is.

use nalgebra::{Isometry3, Vector3};

/// What is true of one foot.
#[derive(Clone, Debug, PartialEq)]
pub struct FootTruth {
    /// The chain that ends with it.
    pub chain: String,
    /// Mean of the centres of the spheres that it touches the ground with, m in the world.
    pub position: Vector3<f64>,
    /// What the ground gives it, N in the axes of the world.
    pub force: Vector3<f64>,
    /// The moment of that about its position, N·m in the axes of the world.
    pub moment: Vector3<f64>,
}

/// How the robot is at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Pose of the base in the world.
    pub base: Isometry3<f64>,
    /// Velocity of its origin, m/s in the axes of the world.
    pub velocity: Vector3<f64>,
    /// Angular velocity, rad/s in its own axes.
    pub turning: Vector3<f64>,
    /// Angles of the driven joints, rad, in the order of the drives.
    pub positions: Vec<f64>,
    /// Their velocities, rad/s.
    pub velocities: Vec<f64>,
    /// What their servos give them: motor less viscous friction, N·m.
    pub efforts: Vec<f64>,
    /// Each foot, in the order of the chains.
    pub feet: Vec<FootTruth>,
    /// Whether something else than a foot is on the ground.
    pub body_touches: bool,
}

impl Truth {
    /// Share of the weight on each foot, 0 … 1; 0 of all in the air.
    pub fn shares(&self) -> impl Iterator<Item = f64> {
        let weight: f64 = self.feet.iter().map(|foot| foot.force.norm()).sum();
        self.feet.iter().map(move |foot| foot.force.norm() / weight.max(1e-9))
    }

    /// Angle between the base's up and the world's, rad.
    pub fn tilt(&self) -> f64 {
        (self.base.rotation * Vector3::z()).z.clamp(-1.0, 1.0).acos()
    }
}

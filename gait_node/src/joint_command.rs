//! What the joints are told in a cycle.

use crate::segment::State;

/// Positions and velocities of all joints, in the model's order.
#[derive(Clone, Debug, PartialEq)]
pub struct JointCommand {
    /// rad.
    pub position: Vec<f64>,
    /// rad/s.
    pub velocity: Vec<f64>,
}

impl JointCommand {
    /// All at rest.
    pub fn rest(position: Vec<f64>) -> JointCommand {
        JointCommand { velocity: vec![0.0; position.len()], position }
    }

    /// One joint.
    pub fn state(&self, joint: usize) -> State {
        State { v: self.velocity[joint], ..State::rest(self.position[joint]) }
    }

    /// Whether all joints rest in a pose, to within `tolerance` (rad).
    pub fn rests_at(&self, pose: &[f64], tolerance: f64) -> bool {
        self.velocity.iter().all(|speed| *speed == 0.0)
            && self.position.iter().zip(pose).all(|(q, pose)| (q - pose).abs() < tolerance)
    }
}

//! Motions that come as messages.

use crate::{Trajectory, TrajectoryPoint, trajectory_through};
use node_lib::r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};

/// The motion of a message.
pub fn of_message(msg: &JointTrajectory) -> anyhow::Result<Trajectory> {
    let point = |point: &JointTrajectoryPoint| TrajectoryPoint {
        time: f64::from(point.time_from_start.sec) + 1e-9 * f64::from(point.time_from_start.nanosec),
        positions: point.positions.clone(),
        velocities: point.velocities.clone(),
        accelerations: point.accelerations.clone(),
    };
    let points: Vec<TrajectoryPoint> = msg.points.iter().map(point).collect();
    trajectory_through(&msg.joint_names, &points).map_err(anyhow::Error::msg)
}

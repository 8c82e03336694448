//! Motions that come as messages.

use crate::{Channel, Interpolation, Score};
use anyhow::ensure;
use node_lib::r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};

/// The motion of a message. Velocities and accelerations are given in every point or in none.
pub fn score(msg: &JointTrajectory) -> anyhow::Result<Score> {
    let joints = msg.joint_names.len();
    let given = |what: &str, values: fn(&JointTrajectoryPoint) -> &Vec<f64>| {
        let any = msg.points.iter().any(|point| !values(point).is_empty());
        for (number, point) in msg.points.iter().enumerate() {
            let found = values(point).len();
            ensure!(!any || found == joints, "point {}: {found} {what} for {joints} joints", number + 1);
        }
        Ok(any)
    };
    ensure!(given("positions", |p| &p.positions)?, "no positions");
    let velocities = given("velocities", |p| &p.velocities)?;
    let accelerations = given("accelerations", |p| &p.accelerations)?;
    let seconds = |point: &JointTrajectoryPoint| {
        f64::from(point.time_from_start.sec) + 1e-9 * f64::from(point.time_from_start.nanosec)
    };
    let column = |joint: usize, given: bool, values: fn(&JointTrajectoryPoint) -> &Vec<f64>| {
        let points = msg.points.iter().filter(|_| given);
        points.map(|point| values(point)[joint]).collect()
    };
    let channel = |(joint, name): (usize, &String)| Channel {
        name: name.clone(),
        position: column(joint, true, |p| &p.positions),
        velocity: column(joint, velocities, |p| &p.velocities),
        acceleration: column(joint, accelerations, |p| &p.accelerations),
    };
    Ok(Score {
        // As ros2_control does it.
        interpolation: if accelerations { Interpolation::Quintic } else { Interpolation::Cubic },
        times: msg.points.iter().map(seconds).collect(),
        channels: msg.joint_names.iter().enumerate().map(channel).collect(),
    })
}

//! Motions point by point, as `trajectory_msgs/JointTrajectory` has them.

use crate::trajectory::{Interpolation, JointTrack, Trajectory};

/// All joints at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrajectoryPoint {
    /// s.
    pub time: f64,
    /// rad, one for each joint.
    pub positions: Vec<f64>,
    /// rad/s, one for each joint or none.
    pub velocities: Vec<f64>,
    /// rad/s², one for each joint or none.
    pub accelerations: Vec<f64>,
}

type Values = fn(&TrajectoryPoint) -> &Vec<f64>;

/// The motion of joints through points. Velocities and accelerations are given in every point or in none.
pub fn trajectory_through(joints: &[String], points: &[TrajectoryPoint]) -> Result<Trajectory, String> {
    let given = |what: &str, values: Values| {
        let any = points.iter().any(|point| !values(point).is_empty());
        match points.iter().position(|point| any && values(point).len() != joints.len()) {
            None => Ok(any),
            Some(at) => {
                let found = values(&points[at]).len();
                Err(format!("point {}: {found} {what} for {} joints", at + 1, joints.len()))
            }
        }
    };
    if !given("positions", |p| &p.positions)? {
        return Err("no positions".into());
    }
    let velocities = given("velocities", |p| &p.velocities)?;
    let accelerations = given("accelerations", |p| &p.accelerations)?;
    let column = |joint: usize, given: bool, values: Values| {
        points.iter().filter(|_| given).map(|point| values(point)[joint]).collect()
    };
    let track = |(joint, name): (usize, &String)| JointTrack {
        name: name.clone(),
        position: column(joint, true, |p| &p.positions),
        velocity: column(joint, velocities, |p| &p.velocities),
        acceleration: column(joint, accelerations, |p| &p.accelerations),
    };
    Ok(Trajectory {
        // As ros2_control does it.
        interpolation: if accelerations { Interpolation::Quintic } else { Interpolation::Cubic },
        times: points.iter().map(|point| point.time).collect(),
        tracks: joints.iter().enumerate().map(track).collect(),
    })
}

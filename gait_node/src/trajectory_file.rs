//! Files that hold a `trajectory_msgs/JointTrajectory`: as `ros2 topic echo` prints it, or as `ros2 bag record` keeps it.

use crate::trajectory::Trajectory;
use crate::trajectory_points::{TrajectoryPoint, trajectory_through};
use crate::yaml_pieces::{list, number, numbers, pairs, word};
use anyhow::{Context, anyhow};
use bag_lib::{CdrError, Reader, first_message};
use param_lib::{Node, Tree};

/// The type, as recordings name it.
const TYPE: &str = "trajectory_msgs/msg/JointTrajectory";

/// The first trajectory of an mcap file.
pub fn recorded_trajectory(file: &[u8]) -> anyhow::Result<Trajectory> {
    let message = first_message(file, TYPE)?.with_context(|| format!("the recording has no {TYPE}"))?;
    let (joints, points) = decode(&message)?;
    trajectory_through(&joints, &points).map_err(|e| anyhow!(e))
}

fn decode(message: &[u8]) -> Result<(Vec<String>, Vec<TrajectoryPoint>), CdrError> {
    let mut reader = Reader::new(message)?;
    reader.header()?;
    let (mut joints, mut points) = (vec![], vec![]);
    reader.texts(&mut joints)?;
    for _ in 0..reader.u32()? {
        let mut point = TrajectoryPoint::default();
        reader.f64s(&mut point.positions)?;
        reader.f64s(&mut point.velocities)?;
        reader.f64s(&mut point.accelerations)?;
        reader.f64s(&mut vec![])?;
        point.time = f64::from(reader.u32()?.cast_signed()) + 1e-9 * f64::from(reader.u32()?);
        points.push(point);
    }
    Ok((joints.into_iter().map(str::to_string).collect(), points))
}

/// A message as `ros2 topic echo` prints it.
pub fn printed_trajectory(tree: &Tree) -> Result<Trajectory, String> {
    let (mut joints, mut points) = (vec![], vec![]);
    for (key, value) in pairs(tree, "the file")? {
        match key.as_str() {
            "header" => {}
            "joint_names" => joints = list(value, key)?.iter().map(word).collect::<Result<_, _>>()?,
            "points" => points = list(value, key)?.iter().map(point).collect::<Result<_, _>>()?,
            _ => {
                return Err(format!("line {}: \"{key}\" is none of header, joint_names, points", value.line));
            }
        }
    }
    trajectory_through(&joints, &points)
}

fn point(tree: &Tree) -> Result<TrajectoryPoint, String> {
    if matches!(&tree.node, Node::Scalar(text, _) if text == "...") {
        return Err(format!(
            "line {}: ros2 topic echo has left points out here; with --full-length it prints all",
            tree.line
        ));
    }
    let mut point = TrajectoryPoint::default();
    for (key, value) in pairs(tree, "a point")? {
        match key.as_str() {
            "positions" => point.positions = numbers(value, key)?,
            "velocities" => point.velocities = numbers(value, key)?,
            "accelerations" => point.accelerations = numbers(value, key)?,
            "effort" => {}
            "time_from_start" => {
                for (unit, amount) in pairs(value, key)? {
                    let amount = number(key, (0, amount))?;
                    match unit.as_str() {
                        "sec" => point.time += amount,
                        "nanosec" => point.time += 1e-9 * amount,
                        _ => return Err(format!("line {}: time_from_start has sec and nanosec", value.line)),
                    }
                }
            }
            _ => return Err(format!("line {}: \"{key}\" is no part of a point", value.line)),
        }
    }
    Ok(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion_file::read_motion;
    use bag_lib::{Bag, Topic, Writer};

    #[test]
    fn a_trajectory_as_ros2_topic_echo_prints_it() {
        // Printed by `ros2 topic echo` of ROS 2 Jazzy.
        let echo = "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\njoint_names:\n- neck_yaw\n- tail_yaw\npoints:\n\
            - positions:\n  - 0.1\n  - 0.2\n  velocities: []\n  accelerations: []\n  effort: []\n  time_from_start:\n    sec: 1\n    nanosec: 500000000\n\
            - positions:\n  - 0.3\n  - 0.4\n  velocities: []\n  accelerations: []\n  effort: []\n  time_from_start:\n    sec: 2\n    nanosec: 0\n---\n";
        let trajectory = read_motion(echo).unwrap();
        let file = "times: [1.5, 2.0]\njoints: {neck_yaw: [0.1, 0.3], tail_yaw: [0.2, 0.4]}\n";
        assert_eq!(trajectory, read_motion(file).unwrap());
        let long = echo.replace("---\n", "- '...'\n---\n");
        assert!(read_motion(&long).unwrap_err().contains("--full-length"));
        let why = |text: &str| read_motion(text).unwrap_err();
        assert_eq!(
            why("joint_names: [a]\npoints: [{positions: [1, 2]}]"),
            "point 1: 2 positions for 1 joints"
        );
        assert_eq!(
            why("joint_names: [a]\npoint: []"),
            "line 2: \"point\" is none of header, joint_names, points"
        );
        assert_eq!(
            why("joint_names: [a]\npoints: [{position: [1]}]"),
            "line 2: \"position\" is no part of a point"
        );
    }

    #[test]
    fn the_first_trajectory_of_a_recording() {
        let folder = std::env::temp_dir().join(format!("gaitway_trajectory_{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let topics = [("/joints", "sensor_msgs/msg/JointState"), ("/joint_trajectory", TYPE)];
        let topics = topics.map(|(name, kind)| Topic::new(name, kind, String::new()));
        let mut bag = Bag::create(&folder.join("nod.mcap"), "a test").unwrap();
        let mut cdr = Writer::default();
        cdr.begin().header(1, "").texts(&["neck_yaw"]).f64_array(&[9.0]).f64_array(&[]).f64_array(&[]);
        bag.write(0, &topics[0], 1, cdr.message()).unwrap();
        cdr.begin().header(2, "").texts(&["neck_yaw", "tail_yaw"]).u32(2);
        for (positions, sec, nanosec) in [([0.1, 0.2], 1, 500_000_000), ([0.3, 0.4], 2, 0)] {
            cdr.f64_array(&positions)
                .f64_array(&[0.0, 0.5])
                .f64_array(&[])
                .f64_array(&[])
                .u32(sec)
                .u32(nanosec);
        }
        bag.write(1, &topics[1], 2, cdr.message()).unwrap();
        let file = std::fs::read(bag.finish().unwrap()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        let text = "times: [1.5, 2.0]\njoints: {neck_yaw: [0.1, 0.3], tail_yaw: [0.2, 0.4]}\n\
            velocities: {neck_yaw: [0.0, 0.0], tail_yaw: [0.5, 0.5]}\n";
        assert_eq!(read_motion(&file).unwrap(), read_motion(text).unwrap());
        assert!(read_motion(&file[..100]).is_err());
    }
}

//! Motion files, YAML or JSON:
//!
//! ```yaml
//! interpolation: cubic            # or quintic
//! times: [1.0, 1.8, 3.0]          # s; the first is the time to get there from any pose
//! joints:
//!   neck_pitch: [0.0, 0.5, 0.0]   # rad, one for each time
//!   support/leg1: [1, 1, 1]       # whether a leg stands, from that time on
//! velocities:                     # where wanted, rad/s
//!   neck_pitch: [0.0, 0.0, 0.0]
//! ```
//!
//! or a `trajectory_msgs/JointTrajectory` as `ros2 topic echo` prints it.

use crate::score::{Channel, Interpolation, Score};
use crate::trajectory::{TrajectoryPoint, trajectory_score};
use param_lib::{Node, Tree, read_tree};
use std::collections::HashMap;

/// Reads a motion file. The error names the line, and the key where there is one.
pub fn read_motion(text: &str) -> Result<Score, String> {
    // What `ros2 topic echo` prints after every message begins a document that never comes.
    let text = text.trim_end();
    let tree = read_tree(text.strip_suffix("\n---").unwrap_or(text)).map_err(|e| e.to_string())?;
    let tree = tree.ok_or("the file is empty")?;
    if pairs(&tree, "the file")?.iter().any(|(key, _)| key == "joint_names") {
        return read_trajectory(&tree);
    }
    let mut score = Score { interpolation: Interpolation::Cubic, times: vec![], channels: vec![] };
    let mut velocities = vec![];
    for (key, value) in pairs(&tree, "the file")? {
        match key.as_str() {
            "interpolation" => score.interpolation = interpolation(value)?,
            "times" => score.times = numbers(value, "times")?,
            "joints" => {
                for (name, positions) in pairs(value, "joints")? {
                    let position = numbers(positions, name)?;
                    score.channels.push(Channel { name: name.clone(), position, ..Channel::default() });
                }
            }
            "velocities" => velocities = pairs(value, "velocities")?.iter().collect(),
            "description" => {}
            _ => {
                let known = "interpolation, times, joints, velocities, description";
                return Err(format!("line {}: \"{key}\" is none of {known}", value.line));
            }
        }
    }
    let places: HashMap<String, usize> =
        score.channels.iter().enumerate().map(|(at, channel)| (channel.name.clone(), at)).collect();
    for (name, value) in velocities {
        let place = places.get(name);
        let place =
            place.ok_or_else(|| format!("line {}: \"{name}\" is not among the joints", value.line))?;
        score.channels[*place].velocity = numbers(value, name)?;
    }
    Ok(score)
}

/// A message as `ros2 topic echo` prints it.
fn read_trajectory(tree: &Tree) -> Result<Score, String> {
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
    trajectory_score(&joints, &points)
}

fn point(tree: &Tree) -> Result<TrajectoryPoint, String> {
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

fn word(tree: &Tree) -> Result<String, String> {
    match &tree.node {
        Node::Scalar(word, _) => Ok(word.clone()),
        _ => Err(format!("line {}: a name is expected", tree.line)),
    }
}

fn list<'a>(tree: &'a Tree, key: &str) -> Result<&'a [Tree], String> {
    match &tree.node {
        Node::List(items) => Ok(items),
        _ => Err(format!("line {}: \"{key}\" must be a list", tree.line)),
    }
}

fn pairs<'a>(tree: &'a Tree, what: &str) -> Result<&'a [(String, Tree)], String> {
    match &tree.node {
        Node::Map(pairs) => Ok(pairs),
        _ => Err(format!("line {}: {what} must be names with values", tree.line)),
    }
}

fn interpolation(tree: &Tree) -> Result<Interpolation, String> {
    let word = match &tree.node {
        Node::Scalar(word, _) => Interpolation::from_word(word),
        _ => None,
    };
    word.ok_or_else(|| format!("line {}: interpolation is cubic or quintic", tree.line))
}

fn numbers(tree: &Tree, key: &str) -> Result<Vec<f64>, String> {
    let Node::List(items) = &tree.node else {
        return Err(format!("line {}: \"{key}\" must be a list of numbers", tree.line));
    };
    items.iter().enumerate().map(|item| number(key, item)).collect()
}

fn number(key: &str, (at, item): (usize, &Tree)) -> Result<f64, String> {
    let wrong = |what: &str| format!("line {}: \"{key}\": value number {} is {what}", item.line, at + 1);
    match &item.node {
        Node::Scalar(text, true) if text.is_empty() || text == "~" || text == "null" => Err(wrong("missing")),
        // YAML's own spelling and Rust's.
        Node::Scalar(text, true)
            if text.to_lowercase().contains("nan") || text.to_lowercase().contains("inf") =>
        {
            Err(wrong("not finite"))
        }
        Node::Scalar(text, true) => text.parse::<f64>().map_err(|_| wrong(&format!("no number: {text}"))),
        _ => Err(wrong("no number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_say_the_same() {
        let yaml = "interpolation: quintic\ntimes: [0.5, 1]\njoints:\n  a: [0, 1.5e-1]\n  support/leg1: [1, 0]\nvelocities: {a: [0.0, -1]}\n";
        let json = r#"{"interpolation": "quintic", "times": [0.5, 1],
            "joints": {"a": [0, 0.15], "support/leg1": [1, 0]}, "velocities": {"a": [0.0, -1]}}"#;
        let score = read_motion(yaml).unwrap();
        assert_eq!(score, read_motion(json).unwrap());
        assert_eq!(score.times, [0.5, 1.0]);
        assert_eq!((score.channels[0].position[1], score.channels[0].velocity[1]), (0.15, -1.0));
    }

    #[test]
    fn a_trajectory_as_ros2_topic_echo_prints_it() {
        // Printed by `ros2 topic echo` of ROS 2 Jazzy.
        let echo = "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: ''\njoint_names:\n- neck_yaw\n- tail_yaw\npoints:\n\
            - positions:\n  - 0.1\n  - 0.2\n  velocities: []\n  accelerations: []\n  effort: []\n  time_from_start:\n    sec: 1\n    nanosec: 500000000\n\
            - positions:\n  - 0.3\n  - 0.4\n  velocities: []\n  accelerations: []\n  effort: []\n  time_from_start:\n    sec: 2\n    nanosec: 0\n---\n";
        let score = read_motion(echo).unwrap();
        let file = "times: [1.5, 2.0]\njoints: {neck_yaw: [0.1, 0.3], tail_yaw: [0.2, 0.4]}\n";
        assert_eq!(score, read_motion(file).unwrap());
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
    fn what_is_wrong_is_named_with_its_line() {
        let why = |text: &str| read_motion(text).unwrap_err();
        assert_eq!(
            why("times: [0, 1]\njoints:\n  a: [0, .nan]"),
            "line 3: \"a\": value number 2 is not finite"
        );
        assert_eq!(why("times: [0, 1]\njoints:\n  a: [0, null]"), "line 3: \"a\": value number 2 is missing");
        assert_eq!(
            why("times: [0, 1]\njoints:\n  a: [0, x]"),
            "line 3: \"a\": value number 2 is no number: x"
        );
        assert_eq!(why("times: 3"), "line 1: \"times\" must be a list of numbers");
        assert_eq!(
            why("time: [3]"),
            "line 1: \"time\" is none of interpolation, times, joints, velocities, description"
        );
        assert_eq!(why("interpolation: linear"), "line 1: interpolation is cubic or quintic");
        assert_eq!(why("joints: {a: [1]}\nvelocities: {b: [1]}"), "line 2: \"b\" is not among the joints");
        assert!(why("").contains("empty"));
        assert!(why("{\"times\": [0, 1").contains("line"));
    }
}

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
//! or a `trajectory_msgs/JointTrajectory` as `ros2 topic echo` prints it, or the first one of a recording (mcap).

use crate::trajectory::{Interpolation, JointTrack, Trajectory};
use crate::trajectory_file::{printed_trajectory, recorded_trajectory};
use crate::yaml_pieces::{numbers, pairs};
use bag_lib::is_mcap;
use param_lib::{Node, Tree, read_tree};
use std::collections::HashMap;

/// Reads a motion file. The error names the line, and the key where there is one.
pub fn read_motion(file: impl AsRef<[u8]>) -> Result<Trajectory, String> {
    let file = file.as_ref();
    if is_mcap(file) {
        return recorded_trajectory(file).map_err(|e| format!("{e:#}"));
    }
    read_text(std::str::from_utf8(file).map_err(|_| "it is neither text nor a recording (mcap)")?)
}

fn read_text(text: &str) -> Result<Trajectory, String> {
    // What `ros2 topic echo` prints after every message begins a document that never comes.
    let text = text.trim_end();
    let tree = read_tree(text.strip_suffix("\n---").unwrap_or(text)).map_err(|e| e.to_string())?;
    let tree = tree.ok_or("the file is empty")?;
    if pairs(&tree, "the file")?.iter().any(|(key, _)| key == "joint_names") {
        return printed_trajectory(&tree);
    }
    let mut trajectory = Trajectory { interpolation: Interpolation::Cubic, times: vec![], tracks: vec![] };
    let mut velocities = vec![];
    for (key, value) in pairs(&tree, "the file")? {
        match key.as_str() {
            "interpolation" => trajectory.interpolation = interpolation(value)?,
            "times" => trajectory.times = numbers(value, "times")?,
            "joints" => {
                for (name, positions) in pairs(value, "joints")? {
                    let position = numbers(positions, name)?;
                    trajectory.tracks.push(JointTrack {
                        name: name.clone(),
                        position,
                        ..JointTrack::default()
                    });
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
        trajectory.tracks.iter().enumerate().map(|(at, track)| (track.name.clone(), at)).collect();
    for (name, value) in velocities {
        let place = places.get(name);
        let place =
            place.ok_or_else(|| format!("line {}: \"{name}\" is not among the joints", value.line))?;
        trajectory.tracks[*place].velocity = numbers(value, name)?;
    }
    Ok(trajectory)
}

fn interpolation(tree: &Tree) -> Result<Interpolation, String> {
    let word = match &tree.node {
        Node::Scalar(word, _) => Interpolation::from_word(word),
        _ => None,
    };
    word.ok_or_else(|| format!("line {}: interpolation is cubic or quintic", tree.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_json_say_the_same() {
        let yaml = "interpolation: quintic\ntimes: [0.5, 1]\njoints:\n  a: [0, 1.5e-1]\n  support/leg1: [1, 0]\nvelocities: {a: [0.0, -1]}\n";
        let json = r#"{"interpolation": "quintic", "times": [0.5, 1],
            "joints": {"a": [0, 0.15], "support/leg1": [1, 0]}, "velocities": {"a": [0.0, -1]}}"#;
        let trajectory = read_motion(yaml).unwrap();
        assert_eq!(trajectory, read_motion(json).unwrap());
        assert_eq!(trajectory.times, [0.5, 1.0]);
        assert_eq!((trajectory.tracks[0].position[1], trajectory.tracks[0].velocity[1]), (0.15, -1.0));
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
        // The key's line, not that in which its value begins.
        assert!(why("times: [1]\nspeeds:\n  a:\n    - 1\n").starts_with("line 2: \"speeds\" is none of"));
        assert!(read_motion([0xff, 0xfe]).unwrap_err().contains("neither text nor a recording"));
        assert!(why("").contains("empty"));
        assert!(why("{\"times\": [0, 1").contains("line"));
    }
}

//! `metadata.yaml`, which makes a folder a rosbag2.

use std::fmt::Write;

use anyhow::bail;
use param_lib::{Node, Tree, read_tree};

/// As ROS 2 Humble wrote it; every later rosbag2 reads it.
const VERSION: u32 = 5;

/// The storage files that it names, in order; messages that are packed one by one show that themselves.
pub(crate) fn files(text: &str) -> anyhow::Result<Vec<String>> {
    let Some(tree) = read_tree(text)? else { return Ok(vec![]) };
    let Some(information) = entry(&tree, "rosbag2_bagfile_information") else {
        bail!("it has no rosbag2_bagfile_information");
    };
    let Some(paths) = entry(information, "relative_file_paths") else { return Ok(vec![]) };
    let Node::List(paths) = &paths.node else {
        bail!("line {}: relative_file_paths is no list", paths.line);
    };
    let name = |path: &Tree| match &path.node {
        Node::Scalar(name, _) => inside(name, path.line),
        _ => bail!("line {}: a file's name is no text", path.line),
    };
    paths.iter().map(name).collect()
}

fn entry<'a>(tree: &'a Tree, name: &str) -> Option<&'a Tree> {
    let Node::Map(pairs) = &tree.node else { return None };
    pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Storage files lie beside metadata.yaml. Before version 4 their paths began with the folder's own name.
fn inside(path: &str, line: usize) -> anyhow::Result<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with('/') || name.is_empty() || path.split('/').any(|part| part == "..") {
        bail!("line {line}: \"{path}\" does not lie in the bag");
    }
    Ok(name.to_owned())
}

/// What is told of a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TopicCount {
    pub name: String,
    pub kind: String,
    pub encoding: String,
    /// YAML within the YAML, as rosbag2 keeps it.
    pub qos: String,
    pub messages: u64,
}

/// The text for one storage file with these topics, the first and last time in ns.
pub(crate) fn write(file: &str, topics: &[TopicCount], times: Option<(u64, u64)>) -> String {
    let (start, last) = times.unwrap_or((0, 0));
    let (duration, total) = (last.saturating_sub(start), topics.iter().map(|t| t.messages).sum::<u64>());
    let file = quoted(file);
    let mut text = format!(
        "rosbag2_bagfile_information:\n  version: {VERSION}\n  storage_identifier: mcap\n  duration:\n    nanoseconds: {duration}\n  \
         starting_time:\n    nanoseconds_since_epoch: {start}\n  message_count: {total}\n  topics_with_message_count:"
    );
    text.push_str(if topics.is_empty() { " []\n" } else { "\n" });
    for topic in topics {
        let (name, kind) = (quoted(&topic.name), quoted(&topic.kind));
        let (encoding, qos) = (quoted(&topic.encoding), quoted(&topic.qos));
        // A string can always be written to.
        let _ = write!(
            text,
            "    - topic_metadata:\n        name: {name}\n        type: {kind}\n        serialization_format: {encoding}\n        \
             offered_qos_profiles: {qos}\n      message_count: {}\n",
            topic.messages
        );
    }
    let _ = write!(
        text,
        "  compression_format: \"\"\n  compression_mode: \"\"\n  relative_file_paths:\n    - {file}\n  files:\n    - path: {file}\n      \
         starting_time:\n        nanoseconds_since_epoch: {start}\n      duration:\n        nanoseconds: {duration}\n      message_count: {total}\n"
    );
    text
}

/// A double-quoted scalar.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            control if control.is_control() => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_files_are_found_whatever_the_style() {
        let block = "rosbag2_bagfile_information:\n  version: 9\n  relative_file_paths:\n    - walk_0.mcap\n    - \"walk_1.mcap\"\n  \
                     files:\n    - path: other.mcap\n  custom_data: ~\n";
        let flow = "{rosbag2_bagfile_information: {version: 3, relative_file_paths: ['walk/walk_0.mcap', walk_1.mcap]}}";
        for text in [block, flow] {
            assert_eq!(files(text).unwrap(), ["walk_0.mcap", "walk_1.mcap"]);
        }
        assert!(files("").unwrap().is_empty());
        for wrong in ["a: 1", "rosbag2_bagfile_information: {relative_file_paths: 3}", "a: [", "x"] {
            assert!(files(wrong).is_err(), "{wrong}");
        }
        for outside in ["../secret.mcap", "/etc/x.mcap", "a/../b.mcap", "a/"] {
            let text = format!("rosbag2_bagfile_information: {{relative_file_paths: [{outside}]}}");
            assert!(files(&text).unwrap_err().to_string().contains(outside), "{outside}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_yaml_that_says_the_same(name in "[^/\0\u{85}\u{feff}]{1,12}", qos in "[ -~\n]{0,40}") {
            prop_assume!(name != "..");
            let topics = [TopicCount { name: "/odom".into(), qos: qos.clone(), messages: 3, ..TopicCount::default() }];
            let text = write(&name, &topics, Some((5, 9)));
            prop_assert_eq!(files(&text).unwrap(), vec![name]);
            let tree = read_tree(&text).unwrap().unwrap();
            let information = entry(&tree, "rosbag2_bagfile_information").unwrap();
            let Node::List(list) = &entry(information, "topics_with_message_count").unwrap().node else { panic!() };
            let profiles = entry(entry(&list[0], "topic_metadata").unwrap(), "offered_qos_profiles").unwrap();
            let Node::Scalar(found, _) = &profiles.node else { panic!() };
            prop_assert_eq!(found, &qos);
        }
    }
}

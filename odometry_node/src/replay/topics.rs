//! Which topics of a bag are read.

use anyhow::bail;

/// What a topic is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Joints.
    Joints,
    /// Supports.
    Support,
    /// The body as somebody else knows it.
    Body,
    /// The control cycle.
    Sync,
}

impl Role {
    /// The node's own name for it.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].1
    }
}

const TYPES: [(Role, &str, &str); 4] = [
    (Role::Joints, "joints", "sensor_msgs/msg/JointState"),
    (Role::Support, "support", "gait_msgs/msg/SupportState"),
    (Role::Body, "body_in", "sensor_msgs/msg/MultiDOFJointState"),
    (Role::Sync, "sync", "gait_msgs/msg/SyncStep"),
];

/// Names of the topics: as given, or else whatever ends like the node's own (`/joints`, `/robot/joints`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topics {
    given: [Option<String>; 4],
    /// What each role was found under.
    found: [Option<String>; 4],
    /// Every topic that the bag has, with its type.
    seen: Vec<(String, String)>,
}

impl Topics {
    /// Names the topic of a role; an empty name means that none is read.
    pub fn give(&mut self, role: Role, topic: &str) {
        let topic =
            if topic.is_empty() || topic.starts_with('/') { topic.into() } else { format!("/{topic}") };
        self.given[role as usize] = Some(topic);
    }

    /// What a topic of the bag is for, if for anything.
    pub fn role(&mut self, topic: &str, kind: &str) -> anyhow::Result<Option<Role>> {
        if !self.seen.iter().any(|(name, _)| name == topic) {
            self.seen.push((topic.into(), kind.into()));
        }
        for (role, name, wanted) in TYPES {
            let fits = match &self.given[role as usize] {
                Some(given) => given == topic,
                None => topic.rsplit('/').next() == Some(name),
            };
            if !fits {
                continue;
            }
            if kind != wanted {
                bail!("topic {topic} is a {kind}, not a {wanted}");
            }
            match &self.found[role as usize] {
                Some(other) if other != topic => {
                    bail!("both {other} and {topic} could be \"{name}\"; say which (see --help)")
                }
                _ => self.found[role as usize] = Some(topic.into()),
            }
            return Ok(Some(role));
        }
        Ok(None)
    }

    /// What to say when the bag has no joints.
    pub fn no_joints(&self) -> String {
        let wanted = self.given[0].as_deref().unwrap_or("joints");
        let fitting: Vec<&str> = self
            .seen
            .iter()
            .filter(|(_, kind)| kind == TYPES[0].2)
            .map(|(topic, _)| topic.as_str())
            .collect();
        match fitting.as_slice() {
            [] => format!("the bag has no joints: no topic of type {}", TYPES[0].2),
            fitting => {
                format!("the bag has no topic \"{wanted}\"; try --joints with one of: {}", fitting.join(", "))
            }
        }
    }
}

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
    /// An inertial sensor.
    Imu,
    /// Where the body really was, to compare with.
    Truth,
    /// The robot's URDF.
    Description,
}

impl Role {
    /// The node's own name for it.
    pub fn name(self) -> &'static str {
        TYPES[self as usize].1
    }
}

const ODOMETRY: &str = "nav_msgs/msg/Odometry";
const MULTI_DOF: &str = "sensor_msgs/msg/MultiDOFJointState";
const ROLES: usize = 7;
const TYPES: [(Role, &str, &[&str]); ROLES] = [
    (Role::Joints, "joints", &["sensor_msgs/msg/JointState"]),
    (Role::Support, "support", &["gait_msgs/msg/SupportState"]),
    (Role::Body, "body_in", &[MULTI_DOF]),
    (Role::Sync, "sync", &["gait_msgs/msg/SyncStep"]),
    (Role::Imu, "imu", &["sensor_msgs/msg/Imu"]),
    (Role::Truth, "truth/odom", &[ODOMETRY, MULTI_DOF]),
    (Role::Description, "robot_description", &["std_msgs/msg/String"]),
];

/// What is done with a topic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What it is read for, if for anything.
    pub role: Option<Role>,
    /// Whether it goes to the output as it is.
    pub pass: bool,
}

/// Names of the topics: as given, or else whatever ends like the node's own (`/joints`, `/robot/joints`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topics {
    given: [Option<String>; ROLES],
    /// What each role was found under.
    found: [Option<String>; ROLES],
    /// Every topic that the bag has, with its type.
    seen: Vec<(String, String)>,
    /// Topics that are passed on by name.
    pass: Vec<String>,
    pass_all: bool,
    /// What is never passed on with all the others: the replay writes it itself.
    own: Vec<String>,
}

fn absolute(topic: &str) -> String {
    if topic.is_empty() || topic.starts_with('/') { topic.into() } else { format!("/{topic}") }
}

impl Topics {
    /// Names the topic of a role; an empty name means that none is read.
    pub fn give(&mut self, role: Role, topic: &str) {
        self.given[role as usize] = Some(absolute(topic));
    }

    /// Of the same bag, but read for this role alone.
    pub fn only(&self, role: Role) -> Self {
        let mut only = Self {
            given: [const { None }; ROLES].map(|_: Option<()>| Some(String::new())),
            ..Self::default()
        };
        only.given[role as usize].clone_from(&self.given[role as usize]);
        only
    }

    /// Passes a topic on to the output; `*` means all of them.
    pub fn pass(&mut self, topic: &str) {
        match topic {
            "*" => self.pass_all = true,
            topic => self.pass.push(absolute(topic)),
        }
    }

    /// Whether any topic is passed on.
    pub fn passes(&self) -> bool {
        self.pass_all || !self.pass.is_empty()
    }

    /// Keeps topics that the replay itself writes from being passed on as well.
    pub(crate) fn keep_apart(&mut self, own: Vec<String>) -> anyhow::Result<()> {
        if let Some(both) = self.pass.iter().find(|topic| own.contains(topic)) {
            bail!("--pass {both}: the replay writes this topic itself; leave it out");
        }
        self.own = own;
        Ok(())
    }

    /// Topics that should be passed on and are not in the bag.
    pub(crate) fn not_passed(&self) -> impl Iterator<Item = &str> {
        let seen = |topic: &String| self.seen.iter().any(|(name, _)| name == topic);
        self.pass.iter().filter(move |topic| !seen(topic)).map(String::as_str)
    }

    /// What a role was found under.
    pub fn found(&self, role: Role) -> Option<&str> {
        self.found[role as usize].as_deref()
    }

    /// Every topic that was seen, with its type.
    pub fn seen(&self) -> &[(String, String)] {
        &self.seen
    }

    /// What is done with a topic of the bag; None when nothing is.
    pub fn wanted(&mut self, topic: &str, kind: &str) -> anyhow::Result<Option<Wanted>> {
        if !self.seen.iter().any(|(name, _)| name == topic) {
            self.seen.push((topic.into(), kind.into()));
        }
        let named = self.pass.iter().any(|name| name == topic);
        let pass = named || self.pass_all && !self.own.iter().any(|name| name == topic);
        let wanted = Wanted { role: self.role(topic, kind)?, pass };
        Ok((wanted != Wanted::default()).then_some(wanted))
    }

    /// What a topic of the bag is for, if for anything.
    fn role(&mut self, topic: &str, kind: &str) -> anyhow::Result<Option<Role>> {
        for (role, name, kinds) in TYPES {
            let given = &self.given[role as usize];
            let fits = match given {
                Some(given) => given == topic,
                None => topic.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')),
            };
            if !fits {
                continue;
            }
            if !kinds.contains(&kind) {
                // A truth or a sensor that nobody asked for may be anything.
                if matches!(role, Role::Truth | Role::Imu) && given.is_none() {
                    continue;
                }
                bail!("topic {topic} is a {kind}, not a {}", kinds.join(" or a "));
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
        let kind = TYPES[0].2[0];
        let fitting: Vec<&str> =
            self.seen.iter().filter(|(_, found)| found == kind).map(|(topic, _)| topic.as_str()).collect();
        match fitting.as_slice() {
            [] => format!("the bag has no joints: no topic of type {kind}"),
            fitting => {
                format!("the bag has no topic \"{wanted}\"; try --joints with one of: {}", fitting.join(", "))
            }
        }
    }
}

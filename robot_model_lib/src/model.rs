//! The robot: joints in sorted order, chains, contacts and links.

use std::ops::Range;
use std::path::Path;

use crate::sorted::{self, Sorted};
use crate::tree::{Tree, unique};
use crate::{Contact, Limits, MAX_DEPTH_FOR_K, ModelConfig, ModelError, mimic, xml_depth};

/// How an independent joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointKind {
    /// Turns within limits.
    Revolute,
    /// Turns for ever.
    Continuous,
    /// Slides along its axis.
    Prismatic,
}

/// An independent movable joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Its name in the URDF.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// What its mechanics allow.
    pub limits: Limits,
    /// The chain that it belongs to and its place there; `None` for a joint outside all chains.
    pub chain: Option<(usize, usize)>,
}

/// A limb; its joints are neighbours in the sorted order.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Name in the URDF.
    pub name: String,
    /// Index of the link that it is attached to.
    pub first_link: usize,
    /// Index of the link at its end.
    pub last_link: usize,
    /// Indices of its joints, from first to last.
    pub joints: Range<usize>,
    /// Index of its contact unless a message names another.
    pub default_contact: Option<usize>,
}

/// What a joint's name in a message stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointSlot {
    /// An independent joint: its index in the sorted order, and its chain with its place there.
    Joint {
        /// Index in the sorted order.
        index: usize,
        /// The chain and the place in it.
        chain: Option<(usize, usize)>,
    },
    /// A mimic joint, driven by the independent joint of that index: known, but not to be set.
    Mimic {
        /// Index of the independent joint in the sorted order.
        master: usize,
    },
    /// No movable joint has this name.
    Unknown,
}

/// The joint of the tree that moves a link: position = `gain` · q\[`joint`\] + `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drive {
    pub joint: usize,
    pub gain: f64,
    pub offset: f64,
    /// Whether the link's joint is the independent joint itself, not a mimic of it.
    pub own: bool,
}

/// A robot loaded from its URDF. Everything in it is resolved to indices and never changes.
#[derive(Debug, Clone)]
pub struct RobotModel {
    name: String,
    joints: Vec<Joint>,
    chains: Vec<Chain>,
    contacts: Vec<Contact>,
    slots: Vec<(String, JointSlot)>,
    /// Indices of the chains, by name.
    chains_by_name: Vec<usize>,
    pub(crate) tree: Tree,
    /// What moves each link; `None` for the root and below fixed joints.
    pub(crate) drives: Vec<Option<Drive>>,
    robot: urdf_rs::Robot,
}

impl RobotModel {
    /// Loads a robot from the text of its URDF.
    pub fn from_urdf(text: &str, config: &ModelConfig) -> Result<Self, ModelError> {
        xml_depth::check(text)?;
        let robot =
            urdf_rs::read_from_string(text).map_err(|error| ModelError::Malformed(error.to_string()))?;
        Self::from_robot(robot, config)
    }

    /// Loads a robot from a URDF file.
    pub fn from_urdf_file(path: impl AsRef<Path>, config: &ModelConfig) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| ModelError::File { path: path.to_owned(), source })?;
        Self::from_urdf(&text, config)
    }

    fn from_robot(robot: urdf_rs::Robot, config: &ModelConfig) -> Result<Self, ModelError> {
        let tree = Tree::new(&robot)?;
        let follows = mimic::resolve(&robot, &tree)?;
        let contacts = contacts(config)?;
        let Sorted { order, place, chains } = sorted::sort(&robot, &tree, &follows, config, &contacts)?;

        let joints = order
            .iter()
            .map(|&number| joint(&robot.joints[number], place[number].and_then(|(_, chain)| chain)))
            .collect::<Result<_, _>>()?;
        let drive = |number: usize| {
            let follow = follows[number]?;
            let (joint, _) = place[follow.master]?;
            Some(Drive { joint, gain: follow.gain, offset: follow.offset, own: follow.master == number })
        };
        let drives = tree.links.iter().map(|link| drive(link.joint.as_ref()?.urdf)).collect();
        let mut slots: Vec<_> = (0..robot.joints.len())
            .filter_map(|number| {
                let drive = drive(number)?;
                let slot = match place[number] {
                    Some((index, chain)) => JointSlot::Joint { index, chain },
                    None => JointSlot::Mimic { master: drive.joint },
                };
                Some((robot.joints[number].name.clone(), slot))
            })
            .collect();
        slots.sort_by(|a, b| a.0.cmp(&b.0));
        let mut chains_by_name: Vec<usize> = (0..chains.len()).collect();
        chains_by_name.sort_by_key(|&chain| chains[chain].name.as_str());
        let name = robot.name.clone();
        Ok(Self { name, joints, chains, contacts, slots, chains_by_name, tree, drives, robot })
    }

    /// The robot's name in the URDF.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The independent joints in sorted order: chain by chain, then every other in URDF order.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The limbs, in the order of the config.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// The contacts, in the order of the config.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Names of all links, parents before children; the first is the root.
    pub fn link_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tree.links.iter().map(|link| link.name.as_str())
    }

    /// The link that the link of this index hangs on; `None` for the root.
    pub fn parent_link(&self, link: usize) -> Option<usize> {
        self.tree.links.get(link)?.joint.as_ref().map(|joint| joint.parent)
    }

    /// What a joint's name stands for: a binary search, no hashing. See [`crate::NameCache`] for whole messages.
    pub fn find_joint(&self, name: &str) -> JointSlot {
        match self.slots.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(found) => self.slots[found].1,
            Err(_) => JointSlot::Unknown,
        }
    }

    /// Index of the chain of this name: a binary search, no hashing.
    pub fn find_chain(&self, name: &str) -> Option<usize> {
        let found = self.chains_by_name.binary_search_by(|&chain| self.chains[chain].name.as_str().cmp(name));
        found.ok().map(|place| self.chains_by_name[place])
    }

    /// Index of the contact of this name.
    pub fn find_contact(&self, name: &str) -> Option<usize> {
        self.contacts.iter().position(|contact| contact.name == name)
    }

    /// Index of the link of this name.
    pub fn find_link(&self, name: &str) -> Option<usize> {
        self.tree.find(name)
    }

    /// The same robot as a tree of `k`, for work outside the control cycle.
    pub fn to_k(&self) -> Result<k::Chain<f64>, ModelError> {
        if self.tree.depth > MAX_DEPTH_FOR_K {
            return Err(ModelError::TooDeepForK { depth: self.tree.depth, limit: MAX_DEPTH_FOR_K });
        }
        Ok(k::Chain::from(&self.robot))
    }

    /// The URDF as it was read, for visuals, masses and inertias.
    pub fn urdf(&self) -> &urdf_rs::Robot {
        &self.robot
    }
}

fn contacts(config: &ModelConfig) -> Result<Vec<Contact>, ModelError> {
    unique("contact", config.contacts.iter().map(|contact| contact.name.as_str()))?;
    config.contacts.iter().map(Contact::new).collect()
}

fn joint(urdf: &urdf_rs::Joint, chain: Option<(usize, usize)>) -> Result<Joint, ModelError> {
    let kind = match urdf.joint_type {
        urdf_rs::JointType::Prismatic => JointKind::Prismatic,
        urdf_rs::JointType::Continuous => JointKind::Continuous,
        _ => JointKind::Revolute,
    };
    Ok(Joint { name: urdf.name.clone(), kind, limits: Limits::from_urdf(urdf)?, chain })
}

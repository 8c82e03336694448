//! Everything that can be wrong with a robot's description; every message names the culprit.

use std::path::PathBuf;

/// Why a robot could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The text is no URDF.
    #[error("malformed URDF: {0}")]
    Malformed(String),
    /// Elements inside elements, deeper than any URDF needs and than the XML reader's stack allows.
    #[error("malformed URDF: elements are nested deeper than {limit}")]
    NestedTooDeep {
        /// The deepest nesting that is accepted.
        limit: usize,
    },
    /// There is no link at all.
    #[error("the robot has no links")]
    NoLinks,
    /// No joint can move.
    #[error("the robot has no movable joints")]
    NoJoints,
    /// A link or a joint without a name.
    #[error("{what} number {number} has an empty name")]
    EmptyName {
        /// `link`, `joint`, `chain` or `contact`.
        what: &'static str,
        /// Its place in the list, from 1.
        number: usize,
    },
    /// Two things of a kind share a name.
    #[error("{what} \"{name}\" is defined twice")]
    Duplicate {
        /// `link`, `joint`, `chain` or `contact`.
        what: &'static str,
        /// The shared name.
        name: String,
    },
    /// A joint refers to a link that is not there.
    #[error("joint \"{joint}\": {end} link \"{link}\" does not exist")]
    UnknownJointLink {
        /// Name of the joint.
        joint: String,
        /// `parent` or `child`.
        end: &'static str,
        /// The missing link.
        link: String,
    },
    /// A link is the child of two joints.
    #[error("link \"{link}\" is the child of both joint \"{first}\" and joint \"{second}\"")]
    TwoParents {
        /// Name of the link.
        link: String,
        /// One parent joint.
        first: String,
        /// Name of the other one.
        second: String,
    },
    /// More than one link has no parent.
    #[error("links \"{first}\" and \"{second}\" both have no parent: a robot has one root")]
    SeveralRoots {
        /// Name of one root link.
        first: String,
        /// Name of another root link.
        second: String,
    },
    /// A link is its own ancestor.
    #[error("link \"{link}\" is part of a cycle of joints")]
    Cycle {
        /// A link on the cycle or below it.
        link: String,
    },
    /// A joint type with more than one degree of freedom.
    #[error("joint \"{joint}\": type {kind} is not supported (use revolute, continuous, prismatic or fixed)")]
    UnsupportedJoint {
        /// Name of the joint.
        joint: String,
        /// Type that the URDF gives it.
        kind: String,
    },
    /// A number of a joint that is not finite, or an axis of length zero.
    #[error("joint \"{joint}\": {what}")]
    BadJoint {
        /// Name of the joint.
        joint: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A mass or an inertia that no body has.
    #[error("link \"{link}\": {what}")]
    BadLink {
        /// Name of the link.
        link: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A mimic joint follows nothing.
    #[error("joint \"{joint}\" mimics \"{master}\", which {why}")]
    UnknownMaster {
        /// The mimic joint.
        joint: String,
        /// The joint that it should follow.
        master: String,
        /// `does not exist` or `is fixed`.
        why: &'static str,
    },
    /// Mimic joints that follow each other.
    #[error("joint \"{joint}\" mimics itself, directly or through other joints")]
    MimicLoop {
        /// A joint on the loop.
        joint: String,
    },
    /// A chain names a link that is not there.
    #[error("chain \"{chain}\": link \"{link}\" does not exist")]
    UnknownLink {
        /// Name of the chain.
        chain: String,
        /// The missing link.
        link: String,
    },
    /// A chain's ends are not above each other.
    #[error("chain \"{chain}\": link \"{last}\" is not below \"{first}\"")]
    NotAPath {
        /// Name of the chain.
        chain: String,
        /// Its last link.
        last: String,
        /// Its first link.
        first: String,
    },
    /// Nothing moves between a chain's ends.
    #[error("chain \"{chain}\" has no movable joints of its own between \"{first}\" and \"{last}\"")]
    NoJointsInChain {
        /// Name of the chain.
        chain: String,
        /// Its first link.
        first: String,
        /// Its last link.
        last: String,
    },
    /// Two chains claim a joint.
    #[error("joint \"{joint}\" belongs to both chain \"{first}\" and chain \"{second}\"")]
    JointInTwoChains {
        /// Name of the joint.
        joint: String,
        /// Name of one chain.
        first: String,
        /// Name of the other one.
        second: String,
    },
    /// A chain's default contact is not configured.
    #[error("chain \"{chain}\": contact \"{contact}\" does not exist")]
    UnknownContact {
        /// Name of the chain.
        chain: String,
        /// The missing contact.
        contact: String,
    },
    /// A contact's points or normal are unusable.
    #[error("contact \"{contact}\": {what}")]
    BadContact {
        /// Name of the contact.
        contact: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The tree is too deep for the recursive tree of `k`.
    #[error("the robot is {depth} links deep: `k` keeps its tree by recursion and is given at most {limit}")]
    TooDeepForK {
        /// The robot's depth.
        depth: usize,
        /// The deepest tree that is handed to `k`.
        limit: usize,
    },
}

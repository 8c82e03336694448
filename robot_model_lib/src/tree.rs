//! The robot's links as a checked tree in topological order.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Unit, Vector3};
use urdf_rs::JointType;

use crate::ModelError;

/// Deepest tree that [`crate::RobotModel::to_k`] hands to `k`, whose nodes own each other and are
/// dropped and searched by recursion.
pub const MAX_DEPTH_FOR_K: usize = 512;

/// Shorter axes are taken for a slip of the pen: the direction of such a vector is rounding noise.
const SHORTEST_AXIS: f64 = 1e-9;

/// How a link moves relative to its parent; axes are unit vectors in the joint's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Motion {
    Fixed,
    Turn(Unit<Vector3<f64>>),
    Slide(Unit<Vector3<f64>>),
}

/// The joint above a link.
#[derive(Debug, Clone)]
pub(crate) struct TreeJoint {
    /// The joint's place in the URDF.
    pub urdf: usize,
    pub parent: usize,
    pub origin: Isometry3<f64>,
    pub motion: Motion,
}

/// A link; `joint` is `None` for the root only.
#[derive(Debug, Clone)]
pub(crate) struct TreeLink {
    pub name: String,
    pub joint: Option<TreeJoint>,
}

/// All links; a parent always comes before its children, the root first.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub links: Vec<TreeLink>,
    pub depth: usize,
}

impl Tree {
    pub fn new(robot: &urdf_rs::Robot) -> Result<Self, ModelError> {
        let index = unique("link", robot.links.iter().map(|link| link.name.as_str()))?;
        unique("joint", robot.joints.iter().map(|joint| joint.name.as_str()))?;
        let mut above: Vec<Option<usize>> = vec![None; robot.links.len()];
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); robot.links.len()];
        for (number, joint) in robot.joints.iter().enumerate() {
            let end = |end, name: &str| {
                index.get(name).copied().ok_or_else(|| ModelError::UnknownJointLink {
                    joint: joint.name.clone(),
                    end,
                    link: name.to_owned(),
                })
            };
            let (parent, child) = (end("parent", &joint.parent.link)?, end("child", &joint.child.link)?);
            if let Some(first) = above[child].replace(number) {
                return Err(ModelError::TwoParents {
                    link: joint.child.link.clone(),
                    first: robot.joints[first].name.clone(),
                    second: joint.name.clone(),
                });
            }
            below[parent].push(number);
        }
        let root = only_root(robot, &above)?;
        Self::walk(robot, &index, &below, root)
    }

    /// Depth first from the root with a stack of our own: a chain of 10 000 links is no reason to die.
    fn walk(
        robot: &urdf_rs::Robot,
        index: &BTreeMap<&str, usize>,
        below: &[Vec<usize>],
        root: usize,
    ) -> Result<Self, ModelError> {
        let mut links = Vec::with_capacity(robot.links.len());
        let mut seen = vec![false; robot.links.len()];
        let mut deepest = 0;
        let mut open: Vec<(usize, Option<TreeJoint>, usize)> = vec![(root, None, 1)];
        while let Some((link, joint, depth)) = open.pop() {
            seen[link] = true;
            deepest = deepest.max(depth);
            let parent = links.len();
            links.push(TreeLink { name: robot.links[link].name.clone(), joint });
            for &number in below[link].iter().rev() {
                let urdf = &robot.joints[number];
                let joint = TreeJoint { urdf: number, parent, origin: origin(urdf)?, motion: motion(urdf)? };
                open.push((index[urdf.child.link.as_str()], Some(joint), depth + 1));
            }
        }
        match seen.iter().position(|seen| !seen) {
            // Every link but the root has one parent, so a link out of reach hangs on a cycle.
            Some(lost) => Err(ModelError::Cycle { link: robot.links[lost].name.clone() }),
            None => Ok(Self { links, depth: deepest }),
        }
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// The links from just below `first` down to `last`, or `None` when `last` is not below `first`.
    pub fn path(&self, first: usize, last: usize) -> Option<Vec<usize>> {
        let mut path = Vec::new();
        let mut link = last;
        while link != first {
            path.push(link);
            link = self.links[link].joint.as_ref()?.parent;
        }
        path.reverse();
        Some(path)
    }
}

/// Maps names to their places, refusing empty and repeated ones.
pub(crate) fn unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<&'a str, usize>, ModelError> {
    let mut index = BTreeMap::new();
    for (place, name) in names.enumerate() {
        if name.is_empty() {
            return Err(ModelError::EmptyName { what, number: place + 1 });
        }
        if index.insert(name, place).is_some() {
            return Err(ModelError::Duplicate { what, name: name.to_owned() });
        }
    }
    Ok(index)
}

fn only_root(robot: &urdf_rs::Robot, above: &[Option<usize>]) -> Result<usize, ModelError> {
    let mut roots = (0..robot.links.len()).filter(|&link| above[link].is_none());
    match (roots.next(), roots.next()) {
        (Some(root), None) => Ok(root),
        (Some(first), Some(second)) => Err(ModelError::SeveralRoots {
            first: robot.links[first].name.clone(),
            second: robot.links[second].name.clone(),
        }),
        (None, _) => Err(match robot.links.first() {
            Some(link) => ModelError::Cycle { link: link.name.clone() },
            None => ModelError::NoLinks,
        }),
    }
}

/// `k` reads roll, pitch and yaw for us, so that both agree on what they mean.
fn origin(joint: &urdf_rs::Joint) -> Result<Isometry3<f64>, ModelError> {
    if joint.origin.xyz.iter().chain(joint.origin.rpy.iter()).all(|value| value.is_finite()) {
        Ok(k::urdf::isometry_from(&joint.origin))
    } else {
        Err(ModelError::BadJoint { joint: joint.name.clone(), what: "its origin is not finite" })
    }
}

fn motion(joint: &urdf_rs::Joint) -> Result<Motion, ModelError> {
    let axis = || {
        let axis = Vector3::from(*joint.axis.xyz);
        let bad = |what| ModelError::BadJoint { joint: joint.name.clone(), what };
        if !axis.iter().all(|value| value.is_finite()) {
            return Err(bad("its axis is not finite"));
        }
        Unit::try_new(axis, SHORTEST_AXIS).ok_or_else(|| bad("its axis has no direction"))
    };
    match joint.joint_type {
        JointType::Fixed => Ok(Motion::Fixed),
        JointType::Revolute | JointType::Continuous => axis().map(Motion::Turn),
        JointType::Prismatic => axis().map(Motion::Slide),
        JointType::Floating | JointType::Planar | JointType::Spherical => {
            let kind = format!("{:?}", joint.joint_type).to_lowercase();
            Err(ModelError::UnsupportedJoint { joint: joint.name.clone(), kind })
        }
    }
}

//! Joints that follow other joints: resolved once to the independent joint at the end of the row.

use std::collections::BTreeMap;

use crate::ModelError;
use crate::tree::{Motion, Tree};

/// A joint's own position is `gain · (position of the independent joint) + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Follow {
    /// URDF number of the independent joint; a joint that follows none follows itself.
    pub master: usize,
    pub gain: f64,
    pub offset: f64,
}

/// For each URDF joint what it follows; `None` for fixed joints.
pub(crate) fn resolve(robot: &urdf_rs::Robot, tree: &Tree) -> Result<Vec<Option<Follow>>, ModelError> {
    let index: BTreeMap<&str, usize> =
        robot.joints.iter().enumerate().map(|(number, joint)| (joint.name.as_str(), number)).collect();
    let mut movable = vec![false; robot.joints.len()];
    for joint in tree.links.iter().filter_map(|link| link.joint.as_ref()) {
        movable[joint.urdf] = joint.motion != Motion::Fixed;
    }
    let direct: Vec<Option<Follow>> = (0..robot.joints.len())
        .map(
            |number| {
                if movable[number] { direct(robot, &index, &movable, number).map(Some) } else { Ok(None) }
            },
        )
        .collect::<Result<_, _>>()?;
    (0..robot.joints.len()).map(|number| end_of_row(robot, &direct, number)).collect()
}

/// The joint that the URDF names as the master.
fn direct(
    robot: &urdf_rs::Robot,
    index: &BTreeMap<&str, usize>,
    movable: &[bool],
    number: usize,
) -> Result<Follow, ModelError> {
    let joint = &robot.joints[number];
    let Some(mimic) = &joint.mimic else { return Ok(Follow { master: number, gain: 1.0, offset: 0.0 }) };
    let (gain, offset) = (mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0));
    if !gain.is_finite() || !offset.is_finite() {
        return Err(ModelError::BadJoint {
            joint: joint.name.clone(),
            what: "its mimic multiplier or offset is not finite",
        });
    }
    let unknown =
        |why| ModelError::UnknownMaster { joint: joint.name.clone(), master: mimic.joint.clone(), why };
    match index.get(mimic.joint.as_str()) {
        None => Err(unknown("does not exist")),
        Some(&master) if !movable[master] => Err(unknown("is fixed")),
        Some(&master) if master == number => Err(ModelError::MimicLoop { joint: joint.name.clone() }),
        Some(&master) => Ok(Follow { master, gain, offset }),
    }
}

/// Follows masters of masters; a row longer than the robot has joints is a loop.
fn end_of_row(
    robot: &urdf_rs::Robot,
    direct: &[Option<Follow>],
    number: usize,
) -> Result<Option<Follow>, ModelError> {
    let Some(mut follow) = direct[number] else { return Ok(None) };
    for _ in 0..=direct.len() {
        match direct[follow.master] {
            Some(next) if next.master != follow.master => {
                follow = Follow {
                    master: next.master,
                    gain: follow.gain * next.gain,
                    offset: follow.gain * next.offset + follow.offset,
                };
            }
            _ => return Ok(Some(follow)),
        }
    }
    Err(ModelError::MimicLoop { joint: robot.joints[number].name.clone() })
}

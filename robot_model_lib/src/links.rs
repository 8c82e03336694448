//! Poses of every link, for those who publish or draw the whole robot.

use nalgebra::IsometryMatrix3;

use crate::RobotModel;
use crate::frame::Frame;
use crate::lanes::WIDTH;
use crate::model::Drive;
use crate::sincos::sincos_all;
use crate::tree::Motion;

/// How a link sits on its parent. Turns about an axis of the joint's own frame, which nearly all
/// joints have, need half the arithmetic of the general ones.
#[derive(Debug, Clone, Copy)]
enum Seat {
    Fixed,
    /// About axis 0, 1 or 2; the sign of the axis is in the angle.
    TurnOwn(usize),
    Turn([f64; 3]),
    Slide([f64; 3]),
}

#[derive(Debug, Clone)]
struct Node {
    parent: usize,
    origin: Frame,
    seat: Seat,
    /// Place of the joint's position among the drives.
    value: usize,
}

/// Forward kinematics of all links.
///
/// Built once; [`LinkPoses::update`] neither allocates nor searches. Independent of
/// [`crate::Kinematics`], which knows only the chains.
#[derive(Debug, Clone)]
pub struct LinkPoses {
    nodes: Vec<Node>,
    drives: Vec<Drive>,
    values: Vec<f64>,
    sines: Vec<f64>,
    cosines: Vec<f64>,
    frames: Vec<Frame>,
    joints: usize,
}

/// Pose of a link in the root's frame when no joint between the two moves; None when one does, or there is no such link.
pub fn fixed_pose(model: &RobotModel, name: &str) -> Option<IsometryMatrix3<f64>> {
    let link = model.find_link(name)?;
    let mut up = std::iter::successors(Some(link), |link| model.parent_link(*link));
    let is_fixed = |link: usize| {
        model.tree.links[link].joint.as_ref().is_none_or(|joint| matches!(joint.motion, Motion::Fixed))
    };
    up.all(is_fixed).then(|| LinkPoses::new(model).pose(link))
}

impl LinkPoses {
    /// The poses at zero joint positions are computed at once.
    pub fn new(model: &RobotModel) -> Self {
        let mut drives = Vec::new();
        let mut nodes = Vec::new();
        for (link, drive) in model.tree.links.iter().zip(&model.drives) {
            let Some(joint) = &link.joint else { continue };
            let value = drives.len();
            let mut seat = Seat::Fixed;
            if let Some(mut drive) = *drive {
                seat = match joint.motion {
                    Motion::Fixed => Seat::Fixed,
                    Motion::Slide(axis) => Seat::Slide(axis.into_inner().into()),
                    Motion::Turn(axis) => match own_axis(axis.into_inner().into()) {
                        Some((own, sign)) => {
                            drive.gain *= sign;
                            drive.offset *= sign;
                            Seat::TurnOwn(own)
                        }
                        None => Seat::Turn(axis.into_inner().into()),
                    },
                };
                drives.push(drive);
            }
            nodes.push(Node { parent: joint.parent, origin: Frame::from(&joint.origin), seat, value });
        }
        // Whole groups of lanes: the padding stays zero.
        let padded = drives.len().next_multiple_of(WIDTH);
        let joints = model.joints().len();
        let mut poses = Self {
            frames: vec![Frame::IDENTITY; nodes.len() + 1],
            nodes,
            drives,
            values: vec![0.0; padded],
            sines: vec![0.0; padded],
            cosines: vec![0.0; padded],
            joints,
        };
        poses.update(&vec![0.0; joints]);
        poses
    }

    /// Computes all poses for joint positions `q` (sorted order, rad or m).
    ///
    /// # Panics
    /// When `q` has not one value per joint of the model.
    pub fn update(&mut self, q: &[f64]) {
        assert_eq!(q.len(), self.joints, "one position per joint");
        for (value, drive) in self.values.iter_mut().zip(&self.drives) {
            *value = drive.gain * q[drive.joint] + drive.offset;
        }
        sincos_all(&self.values, &mut self.sines, &mut self.cosines);
        let (values, sines, cosines) = (&self.values, &self.sines, &self.cosines);
        for (link, node) in self.nodes.iter().enumerate() {
            let seat = self.frames[node.parent].then(&node.origin);
            let value = node.value;
            self.frames[link + 1] = match &node.seat {
                Seat::Fixed => seat,
                Seat::TurnOwn(axis) => seat.turned_about_own(*axis, sines[value], cosines[value]),
                Seat::Turn(axis) => seat.turned(axis, sines[value], cosines[value]),
                Seat::Slide(axis) => seat.moved(axis, values[value]),
            };
        }
    }

    /// Pose of a link (index as in [`RobotModel::link_names`]) in the root link's frame.
    pub fn pose(&self, link: usize) -> IsometryMatrix3<f64> {
        self.frames[link].isometry()
    }

    /// Poses of all links, in the order of [`RobotModel::link_names`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = IsometryMatrix3<f64>> {
        self.frames.iter().map(Frame::isometry)
    }
}

/// Which axis of its own frame a joint turns about, and in which sense.
fn own_axis(axis: [f64; 3]) -> Option<(usize, f64)> {
    let own = axis.iter().position(|value| value.abs() == 1.0)?;
    Some((own, axis[own]))
}

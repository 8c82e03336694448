//! The chains compiled to blocks of steps for the control cycle.
//!
//! Between two joints of a chain everything is constant, so fixed joints disappear. Each joint's
//! frame is turned, once, so that its axis is its Oz: then a joint about any axis costs the same
//! as one about z. Chains run side by side in lanes; the shorter ones are padded with steps that
//! do nothing.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use crate::RobotModel;
use crate::frame::Frame;
use crate::lanes::{Lanes, Lanes3, WIDTH};
use crate::model::Drive;
use crate::tree::Motion;

/// One joint of each chain of a block.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The joint's frame, before it moves, in the frame of the step before.
    pub axes: [Lanes3; 3],
    pub place: Lanes3,
    /// Index of the independent joint in the sorted order.
    pub joint: [usize; WIDTH],
    /// Angle and shift are `gain · q + offset`; one of them is zero.
    pub turn_gain: Lanes,
    pub turn_offset: Lanes,
    pub slide_gain: Lanes,
    pub slide_offset: Lanes,
    /// 1 where the joint turns, 0 where it slides.
    pub turns: Lanes,
    /// Whether any lane slides.
    pub slides: bool,
    /// Where the joint's Jacobian column goes.
    pub column: [usize; WIDTH],
}

/// Up to [`WIDTH`] chains.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub steps: Vec<Step>,
    /// Last link in the last step's frame.
    pub tip_axes: [Lanes3; 3],
    pub tip_place: Lanes3,
    /// Contact centre and normal in the last step's frame.
    pub centre: Lanes3,
    pub normal: Lanes3,
    /// Which slot each lane fills; `None` for padding.
    pub slots: [Option<usize>; WIDTH],
}

/// A chain's Jacobian columns that are sums: `column[to] += weight · column[from]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    pub from: usize,
    pub to: usize,
    pub weight: f64,
}

/// Where a chain's results are.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// Columns of all joints between the root and the contact, each per unit of its own motion.
    pub path: std::ops::Range<usize>,
    /// Columns of the chain's own independent joints.
    pub jacobian: std::ops::Range<usize>,
    /// What moves each joint of the path.
    pub drives: Vec<Drive>,
}

#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub blocks: Vec<Block>,
    pub slots: Vec<Slot>,
    pub folds: Vec<Fold>,
    /// The columns that folds add up in, to be cleared first.
    pub folded: std::ops::Range<usize>,
    pub columns: usize,
}

/// A chain before it is put into a lane.
struct Lane {
    slot: usize,
    steps: Vec<LaneStep>,
    tip: Isometry3<f64>,
    contact: (Point3<f64>, Vector3<f64>),
}

struct LaneStep {
    seat: Isometry3<f64>,
    drive: Drive,
    turns: bool,
    column: usize,
}

impl Plan {
    /// Compiles the given chains of the model; slot `i` is for `chains[i]`.
    pub fn new(model: &RobotModel, chains: &[usize]) -> Self {
        let mut plan =
            Self { blocks: Vec::new(), slots: Vec::new(), folds: Vec::new(), folded: 0..0, columns: 0 };
        let mut lanes: Vec<Lane> = chains.iter().map(|&chain| plan.lane(model, chain)).collect();
        plan.fold_mimics(model, chains);
        // Chains of like length share a block, so that little is padded.
        lanes.sort_by_key(|lane| lane.steps.len());
        let spare = plan.columns;
        plan.columns += 1;
        plan.blocks = lanes.chunks(WIDTH).map(|lanes| block(lanes, spare)).collect();
        plan
    }

    /// Walks from the root to the chain's last link and gives every joint on the way a column.
    fn lane(&mut self, model: &RobotModel, chain: usize) -> Lane {
        let chain = &model.chains()[chain];
        let mut at = Isometry3::identity();
        let mut steps = Vec::new();
        for link in model.tree.path(0, chain.last_link).unwrap_or_default() {
            let Some(joint) = &model.tree.links[link].joint else { continue };
            at *= joint.origin;
            let (axis, turns) = match joint.motion {
                Motion::Fixed => continue,
                Motion::Turn(axis) => (axis, true),
                Motion::Slide(axis) => (axis, false),
            };
            let Some(drive) = model.drives[link] else { continue };
            let upright = UnitQuaternion::rotation_between(&Vector3::z(), &axis)
                .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
            let upright = Isometry3::from_parts(Translation3::identity(), upright);
            steps.push(LaneStep { seat: at * upright, drive, turns, column: self.columns + steps.len() });
            at = upright.inverse();
        }
        let path = self.columns..self.columns + steps.len();
        self.columns = path.end;
        let drives = steps.iter().map(|step| step.drive).collect();
        self.slots.push(Slot { jacobian: path.clone(), path, drives });
        let contact = chain.default_contact.map(|contact| &model.contacts()[contact]);
        let contact = contact.map_or((Point3::origin(), Vector3::z()), |contact| {
            (contact.centre, contact.normal.into_inner())
        });
        Lane { slot: self.slots.len() - 1, steps, tip: at, contact }
    }

    /// Where a chain's path ends with exactly its own joints, their columns are the Jacobian. Else
    /// the chain gets columns of its own, to which each mimic joint adds its share.
    fn fold_mimics(&mut self, model: &RobotModel, chains: &[usize]) {
        let start = self.columns;
        for (slot, &chain) in self.slots.iter_mut().zip(chains) {
            let joints = &model.chains()[chain].joints;
            let mimics = slot.drives.iter().any(|drive| !drive.own && joints.contains(&drive.joint));
            let tail = slot.drives.len() - joints.len().min(slot.drives.len());
            let plain = slot.drives[tail..].iter().map(|drive| drive.joint).eq(joints.clone());
            if plain && !mimics {
                slot.jacobian = slot.path.start + tail..slot.path.end;
                continue;
            }
            slot.jacobian = self.columns..self.columns + joints.len();
            self.columns = slot.jacobian.end;
            for (from, drive) in slot.path.clone().zip(&slot.drives) {
                if joints.contains(&drive.joint) {
                    let to = slot.jacobian.start + drive.joint - joints.start;
                    self.folds.push(Fold { from, to, weight: drive.gain });
                }
            }
        }
        self.folded = start..self.columns;
    }
}

fn block(lanes: &[Lane], spare: usize) -> Block {
    let length = lanes.iter().map(|lane| lane.steps.len()).max().unwrap_or(0);
    let mut slots = [None; WIDTH];
    for (slot, lane) in slots.iter_mut().zip(lanes) {
        *slot = Some(lane.slot);
    }
    let tips: Vec<_> = lanes.iter().map(|lane| Frame::from(&lane.tip)).collect();
    let (tip_axes, tip_place) = spread(&tips);
    let ends: Vec<_> = lanes
        .iter()
        .map(|lane| {
            let (centre, normal) = lane.contact;
            let mut frame = Frame::IDENTITY;
            frame.place = (lane.tip * centre).coords.into();
            frame.axes[2] = (lane.tip * normal).into();
            frame
        })
        .collect();
    let (axes, centre) = spread(&ends);
    let steps = (0..length).map(|number| step(lanes, number, spare)).collect();
    Block { steps, tip_axes, tip_place, centre, normal: axes[2], slots }
}

fn step(lanes: &[Lane], number: usize, spare: usize) -> Step {
    let seats: Vec<_> = lanes
        .iter()
        .map(|lane| lane.steps.get(number).map_or(Frame::IDENTITY, |step| Frame::from(&step.seat)))
        .collect();
    let (axes, place) = spread(&seats);
    let mut all = Step {
        axes,
        place,
        joint: [0; WIDTH],
        turn_gain: Lanes::ZERO,
        turn_offset: Lanes::ZERO,
        slide_gain: Lanes::ZERO,
        slide_offset: Lanes::ZERO,
        turns: Lanes::ONE,
        slides: false,
        column: [spare; WIDTH],
    };
    for (lane, step) in lanes.iter().map(|lane| lane.steps.get(number)).enumerate() {
        let Some(step) = step else { continue };
        all.joint[lane] = step.drive.joint;
        all.column[lane] = step.column;
        if step.turns {
            all.turn_gain.0[lane] = step.drive.gain;
            all.turn_offset.0[lane] = step.drive.offset;
        } else {
            all.slide_gain.0[lane] = step.drive.gain;
            all.slide_offset.0[lane] = step.drive.offset;
            all.turns.0[lane] = 0.0;
            all.slides = true;
        }
    }
    all
}

/// One frame per lane; lanes beyond them get the identity.
fn spread(frames: &[Frame]) -> ([Lanes3; 3], Lanes3) {
    let number = |get: &dyn Fn(&Frame) -> f64| {
        let mut lanes = [get(&Frame::IDENTITY); WIDTH];
        for (lane, frame) in lanes.iter_mut().zip(frames) {
            *lane = get(frame);
        }
        Lanes(lanes)
    };
    let axes = [0, 1, 2].map(|column| [0, 1, 2].map(|row| number(&|frame| frame.axes[column][row])));
    let place = [0, 1, 2].map(|row| number(&|frame| frame.place[row]));
    (axes, place)
}

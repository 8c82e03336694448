//! The tree compiled to groups of bodies for inverse dynamics.
//!
//! What fixed joints hold together is one body. Each joint's frame is turned, once, so that its axis is its Oz. Bodies of
//! one depth go side by side in lanes; where each has its parent in the same lane of one group, as in legs, nothing has
//! to be gathered.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::frame::Frame;
use crate::inertia::Inertia;
use crate::lanes::{Lanes, Lanes3, WIDTH};
use crate::model::Drive;
use crate::tree::Motion;
use crate::{ModelError, RobotModel};

/// Up to [`WIDTH`] bodies with the joints above them. Group 0 is the base: its motion stands in every lane, its mass in the
/// first, so that whatever hangs on it finds it in its own lane.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    /// The joint's frame, before it moves, in the parent body's.
    pub axes: [Lanes3; 3],
    pub place: Lanes3,
    /// Where each body's parent is.
    pub parents: Parents,
    /// The joints' positions, rates and efforts belong to these independent joints, by these factors.
    pub joint: [usize; WIDTH],
    pub gain: Lanes,
    pub offset: Lanes,
    /// 1 where the joint turns, 0 where it slides.
    pub turns: Lanes,
    /// Whether any lane slides.
    pub slides: bool,
    /// Lanes that hold a body.
    pub count: usize,
    /// Moments of mass of order 0, 1 and 2 (xx, yy, zz, xy, xz, yz) about the joint's origin in the body's axes.
    pub mass: Lanes,
    pub first: Lanes3,
    pub second: [Lanes; 6],
}

/// Where the parents of a group's bodies are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Parents {
    /// In the same lanes of one group.
    Aligned(usize),
    /// Group and lane of each.
    Spread([(usize, usize); WIDTH]),
}

/// A body before it is put into a lane.
struct Body {
    parent: usize,
    depth: usize,
    seat: Isometry3<f64>,
    turns: bool,
    drive: Drive,
    inertia: Inertia,
}

/// The groups, parents before children, and the mass of all.
pub(crate) fn compile(model: &RobotModel) -> Result<(Vec<Group>, f64), ModelError> {
    let bodies = merge(model)?;
    let mass = bodies.iter().map(|body| body.inertia.mass).sum();
    // Children in the order of their parents, so that limbs keep their lanes. The sort is stable: the base stays first.
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_by_key(|&body| bodies[body].depth);
    let mut places = vec![(0, 0); bodies.len()];
    let mut groups: Vec<Group> = Vec::new();
    for level in order.chunk_by(|&a, &b| bodies[a].depth == bodies[b].depth) {
        for members in level.chunks(WIDTH) {
            for (lane, &body) in members.iter().enumerate() {
                places[body] = (groups.len(), lane);
            }
            groups.push(group(&bodies, members, &places));
        }
    }
    Ok((groups, mass))
}

/// One body for each movable joint, and the base; links below fixed joints add to the body that they are fixed to.
fn merge(model: &RobotModel) -> Result<Vec<Body>, ModelError> {
    let base = Body {
        parent: 0,
        depth: 0,
        seat: Isometry3::identity(),
        turns: true,
        drive: Drive { joint: 0, gain: 0.0, offset: 0.0, own: false },
        inertia: Inertia::none(),
    };
    let mut bodies = vec![base];
    let by_name: std::collections::BTreeMap<&str, &urdf_rs::Link> =
        model.urdf().links.iter().map(|link| (link.name.as_str(), link)).collect();
    // Each link's body, and its pose there.
    let mut held: Vec<(usize, Isometry3<f64>)> = Vec::with_capacity(model.tree.links.len());
    for (link, drive) in model.tree.links.iter().zip(&model.drives) {
        let place = match &link.joint {
            None => (0, Isometry3::identity()),
            Some(joint) => {
                let (parent, pose) = held[joint.parent];
                let seat = pose * joint.origin;
                match (joint.motion, *drive) {
                    (Motion::Turn(axis) | Motion::Slide(axis), Some(drive)) => {
                        let upright = upright(&axis);
                        bodies.push(Body {
                            parent,
                            depth: bodies[parent].depth + 1,
                            seat: seat * upright,
                            turns: matches!(joint.motion, Motion::Turn(_)),
                            drive,
                            inertia: Inertia::none(),
                        });
                        (bodies.len() - 1, upright.inverse())
                    }
                    _ => (parent, seat),
                }
            }
        };
        if let Some(urdf) = by_name.get(link.name.as_str()) {
            let own = Inertia::from_urdf(urdf)?.seen_from(&place.1);
            let body = &mut bodies[place.0].inertia;
            *body = body.with(&own);
        }
        held.push(place);
    }
    Ok(bodies)
}

/// The turn that takes Oz to a joint's axis.
fn upright(axis: &Vector3<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::rotation_between(&Vector3::z(), axis)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    Isometry3::from_parts(Translation3::identity(), turn)
}

fn group(bodies: &[Body], members: &[usize], places: &[(usize, usize)]) -> Group {
    let body = |lane: usize| members.get(lane).map(|&member| &bodies[member]);
    let lanes = |get: &dyn Fn(&Body) -> f64| Lanes(std::array::from_fn(|lane| body(lane).map_or(0.0, get)));
    let frames: [Frame; WIDTH] =
        std::array::from_fn(|lane| body(lane).map_or(Frame::IDENTITY, |body| Frame::from(&body.seat)));
    let axes = [0, 1, 2].map(|column| [0, 1, 2].map(|row| Lanes(frames.map(|f| f.axes[column][row]))));
    let parent = |lane: usize| body(lane).map_or((0, lane), |body| places[body.parent]);
    let parents: [(usize, usize); WIDTH] = std::array::from_fn(parent);
    let is_aligned = (0..members.len())
        .all(|lane| parents[lane].0 == parents[0].0 && (parents[lane].1 == lane || parents[lane].0 == 0));
    let second = |row, column| lanes(&move |body: &Body| body.inertia.second[(row, column)]);
    Group {
        axes,
        place: [0, 1, 2].map(|row| Lanes(frames.map(|f| f.place[row]))),
        parents: if is_aligned { Parents::Aligned(parents[0].0) } else { Parents::Spread(parents) },
        joint: std::array::from_fn(|lane| body(lane).map_or(0, |body| body.drive.joint)),
        gain: lanes(&|body| body.drive.gain),
        offset: lanes(&|body| body.drive.offset),
        turns: Lanes(std::array::from_fn(|lane| if body(lane).is_none_or(|b| b.turns) { 1.0 } else { 0.0 })),
        slides: members.iter().any(|&member| !bodies[member].turns),
        count: members.len(),
        mass: lanes(&|body| body.inertia.mass),
        first: [0, 1, 2].map(|row| lanes(&move |body: &Body| body.inertia.first[row])),
        second: [second(0, 0), second(1, 1), second(2, 2), second(0, 1), second(0, 2), second(1, 2)],
    }
}

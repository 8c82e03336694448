//! What is said of an estimate by name, for the node and the replay alike.

use filters_lib::WorldTwist;
use nalgebra::{Isometry3, IsometryMatrix3, UnitQuaternion};
use robot_model_lib::{Kinematics, LinkPoses, RobotModel};

use crate::{Estimate, OdometryParams};

/// A transform of `/tf`.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The frame in which it is given.
    pub parent: String,
    /// The frame that it places.
    pub child: String,
    /// Where.
    pub pose: Isometry3<f64>,
}

/// The end of a chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Limb {
    /// The chain.
    pub name: String,
    /// In the base frame.
    pub pose: Isometry3<f64>,
    /// Relative to the base, in base axes.
    pub twist: WorldTwist,
}

/// A leg's support.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Support<'a> {
    /// The chain.
    pub chain: &'a str,
    /// What it stands on, or would.
    pub contact: &'a str,
    /// 0 in the air, and while it moves over the ground.
    pub weight: f64,
}

/// Makes what is published besides the body; the names are made once.
#[derive(Debug, Clone)]
pub struct Outputs {
    model: RobotModel,
    links: LinkPoses,
    kinematics: Kinematics,
    /// Base, footprint, then every link but the root.
    frames: Vec<Frame>,
    /// Of each link in `frames`: its number and its parent's.
    joined: Vec<(usize, usize)>,
    limbs: Vec<Limb>,
}

impl Outputs {
    /// For a robot.
    pub fn new(model: RobotModel, params: &OdometryParams) -> Self {
        let frame = |parent: &str, child: &str| Frame {
            parent: parent.into(),
            child: child.into(),
            pose: Isometry3::identity(),
        };
        let mut frames =
            vec![frame(&params.odom_frame, &params.base_frame), frame(&params.odom_frame, "base_footprint")];
        let names: Vec<&str> = model.link_names().collect();
        let mut joined = vec![];
        for (link, name) in names.iter().enumerate() {
            let Some(parent) = model.parent_link(link) else { continue };
            // The root goes by the name that the user gave it.
            frames.push(frame(if parent == 0 { &params.base_frame } else { names[parent] }, name));
            joined.push((link, parent));
        }
        let limb = |name: &String| Limb {
            name: name.clone(),
            pose: Isometry3::identity(),
            twist: WorldTwist::default(),
        };
        let limbs = model.chains().iter().map(|chain| limb(&chain.name)).collect();
        let (links, kinematics) = (LinkPoses::new(&model), Kinematics::new(&model));
        Self { links, kinematics, frames, joined, limbs, model }
    }

    /// The legs, in chain order.
    pub fn supports<'a>(
        &'a self,
        estimate: &'a Estimate,
    ) -> impl ExactSizeIterator<Item = Support<'a>> + Clone {
        estimate.legs.iter().map(|leg| {
            let chain = &self.model.chains()[leg.chain];
            let contact = leg.footing.map(|footing| footing.contact).or(chain.default_contact);
            Support {
                chain: &chain.name,
                contact: contact.map_or("", |at| &self.model.contacts()[at].name),
                weight: leg.support(),
            }
        })
    }

    /// The transforms that the parameters ask for; `q` are the joints of the estimate.
    pub fn frames(&mut self, estimate: &Estimate, q: &[f64], params: &OdometryParams) -> [&[Frame]; 3] {
        self.frames[0].pose = estimate.pose;
        if params.publish_footprint {
            self.frames[1].pose = estimate.footprint();
        }
        if params.publish_link_tf {
            self.links.update(q);
            for (frame, &(link, parent)) in self.frames[2..].iter_mut().zip(&self.joined) {
                frame.pose = plain(&(self.links.pose(parent).inverse() * self.links.pose(link)));
            }
        }
        let asked = |wanted: bool, frames| if wanted { frames } else { &[] as &[Frame] };
        [
            asked(params.publish_tf, &self.frames[..1]),
            asked(params.publish_footprint, &self.frames[1..2]),
            asked(params.publish_link_tf, &self.frames[2..]),
        ]
    }

    /// The ends of the chains.
    pub fn limbs(&mut self, q: &[f64], qd: &[f64]) -> &[Limb] {
        self.kinematics.update(q);
        for (chain, limb) in self.limbs.iter_mut().enumerate() {
            let motion = self.kinematics.contact_twist(chain, qd);
            limb.pose = plain(&self.kinematics.contact_frame(chain));
            limb.twist = WorldTwist::new(motion.linear, motion.angular);
        }
        &self.limbs
    }
}

fn plain(pose: &IsometryMatrix3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(pose.translation, UnitQuaternion::from_rotation_matrix(&pose.rotation))
}

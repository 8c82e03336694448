//! What the gait publishes.

use super::GaitNode;
use crate::Walker;
use node_lib::r2r::gait_msgs::msg::{JointLimbState, LimbJoints, SupportState, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{Port, Setup, fill, fill_names, qos};

/// The topics.
pub struct Outputs {
    limbs: Port<JointLimbState>,
    others: Port<JointState>,
    support: Port<SupportState>,
}

impl Outputs {
    /// Opens them.
    pub fn open(setup: &mut Setup<GaitNode>) -> anyhow::Result<Self> {
        Ok(Outputs {
            limbs: setup.port("limbs_joints_in", qos::EVENTS)?,
            others: setup.port("joints_in", qos::EVENTS)?,
            support: setup.port("support_in", qos::EVENTS)?,
        })
    }

    /// Sends the pose of a cycle.
    pub fn send(&mut self, walker: &Walker, step: &SyncStep) {
        let (q, qd) = (walker.positions(), walker.velocities());
        let (chains, joints) = (walker.model().chains(), walker.model().joints());
        self.limbs.send(|message| {
            message.header.clone_from(&step.header);
            message.cycle = step.cycle;
            message.limbs.resize_with(chains.len(), LimbJoints::default);
            for (limb, chain) in message.limbs.iter_mut().zip(chains) {
                limb.name.clone_from(&chain.name);
                fill(&mut limb.position, &q[chain.joints.clone()]);
                fill(&mut limb.velocity, &qd[chain.joints.clone()]);
            }
        });
        // Joints of no limb come last in the model's order.
        let first = joints.iter().position(|joint| joint.chain.is_none()).unwrap_or(joints.len());
        if first < joints.len() {
            self.others.send(|message| {
                message.header.clone_from(&step.header);
                fill_names(&mut message.name, joints[first..].iter().map(|joint| joint.name.as_str()));
                fill(&mut message.position, &q[first..]);
                fill(&mut message.velocity, &qd[first..]);
            });
        }
        let known =
            || chains.iter().zip(walker.supports()).filter_map(|(c, s)| Some((c.name.as_str(), (*s)?)));
        if known().next().is_some() {
            self.support.send(|message| {
                message.header.clone_from(&step.header);
                message.cycle = step.cycle;
                fill_names(&mut message.name, known().map(|(name, _)| name));
                message.support.clear();
                message.support.extend(known().map(|(_, support)| support));
            });
        }
    }
}

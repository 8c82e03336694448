//! What the gait publishes; the messages are made once and filled in place.

use crate::{GaitParams, Walker};
use node_lib::r2r::gait_msgs::msg::{JointLimbState, LimbJoints, SupportState, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::{self, Publisher};
use node_lib::{Setup, qos};
use robot_model_lib::RobotModel;

/// Publishers with their messages.
pub struct Outputs {
    limbs: (Publisher<JointLimbState>, JointLimbState),
    others: (Publisher<JointState>, JointState),
    support: (Publisher<SupportState>, SupportState),
    /// Joints of no limb come last in the sorted order.
    first_other: usize,
}

impl Outputs {
    /// Opens the topics.
    pub fn open<S: 'static>(setup: &mut Setup<S, GaitParams>) -> anyhow::Result<Self> {
        Ok(Outputs {
            limbs: (setup.publisher("limbs_joints_in", qos::EVENTS)?, JointLimbState::default()),
            others: (setup.publisher("joints_in", qos::EVENTS)?, JointState::default()),
            support: (setup.publisher("support_in", qos::EVENTS)?, SupportState::default()),
            first_other: 0,
        })
    }

    /// Names of a robot.
    pub fn fit(&mut self, model: &RobotModel) {
        let (chains, joints) = (model.chains(), model.joints());
        self.limbs.1.limbs =
            chains.iter().map(|c| LimbJoints { name: c.name.clone(), ..LimbJoints::default() }).collect();
        self.first_other = joints.iter().position(|joint| joint.chain.is_none()).unwrap_or(joints.len());
        self.others.1.name = joints[self.first_other..].iter().map(|joint| joint.name.clone()).collect();
    }

    /// Publishes the pose of a cycle.
    pub fn publish(&mut self, walker: &Walker, step: &SyncStep) -> r2r::Result<()> {
        let (q, qd) = (walker.positions(), walker.velocities());
        let (publisher, limbs) = &mut self.limbs;
        (limbs.header, limbs.cycle) = (step.header.clone(), step.cycle);
        for (limb, chain) in limbs.limbs.iter_mut().zip(walker.model().chains()) {
            fill(&mut limb.position, &q[chain.joints.clone()]);
            fill(&mut limb.velocity, &qd[chain.joints.clone()]);
        }
        publisher.publish(limbs)?;

        let (publisher, others) = &mut self.others;
        if !others.name.is_empty() {
            others.header = step.header.clone();
            fill(&mut others.position, &q[self.first_other..]);
            fill(&mut others.velocity, &qd[self.first_other..]);
            publisher.publish(others)?;
        }

        let (publisher, support) = &mut self.support;
        (support.header, support.cycle) = (step.header.clone(), step.cycle);
        support.name.clear();
        support.support.clear();
        for (chain, known) in walker.model().chains().iter().zip(walker.supports()) {
            let Some(known) = known else { continue };
            support.name.push(chain.name.clone());
            support.support.push(*known);
        }
        if support.name.is_empty() { Ok(()) } else { publisher.publish(support) }
    }
}

fn fill(array: &mut Vec<f64>, values: &[f64]) {
    array.clear();
    array.extend_from_slice(values);
}

//! What the agregator publishes; the messages are made once and filled in place.

use crate::{Agregator, AgregatorParams};
use node_lib::r2r::gait_msgs::msg::{JointAccelState, JointLimbState, LimbJoints, SupportState};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::r2r::{self, Publisher};
use node_lib::{Setup, qos};
use robot_model_lib::RobotModel;

/// Publishers with their messages.
pub struct Outputs {
    joints: (Publisher<JointState>, JointState),
    accel: (Publisher<JointAccelState>, JointAccelState),
    limbs: (Publisher<JointLimbState>, JointLimbState),
    support: (Publisher<SupportState>, SupportState),
}

impl Outputs {
    /// Opens the topics.
    pub fn open<S: 'static>(setup: &mut Setup<S, AgregatorParams>) -> anyhow::Result<Self> {
        Ok(Outputs {
            joints: (setup.publisher("joints", qos::EVENTS)?, JointState::default()),
            accel: (setup.publisher("joints_accel", qos::EVENTS)?, JointAccelState::default()),
            limbs: (setup.publisher("limbs_joints", qos::EVENTS)?, JointLimbState::default()),
            support: (setup.publisher("support", qos::EVENTS)?, SupportState::default()),
        })
    }

    /// Names and limbs of a robot.
    pub fn fit(&mut self, model: &RobotModel) {
        let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
        self.joints.1.name = names.clone();
        self.accel.1.name = names;
        let limb =
            |chain: &robot_model_lib::Chain| LimbJoints { name: chain.name.clone(), ..LimbJoints::default() };
        self.limbs.1.limbs = model.chains().iter().map(limb).collect();
    }

    /// Publishes what is known: the pose when it is complete, supports when a source has sent any.
    pub fn publish(&mut self, agregator: &Agregator, header: Header) -> r2r::Result<()> {
        let cycle = agregator.cycle().0;
        self.publish_support(agregator, &header, cycle)?;
        let Some(pose) = agregator.pose() else { return Ok(()) };
        let (publisher, joints) = &mut self.joints;
        joints.header = header.clone();
        fill(&mut joints.position, pose.position);
        fill(&mut joints.velocity, pose.velocity);
        fill(&mut joints.effort, pose.effort);
        publisher.publish(joints)?;

        let (publisher, accel) = &mut self.accel;
        accel.header = header.clone();
        fill(&mut accel.position, pose.position);
        fill(&mut accel.velocity, pose.velocity);
        fill(&mut accel.acceleration, pose.acceleration);
        fill(&mut accel.effort, pose.effort);
        publisher.publish(accel)?;

        let (publisher, limbs) = &mut self.limbs;
        limbs.header = header;
        limbs.cycle = cycle;
        for (limb, chain) in limbs.limbs.iter_mut().zip(agregator.model().chains()) {
            let part = chain.joints.clone();
            fill(&mut limb.position, &pose.position[part.clone()]);
            fill(&mut limb.velocity, &pose.velocity[part.clone()]);
            fill(&mut limb.effort, pose.effort.get(part).unwrap_or(&[]));
        }
        publisher.publish(limbs)
    }

    fn publish_support(&mut self, agregator: &Agregator, header: &Header, cycle: u32) -> r2r::Result<()> {
        let (publisher, message) = &mut self.support;
        let model = agregator.model();
        message.name.clear();
        message.contact.clear();
        message.support.clear();
        for (chain, known) in model.chains().iter().zip(agregator.supports()) {
            let Some(known) = known else { continue };
            message.name.push(chain.name.clone());
            message.contact.push(model.contacts()[known.contact].name.clone());
            message.support.push(known.support);
        }
        if message.name.is_empty() {
            return Ok(());
        }
        message.header = header.clone();
        message.cycle = cycle;
        publisher.publish(message)
    }
}

fn fill(array: &mut Vec<f64>, values: &[f64]) {
    array.clear();
    array.extend_from_slice(values);
}

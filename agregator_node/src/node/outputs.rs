//! What the agregator publishes.

use super::AgregatorNode;
use crate::{Agregator, Pose};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::{JointAccelState, JointLimbState, LimbJoints, SupportState};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{Port, Setup, fill, fill_names, qos};
use robot_model_lib::RobotModel;

/// Publishers of the pose in its four forms, and of the supports.
pub struct Outputs {
    joints: Port<JointState>,
    accel: Port<JointAccelState>,
    limbs: Port<JointLimbState>,
    support: Port<SupportState>,
    commanded: Port<JointState>,
}

impl Outputs {
    /// Advertises every topic.
    pub fn open(setup: &mut Setup<AgregatorNode>) -> anyhow::Result<Self> {
        Ok(Outputs {
            joints: setup.port("joints", qos::EVENTS)?,
            accel: setup.port("joints_accel", qos::EVENTS)?,
            limbs: setup.port("limbs_joints", qos::EVENTS)?,
            support: setup.port("support", qos::EVENTS)?,
            commanded: setup.port("commanded", qos::EVENTS)?,
        })
    }

    /// Sends what is known: the pose when it is complete, supports when a source has sent any.
    pub fn send(&mut self, agregator: &Agregator, stamp: &Time) {
        let cycle = agregator.cycle().0;
        self.send_support(agregator, stamp, cycle);
        let Some(pose) = agregator.pose() else { return };
        let model = agregator.model();
        // Before the pose: whoever acts on that one knows then what of it is alive.
        self.commanded.send(|message| {
            message.header.stamp = stamp.clone();
            fill_names(&mut message.name, model.joints().iter().map(|joint| joint.name.as_str()));
            let given = agregator.commanded().zip(pose.position);
            message.position.clear();
            message.position.extend(given.map(|(given, position)| if given { *position } else { f64::NAN }));
        });
        self.send_joints(model, &pose, stamp);
        self.limbs.send(|limbs| {
            limbs.header.stamp = stamp.clone();
            limbs.cycle = cycle;
            limbs.limbs.resize_with(model.chains().len(), LimbJoints::default);
            for (limb, chain) in limbs.limbs.iter_mut().zip(model.chains()) {
                let part = chain.joints.clone();
                limb.name.clone_from(&chain.name);
                fill(&mut limb.position, &pose.position[part.clone()]);
                fill(&mut limb.velocity, &pose.velocity[part.clone()]);
                fill(&mut limb.effort, pose.effort.get(part).unwrap_or(&[]));
            }
        });
    }

    fn send_joints(&mut self, model: &RobotModel, pose: &Pose<'_>, stamp: &Time) {
        let names = || model.joints().iter().map(|joint| joint.name.as_str());
        self.joints.send(|joints| {
            joints.header.stamp = stamp.clone();
            fill_names(&mut joints.name, names());
            fill(&mut joints.position, pose.position);
            fill(&mut joints.velocity, pose.velocity);
            fill(&mut joints.effort, pose.effort);
        });
        self.accel.send(|accel| {
            accel.header.stamp = stamp.clone();
            fill_names(&mut accel.name, names());
            fill(&mut accel.position, pose.position);
            fill(&mut accel.velocity, pose.velocity);
            fill(&mut accel.acceleration, pose.acceleration);
            fill(&mut accel.effort, pose.effort);
        });
    }

    fn send_support(&mut self, agregator: &Agregator, stamp: &Time, cycle: u32) {
        let model = agregator.model();
        let chains = model.chains().iter().zip(agregator.supports());
        let known = || chains.clone().filter_map(|(chain, known)| Some((chain, known.as_ref()?)));
        if known().next().is_none() {
            return;
        }
        self.support.send(|message| {
            message.header.stamp = stamp.clone();
            message.cycle = cycle;
            fill_names(&mut message.name, known().map(|(chain, _)| chain.name.as_str()));
            fill_names(&mut message.contact, known().map(|(_, s)| model.contacts()[s.contact].name.as_str()));
            message.support.clear();
            message.support.extend(known().map(|(_, known)| known.support));
        });
    }
}

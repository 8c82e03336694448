//! What the gait publishes.

use super::GaitNode;
use crate::Walker;
use node_lib::r2r::gait_msgs::msg::{JointLimbState, LimbJoints, MotionState, SupportState, SyncStep};
use node_lib::r2r::geometry_msgs::msg::PointStamped;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Float64;
use node_lib::{Port, Setup, fill, fill_names, qos};
use robot_model_lib::RobotParams;

/// Between two words on the progress of a motion, s.
const PROGRESS: f64 = 0.1;

/// The frame of the capture point: on the ground below the base.
const FOOTPRINT: &str = "base_footprint";

/// The topics.
pub struct Outputs {
    limbs: Port<JointLimbState>,
    others: Port<JointState>,
    support: Port<SupportState>,
    motion: Port<MotionState>,
    margin: Port<Float64>,
    capture_point: Port<PointStamped>,
    /// The capture point's frame, as others know it.
    footprint: String,
    /// The motion that was told of last, to say that it ended.
    told: MotionState,
    /// Time until the next word on its progress, s.
    pause: f64,
}

impl Outputs {
    /// Opens them.
    pub fn open(setup: &mut Setup<GaitNode>, params: &RobotParams) -> anyhow::Result<Self> {
        Ok(Outputs {
            limbs: setup.port("limbs_joints_in", qos::EVENTS)?,
            others: setup.port("joints_in", qos::EVENTS)?,
            support: setup.port("support_in", qos::EVENTS)?,
            motion: setup.port("~/motion", qos::EVENTS)?,
            margin: setup.port("~/stability_margin", qos::EVENTS)?,
            capture_point: setup.port("~/capture_point", qos::EVENTS)?,
            footprint: format!("{}{FOOTPRINT}", params.frame_prefix),
            told: MotionState { done: true, ..MotionState::default() },
            pause: 0.0,
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

    /// Sends how safely it stands on its feet, while it does.
    pub fn send_stability(&mut self, walker: &Walker, step: &SyncStep) {
        let Some(stability) = walker.stability() else { return };
        self.margin.send(|message| message.data = stability.margin);
        self.capture_point.send(|message| {
            message.header.stamp.clone_from(&step.header.stamp);
            message.header.frame_id.clear();
            message.header.frame_id.push_str(&self.footprint);
            let place = stability.capture_point;
            (message.point.x, message.point.y, message.point.z) = (place.x, place.y, 0.0);
        });
    }

    /// Says how far a motion is, some times a second, and once that it has ended.
    pub fn send_progress(&mut self, walker: &Walker, step: &SyncStep) {
        let Some(progress) = walker.progress() else {
            if !std::mem::replace(&mut self.told.done, true) {
                self.tell_progress(step);
            }
            return;
        };
        self.pause -= step.period;
        let is_new = self.told.done || self.told.name != progress.name || self.told.paused != progress.paused;
        if self.pause > 0.0 && !is_new {
            return;
        }
        let told = &mut self.told;
        told.name.clear();
        told.name.push_str(progress.name);
        (told.time, told.duration) = (progress.time, progress.duration);
        (told.rounds, told.paused, told.done) = (progress.rounds, progress.paused, false);
        self.pause = PROGRESS;
        self.tell_progress(step);
    }

    fn tell_progress(&mut self, step: &SyncStep) {
        let told = &self.told;
        self.motion.send(|message| {
            message.clone_from(told);
            message.header.clone_from(&step.header);
        });
    }
}

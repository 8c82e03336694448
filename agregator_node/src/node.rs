//! `agregator_node`: one complete pose from many partial sources.

use crate::{
    Agregator, AgregatorParams, CycleTime, JointArrays, LimbArrays, Note, PublishOn, Refusal, SupportArrays,
    SyncRelation, Taken,
};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::{JointLimbState, SupportState, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Log, Node, RosClock, Setup, Throttle, input, output, qos, service};
use param_lib::ParamError;
use robot_model_lib::RobotModel;
use std::time::{Duration, Instant};

mod measured;
mod outputs;
mod report;
use measured::Measured;
use outputs::Outputs;
use report::{Counts, TOPICS, tell};

static REFUSED: Throttle = Throttle::seconds(1);

/// The agregator with its topics, services and log.
pub struct AgregatorNode {
    agregator: Option<Agregator>,
    params: AgregatorParams,
    measured: Measured,
    outputs: Outputs,
    clock: RosClock,
    log: Log,
    counts: Counts,
    counted_since: Instant,
}

impl Node for AgregatorNode {
    type Params = AgregatorParams;
    const ABOUT: About = About {
        name: "agregator_node",
        purpose: "Merges partial joint states of many sources into one complete pose per control cycle.",
        endpoints: &[
            input("sync", "gait_msgs/SyncStep", "a cycle ends, the next begins"),
            input("joints_in", "sensor_msgs/JointState", "some joints"),
            input("limbs_joints_in", "gait_msgs/JointLimbState", "some limbs"),
            input("support_in", "gait_msgs/SupportState", "some supports"),
            input("joint_states", "sensor_msgs/JointState", "the measured pose, for ~/take_measured alone"),
            output("joints", "sensor_msgs/JointState", "the complete pose, in model order"),
            output("limbs_joints", "gait_msgs/JointLimbState", "the same by limb"),
            output("joints_accel", "gait_msgs/JointAccelState", "with acceleration"),
            output(
                "commanded",
                "sensor_msgs/JointState",
                "what sources gave in the last cycle; NaN: only predicted",
            ),
            output("support", "gait_msgs/SupportState", "known supports"),
            input("robot_description", "std_msgs/String", "URDF, unless a parameter"),
            service("~/take_measured", "std_srvs/Trigger", "the pose is where joint_states says, at rest"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: AgregatorParams) -> anyhow::Result<Self> {
        setup.on("sync", qos::NEWEST, Self::sync)?;
        setup.on_any("joints_in", qos::EVENTS, Self::joints)?;
        setup.on_any("limbs_joints_in", qos::EVENTS, Self::limbs)?;
        setup.on_any("support_in", qos::EVENTS, Self::support)?;
        setup.on("joint_states", qos::NEWEST, |node: &mut Self, msg: &JointState| node.measured.keep(msg))?;
        setup.service::<Trigger::Service>("~/take_measured", |node, _| node.take_measured())?;
        setup.on_params(Self::set_params);
        setup.every(Duration::from_secs(5), Self::tell_missing);
        setup.diagnostics(Self::report);
        let robot = params.robot.0.clone();
        let mut node = AgregatorNode {
            agregator: None,
            measured: Measured::default(),
            outputs: Outputs::open(setup)?,
            clock: setup.clock(),
            log: setup.log(),
            counts: Counts::default(),
            counted_since: Instant::now(),
            params,
        };
        setup.robot(&mut node, &robot, Self::load)?;
        Ok(node)
    }
}

impl AgregatorNode {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        self.agregator = Some(Agregator::new(model, self.params.clone())?);
        Ok(())
    }

    fn set_params(&mut self, params: &AgregatorParams) -> Result<(), ParamError> {
        if let Some(agregator) = &mut self.agregator {
            agregator
                .set_params(params.clone())
                .map_err(|e| ParamError::unfit("diff_method", e.to_string()))?;
        }
        self.params = params.clone();
        Ok(())
    }

    fn sync(&mut self, step: &SyncStep) {
        self.counts.received[3] += 1;
        let Some(agregator) = &mut self.agregator else { return };
        let (log, counts) = (&self.log, &mut self.counts);
        let mut note = |note: Note<'_>| tell(log, counts, 3, note);
        let start_ns = self.clock.ns_or_now(&step.header.stamp);
        if agregator.sync(step.cycle, start_ns, step.period, &mut note) == SyncRelation::Old {
            return;
        }
        let stamp = &RosClock::stamp(start_ns);
        if self.params.publish_on != PublishOn::Message {
            self.outputs.send(agregator, stamp);
        }
        if agregator.begin_cycle(&mut note) && self.params.publish_on != PublishOn::Sync {
            self.outputs.send(agregator, stamp);
        }
    }

    fn joints(&mut self, msg: &JointState) {
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), 0);
        let arrays = JointArrays {
            name: &msg.name,
            position: &msg.position,
            velocity: &msg.velocity,
            effort: &msg.effort,
        };
        self.take(0, &msg.header.stamp, |agregator, note| agregator.joints(time, arrays, note));
    }

    fn limbs(&mut self, msg: &JointLimbState) {
        let limbs = msg.limbs.iter().map(|limb| LimbArrays {
            chain: &limb.name,
            position: &limb.position,
            velocity: &limb.velocity,
            effort: &limb.effort,
        });
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), msg.cycle);
        self.take(1, &msg.header.stamp, |agregator, note| agregator.limbs(time, limbs, note));
    }

    fn support(&mut self, msg: &SupportState) {
        let arrays = SupportArrays { chain: &msg.name, contact: &msg.contact, support: &msg.support };
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), msg.cycle);
        self.take(2, &msg.header.stamp, |agregator, note| agregator.support(time, arrays, note));
    }

    /// What all messages have in common: count, apply, tell what was wrong, publish.
    fn take(
        &mut self,
        topic: usize,
        stamp: &Time,
        apply: impl FnOnce(&mut Agregator, &mut dyn FnMut(Note<'_>)) -> Result<Taken, Refusal>,
    ) {
        self.counts.received[topic] += 1;
        let Some(agregator) = &mut self.agregator else { return };
        let (log, counts) = (&self.log, &mut self.counts);
        let taken = apply(agregator, &mut |note| tell(log, counts, topic, note));
        match taken {
            Ok(Taken::Applied) if self.params.publish_on != PublishOn::Sync => {
                let (stamp, now) = (self.clock.ns_or_now(stamp), self.clock.now_ns());
                let stamp = agregator.message_stamp(stamp, now);
                self.outputs.send(agregator, &RosClock::stamp(stamp));
            }
            Ok(_) => {}
            Err(refusal) => {
                self.counts.refused += 1;
                self.log
                    .error_throttled(&REFUSED, || format!("{}: message refused: {refusal}", TOPICS[topic]));
            }
        }
    }

    fn take_measured(&mut self) -> Trigger::Response {
        let (log, counts) = (&self.log, &mut self.counts);
        let mut note = |note: Note<'_>| tell(log, counts, 4, note);
        let taken = match &mut self.agregator {
            Some(agregator) => self.measured.take(agregator, &mut note),
            None => Err("no robot is known yet".into()),
        };
        match &taken {
            Ok(done) => self.log.info(format!("take_measured: {done}")),
            Err(why) => self.log.warn(format!("take_measured refused: {why}")),
        }
        Trigger::Response { success: taken.is_ok(), message: taken.unwrap_or_else(|why| why) }
    }
}

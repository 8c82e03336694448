//! `dynamics_node`: the effort of a pose.

use crate::{DynamicsParams, InverseDynamics, PoseArrays, Refused};
use node_lib::r2r::gait_msgs::msg::{JointAccelState, SupportState, SyncStep};
use node_lib::r2r::sensor_msgs::msg::{Imu, MultiDOFJointState};
use node_lib::{About, Level, Log, Node, Port, Report, RosClock, Setup, Throttle, fill, fill_names};
use node_lib::{input, output, qos};
use robot_model_lib::{RobotModel, fixed};

static REFUSED_POSE: Throttle = Throttle::seconds(1);
static REFUSED_SUPPORT: Throttle = Throttle::seconds(2);
static REFUSED_BODY: Throttle = Throttle::seconds(2);
static REFUSED_IMU: Throttle = Throttle::seconds(2);
static HELD: Throttle = Throttle::seconds(5);
static NO_ROBOT: Throttle = Throttle::seconds(10);

/// Inverse dynamics with their topics and log.
pub struct DynamicsNode {
    params: DynamicsParams,
    core: Option<InverseDynamics>,
    port: Port<JointAccelState>,
    syncs: u64,
    sent: u64,
    /// Time of the last pose that went out, ns.
    last: Option<i64>,
    refused: u64,
    log: Log,
    clock: RosClock,
}

impl Node for DynamicsNode {
    type Params = DynamicsParams;
    const ABOUT: About = About {
        name: "dynamics_node",
        purpose: "Adds to each pose the efforts that it takes: inverse dynamics of the robot on the feet that stand.",
        endpoints: &[
            input("joints_accel", "gait_msgs/JointAccelState", "the complete pose, in any order"),
            input("sync", "gait_msgs/SyncStep", "the start of each cycle, if there is one"),
            input("support", "gait_msgs/SupportState", "which legs stand; none: the robot hangs by its base"),
            input("body", "sensor_msgs/MultiDOFJointState", "how the base leans; none: it is level"),
            input("imu", "sensor_msgs/Imu", "the same by its accelerometer, and before body"),
            input("robot_description", "std_msgs/String", "the URDF, unless it is a parameter"),
            output("joints_effort", "gait_msgs/JointAccelState", "the same pose with efforts"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: DynamicsParams) -> anyhow::Result<Self> {
        // Before poses: when all have come, a pose is dealt with by the grid and the supports of its own cycle.
        setup.on("sync", qos::NEWEST, Self::sync)?;
        setup.on("support", qos::NEWEST, Self::support)?;
        setup.on("body", qos::NEWEST, Self::body)?;
        setup.on("imu", qos::SENSOR, Self::imu)?;
        setup.on("joints_accel", qos::NEWEST, Self::pose)?;
        setup.on_params(|node, params| {
            if let Some(core) = &mut node.core {
                core.set_params(params);
            }
            node.params = params.clone();
            Ok(())
        });
        setup.diagnostics(Self::report);
        let robot = params.robot.0.clone();
        let mut node = DynamicsNode {
            core: None,
            port: setup.port("joints_effort", qos::EVENTS)?,
            syncs: 0,
            sent: 0,
            last: None,
            refused: 0,
            log: setup.log(),
            clock: setup.clock(),
            params,
        };
        setup.robot(&mut node, &robot, Self::load)?;
        Ok(node)
    }
}

impl DynamicsNode {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        let mut core = InverseDynamics::new(model, &self.params)?;
        let mass = core.mass();
        match mass > 0.0 {
            true => self.log.info(format!("the robot weighs {} kg", fixed(mass, 3))),
            false => self.log.warn("the URDF gives no masses: all efforts are zero"),
        }
        if let Some(last) = self.last {
            core.begin_without_efforts(last);
        }
        self.core = Some(core);
        Ok(())
    }

    fn pose(&mut self, pose: &JointAccelState) {
        if self.core.is_none() && self.params.enabled {
            let why = "poses pass without efforts: nobody published robot_description";
            self.log.warn_throttled(&NO_ROBOT, || why);
        }
        let arrays = PoseArrays {
            name: &pose.name,
            position: &pose.position,
            velocity: &pose.velocity,
            acceleration: &pose.acceleration,
            effort: &pose.effort,
        };
        let stamp = self.clock.ns_or_now(&pose.header.stamp);
        // Also while efforts are switched off: they fade, and come back from where they are.
        let refused = self.core.as_mut().and_then(|core| core.efforts(stamp, &arrays).err());
        let active = self.core.as_ref().filter(|core| !core.is_passive());
        if let Some(reason) = refused.filter(|_| active.is_some()) {
            return self.refuse(&REFUSED_POSE, "joints_accel", reason);
        }
        let efforts = active.map_or(pose.effort.as_slice(), InverseDynamics::last_efforts);
        self.port.send(|message| {
            message.header.clone_from(&pose.header);
            fill_names(&mut message.name, pose.name.iter().map(String::as_str));
            fill(&mut message.position, &pose.position);
            fill(&mut message.velocity, &pose.velocity);
            fill(&mut message.acceleration, &pose.acceleration);
            fill(&mut message.effort, efforts);
        });
        self.sent += 1;
        self.last = Some(stamp);
        let Some(core) = active else { return };
        if let Some(held) = core.summary().held {
            self.log.warn_throttled(&HELD, || {
                let name = &core.model().joints()[held.joint].name;
                let (wanted, limit) = (fixed(held.wanted, 2), fixed(held.limit, 2));
                format!("joint \"{name}\" would need {wanted}, its limit is {limit}")
            });
        }
    }

    fn sync(&mut self, step: &SyncStep) {
        self.syncs += 1;
        let Some(core) = &mut self.core else { return };
        core.sync(step.cycle, self.clock.ns_or_now(&step.header.stamp), step.period);
    }

    fn support(&mut self, support: &SupportState) {
        let Some(core) = &mut self.core else { return };
        let stamp = self.clock.ns_or_now(&support.header.stamp);
        if let Err(reason) = core.support(stamp, &support.name, &support.contact, &support.support) {
            self.refuse(&REFUSED_SUPPORT, "support", reason);
        }
    }

    fn body(&mut self, body: &MultiDOFJointState) {
        let Some(core) = &mut self.core else { return };
        let stamp = self.clock.ns_or_now(&body.header.stamp);
        let turns = body.transforms.iter().map(|transform| {
            let turn = &transform.rotation;
            [turn.x, turn.y, turn.z, turn.w]
        });
        if let Err(reason) = core.body(stamp, &body.joint_names, turns) {
            self.refuse(&REFUSED_BODY, "body", reason);
        }
    }

    fn imu(&mut self, imu: &Imu) {
        let Some(core) = &mut self.core else { return };
        let stamp = self.clock.ns_or_now(&imu.header.stamp);
        let (turn, force) = (&imu.angular_velocity, &imu.linear_acceleration);
        let frame = self.params.robot.0.own_frame(&imu.header.frame_id);
        let sample = core.imu(stamp, frame, [turn.x, turn.y, turn.z], [force.x, force.y, force.z]);
        if let Err(reason) = sample {
            self.refuse(&REFUSED_IMU, "imu", reason);
        }
    }

    fn refuse(&mut self, throttle: &Throttle, topic: &str, reason: Refused) {
        self.refused += 1;
        self.log.error_throttled(throttle, || format!("{topic} refused: {reason}"));
    }

    fn report(&mut self, report: &mut Report) {
        report
            .value("syncs", self.syncs)
            .value("poses sent", self.sent)
            .value("messages refused", self.refused);
        let Some(core) = &self.core else {
            report.say(Level::Warn, "waiting for the robot on robot_description");
            return;
        };
        if !self.params.enabled {
            report.value("enabled", false);
            return;
        }
        let summary = core.summary();
        report.value("weight, N", fixed(core.mass() * self.params.gravity, 2));
        report.value("normal force, N", fixed(summary.normal_force, 2));
        report.value("force that the feet cannot give, N", fixed(summary.missing_force, 2));
        if let Some((joint, effort, limit)) = summary.worst {
            let name = &core.model().joints()[joint].name;
            report.value("highest load", format!("{name}: {} of {}", fixed(effort, 3), fixed(limit, 3)));
        }
        if summary.held.is_some() {
            report.say(Level::Warn, "a joint would need more than its limit");
        }
    }
}

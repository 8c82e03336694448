//! `gait_node`: walks the robot, and plays motions.

use crate::{Activity, BodyPose, GaitParams, Motion, MotionRules, Note, Source, Tempo, Velocity, Walker};
use node_lib::r2r::gait_msgs::msg::{SyncStep, TorqueState};
use node_lib::r2r::geometry_msgs::msg::{Pose, Twist, TwistStamped};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::trajectory_msgs::msg::JointTrajectory;
use node_lib::{
    About, Level, Log, Node, Report, RosClock, Setup, Throttle, action, input, output, qos, service,
};
use param_lib::ParamError;
use robot_model_lib::RobotModel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

mod accept;
mod goals;
mod orders;
mod outputs;
mod trajectory;
use goals::Goals;
use outputs::Outputs;

/// Until the first sync says it, s.
const PERIOD: f64 = 0.01;

static NO_ROBOT: Throttle = Throttle::seconds(60);
static REACH: Throttle = Throttle::seconds(2);
static FAST: Throttle = Throttle::seconds(2);
static REFUSED: Throttle = Throttle::seconds(2);

/// The node.
pub struct GaitNode {
    walker: Option<Walker>,
    params: GaitParams,
    /// The folder of motions, for those who read files.
    motions: Arc<Mutex<String>>,
    outputs: Outputs,
    goals: Goals,
    clock: RosClock,
    log: Log,
    tempo: Tempo,
    /// What it did in the last cycle.
    was: Activity,
    out_of_reach: u64,
    held_back: u64,
}

impl Node for GaitNode {
    type Params = GaitParams;
    const ABOUT: About = About {
        name: "gait_node",
        purpose: "Walks the robot as cmd_vel says, holds its body as the parameters say, plays recorded motions.",
        endpoints: &[
            input("sync", "gait_msgs/SyncStep", "a pose per cycle"),
            input(
                "cmd_vel",
                "geometry_msgs/Twist",
                "linear x y, angular z; TwistStamped with cmd_vel_stamped",
            ),
            input("body_pose", "geometry_msgs/Pose", "added to the body's pose above its feet"),
            input("joint_trajectory", "trajectory_msgs/JointTrajectory", "a motion; without points: halt"),
            input("joints", "sensor_msgs/JointState", "the pose to begin from"),
            input("joint_states", "sensor_msgs/JointState", "the same, measured"),
            input("torque", "gait_msgs/TorqueState", "which joints hold; nobody says so: all"),
            input("battery_state", "sensor_msgs/BatteryState", "for low_battery"),
            input("robot_description", "std_msgs/String", "URDF, unless a parameter"),
            output("limbs_joints_in", "gait_msgs/JointLimbState", "all limbs"),
            output("joints_in", "sensor_msgs/JointState", "joints of no limb, if there are any"),
            output("support_in", "gait_msgs/SupportState", "which legs stand"),
            output(
                "~/stability_margin",
                "std_msgs/Float64",
                "of the weight inside the polygon of the standing feet, m",
            ),
            output(
                "~/capture_point",
                "geometry_msgs/PointStamped",
                "where a foot would bring the body to rest",
            ),
            output("~/motion", "gait_msgs/MotionState", "how far a motion is"),
            service("~/play", "gait_msgs/PlayMotion", "plays a motion file"),
            service("~/stand", "std_srvs/Trigger", "ends a motion, gets up, stands"),
            service("~/sit", "std_srvs/Trigger", "sits down on its feet, in the posture sit"),
            service("~/halt", "std_srvs/Trigger", "brakes, and holds; a walk ends with its last steps"),
            service("~/resume", "std_srvs/Trigger", "goes on with the motion that was halted"),
            action(
                "~/follow_joint_trajectory",
                "control_msgs/FollowJointTrajectory",
                "a motion, followed to its end and held there",
            ),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: GaitParams) -> anyhow::Result<Self> {
        setup.on("sync", qos::NEWEST, Self::sync)?;
        if params.cmd_vel_stamped {
            let take = |node: &mut Self, msg: &TwistStamped| node.command(&msg.twist);
            setup.on("cmd_vel", qos::NEWEST, take)?;
        } else {
            setup.on("cmd_vel", qos::NEWEST, Self::command)?;
        }
        setup.on("body_pose", qos::NEWEST, Self::lean)?;
        setup.on("joint_trajectory", qos::EVENTS, Self::trajectory)?;
        setup.on("joints", qos::NEWEST, |node: &mut Self, msg| node.pose(Source::Commanded, msg))?;
        setup.on("joint_states", qos::NEWEST, |node: &mut Self, msg| node.pose(Source::Measured, msg))?;
        setup.on("torque", qos::LATCHED, Self::torque)?;
        setup.on("battery_state", qos::NEWEST, Self::battery)?;
        let motions = orders::offer(setup, &params)?;
        setup.on_params(Self::set_params);
        setup.every(Duration::from_secs(5), Self::tell_unknown);
        setup.diagnostics(Self::report);
        let robot = params.robot.0.clone();
        let mut node = GaitNode {
            walker: None,
            motions,
            outputs: Outputs::open(setup, &robot)?,
            goals: Goals::open(setup)?,
            clock: setup.clock(),
            log: setup.log(),
            tempo: Tempo::new(PERIOD),
            was: Activity::Waiting,
            out_of_reach: 0,
            held_back: 0,
            params,
        };
        setup.robot(&mut node, &robot, Self::load)?;
        Ok(node)
    }
}

impl GaitNode {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        self.goals.know(&model);
        self.walker = Some(Walker::new(model, self.params.clone(), PERIOD)?);
        Ok(())
    }

    fn set_params(&mut self, params: &GaitParams) -> Result<(), ParamError> {
        if let Some(walker) = &mut self.walker {
            walker.set_params(params.clone())?;
        }
        self.motions.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&params.motions);
        self.params = params.clone();
        Ok(())
    }

    fn sync(&mut self, step: &SyncStep) {
        let Some(walker) = &mut self.walker else { return };
        let (log, reach, held) = (&self.log, &mut self.out_of_reach, &mut self.held_back);
        let Some(cycle) = self.tempo.sync(self.clock.ns_or_now(&step.header.stamp), step.period) else {
            return;
        };
        let ready = walker.step(cycle.period, cycle.periods, &mut |note| {
            let (count, throttle) = match note {
                Note::OutOfReach { .. } => (&mut *reach, &REACH),
                Note::TooFast { .. } | Note::Fault(_) => (&mut *held, &FAST),
                // Once, and of each joint.
                Note::Outside { .. } | Note::LowBattery { .. } => return log.warn(note.to_string()),
            };
            *count += 1;
            log.warn_throttled(throttle, || note.to_string());
        });
        let now = walker.activity();
        if std::mem::replace(&mut self.was, now) != now {
            self.log.info(format!("{now}"));
        }
        if ready {
            self.outputs.send(walker, step);
            self.outputs.send_stability(walker, step);
        }
        self.outputs.send_progress(walker, step);
        self.goals.step(walker, &step.header, cycle.period * cycle.periods);
    }

    fn command(&mut self, msg: &Twist) {
        let Some(walker) = &mut self.walker else { return };
        let velocity = Velocity { forward: msg.linear.x, left: msg.linear.y, turn: msg.angular.z };
        if !walker.command(velocity) {
            self.log.warn_throttled(&REFUSED, || format!("cmd_vel refused: {velocity:?}"));
        }
    }

    fn lean(&mut self, msg: &Pose) {
        let Some(walker) = &mut self.walker else { return };
        let (place, turn) = (&msg.position, &msg.orientation);
        match BodyPose::bounded([place.x, place.y, place.z], [turn.x, turn.y, turn.z, turn.w]) {
            Some(pose) => walker.lean(pose),
            None => {
                self.log.warn_throttled(&REFUSED, || "body_pose refused: a number or the quaternion is bad")
            }
        }
    }

    fn trajectory(&mut self, msg: &JointTrajectory) {
        let Some(walker) = &mut self.walker else { return };
        if msg.points.is_empty() {
            return walker.stand();
        }
        if walker.activity() == Activity::Limp {
            return self
                .log
                .error_throttled(&REFUSED, || "joint_trajectory refused: the robot has no torque");
        }
        let rules = MotionRules::from(&self.params);
        let motion =
            trajectory::score(msg).and_then(|score| Ok(Motion::new(&score, walker.model(), &rules)?));
        match motion {
            Ok(motion) => {
                let adjustments = motion.adjustments().to_string();
                if !adjustments.is_empty() {
                    self.log.info(format!("joint_trajectory: {adjustments}"));
                }
                walker.play(motion.named("joint_trajectory"));
            }
            Err(e) => self.log.error_throttled(&REFUSED, || format!("joint_trajectory refused: {e}")),
        }
    }

    fn pose(&mut self, source: Source, msg: &JointState) {
        let Some(walker) = &mut self.walker else { return };
        let taken = walker.pose(source, &msg.name, &msg.position);
        let known =
            if source == Source::Measured { self.goals.measured(walker.model(), msg) } else { Ok(()) };
        if let Err(e) = taken.and(known) {
            self.log.warn_throttled(&REFUSED, || format!("joints refused: {e}"));
        }
    }

    fn torque(&mut self, msg: &TorqueState) {
        let Some(walker) = &mut self.walker else { return };
        if !walker.torque(&msg.name, &msg.torque) {
            let (names, values) = (msg.name.len(), msg.torque.len());
            self.log.warn_throttled(&REFUSED, || format!("torque refused: {names} names, {values} values"));
        }
    }

    fn battery(&mut self, msg: &BatteryState) {
        if let Some(walker) = &mut self.walker {
            walker.battery(f64::from(msg.voltage));
        }
    }

    fn tell_unknown(&mut self) {
        let Some(walker) = &self.walker else {
            let why = "waiting for robot_description (or give the parameter robot_description)";
            self.log.warn_throttled(&NO_ROBOT, || why);
            return;
        };
        if matches!(walker.activity(), Activity::Waiting | Activity::Limp) {
            self.log.warn(format!("not moving: {}", walker.waits_for()));
        }
    }

    fn report(&mut self, report: &mut Report) {
        let Some(walker) = &self.walker else {
            report.say(Level::Error, "no robot description");
            return;
        };
        let velocity = walker.velocity();
        report.value("activity", walker.activity()).value("gait", &self.params.gait);
        report.value("forward, m/s", format!("{:.3}", velocity.forward));
        report.value("left, m/s", format!("{:.3}", velocity.left));
        report.value("turn, rad/s", format!("{:.3}", velocity.turn));
        report.value("hooves out of reach", self.out_of_reach).value("joints held back", self.held_back);
        if let Some(motion) = walker.progress() {
            report.value("motion", motion.name);
        }
        match walker.activity() {
            Activity::Waiting => report.say(Level::Warn, "waiting for the pose of the joints"),
            Activity::Limp => report.say(Level::Warn, "without torque"),
            _ => report,
        };
    }
}

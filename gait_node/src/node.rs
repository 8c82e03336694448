//! `gait_node`: walks the robot, and plays motions.

use crate::{Activity, GaitParams, Learned, Source, Tempo, Walker};
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::r2r::geometry_msgs::msg::TwistStamped;
use node_lib::{About, Beside, Log, Node, RosClock, Setup, action, input, output, qos, service};
use param_lib::ParamError;
use robot_model_lib::RobotModel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

mod accept;
mod goals;
mod inputs;
mod notes;
mod orders;
mod outputs;
mod report;
mod trajectory;
use goals::Goals;
use notes::Notes;
use outputs::Outputs;

/// Until the first sync says it, s.
const PERIOD: f64 = 0.01;

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
    /// What the joints can do is learnt beside the control thread.
    lessons: Beside<Learned>,
    tempo: Tempo,
    /// What it did in the last cycle.
    was: Activity,
    notes: Notes,
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
            lessons: setup.beside(Self::learned),
            tempo: Tempo::new(PERIOD),
            was: Activity::Waiting,
            notes: Notes::new(setup.log()),
            params,
        };
        setup.robot(&mut node, &robot, Self::load)?;
        Ok(node)
    }
}

impl GaitNode {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        self.goals.know(&model);
        let walker = Walker::new(model, self.params.clone(), PERIOD)?;
        self.notes.gait(&walker);
        self.walker = Some(walker);
        Ok(())
    }

    fn set_params(&mut self, params: &GaitParams) -> Result<(), ParamError> {
        if let Some(walker) = &mut self.walker
            && let Some(lesson) = walker.change_params(params.clone())?
        {
            self.lessons.run(|| lesson.learn());
        }
        self.motions.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&params.motions);
        self.params = params.clone();
        Ok(())
    }

    fn learned(&mut self, learned: Learned) {
        let Some(walker) = &mut self.walker else { return };
        walker.learned(learned);
        self.notes.gait(walker);
    }

    fn sync(&mut self, step: &SyncStep) {
        let Some(walker) = &mut self.walker else { return };
        let stamp = self.clock.ns_or_now(&step.header.stamp);
        let Some(cycle) = self.tempo.sync(step.cycle, stamp, step.period) else {
            return;
        };
        let ready = walker.step(cycle.period, cycle.periods, &mut |note| self.notes.take(note));
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
}

//! `gait_node`: walks the robot, and plays motions.

use crate::{Activity, GaitParams, Motion, Note, Source, Tempo, Velocity, Walker, read_motion};
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::r2r::gait_msgs::srv::PlayMotion;
use node_lib::r2r::geometry_msgs::msg::Twist;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::r2r::trajectory_msgs::msg::JointTrajectory;
use node_lib::{About, Level, Log, Port, Report, RosClock, Setup, Throttle, qos};
use param_lib::ParamError;
use robot_model_lib::RobotModel;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

mod outputs;
mod trajectory;
use outputs::Outputs;

const ABOUT: About = About {
    name: "gait_node",
    purpose: "Walks the robot as cmd_vel says, holds its body as the parameters say, plays recorded motions.",
    ports: &[
        Port { name: "sync", kind: "gait_msgs/SyncStep", role: "in", doc: "a pose per cycle" },
        Port { name: "cmd_vel", kind: "geometry_msgs/Twist", role: "in", doc: "linear x y, angular z" },
        Port {
            name: "joint_trajectory",
            kind: "trajectory_msgs/JointTrajectory",
            role: "in",
            doc: "a motion; without points: halt",
        },
        Port { name: "joints", kind: "sensor_msgs/JointState", role: "in", doc: "the pose to begin from" },
        Port { name: "joint_states", kind: "sensor_msgs/JointState", role: "in", doc: "the same, measured" },
        Port {
            name: "/robot_description",
            kind: "std_msgs/String",
            role: "in",
            doc: "URDF, unless a parameter",
        },
        Port { name: "limbs_joints_in", kind: "gait_msgs/JointLimbState", role: "out", doc: "all limbs" },
        Port {
            name: "joints_in",
            kind: "sensor_msgs/JointState",
            role: "out",
            doc: "joints of no limb, if there are any",
        },
        Port { name: "support_in", kind: "gait_msgs/SupportState", role: "out", doc: "which legs stand" },
        Port { name: "~/play", kind: "gait_msgs/PlayMotion", role: "service", doc: "plays a motion file" },
        Port { name: "~/stand", kind: "std_srvs/Trigger", role: "service", doc: "ends a motion and stands" },
    ],
};

/// Until the first sync says it, s.
const PERIOD: f64 = 0.01;

static REACH: Throttle = Throttle::seconds(2);
static FAST: Throttle = Throttle::seconds(2);
static REFUSED: Throttle = Throttle::seconds(2);
static UNSENT: Throttle = Throttle::seconds(5);

struct Node {
    walker: Option<Walker>,
    params: GaitParams,
    outputs: Outputs,
    log: Log,
    tempo: Tempo,
    /// What it did in the last cycle.
    was: Activity,
    out_of_reach: u64,
    held_back: u64,
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Node, GaitParams>, params: GaitParams) -> anyhow::Result<Node> {
    setup.on("sync", qos::EVENTS, Node::sync)?;
    setup.on("cmd_vel", qos::NEWEST, Node::command)?;
    setup.on("joint_trajectory", qos::EVENTS, Node::trajectory)?;
    setup.on("joints", qos::NEWEST, |node: &mut Node, msg| node.pose(Source::Commanded, &msg))?;
    setup.on("joint_states", qos::NEWEST, |node: &mut Node, msg| node.pose(Source::Measured, &msg))?;
    setup.service::<PlayMotion::Service>("~/play", |node, request| match node.play(&request.file) {
        Ok(message) => PlayMotion::Response { success: true, message },
        Err(e) => PlayMotion::Response { success: false, message: format!("{e:#}") },
    })?;
    setup.service::<Trigger::Service>("~/stand", |node, _| Trigger::Response {
        success: node.walker.as_mut().map(Walker::halt).is_some(),
        message: if node.walker.is_some() { "stands up" } else { "no robot is known yet" }.into(),
    })?;
    setup.on_params(Node::set_params);
    setup.every(Duration::from_secs(5), Node::tell_unknown);
    setup.diagnostics(Node::report);
    let robot = params.robot.0.clone();
    let mut node = Node {
        walker: None,
        outputs: Outputs::open(setup)?,
        log: setup.log(),
        tempo: Tempo::new(PERIOD),
        was: Activity::Waiting,
        out_of_reach: 0,
        held_back: 0,
        params,
    };
    setup.robot(&mut node, &robot, Node::load)?;
    Ok(node)
}

impl Node {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        self.outputs.fit(&model);
        self.walker = Some(Walker::new(model, self.params.clone(), PERIOD)?);
        Ok(())
    }

    fn set_params(&mut self, params: &GaitParams) -> Result<(), ParamError> {
        if let Some(walker) = &mut self.walker {
            walker.set_params(params.clone())?;
        }
        self.params = params.clone();
        Ok(())
    }

    fn sync(&mut self, step: SyncStep) {
        let Some(walker) = &mut self.walker else { return };
        let (log, reach, held) = (&self.log, &mut self.out_of_reach, &mut self.held_back);
        let Some(cycle) = self.tempo.sync(RosClock::ns(&step.header.stamp), step.period) else { return };
        let ready = walker.step(cycle.period, cycle.pace, &mut |note| {
            let (count, throttle) = match note {
                Note::OutOfReach { .. } => (&mut *reach, &REACH),
                _ => (&mut *held, &FAST),
            };
            *count += 1;
            log.warn_throttled(throttle, || note.to_string());
        });
        let now = walker.activity();
        if std::mem::replace(&mut self.was, now) != now {
            self.log.info(format!("{now}"));
        }
        if !ready {
            return;
        }
        if let Err(e) = self.outputs.publish(walker, &step) {
            self.log.error_throttled(&UNSENT, || format!("could not publish: {e}"));
        }
    }

    fn command(&mut self, msg: Twist) {
        let Some(walker) = &mut self.walker else { return };
        let velocity = Velocity { forward: msg.linear.x, left: msg.linear.y, turn: msg.angular.z };
        if !walker.command(velocity) {
            self.log.warn_throttled(&REFUSED, || format!("cmd_vel refused: {velocity:?}"));
        }
    }

    fn trajectory(&mut self, msg: JointTrajectory) {
        let Some(walker) = &mut self.walker else { return };
        if msg.points.is_empty() {
            return walker.halt();
        }
        let motion = trajectory::score(&msg).and_then(|score| Ok(Motion::new(&score, walker.model())?));
        match motion {
            Ok(motion) => walker.play(motion),
            Err(e) => self.log.error_throttled(&REFUSED, || format!("joint_trajectory refused: {e}")),
        }
    }

    fn play(&mut self, file: &str) -> anyhow::Result<String> {
        let walker = self.walker.as_mut().ok_or_else(|| anyhow::anyhow!("no robot is known yet"))?;
        if file.is_empty() {
            walker.halt();
            return Ok("halted".into());
        }
        let path = Path::new(&self.params.motions).join(file);
        let wrong = |e: &dyn std::fmt::Display| anyhow::anyhow!("{}: {e}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|e| wrong(&e))?;
        let score = read_motion(&text).map_err(|e| wrong(&e))?;
        let motion = Motion::new(&score, walker.model()).map_err(|e| wrong(&e))?;
        let seconds = motion.entry_time() + motion.duration();
        walker.play(motion);
        Ok(format!("{file}: {seconds:.1} s"))
    }

    fn pose(&mut self, source: Source, msg: &JointState) {
        if let Some(walker) = &mut self.walker {
            if let Err(e) = walker.pose(source, &msg.name, &msg.position) {
                self.log.warn_throttled(&REFUSED, || format!("joints refused: {e}"));
            }
        }
    }

    fn tell_unknown(&mut self) {
        let Some(walker) = &self.walker else {
            self.log.warn("waiting for /robot_description (or give the parameter robot_description)");
            return;
        };
        if walker.activity() == Activity::Waiting {
            let names: Vec<&str> = walker.unknown().collect();
            let list = if names.len() > 6 { "most joints".into() } else { names.join(", ") };
            self.log.warn(format!(
                "not moving: neither joints nor joint_states tell where these are: {list}; wait_for_pose:=false starts without"
            ));
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
        if walker.activity() == Activity::Waiting {
            report.say(Level::Warn, "waiting for the pose of the joints");
        }
    }
}

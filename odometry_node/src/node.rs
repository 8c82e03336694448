//! `odometry_node`: where the body is, from the joints alone.

mod publish;

use crate::{Body, Feed, OdometryParams, Outputs, Refused, placed};
use node_lib::r2r::gait_msgs::msg::{SupportState, SyncStep};
use node_lib::r2r::gait_msgs::srv::SetPose;
use node_lib::r2r::sensor_msgs::msg::{Imu, JointState, MultiDOFJointState};
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Level, Log, Node, Report, RosClock, Setup, Throttle, input, output, qos, service};
use publish::Outgoing;
use robot_model_lib::RobotModel;

static REFUSED_JOINTS: Throttle = Throttle::seconds(2);
static REFUSED_SUPPORT: Throttle = Throttle::seconds(2);
static REFUSED_BODY: Throttle = Throttle::seconds(2);
static REFUSED_IMU: Throttle = Throttle::seconds(2);
static LATE_BODY: Throttle = Throttle::seconds(5);
static CONTACTS: Throttle = Throttle::seconds(5);
static NO_ROBOT: Throttle = Throttle::seconds(10);

/// The robot that is known, and its odometry.
pub(crate) struct Robot {
    feed: Feed,
    outputs: Outputs,
    /// Joint messages that were used.
    cycles: u64,
}

/// The node.
pub struct OdometryNode {
    params: OdometryParams,
    robot: Option<Robot>,
    outgoing: Outgoing,
    log: Log,
    clock: RosClock,
    refused: u64,
}

impl Node for OdometryNode {
    type Params = OdometryParams;
    const ABOUT: About = About {
        name: "odometry_node",
        purpose: "Says where the body is and how it moves, from the joints alone: hooves that stand do not move.",
        endpoints: &[
            input("joints", "sensor_msgs/JointState", "the complete posture, in any order"),
            input("support", "gait_msgs/SupportState", "which legs stand, when it is known"),
            input("imu", "sensor_msgs/Imu", "gyro and accelerometer on the base, when there is one"),
            input("body_in", "sensor_msgs/MultiDOFJointState", "the body, when it is known better"),
            input("sync", "gait_msgs/SyncStep", "the control cycle"),
            input("robot_description", "std_msgs/String", "the URDF, unless it is a parameter"),
            output("body", "sensor_msgs/MultiDOFJointState", "pose and twist in odom axes"),
            output("odom", "nav_msgs/Odometry", "the same, twist in base axes, covariances"),
            output("/tf", "tf2_msgs/TFMessage", "odom to base, footprint, links"),
            output("support_out", "gait_msgs/SupportState", "the contacts that were used"),
            output("limb_poses", "sensor_msgs/MultiDOFJointState", "ends of the chains, when asked"),
            service("~/reset", "std_srvs/Trigger", "back to the start pose"),
            service("~/set_pose", "gait_msgs/SetPose", "puts the base there"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: OdometryParams) -> anyhow::Result<Self> {
        // Supports before joints: when both wait, those of a cycle are known when its joints are dealt with.
        setup.on("sync", qos::NEWEST, Self::sync)?;
        setup.on("support", qos::EVENTS, Self::support)?;
        setup.on("imu", qos::SENSOR, Self::imu)?;
        setup.on("body_in", qos::EVENTS, Self::body)?;
        setup.on("joints", qos::EVENTS, Self::joints)?;
        setup.service::<Trigger::Service>("~/reset", |node, _| node.reset())?;
        setup.service::<SetPose::Service>("~/set_pose", Self::set_pose)?;
        setup.on_params(|node, params| {
            if let Some(robot) = &mut node.robot {
                robot.feed.set_params(params);
            }
            node.params = params.clone();
            Ok(())
        });
        setup.diagnostics(Self::report);
        let robot = params.robot.0.clone();
        let mut node = OdometryNode {
            outgoing: Outgoing::open(setup)?,
            robot: None,
            log: setup.log(),
            clock: setup.clock(),
            refused: 0,
            params,
        };
        setup.robot(&mut node, &robot, Self::load)?;
        Ok(node)
    }
}

impl OdometryNode {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        let feed = Feed::new(&model, &self.params)?;
        self.robot = Some(Robot { feed, outputs: Outputs::new(model, &self.params), cycles: 0 });
        Ok(())
    }

    fn joints(&mut self, joints: &JointState) {
        let Some(robot) = &mut self.robot else {
            let why = "joints come, but no robot is known: nobody published robot_description";
            self.log.warn_throttled(&NO_ROBOT, || why);
            return;
        };
        let stamp = self.clock.ns_or_now(&joints.header.stamp);
        let resets = robot.feed.resets();
        match robot.feed.joints(stamp, &joints.name, &joints.position, &joints.velocity) {
            Ok(estimate) => {
                if let Some(warning) = estimate.warning {
                    self.log.warn_throttled(&CONTACTS, || warning);
                }
                if robot.feed.resets() != resets {
                    self.log.warn("time was set back: the odometry begins anew");
                }
                robot.cycles += 1;
                self.outgoing.send(robot, &self.params);
            }
            Err(reason) => self.refuse(&REFUSED_JOINTS, "joints", reason),
        }
    }

    fn support(&mut self, support: &SupportState) {
        let Some(robot) = &mut self.robot else { return };
        let stamp = RosClock::ns(&support.header.stamp);
        if let Err(reason) = robot.feed.support(stamp, &support.name, &support.contact, &support.support) {
            self.refuse(&REFUSED_SUPPORT, "support", reason);
        }
    }

    fn imu(&mut self, imu: &Imu) {
        let Some(robot) = &mut self.robot else { return };
        let stamp = self.clock.ns_or_now(&imu.header.stamp);
        let (turn, force) = (&imu.angular_velocity, &imu.linear_acceleration);
        let frame = self.params.robot.0.own_frame(&imu.header.frame_id);
        let sample = robot.feed.imu(stamp, frame, [turn.x, turn.y, turn.z], [force.x, force.y, force.z]);
        if let Err(reason) = sample {
            self.refuse(&REFUSED_IMU, "imu", reason);
        }
    }

    fn body(&mut self, message: &MultiDOFJointState) {
        let Some(robot) = &mut self.robot else { return };
        let poses: Vec<_> = message
            .transforms
            .iter()
            .map(|t| {
                let (p, q) = (&t.translation, &t.rotation);
                [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
            })
            .collect();
        let twists: Vec<_> = message
            .twist
            .iter()
            .map(|t| [t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z])
            .collect();
        let frame = self.params.robot.0.own_frame(&message.header.frame_id);
        match Body::told(frame, &message.joint_names, &poses, &twists, &self.params) {
            Ok(body) if robot.feed.body(RosClock::ns(&message.header.stamp), body) => {}
            Ok(_) => {
                let why = "body_in comes after the joints of its cycle: left out";
                self.log.warn_throttled(&LATE_BODY, || why);
            }
            Err(reason) => self.refuse(&REFUSED_BODY, "body_in", reason),
        }
    }

    fn sync(&mut self, step: &SyncStep) {
        if let Some(robot) = &mut self.robot {
            robot.feed.sync(step.cycle, self.clock.ns_or_now(&step.header.stamp), step.period);
        }
    }

    fn reset(&mut self) -> Trigger::Response {
        let done = self.robot.as_mut().map(|robot| robot.feed.reset());
        let (success, message) = self.answer(
            "reset",
            done.map(|()| "at the start pose with the next joints".into()).ok_or("no robot is known yet"),
        );
        Trigger::Response { success, message }
    }

    fn set_pose(&mut self, request: SetPose::Request) -> SetPose::Response {
        let (p, q) = (&request.pose.pose.position, &request.pose.pose.orientation);
        let numbers = [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        let frame = self.params.robot.0.own_frame(&request.pose.header.frame_id);
        let done = match (&mut self.robot, placed(frame, &numbers, &self.params)) {
            (Some(robot), Ok(pose)) => match robot.feed.set_pose(pose) {
                Ok(()) => Ok(format!("the base was put at {:.3} {:.3} {:.3}", p.x, p.y, p.z)),
                Err(reason) => Err(reason.to_string()),
            },
            (None, _) => Err("no robot is known yet".into()),
            (_, Err(reason)) => Err(reason.to_string()),
        };
        let (success, message) = self.answer("set_pose", done);
        SetPose::Response { success, message }
    }

    /// Logs what became of a request, in the words in which it is answered.
    fn answer(&self, service: &str, done: Result<String, impl Into<String>>) -> (bool, String) {
        match done {
            Ok(what) => {
                self.log.info(format!("{service}: {what}"));
                (true, what)
            }
            Err(why) => {
                let why = why.into();
                self.log.error(format!("{service} refused: {why}"));
                (false, why)
            }
        }
    }

    fn refuse(&mut self, throttle: &Throttle, topic: &str, reason: Refused) {
        self.refused += 1;
        self.log.error_throttled(throttle, || format!("{topic} refused: {reason}"));
    }

    fn report(&mut self, report: &mut Report) {
        let Some(robot) = &self.robot else {
            report.say(Level::Warn, "waiting for the robot on robot_description");
            return;
        };
        let estimate = robot.feed.estimate();
        report.value("cycles", robot.cycles).value("refused messages", self.refused);
        report.value("resets", robot.feed.resets()).value("contacts", estimate.contacts());
        report.value("residual, m", format!("{:.6}", estimate.residual));
        if let Some(warning) = estimate.warning {
            report.say(Level::Warn, warning);
        }
    }
}

//! `odometry_node`: where the body is, from the joints alone.

#[path = "odometry_node/outputs.rs"]
mod outputs;
#[path = "odometry_node/robot.rs"]
mod robot;

use node_lib::r2r::gait_msgs::msg::{SupportState, SyncStep};
use node_lib::r2r::geometry_msgs::msg::PoseWithCovarianceStamped;
use node_lib::r2r::sensor_msgs::msg::{JointState, MultiDOFJointState};
use node_lib::r2r::std_msgs::msg::String as Text;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Level, Log, Port, RosClock, Setup, Throttle, qos};
use odometry_node::{OdometryParams, Refused};
use outputs::Outputs;
use robot::Robot;
use std::fmt::Display;
use std::process::ExitCode;

const ABOUT: About = About {
    name: "odometry_node",
    purpose: "Says where the body is and how it moves, from the joints alone: hooves that stand do not move.",
    ports: &[
        Port {
            name: "joints",
            kind: "sensor_msgs/JointState",
            role: "in",
            doc: "the complete posture, in any order",
        },
        Port {
            name: "support",
            kind: "gait_msgs/SupportState",
            role: "in",
            doc: "which legs stand, when it is known",
        },
        Port {
            name: "body_in",
            kind: "sensor_msgs/MultiDOFJointState",
            role: "in",
            doc: "the body, when it is known better",
        },
        Port { name: "sync", kind: "gait_msgs/SyncStep", role: "in", doc: "the control cycle" },
        Port {
            name: "/robot_description",
            kind: "std_msgs/String",
            role: "in",
            doc: "the URDF, unless it is a parameter",
        },
        Port {
            name: "~/set_pose",
            kind: "geometry_msgs/PoseWithCovarianceStamped",
            role: "in",
            doc: "puts the base there",
        },
        Port {
            name: "body",
            kind: "sensor_msgs/MultiDOFJointState",
            role: "out",
            doc: "pose and twist in odom axes",
        },
        Port {
            name: "odom",
            kind: "nav_msgs/Odometry",
            role: "out",
            doc: "the same, twist in base axes, covariances",
        },
        Port { name: "/tf", kind: "tf2_msgs/TFMessage", role: "out", doc: "odom to base, footprint, links" },
        Port {
            name: "support_out",
            kind: "gait_msgs/SupportState",
            role: "out",
            doc: "the contacts that were used",
        },
        Port {
            name: "limb_poses",
            kind: "sensor_msgs/MultiDOFJointState",
            role: "out",
            doc: "ends of the chains, when asked",
        },
        Port { name: "~/reset", kind: "std_srvs/Trigger", role: "service", doc: "back to the start pose" },
    ],
};

static REFUSED_JOINTS: Throttle = Throttle::seconds(2);
static REFUSED_SUPPORT: Throttle = Throttle::seconds(2);
static REFUSED_BODY: Throttle = Throttle::seconds(2);
static LATE_BODY: Throttle = Throttle::seconds(5);
static CONTACTS: Throttle = Throttle::seconds(5);
static NO_ROBOT: Throttle = Throttle::seconds(10);
static UNSENT: Throttle = Throttle::seconds(5);

struct Node {
    params: OdometryParams,
    robot: Option<Robot>,
    outputs: Outputs,
    log: Log,
    clock: RosClock,
    refused: u64,
}

fn main() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Node, OdometryParams>, params: OdometryParams) -> anyhow::Result<Node> {
    let outputs = Outputs::open(setup)?;
    let (log, clock) = (setup.log(), setup.clock());
    let description = &params.robot.0.robot_description;
    let robot = if description.is_empty() { None } else { Some(Robot::new(description, &params)?) };
    match &robot {
        Some(robot) => log.info(robot.summary()),
        None => log.info("waiting for the robot on /robot_description"),
    }
    if robot.is_none() {
        setup.on("/robot_description", qos::LATCHED, |node: &mut Node, text: Text| node.load(&text.data))?;
    }
    // Supports before joints: when both wait, those of a cycle are known when its joints are dealt with.
    setup.on("sync", qos::EVENTS, |node: &mut Node, step: SyncStep| node.sync(&step))?;
    setup.on("support", qos::EVENTS, |node: &mut Node, support: SupportState| node.support(&support))?;
    setup.on("body_in", qos::EVENTS, |node: &mut Node, body: MultiDOFJointState| node.body(&body))?;
    setup.on("joints", qos::EVENTS, |node: &mut Node, joints: JointState| node.joints(&joints))?;
    setup.on("~/set_pose", qos::EVENTS, |node: &mut Node, pose: PoseWithCovarianceStamped| {
        node.set_pose(&pose)
    })?;
    setup.service::<Trigger::Service>("~/reset", |node, _| node.reset())?;
    setup.on_params(|node, params| {
        if let Some(robot) = &mut node.robot {
            robot.feed.set_params(params);
        }
        node.params = params.clone();
        Ok(())
    });
    setup.diagnostics(Node::report);
    Ok(Node { params, robot, outputs, log, clock, refused: 0 })
}

impl Node {
    fn load(&mut self, text: &str) {
        if self.robot.as_ref().is_some_and(|robot| robot.description == text) {
            return;
        }
        match Robot::new(text, &self.params) {
            Ok(robot) => {
                self.log.info(robot.summary());
                self.robot = Some(robot);
            }
            Err(e) => self.log.error(format!("/robot_description: {e:#}")),
        }
    }

    fn joints(&mut self, joints: &JointState) {
        let Some(robot) = &mut self.robot else {
            self.log.warn_throttled(
                &NO_ROBOT,
                || "joints come, but no robot is known: nobody published /robot_description",
            );
            return;
        };
        let stamp = match RosClock::ns(&joints.header.stamp) {
            0 => self.clock.now_ns(),
            stamp => stamp,
        };
        let resets = robot.feed.resets();
        match robot.feed.joints(stamp, &joints.name, &joints.position, &joints.velocity) {
            Ok(estimate) => {
                if let Some(warning) = estimate.warning {
                    self.log.warn_throttled(&CONTACTS, || warning);
                }
                if robot.feed.resets() != resets {
                    self.log.warn("time was set back: the odometry begins anew");
                }
                if let Err(e) = self.outputs.publish(robot, &self.params) {
                    self.log.error_throttled(&UNSENT, || format!("could not publish: {e}"));
                }
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

    fn body(&mut self, message: &MultiDOFJointState) {
        let Some(robot) = &mut self.robot else { return };
        match robot::body_of(message, &self.params) {
            Ok(body) => {
                if !robot.feed.body(RosClock::ns(&message.header.stamp), body) {
                    self.log.warn_throttled(
                        &LATE_BODY,
                        || "body_in comes after the joints of its cycle: left out",
                    );
                }
            }
            Err(reason) => self.refuse(&REFUSED_BODY, "body_in", reason),
        }
    }

    fn sync(&mut self, step: &SyncStep) {
        if let Some(robot) = &mut self.robot {
            robot.feed.sync(step.cycle, RosClock::ns(&step.header.stamp), step.period);
        }
    }

    fn reset(&mut self) -> Trigger::Response {
        let message = match &mut self.robot {
            Some(robot) => {
                robot.feed.reset();
                "at the start pose with the next joints"
            }
            None => "no robot is known yet: it will begin at the start pose",
        };
        self.log.info(format!("reset: {message}"));
        Trigger::Response { success: true, message: message.into() }
    }

    fn set_pose(&mut self, message: &PoseWithCovarianceStamped) {
        let Some(robot) = &mut self.robot else {
            self.log.error("set_pose: no robot is known yet");
            return;
        };
        match robot::placed(&message.header.frame_id, &message.pose.pose, &self.params) {
            Ok(pose) => {
                robot.feed.set_pose(pose);
                let place = pose.translation.vector;
                self.log.info(format!("the base was put at {:.3} {:.3} {:.3}", place.x, place.y, place.z));
            }
            Err(reason) => self.log.error(format!("set_pose refused: {reason}")),
        }
    }

    fn refuse(&mut self, throttle: &Throttle, topic: &str, reason: Refused) {
        self.refused += 1;
        self.log.error_throttled(throttle, || -> Box<dyn Display> {
            Box::new(format!("{topic} refused: {reason}"))
        });
    }

    fn report(&mut self, report: &mut node_lib::Report) {
        let Some(robot) = &self.robot else {
            report.say(Level::Warn, "waiting for the robot on /robot_description");
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

//! What is heard of the robot, on the thread that waits for DDS.

use super::PageNode;
use super::hub::{Hub, State};
use super::parameters::changed;
use crate::body_pose;
use crate::health::Status;
use crate::joint_tracks::Track;
use crate::snapshot::{Body, Force, MotionProgress};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::diagnostic_msgs::msg::DiagnosticArray;
use node_lib::r2r::gait_msgs::msg::{MotionState, ServoGoal, SupportState, SyncStep, TorqueState};
use node_lib::r2r::geometry_msgs::msg::{Pose, Transform, Twist, TwistStamped, Wrench};
use node_lib::r2r::nav_msgs::msg::Odometry;
use node_lib::r2r::qos::DurabilityPolicy;
use node_lib::r2r::rcl_interfaces::msg::{Log, ParameterEvent};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState, MultiDOFJointState};
use node_lib::r2r::std_msgs::msg::{Bool, Float64, String as Text};
use node_lib::r2r::{QosProfile, WrappedTypesupport};
use node_lib::{Node as _, Setup, parameter_from_msg, qos};
use std::sync::Arc;

/// Takes what is published either way; two seconds of a topic wait while the machine is busy, or they would be missing in recordings.
const HEARD: QosProfile = QosProfile::default().best_effort().keep_last(200);
/// Lines below this are for those who debug.
const INFO: u8 = 20;

/// Listens to everything that the page shows.
pub(super) fn watch(setup: &mut Setup<PageNode>, hub: &Arc<Hub>) -> anyhow::Result<()> {
    scene(setup, hub, "sync", HEARD, |s, m: SyncStep, now| s.scene.sync(m.cycle, m.period, now))?;
    for (topic, track) in
        [("joints", Track::Commanded), ("joint_states", Track::Measured), ("truth/joint_states", Track::True)]
    {
        scene(setup, hub, topic, HEARD, move |s, m: JointState, now| {
            s.scene.joints.take(track, &m.name, &m.position, now);
            if track == Track::Measured {
                s.scene.joints.take(Track::Load, &m.name, &m.effort, now);
            }
        })?;
    }
    let clock = hub.outputs.clock.clone();
    scene(setup, hub, "goals", HEARD, move |s, m: ServoGoal, now| {
        let age = seconds(&clock.now()) - seconds(&m.header.stamp);
        s.scene.goals(&m.name, &m.target_pos, age, now)
    })?;
    scene(setup, hub, "support", HEARD, |s, m: SupportState, now| s.scene.support(&m.name, &m.support, now))?;
    scene(setup, hub, "truth/contacts", HEARD, |s, m: SupportState, now| {
        s.scene.contacts(&m.name, &m.support, now)
    })?;
    scene(setup, hub, "odom", HEARD, |s, m: Odometry, now| s.scene.odom(body(&m), now))?;
    scene(setup, hub, "truth/odom", HEARD, |s, m: Odometry, now| s.scene.truth(body(&m), now))?;
    scene(setup, hub, "truth/forces", HEARD, |s, m: MultiDOFJointState, now| {
        s.scene.forces(forces(&m), now)
    })?;
    scene(setup, hub, "truth/fallen", qos::LATCHED, |s, m: Bool, _| s.scene.fallen(m.data))?;
    scene(setup, hub, "torque", qos::LATCHED, |s, m: TorqueState, now| {
        s.scene.joints.torque(&m.name, &m.torque, now)
    })?;
    scene(setup, hub, "battery_state", HEARD, |s, m: BatteryState, now| {
        s.scene.battery(m.voltage.into(), now)
    })?;
    scene(setup, hub, "gait_node/stability_margin", HEARD, |s, m: Float64, now| s.scene.margin(m.data, now))?;
    scene(setup, hub, "gait_node/motion", HEARD, |s, m: MotionState, now| s.scene.motion(motion(m), now))?;
    scene(setup, hub, "body_pose", HEARD, |s, m: Pose, _| s.scene.pose(pose(&m)))?;
    scene(setup, hub, "/diagnostics", qos::EVENTS, diagnostics)?;

    // Nobody looks at these, but a recording without them is half a recording.
    if hub.settings.borrow().cmd_vel_stamped {
        scene(setup, hub, "cmd_vel", qos::EVENTS, |_, _: TwistStamped, _| {})?;
    } else {
        scene(setup, hub, "cmd_vel", qos::EVENTS, |_, _: Twist, _| {})?;
    }

    let (log, settings) = (hub.clone(), hub.settings.clone());
    let number = recorded(setup, hub, "/rosout");
    setup.watch("/rosout", qos::EVENTS, move |line: Log| {
        log.recorder.take(number, false, &line);
        if line.level >= INFO {
            log.state().lines.say(seconds(&line.stamp), line.level, &line.name, &line.msg);
        }
    })?;
    let (tuned, number) = (hub.clone(), recorded(setup, hub, "/parameter_events"));
    setup.watch("/parameter_events", qos::EVENTS, move |event: ParameterEvent| {
        tuned.recorder.take(number, false, &event);
        let namespace = format!("{}/", tuned.namespace);
        let Some(node) = event.node.strip_prefix(&namespace) else { return };
        for p in event.changed_parameters.iter().chain(&event.new_parameters) {
            if let Some(value) = parameter_from_msg(&p.value) {
                changed(&tuned, node, &p.name, value);
            }
        }
    })?;
    if settings.borrow().robot.0.robot_description.is_empty() {
        let robot = hub.clone();
        setup.watch("robot_description", qos::LATCHED, move |text: Text| {
            if let Err(e) = robot.load_robot(&text.data) {
                robot.log.error(format!("robot_description: {e:#}; waiting for another"));
            }
        })?;
    }
    Ok(())
}

fn scene<M: WrappedTypesupport + Send + 'static>(
    setup: &mut Setup<PageNode>,
    hub: &Arc<Hub>,
    topic: &str,
    qos: QosProfile,
    take: impl Fn(&mut State, M, f64) + Send + 'static,
) -> anyhow::Result<()> {
    let number = recorded(setup, hub, topic);
    let (hub, is_latched) = (hub.clone(), qos.durability == DurabilityPolicy::TransientLocal);
    setup.watch(topic, qos, move |message: M| {
        hub.recorder.take(number, is_latched, &message);
        take(&mut hub.state(), message, hub.now());
    })
}

/// The number under which a topic is recorded; its type is what the node says of it.
fn recorded(setup: &Setup<PageNode>, hub: &Hub, topic: &str) -> usize {
    let kind = PageNode::ABOUT
        .endpoints
        .iter()
        .find(|end| end.name == topic && end.role == "in")
        .map_or("", |end| end.kind);
    let is_stamped = topic == "cmd_vel" && hub.settings.borrow().cmd_vel_stamped;
    hub.recorder.topic(&setup.resolve(topic), if is_stamped { "geometry_msgs/TwistStamped" } else { kind })
}

fn diagnostics(state: &mut State, array: DiagnosticArray, now: f64) {
    for status in array.status {
        let values = status.values.into_iter().map(|pair| (pair.key, pair.value)).collect();
        let told = Status { level: status.level, message: status.message, values };
        state.health.tell(&status.name, told, now);
    }
}

fn seconds(time: &Time) -> f64 {
    f64::from(time.sec) + 1e-9 * f64::from(time.nanosec)
}

fn body(odom: &Odometry) -> Body {
    let (pose, twist) = (&odom.pose.pose, &odom.twist.twist);
    let (p, q) = (&pose.position, &pose.orientation);
    Body {
        position: [p.x, p.y, p.z],
        orientation: [q.x, q.y, q.z, q.w],
        velocity: [twist.linear.x, twist.linear.y, twist.angular.z],
    }
}

fn pose(pose: &Pose) -> [f64; 6] {
    let (p, q) = (&pose.position, &pose.orientation);
    let [roll, pitch, yaw] = body_pose::angles([q.x, q.y, q.z, q.w]);
    [p.x, p.y, p.z, roll, pitch, yaw]
}

fn forces(message: &MultiDOFJointState) -> Vec<Force> {
    let feet = message.joint_names.iter().zip(&message.transforms).zip(&message.wrench);
    let one = |((name, at), wrench): ((&String, &Transform), &Wrench)| {
        let (at, force) = (&at.translation, &wrench.force);
        Force { name: name.clone(), at: [at.x, at.y, at.z], force: [force.x, force.y, force.z] }
    };
    feet.map(one).collect()
}

fn motion(m: MotionState) -> MotionProgress {
    MotionProgress { name: m.name, time: m.time, duration: m.duration, paused: m.paused, done: m.done }
}

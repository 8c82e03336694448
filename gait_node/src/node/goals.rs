//! The action `~/follow_joint_trajectory`: one goal at a time, watched while it is played.

use super::GaitNode;
use crate::{Follow, Measured, Verdict, Walker};
use node_lib::r2r::control_msgs::action::FollowJointTrajectory::{Action, Feedback, Result as Outcome};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::r2r::trajectory_msgs::msg::JointTrajectoryPoint;
use node_lib::{ActionServer, GoalEnd, GoalId, Log, RosClock, Setup};
use robot_model_lib::{MessageError, RobotModel};

/// Between two words on how far a goal is, s; as joint_trajectory_controller has it.
const FEEDBACK: f64 = 0.05;

/// A goal that is pursued.
pub struct Active {
    /// Its name.
    pub id: GoalId,
    /// Its motion.
    pub follow: Follow,
    /// Somebody wants it cancelled.
    pub canceling: bool,
    /// Since the trajectory began, s.
    pub since: f64,
    /// Until the next word on it, s.
    pub pause: f64,
}

/// The action.
pub struct Goals {
    pub(super) server: ActionServer<Action>,
    pub(super) active: Option<Active>,
    measured: Measured,
    log: Log,
}

impl Goals {
    /// Opens it.
    pub fn open(setup: &mut Setup<GaitNode>) -> anyhow::Result<Goals> {
        let server = setup.action("~/follow_joint_trajectory")?;
        Ok(Goals { server, active: None, measured: Measured::new(0), log: setup.log() })
    }

    /// The robot is known.
    pub fn know(&mut self, model: &RobotModel) {
        self.measured = Measured::new(model.joints().len());
    }

    /// Takes what servos measure.
    pub fn measured(&mut self, model: &RobotModel, msg: &JointState) -> Result<(), MessageError> {
        self.measured.take(model, &msg.name, &msg.position, &msg.velocity)
    }

    /// Ends the goal that is pursued, if there is one.
    pub fn end(&mut self, end: GoalEnd, error_code: i32, why: impl Into<String>) {
        let Some(active) = self.active.take() else { return };
        let error_string = why.into();
        if error_string.is_empty() {
            self.log.info("follow_joint_trajectory: reached");
        } else {
            self.log.warn(format!("follow_joint_trajectory: {error_string}"));
        }
        self.server.end(&active.id, end, Outcome { error_code, error_string });
    }

    /// A cycle of `time` (s) has passed.
    pub fn step(&mut self, walker: &mut Walker, header: &Header, time: f64) {
        self.measured.step(time);
        let Some(active) = &mut self.active else { return };
        if active.canceling {
            if !walker.is_braking() {
                self.end(GoalEnd::Canceled, Outcome::SUCCESSFUL as i32, "cancelled");
            }
            return;
        }
        let verdict = active.follow.step(walker, &self.measured, time);
        active.since += if walker.progress().is_some_and(|progress| !progress.paused) { time } else { 0.0 };
        active.pause -= time;
        let is_due = active.pause <= 0.0 || verdict != Verdict::UnderWay;
        if is_due {
            active.pause = FEEDBACK;
            let feedback = feedback(active, walker, &self.measured, header);
            self.server.feedback(&active.id, feedback);
        }
        let play = active.follow.play();
        let joints = walker.model().joints();
        let (end, code, why) = match verdict {
            Verdict::UnderWay => return,
            Verdict::Reached => (GoalEnd::Succeeded, Outcome::SUCCESSFUL as i32, String::new()),
            Verdict::Dropped(reason) => (GoalEnd::Aborted, Outcome::INVALID_GOAL as i32, reason.to_string()),
            Verdict::OffPath(off) => {
                let why = format!("{} left the path: {off}", joints[off.joint].name);
                (GoalEnd::Aborted, Outcome::PATH_TOLERANCE_VIOLATED as i32, why)
            }
            Verdict::OffGoal(off) => {
                let why = format!("{} did not reach the goal: {off}", joints[off.joint].name);
                (GoalEnd::Aborted, Outcome::GOAL_TOLERANCE_VIOLATED as i32, why)
            }
        };
        walker.cancel(play);
        self.end(end, code, why);
    }
}

/// Desired, actual and the difference, of the goal's joints. What is not measured is NaN.
fn feedback(active: &Active, walker: &Walker, measured: &Measured, header: &Header) -> Feedback {
    let joints = || active.follow.joints();
    let point = |position: &dyn Fn(usize) -> f64, velocity: &dyn Fn(usize) -> f64| JointTrajectoryPoint {
        positions: joints().map(position).collect(),
        velocities: joints().map(velocity).collect(),
        time_from_start: duration(active.since),
        ..JointTrajectoryPoint::default()
    };
    let (q, qd) = (walker.positions(), walker.velocities());
    Feedback {
        header: header.clone(),
        joint_names: joints().map(|joint| walker.model().joints()[joint].name.clone()).collect(),
        desired: point(&|joint| q[joint], &|joint| qd[joint]),
        actual: point(&|joint| measured.position(joint), &|joint| measured.velocity(joint)),
        error: point(&|joint| q[joint] - measured.position(joint), &|joint| {
            qd[joint] - measured.velocity(joint)
        }),
        ..Feedback::default()
    }
}

fn duration(seconds: f64) -> node_lib::r2r::builtin_interfaces::msg::Duration {
    let time = RosClock::stamp((1e9 * seconds) as i64);
    node_lib::r2r::builtin_interfaces::msg::Duration { sec: time.sec, nanosec: time.nanosec }
}

//! From a goal of the action to a motion that is watched, or why not.

use super::GaitNode;
use super::goals::Active;
use super::trajectory::of_message;
use crate::{Activity, Follow, GaitParams, Motion, MotionError, MotionRules, Tolerance};
use node_lib::r2r::control_msgs::action::FollowJointTrajectory::{Action, Goal, Result as Outcome};
use node_lib::r2r::control_msgs::msg::JointTolerance;
use node_lib::{ActionNode, ActionServer, GoalEnd, GoalId, RosClock};
use robot_model_lib::{JointSlot, RobotModel};

/// Why a goal is refused: the action's code for it, and words.
type Refusal = (i64, String);

impl ActionNode<Action> for GaitNode {
    fn action_server(&mut self) -> &mut ActionServer<Action> {
        &mut self.goals.server
    }

    /// A refused goal is accepted and aborted: only a result can say why.
    fn begin_goal(&mut self, id: &GoalId, goal: Goal) -> bool {
        if self.walker.is_none() {
            self.log.warn("follow_joint_trajectory refused: no robot is known yet");
            return false;
        }
        match self.follow(&goal) {
            Ok(follow) => {
                self.goals.end(GoalEnd::Aborted, Outcome::INVALID_GOAL as i32, "a new goal took its place");
                let id = id.clone();
                self.goals.active = Some(Active { id, follow, canceling: false, since: 0.0, pause: 0.0 });
            }
            Err((code, error_string)) => {
                self.log.error(format!("follow_joint_trajectory refused: {error_string}"));
                let outcome = Outcome { error_code: code as i32, error_string };
                self.goals.server.end(id, GoalEnd::Aborted, outcome);
            }
        }
        true
    }

    fn cancel_goal(&mut self, id: &GoalId) -> bool {
        let (Some(active), Some(walker)) = (&mut self.goals.active, &mut self.walker) else { return false };
        if active.id != *id {
            return false;
        }
        walker.cancel(active.follow.play());
        active.canceling = true;
        true
    }
}

impl GaitNode {
    fn follow(&mut self, goal: &Goal) -> Result<Follow, Refusal> {
        let invalid = |why: String| (Outcome::INVALID_GOAL as i64, why);
        let walker = self.walker.as_mut().ok_or_else(|| invalid("no robot is known yet".into()))?;
        if walker.activity() == Activity::Limp {
            return Err(invalid("the robot has no torque".into()));
        }
        let trajectory = &goal.trajectory;
        let given = [
            ("multi_dof_trajectory", goal.multi_dof_trajectory.points.len()),
            ("component_path_tolerance", goal.component_path_tolerance.len()),
            ("component_goal_tolerance", goal.component_goal_tolerance.len()),
        ];
        if let Some((what, _)) = given.iter().find(|(_, count)| *count > 0) {
            return Err(invalid(format!("{what} is given, and this robot has joints of one axis only")));
        }
        let Some(last) = trajectory.points.last() else { return Err(invalid("no points".into())) };
        let (start, now) = (RosClock::ns(&trajectory.header.stamp), self.clock.now_ns());
        let end = start + i64::from(last.time_from_start.sec) * 1_000_000_000;
        if start != 0 && end + i64::from(last.time_from_start.nanosec) < now {
            let why = format!("its last point was due {:.3} s ago", 1e-9 * (now - end) as f64);
            return Err((Outcome::OLD_HEADER_TIMESTAMP as i64, why));
        }
        // Whoever sends points with times means these times.
        let rules = MotionRules { speed: 1.0, ..MotionRules::from(&self.params) };
        let trajectory = of_message(trajectory).map_err(|e| invalid(e.to_string()))?;
        let motion = Motion::new(&trajectory, walker.model(), &rules).map_err(|e| match e {
            MotionError::Unknown(..) => (Outcome::INVALID_JOINTS as i64, e.to_string()),
            e => invalid(e.to_string()),
        })?;
        let watched = watched(goal, walker.model(), &self.params)?;
        let adjustments = motion.adjustments().to_string();
        if !adjustments.is_empty() {
            self.log.info(format!("follow_joint_trajectory: {adjustments}"));
        }
        let tolerance = &goal.goal_time_tolerance;
        let goal_time = f64::from(tolerance.sec) + 1e-9 * f64::from(tolerance.nanosec);
        let goal_time = if goal_time > 0.0 { goal_time } else { self.params.goal_time };
        let play = walker.play(motion.named("follow_joint_trajectory").holding(true));
        Ok(Follow::new(play, watched, goal_time))
    }
}

/// The goal's joints, each with its tolerances on the path and at the end.
fn watched(
    goal: &Goal,
    model: &RobotModel,
    params: &GaitParams,
) -> Result<Vec<(usize, Tolerance, Tolerance)>, Refusal> {
    let names = &goal.trajectory.joint_names;
    for tolerance in goal.path_tolerance.iter().chain(&goal.goal_tolerance) {
        if !names.contains(&tolerance.name) {
            let why = format!("a tolerance names \"{}\", which is not of the goal's joints", tolerance.name);
            return Err((Outcome::INVALID_JOINTS as i64, why));
        }
        if tolerance.position.is_nan() || tolerance.velocity.is_nan() {
            return Err((Outcome::INVALID_GOAL as i64, format!("{}: a tolerance is NaN", tolerance.name)));
        }
    }
    let find = |name: &String, given: &[JointTolerance], default: f64| {
        let own = given.iter().find(|tolerance| tolerance.name == *name);
        let (position, velocity) = own.map_or((0.0, 0.0), |own| (own.position, own.velocity));
        // As control_msgs has it: above zero a tolerance, zero the default, below zero none.
        let or = |value: f64, default: f64| if value == 0.0 { default } else { value };
        let some = |value: f64| (value > 0.0).then_some(value);
        Tolerance { position: some(or(position, default)), velocity: some(velocity) }
    };
    let joint = |name: &String| match model.find_joint(name) {
        JointSlot::Joint { index, .. } => Ok((
            index,
            find(name, &goal.path_tolerance, params.path_tolerance),
            find(name, &goal.goal_tolerance, params.goal_tolerance),
        )),
        _ => Err((Outcome::INVALID_JOINTS as i64, format!("\"{name}\": the robot has no such joint"))),
    };
    names.iter().map(joint).collect()
}

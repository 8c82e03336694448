//! What topics tell the gait.

use super::{GaitNode, trajectory};
use crate::{Activity, BodyPose, Motion, MotionRules, Source, Velocity};
use node_lib::Throttle;
use node_lib::r2r::gait_msgs::msg::TorqueState;
use node_lib::r2r::geometry_msgs::msg::{Pose, Twist};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::trajectory_msgs::msg::JointTrajectory;

static REFUSED: Throttle = Throttle::seconds(2);

impl GaitNode {
    pub(super) fn command(&mut self, msg: &Twist) {
        let Some(walker) = &mut self.walker else { return };
        let velocity = Velocity { forward: msg.linear.x, left: msg.linear.y, turn: msg.angular.z };
        if !walker.command(velocity) {
            self.log.warn_throttled(&REFUSED, || format!("cmd_vel refused: {velocity:?}"));
        }
    }

    pub(super) fn lean(&mut self, msg: &Pose) {
        let Some(walker) = &mut self.walker else { return };
        let (place, turn) = (&msg.position, &msg.orientation);
        match BodyPose::bounded([place.x, place.y, place.z], [turn.x, turn.y, turn.z, turn.w]) {
            Some(pose) => walker.lean(pose),
            None => {
                self.log.warn_throttled(&REFUSED, || "body_pose refused: a number or the quaternion is bad")
            }
        }
    }

    pub(super) fn trajectory(&mut self, msg: &JointTrajectory) {
        let Some(walker) = &mut self.walker else { return };
        if msg.points.is_empty() {
            walker.halt();
            return;
        }
        if walker.activity() == Activity::Limp {
            return self
                .log
                .error_throttled(&REFUSED, || "joint_trajectory refused: the robot has no torque");
        }
        let rules = MotionRules::from(&self.params);
        let motion = trajectory::of_message(msg)
            .and_then(|trajectory| Ok(Motion::new(&trajectory, walker.model(), &rules)?));
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

    pub(super) fn pose(&mut self, source: Source, msg: &JointState) {
        let Some(walker) = &mut self.walker else { return };
        let taken = walker.pose(source, &msg.name, &msg.position);
        let known =
            if source == Source::Measured { self.goals.measured(walker.model(), msg) } else { Ok(()) };
        if let Err(e) = taken.and(known) {
            self.log.warn_throttled(&REFUSED, || format!("joints refused: {e}"));
        }
    }

    pub(super) fn torque(&mut self, msg: &TorqueState) {
        let Some(walker) = &mut self.walker else { return };
        if !walker.torque(&msg.name, &msg.torque) {
            let (names, values) = (msg.name.len(), msg.torque.len());
            self.log.warn_throttled(&REFUSED, || format!("torque refused: {names} names, {values} values"));
        }
    }

    pub(super) fn battery(&mut self, msg: &BatteryState) {
        if let Some(walker) = &mut self.walker {
            walker.battery(f64::from(msg.voltage));
        }
    }
}

//! What `gait_node` can be told.

use crate::motion_rules::MotionLimits;
use param_lib::{Flat, Group, ParamError, params};
use robot_model_lib::RobotParams;

/// Gaits that need no phases.
const KNOWN: [&str; 2] = ["walk", "trot"];

params! {
    /// A gait.
    pub struct PatternParams {
        /// Duration of a step of every leg.
        period: f64 = 1.0, unit "s", range 0.1..=20.0;
        /// Share of it in which a leg stands.
        duty: f64 = 0.75, range 0.5..=0.95;
        /// Where in its step each leg is when the first begins, in the order of the legs; empty for walk and trot as the robot's legs suggest.
        phases: Vec<f64> = vec![], range 0.0..=1.0;
    }
}

params! {
    /// What a joint that is not part of a leg does.
    pub struct GestureParams {
        /// Where it rests.
        centre: f64 = 0.0, unit "rad", range -7.0..=7.0, slider -1.5..=1.5;
        /// How far it swings to both sides while the robot steps.
        swing: f64 = 0.0, unit "rad", range -3.0..=3.0, slider -1.0..=1.0;
        /// Swings per step of the gait.
        beats: i64 = 1, range 0..=8;
        /// How far it turns with the body.
        turn: f64 = 0.0, unit "rad per rad/s", range -3.0..=3.0, slider -1.0..=1.0;
    }
}

params! {
    /// Where the body is in a posture, above feet that stay where they are.
    pub struct PostureParams {
        /// Height of the base above the ground.
        height: f64 = 0.3, unit "m", range 0.01..=3.0, slider 0.01..=0.6;
        /// The base is shifted forward.
        x: f64 = 0.0, unit "m", range -0.3..=0.3, slider -0.1..=0.1;
        /// The base is shifted to the left.
        y: f64 = 0.0, unit "m", range -0.3..=0.3, slider -0.1..=0.1;
        /// The base leans to the right.
        roll: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
        /// The base bows.
        pitch: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
        /// The base is turned to the left over its feet.
        yaw: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
    }
}

params! {
    /// What `gait_node` can be told.
    pub struct GaitParams {
        /// The robot.
        robot: Flat<RobotParams> = Flat::default();
        /// The gait: one of gaits, or walk or trot.
        gait: String = "walk".into();
        /// Gaits by name; walk and trot are known without.
        gaits: Group<PatternParams> = Group::default();
        /// Height of the base above the ground; 0 for that with all joints at zero.
        height: f64 = 0.0, unit "m", range 0.0..=3.0, slider 0.0..=0.6;
        /// The base is shifted forward.
        body_x: f64 = 0.0, unit "m", range -0.3..=0.3, slider -0.1..=0.1;
        /// The base is shifted to the left.
        body_y: f64 = 0.0, unit "m", range -0.3..=0.3, slider -0.1..=0.1;
        /// The base leans to the right.
        body_roll: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
        /// The base bows.
        body_pitch: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
        /// The base is turned to the left over its feet.
        body_yaw: f64 = 0.0, unit "rad", range -0.7..=0.7, slider -0.5..=0.5;
        /// How fast height and shift change.
        body_speed: f64 = 0.08, unit "m/s", range 0.001..=1.0;
        /// How fast tilt changes.
        body_turn_speed: f64 = 0.4, unit "rad/s", range 0.001..=5.0;
        /// Postures by name; ~/sit goes to the one called sit.
        postures: Group<PostureParams> = Group::default();
        /// Sits down when the battery stays below this; 0 for never.
        low_battery: f64 = 0.0, unit "V", range 0.0..=60.0, slider 0.0..=20.0;
        /// Each foot stands so much further out than with all joints at zero.
        stance_width: f64 = 0.0, unit "m", range -0.2..=0.2, slider -0.1..=0.1;
        /// Each foot stands so much further to the front or to the rear.
        stance_length: f64 = 0.0, unit "m", range -0.2..=0.2, slider -0.1..=0.1;
        /// How high a foot is lifted.
        lift: f64 = 0.03, unit "m", range 0.001..=0.3;
        /// The longest way of a foot over the ground while it stands; faster commands are scaled down to it.
        max_stride: f64 = 0.12, unit "m", range 0.001..=1.0;
        /// The body sways so that its weight stays this far inside the polygon of the feet that stand, or as far as the gait has time for (on four legs 0.3·period²·(duty − 0.75)/4π), and no leg lifts before the others carry it; 0 for no sway.
        sway_margin: f64 = 0.0, unit "m", range 0.0..=0.1;
        /// How fast the velocity changes.
        acceleration: f64 = 0.3, unit "m/s^2", range 0.01..=20.0;
        /// How fast the turn changes.
        turn_acceleration: f64 = 1.0, unit "rad/s^2", range 0.01..=50.0;
        /// cmd_vel is a TwistStamped, as Nav2 sends it, instead of a Twist.
        cmd_vel_stamped: bool = false, read_only true;
        /// A cmd_vel older than this stands for a halt.
        command_timeout: f64 = 0.5, unit "s", range 0.02..=60.0;
        /// Standing up takes this long at least.
        rise_time: f64 = 2.0, unit "s", range 0.1..=60.0;
        /// No joint is faster than this while the robot stands up or goes to the start of a motion.
        rise_speed: f64 = 1.0, unit "rad/s", range 0.05..=20.0;
        /// No joint brakes or speeds up harder than this when one activity gives way to another; for walking see swing_acceleration.
        joint_acceleration: f64 = 50.0, unit "rad/s^2", range 1.0..=1000.0;
        /// No joint is accelerated harder than this by a foot that swings: a gait that would ask for more lifts its feet less and goes slower.
        swing_acceleration: f64 = 200.0, unit "rad/s^2", range 10.0..=10000.0;
        /// Begins from the pose on joints or joint_states; if not, at once with all joints at zero.
        wait_for_pose: bool = true, read_only true;
        /// Folder of the motion files that ~/play names.
        motions: String = String::new();
        /// What becomes of a motion that asks for more than the joints can: refuse names the culprit; stretch gives it more time and moves points beyond a limit by less than limit_tolerance onto it; clamp moves them however far.
        motion_limits: MotionLimits = MotionLimits::Stretch;
        /// A motion's points this far beyond a joint's limit are moved onto it.
        limit_tolerance: f64 = 0.01, unit "rad", range 0.0..=0.2;
        /// Motions are played so many times as fast as written down.
        motion_speed: f64 = 1.0, range 0.1..=4.0;
        /// A goal of ~/follow_joint_trajectory that names no tolerance fails when a joint is further from its command than this; 0 for never.
        path_tolerance: f64 = 0.0, unit "rad", range 0.0..=3.0, slider 0.0..=0.5;
        /// The same at its end, where joints have goal_time to get there; 0 for any distance.
        goal_tolerance: f64 = 0.0, unit "rad", range 0.0..=3.0, slider 0.0..=0.5;
        /// How long after its end joints may be outside the goal tolerance, unless the goal says so.
        goal_time: f64 = 2.0, unit "s", range 0.01..=60.0;
        /// Joints that are not part of a leg, by name; the others rest at zero.
        gestures: Group<GestureParams> = Group::default();
    }
    validate self => self.check()
}

impl GaitParams {
    fn check(&self) -> Result<(), ParamError> {
        let known = |name: &str| self.gaits.0.iter().any(|(gait, _)| gait == name);
        if !known(&self.gait) && !KNOWN.contains(&self.gait.as_str()) {
            let own = self.gaits.0.iter().map(|(name, _)| name.as_str());
            let own = own.filter(|name| !KNOWN.contains(name));
            let names: Vec<&str> = KNOWN.into_iter().chain(own).collect();
            let why = format!("no gait \"{}\"; there are {}", self.gait, names.join(", "));
            return Err(ParamError::unfit("gait", why));
        }
        for (name, gait) in &self.gaits.0 {
            if gait.phases.is_empty() && !KNOWN.contains(&name.as_str()) {
                return Err(ParamError::unfit(format!("gaits.{name}.phases"), "needs a number for each leg"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use param_lib::Params as _;

    #[test]
    fn an_unknown_gait_names_each_gait_once() {
        let own = PatternParams { phases: vec![0.0; 4], ..PatternParams::default() };
        let gaits = ["trot", "walk", "pace"].map(|name| (name.to_string(), own.clone()));
        let params =
            GaitParams { gait: "gallop".into(), gaits: Group(gaits.into()), ..GaitParams::default() };
        let why = params.validate().unwrap_err().to_string();
        assert!(why.contains("no gait \"gallop\"; there are walk, trot, pace"), "{why}");
    }
}

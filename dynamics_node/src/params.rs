//! What `dynamics_node` can be told.

use param_lib::{Flat, ParamError, params};
use robot_model_lib::RobotParams;

params! {
    /// What `dynamics_node` can be told.
    pub struct DynamicsParams {
        /// Fills in efforts; false: poses pass as they are.
        enabled: bool = true;
        /// Gravity; 0 leaves only what the motion itself takes.
        gravity: f64 = 9.81, unit "m/s²", range 0.0..=30.0;
        /// Whether joint accelerations count; false: velocities and weight only.
        acceleration: bool = true;
        /// Time constant of the low-pass on efforts; 0: none.
        effort_time: f64 = 0.02, unit "s", range 0.0..=1.0;
        /// Time in which a foot takes up its load, gives it up, or moves it to another contact; 0: at once, and efforts jump.
        support_time: f64 = 0.05, unit "s", range 0.0..=1.0;
        /// Time in which efforts come or go when they are switched on or off, when a source begins or ceases to give its own, when the
        /// lean of the base becomes known or forgotten; 0: at once, and they jump.
        fade_time: f64 = 0.2, unit "s", range 0.0..=10.0;
        /// Age at which a support message no longer counts, and no foot stands; 0: it holds until the next one.
        support_timeout: f64 = 0.0, unit "s", range 0.0..=60.0, slider 0.0..=5.0;
        /// Age up to which a body message says how the base leans; older: level. 0: always level.
        body_timeout: f64 = 0.5, unit "s", range 0.0..=60.0;
        /// Age up to which an IMU says how the base leans, before any body message; 0: never.
        imu_timeout: f64 = 0.5, unit "s", range 0.0..=60.0;
        /// Time over which the mean of the IMU's acceleration is taken for the lean: longer than a step, so that slopes count and sway
        /// does not.
        lean_time: f64 = 2.0, unit "s", range 0.05..=60.0;
        /// Frame of the URDF's root link in body messages.
        base_frame: String = "base_link".into(), read_only true;
        /// The robot.
        robot: Flat<RobotParams> = Flat::default();
    }
    validate self => self.rules()
}

impl DynamicsParams {
    fn rules(&self) -> Result<(), ParamError> {
        match self.base_frame.is_empty() {
            true => Err(ParamError::unfit("base_frame", "needs a name")),
            false => Ok(()),
        }
    }
}

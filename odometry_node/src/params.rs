//! What `odometry_node` and `odometry_replay` can be told.

use param_lib::{Flat, ParamError, choices, params};
use robot_model_lib::RobotParams;

choices! {
    /// How the body is found.
    pub enum Estimator {
        /// The rigid transform that best maps feet to where they stood.
        Fit = "fit",
        /// A Kalman filter with the feet in its state.
        Filter = "filter",
    }
}
choices! {
    /// What is known of the ground.
    pub enum Ground {
        /// Nothing: feet stand at any height and lean.
        None = "none",
        /// It is one plane, of any slope.
        Flat = "flat",
        /// It is the plane that the robot started on.
        Level = "level",
    }
}

params! {
    /// What `odometry_node` can be told; `odometry_replay` reads the same file.
    pub struct OdometryParams {
        /// How the body is found: filter (Kalman filter with the feet in its state) or fit (seed 003's steps).
        method: Estimator = Estimator::Filter;
        /// Filter: what is known of the ground: none, flat (one plane of any slope), level (the plane of the start).
        ground: Ground = Ground::Level;
        /// Filter: standard deviation of a joint's position (m for a joint that slides), play and elasticity included.
        joint_noise: f64 = 0.0008, unit "rad", range 0.00001..=0.1;
        /// Filter: random walk of a foot that stands.
        foot_slip: f64 = 0.0005, unit "m/√s", range 0.0..=0.1;
        /// Filter: random walk of the turn of a foot that stands, about the ground's normal.
        foot_pivot: f64 = 0.5, unit "rad/√s", range 0.0..=10.0;
        /// Filter: random walk of the lean of a foot that stands: soles tip and bend.
        foot_rock: f64 = 0.05, unit "rad/√s", range 0.0..=10.0;
        /// Filter: how much the body's velocity changes: density of its acceleration, taken as white.
        body_acceleration: f64 = 0.2, unit "m/s²/√Hz", range 0.01..=20.0;
        /// Filter: the same for its angular velocity.
        body_angular_acceleration: f64 = 0.8, unit "rad/s²/√Hz", range 0.01..=100.0;
        /// Filter: standard deviation of the ground's height from foothold to foothold.
        ground_height_noise: f64 = 0.002, unit "m", range 0.0001..=0.2;
        /// Filter: standard deviation of the ground's lean from foothold to foothold.
        ground_lean_noise: f64 = 0.01, unit "rad", range 0.0005..=0.5;
        /// Filter: white noise of the gyro, vibration that its samples miss included.
        gyro_noise: f64 = 0.0003, unit "rad/s/√Hz", range 0.000001..=0.1;
        /// Filter: white noise of the accelerometer, vibration that its samples miss included.
        accel_noise: f64 = 0.02, unit "m/s²/√Hz", range 0.0001..=10.0;
        /// Filter: standard deviation of the gyro's constant error before anything is known of it.
        gyro_bias: f64 = 0.005, unit "rad/s", range 0.0..=1.0;
        /// Filter: standard deviation of the accelerometer's constant error before anything is known of it.
        accel_bias: f64 = 0.1, unit "m/s²", range 0.0..=10.0;
        /// Filter: random walk of the gyro's error.
        gyro_bias_walk: f64 = 0.0006, unit "rad/s/√h", range 0.0..=1.0;
        /// Filter: random walk of the accelerometer's error.
        accel_bias_walk: f64 = 0.06, unit "m/s²/√h", range 0.0..=10.0;
        /// How far a hoof's centre may lie from the support plane and still stand on it.
        position_tolerance: f64 = 0.01, unit "m", range 0.0001..=0.2;
        /// How far a hoof's normal may lean from the support plane's and still stand on it.
        angle_tolerance: f64 = 0.1, unit "rad", range 0.001..=0.8;
        /// Age at which a support message no longer counts and contacts are searched for; 0 = it holds until the next one.
        support_timeout: f64 = 0.0, unit "s", range 0.0..=60.0, slider 0.0..=5.0;
        /// How long the body goes on with its last velocity when no hoof is on the ground; then it stands still.
        flight_time: f64 = 0.5, unit "s", range 0.0..=10.0;
        /// Speed over the ground at which a hoof is believed half, and above which it is anchored anew: it lands, lifts or slips;
        /// 0 = all are believed.
        settle_speed: f64 = 0.1, unit "m/s", range 0.0..=5.0;
        /// Pins new anchors to the plane z = 0: no drift of height, roll and pitch on a flat floor.
        ground_z_zero: bool = false;
        /// The base itself starts at identity, instead of above a ground at z = 0.
        start_at_identity: bool = false, read_only true;
        /// Frame that is fixed to the ground.
        odom_frame: String = "odom".into(), read_only true;
        /// Frame of the URDF's root link.
        base_frame: String = "base_link".into(), read_only true;
        /// Publishes odom_frame → base_frame on /tf.
        publish_tf: bool = true;
        /// Publishes odom_frame → base_footprint on /tf: below the base, at z = 0, turned by its heading alone.
        publish_footprint: bool = false;
        /// Publishes every link of the robot on /tf, in place of robot_state_publisher.
        publish_link_tf: bool = false;
        /// Publishes limb_poses: where the end of every chain is, and how it moves.
        publish_limb_poses: bool = false;
        /// The robot.
        robot: Flat<RobotParams> = Flat::default();
    }
    validate self => self.rules()
}

impl OdometryParams {
    fn rules(&self) -> Result<(), ParamError> {
        if self.ground_z_zero && self.start_at_identity {
            let reason = "the ground is not at z = 0 with start_at_identity; set only one of them";
            return Err(ParamError::unfit("ground_z_zero", reason));
        }
        for (name, frame) in [("odom_frame", &self.odom_frame), ("base_frame", &self.base_frame)] {
            if frame.is_empty() {
                return Err(ParamError::unfit(name, "needs a name"));
            }
        }
        if self.odom_frame == self.base_frame {
            return Err(ParamError::unfit("odom_frame", "must differ from base_frame"));
        }
        Ok(())
    }
}

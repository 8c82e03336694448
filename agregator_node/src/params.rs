//! What the agregator can be told.

use filters_lib::{DiffMethod, DifferentiatorParams, IntegratorParams};
use param_lib::{Flat, ParamError, choices, params};
use robot_model_lib::RobotParams;

choices! {
    /// How a velocity without a position becomes one.
    pub enum Quadrature { Euler = "euler", Trapezoid = "trapezoid", Simpson = "simpson" }
}
choices! {
    /// How a position without a velocity becomes one, and a velocity an acceleration.
    pub enum Differentiation { Difference = "difference", Inertial = "inertial", Savgol = "savgol" }
}
choices! {
    /// What a joint does that got nothing in a cycle.
    pub enum UpdateMethod {
        /// Keeps position and velocity.
        Hold = "hold",
        /// Keeps its position, at rest.
        HoldZeroVelocity = "hold_zero_velocity",
        /// Goes on with its velocity.
        Extrapolate = "extrapolate",
        /// Goes on and comes to rest.
        Brake = "brake",
    }
}
choices! {
    /// When the pose is published.
    pub enum PublishOn { Message = "message", Sync = "sync", Both = "both" }
}
choices! {
    /// What happens to a message of another cycle.
    pub enum CycleMismatch { Drop = "drop", Accept = "accept" }
}
choices! {
    /// Whose motion a joint follows that messages of both topics give one in a cycle.
    pub enum Priority { Last = "last", JointsIn = "joints_in", LimbsJointsIn = "limbs_joints_in" }
}
choices! {
    /// What happens to what is outside the URDF's limits.
    pub enum LimitPolicy { Clamp = "clamp", Warn = "warn", Off = "none" was "off" }
}

params! {
    /// Parameters of `agregator_node`.
    pub struct AgregatorParams {
        /// Integration of joints that get only a velocity.
        quad_method: Quadrature = Quadrature::Euler;
        /// Differentiation of joints that get only a position, and of velocities for joints_accel.
        diff_method: Differentiation = Differentiation::Difference;
        /// Time constant of diff_method inertial.
        diff_tau: f64 = 0.02, unit "s", range 0.0001..=10.0;
        /// Samples that diff_method savgol looks at, the newest included.
        savgol_window: i64 = 5, range 2..=101;
        /// Degree of savgol's polynomial, below its window.
        savgol_order: i64 = 2, range 1..=10;
        /// What a joint does that got nothing in a cycle.
        update_method: UpdateMethod = UpdateMethod::HoldZeroVelocity;
        /// Longest interval between positions without velocity over which a joint is moved evenly when they come slower than
        /// sync, one interval later; slower ones are steps. 0: all are.
        spread_time: f64 = 0.2, unit "s", range 0.0..=10.0;
        /// Time in which update_method brake comes to rest.
        brake_time: f64 = 0.2, unit "s", range 0.001..=10.0;
        /// When the pose is published: with every accepted message, once a cycle, or both.
        publish_on: PublishOn = PublishOn::Sync;
        /// What happens to a message of another cycle than the current one.
        cycle_mismatch: CycleMismatch = CycleMismatch::Drop;
        /// What happens to a position outside the URDF's limits.
        limits: LimitPolicy = LimitPolicy::Clamp;
        /// What happens to a pose that is further away than a joint gets in a cycle with the URDF's velocity limit and
        /// acceleration_limit.
        speed_limits: LimitPolicy = LimitPolicy::Clamp;
        /// Highest acceleration of a joint (of a prismatic one in m/s²). 200 is a servo that needs 30 ms from rest to 6 rad/s.
        acceleration_limit: f64 = 200.0, unit "rad/s²", range 1.0..=100000.0;
        /// Which topic counts for a joint that both give a motion in one cycle; last: the message that comes last.
        priority: Priority = Priority::Last;
        /// Duration of a cycle until the first sync says it.
        period: f64 = 0.01, unit "s", range 0.0005..=1.0;
        /// Whether to wait until every joint has had a position; if not, start at zero within limits.
        require_full_pose: bool = true, read_only true;
        /// The robot.
        robot: Flat<RobotParams> = Flat::default();
    }
    validate self => if self.savgol_order < self.savgol_window {
        Ok(())
    } else {
        Err(ParamError::unfit("savgol_order", format!("must be below savgol_window, which is {}", self.savgol_window)))
    }
}

impl AgregatorParams {
    /// Longest interval between positions that are spread, s: none when nobody would see the cycles between them.
    pub(crate) fn longest_spread(&self) -> f64 {
        if self.publish_on == PublishOn::Message { 0.0 } else { self.spread_time }
    }

    pub(crate) fn integrator(&self, period: f64) -> IntegratorParams {
        let method = match self.quad_method {
            Quadrature::Euler => filters_lib::Quadrature::Euler,
            Quadrature::Trapezoid => filters_lib::Quadrature::Trapezoid,
            Quadrature::Simpson => filters_lib::Quadrature::Simpson,
        };
        IntegratorParams { period, method }
    }

    pub(crate) fn differentiator(&self, period: f64) -> DifferentiatorParams {
        let method = match self.diff_method {
            Differentiation::Difference => DiffMethod::Difference,
            Differentiation::Inertial => DiffMethod::Inertial { tau: self.diff_tau },
            Differentiation::Savgol => DiffMethod::SavitzkyGolay {
                window: self.savgol_window as usize,
                order: self.savgol_order as usize,
            },
        };
        DifferentiatorParams { period, method }
    }
}

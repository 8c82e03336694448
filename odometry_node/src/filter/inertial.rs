//! An inertial sensor in place of the guess that the body goes on as it went.
//!
//! The gyro takes the place of the state's angular velocity, ω = R·(gyro − b), whose error is then R times that of the bias; the
//! accelerometer drives the velocity, v̇ = R·(accel − b) + g. Biases are in the state (Hartley et al. 2020, section V), and so is
//! gravity: the world is level as the ground was at the start, which need not be across gravity.

use nalgebra::{Matrix3, Vector3};

use super::Filter;
use super::block::{Block, ZERO, diagonal};
use super::covariance::{POSE, RATE};
use crate::imu::Increment;

/// Standard gravity, m/s²: within 0.03 anywhere on earth.
const GRAVITY: f64 = 9.80665;
/// What is not known of it at the start: its strength, m/s², and its direction, rad.
const STRENGTH: f64 = 0.03;
const SLOPE: f64 = 0.1;

/// For how long feet must have told the velocity, s, before the sensor carries it on. While it is not known, a foot that swings
/// may be taken for one that stands; a sensor would believe the velocity that follows from it, and find all other feet wrong.
const SETTLING: f64 = 0.5;
/// How fast a body at rest still turns, rad/s: legs give, and people walk by.
const REST_RATE: f64 = 1e-3;
/// Beyond this many variances the body is turned by somebody while its joints rest: the excess counts as noise.
const HELD: f64 = 9.0;

/// What disturbs the sensor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SensorNoise {
    /// White noise, rad/s/√Hz and m/s²/√Hz.
    pub gyro: f64,
    pub accel: f64,
    /// σ of the constant errors before anything is known of them, rad/s and m/s².
    pub gyro_bias: f64,
    pub accel_bias: f64,
    /// Their random walks, rad/s/√s and m/s²/√s.
    pub gyro_walk: f64,
    pub accel_walk: f64,
}

/// What the sensor does not say itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bias {
    /// Of the gyro, rad/s, base axes.
    pub gyro: Vector3<f64>,
    /// Of the accelerometer, m/s², base axes.
    pub accel: Vector3<f64>,
    /// Gravity in world axes, m/s².
    pub gravity: Vector3<f64>,
}

impl Default for Bias {
    fn default() -> Self {
        Self { gyro: Vector3::zeros(), accel: Vector3::zeros(), gravity: Vector3::z() * -GRAVITY }
    }
}

impl Filter {
    /// What the sensor says of the time from the filter's own on; None when it is silent.
    pub(crate) fn sense(&mut self, increment: Option<&Increment>) {
        let increment = increment.filter(|_| self.settled_for >= SETTLING);
        self.sensed = increment.copied();
        let Some(increment) = increment else { return };
        let noise = self.sensor;
        if !self.covariance.has_sensor() {
            self.state.bias = Bias::default();
            let variance = diagonal(noise.gyro_bias.powi(2), noise.accel_bias.powi(2));
            self.covariance.add_sensor(&variance, &gravity_variance());
        }
        let turn = self.state.turn();
        self.state.angular = turn * (increment.angular - self.state.bias.gyro);
        // In the time that is open the body may turn otherwise: the angle then has a variance of q²·t³/3.
        let turned = self.noise.angular_acceleration.powi(2) * increment.open.powi(3) / 3.0;
        let white = noise.gyro * noise.gyro * increment.duration;
        self.covariance.follow_gyro(&turn, (white + turned) / increment.duration.powi(2));
    }

    /// The body rests on its feet, so it does not turn, and what the gyro shows is its bias (a zero angular rate update).
    pub(crate) fn rest(&mut self) {
        let is_standing = self.state.feet.iter().filter(|foot| foot.is_in_state).count() >= 2;
        if self.sensed.is_none() || !is_standing {
            return;
        }
        for axis in 0..3 {
            let mut row = [0.0; 6];
            row[axis] = 1.0;
            let y = -self.state.angular[axis];
            let mut correction = self.state.correction();
            self.covariance.correct_scalar(&[(RATE, row)], y, REST_RATE * REST_RATE, HELD, |block, error| {
                correction.add(block, &error);
            });
        }
    }

    /// Acceleration of the body in world axes; None without a sensor.
    pub(super) fn acceleration(&self) -> Option<Vector3<f64>> {
        let bias = &self.state.bias;
        self.sensed.map(|sensed| self.state.pose.rotation * (sensed.force - bias.accel) + bias.gravity)
    }

    /// The velocity goes on as the accelerometer says: ρv' = ρv + dt·(γ + g × φ − R·δb + v × ρω), γ the error of gravity.
    pub(super) fn accelerate(&mut self, dt: f64) {
        let state = &self.state;
        let turn = state.turn() * -dt;
        let terms = [
            (self.covariance.gravity(), 0, Matrix3::identity() * dt),
            (POSE, 0, state.bias.gravity.cross_matrix() * dt),
            (self.covariance.bias(), 3, turn),
            (RATE, 0, state.linear.cross_matrix() * dt),
        ];
        self.covariance.couple(RATE, 3, &terms);
        let walk = |density: f64| density * density * dt;
        let walked = diagonal(walk(self.sensor.gyro_walk), walk(self.sensor.accel_walk));
        self.covariance.add(self.covariance.bias(), &walked);
    }
}

fn gravity_variance() -> Block {
    let mut variance = ZERO;
    let side = GRAVITY * SLOPE;
    (variance[0][0], variance[1][1], variance[2][2]) = (side * side, side * side, STRENGTH * STRENGTH);
    variance
}

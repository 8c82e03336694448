//! An inertial sensor that goes along on an exact path.

use nalgebra::{UnitQuaternion, Vector3};
use odometry_node::Odometry;

use super::{Dice, Path};

/// What is wrong with a sensor: `robot_sim`'s own figures.
pub const GYRO_NOISE: f64 = 0.0002;
pub const ACCEL_NOISE: f64 = 0.002;
pub const GYRO_BIAS: f64 = 0.002;
pub const ACCEL_BIAS: f64 = 0.05;

/// Between samples, ns: 200 Hz.
const PERIOD: i64 = 5_000_000;
const GRAVITY: f64 = 9.80665;

/// A sensor on the base.
pub struct Inertial {
    dice: Dice,
    gyro_bias: Vector3<f64>,
    accel_bias: Vector3<f64>,
    /// The share of its errors that it has: 0 or 1.
    errors: f64,
    /// How the world of the path leans.
    pub lean: UnitQuaternion<f64>,
    next: i64,
}

impl Inertial {
    /// A sensor of its own for each seed, from a time (ns) on; `errors` 0 for none, 1 for those of `robot_sim`.
    pub fn new(seed: u64, from: i64, errors: f64) -> Self {
        let mut dice = Dice(seed ^ 0x1A0);
        let mut vector = |sigma: f64| Vector3::from_fn(|_, _| dice.normal(sigma * errors));
        let (gyro_bias, accel_bias) = (vector(GYRO_BIAS), vector(ACCEL_BIAS));
        Self {
            dice,
            gyro_bias,
            accel_bias,
            errors,
            lean: UnitQuaternion::identity(),
            next: from - 4 * PERIOD,
        }
    }

    /// All samples up to a time, ns; the path begins at one second.
    pub fn tell(&mut self, path: &Path, until: i64, odometry: &mut Odometry) {
        let spread = self.errors / (PERIOD as f64 * 1e-9).sqrt();
        while self.next <= until {
            let (gyro, accel) = self.truth(path, (self.next - 1_000_000_000) as f64 * 1e-9);
            let mut noise = |density: f64| Vector3::from_fn(|_, _| self.dice.normal(density * spread));
            let gyro = gyro + self.gyro_bias + noise(GYRO_NOISE);
            let accel = accel + self.accel_bias + noise(ACCEL_NOISE);
            odometry.imu(self.next, "", gyro.into(), accel.into()).unwrap();
            self.next += PERIOD;
        }
    }

    /// Angular velocity, and acceleration less gravity.
    fn truth(&self, path: &Path, t: f64) -> (Vector3<f64>, Vector3<f64>) {
        const H: f64 = 1e-4;
        let place = |t: f64| path.pose(t).translation.vector;
        let acceleration = (place(t + H) - place(t) * 2.0 + place(t - H)) / (H * H);
        let up = self.lean * Vector3::z() * GRAVITY;
        (path.twist(t).fixed_rows::<3>(3).into(), path.pose(t).rotation.inverse() * (acceleration + up))
    }
}

//! The IMU as `robot_sim` publishes it: read at its own rate, beside the control cycle.

use crate::params::RobotSimParams;
use crate::{Imu, ImuSample, World};

/// Samples of a cycle, with the sensor's errors.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    imu: Imu,
    /// Between samples, ns.
    every: u64,
    samples: Vec<(i64, ImuSample)>,
}

impl Inertial {
    /// None on a robot without an IMU.
    pub fn new(params: &RobotSimParams) -> Option<Inertial> {
        if params.imu_rate <= 0.0 {
            return None;
        }
        // Physics step every millisecond.
        let steps = (1000.0 / params.imu_rate).round().max(1.0);
        let imu = Imu::new(&params.imu_noise(), 1000.0 / steps, params.seed as u64);
        Some(Inertial { imu, every: steps as u64 * 1_000_000, samples: vec![] })
    }

    /// A new cycle begins.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// Sees the world at a full millisecond; the messages' clock began at `epoch`, ns.
    pub fn look(&mut self, now: u64, epoch: i64, world: &World) {
        if now.is_multiple_of(self.every) {
            self.samples.push((epoch + now as i64, self.imu.read(&world.imu())));
        }
    }

    /// Of gyro and accelerometer, per axis.
    pub fn variances(&self) -> (f64, f64) {
        self.imu.variances()
    }

    pub fn samples(&self) -> &[(i64, ImuSample)] {
        &self.samples
    }
}

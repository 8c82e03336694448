//! An inertial sensor as one can buy it.

use herkulex_node::sim::Noise;
use nalgebra::{UnitQuaternion, Vector3};
use std::f64::consts::TAU;

/// What is wrong with the sensor. Densities are those of data sheets: the deviation of a sample at rate f is density·√f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuNoise {
    /// Of the gyro, rad/s/√Hz.
    pub gyro_density: f64,
    /// Of the accelerometer, m/s²/√Hz.
    pub accel_density: f64,
    /// Deviation of the gyro's constant error, drawn once, rad/s.
    pub gyro_bias: f64,
    /// Deviation of the accelerometer's constant error, drawn once, m/s².
    pub accel_bias: f64,
}

/// One reading, in the axes of the sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuSample {
    /// Angular velocity, rad/s.
    pub gyro: Vector3<f64>,
    /// Acceleration less gravity, m/s²: at rest it shows one g upwards.
    pub accel: Vector3<f64>,
    /// Orientation in the world; without errors.
    pub orientation: UnitQuaternion<f64>,
}

/// The sensor's errors.
#[derive(Clone, Debug)]
pub struct Imu {
    noise: Noise,
    gyro_bias: Vector3<f64>,
    accel_bias: Vector3<f64>,
    gyro_sigma: f64,
    accel_sigma: f64,
}

impl Imu {
    /// A sensor read at a rate, Hz.
    pub fn new(settings: &ImuNoise, rate: f64, seed: u64) -> Imu {
        let mut noise = Noise::new(seed ^ 0x1A0);
        let gyro_bias = normal3(&mut noise) * settings.gyro_bias;
        let accel_bias = normal3(&mut noise) * settings.accel_bias;
        let spread = rate.max(0.0).sqrt();
        Imu {
            noise,
            gyro_bias,
            accel_bias,
            gyro_sigma: settings.gyro_density * spread,
            accel_sigma: settings.accel_density * spread,
        }
    }

    /// What it shows of the truth.
    pub fn read(&mut self, truth: &ImuSample) -> ImuSample {
        ImuSample {
            gyro: truth.gyro + self.gyro_bias + normal3(&mut self.noise) * self.gyro_sigma,
            accel: truth.accel + self.accel_bias + normal3(&mut self.noise) * self.accel_sigma,
            ..*truth
        }
    }

    /// Variances of gyro and accelerometer as it knows them itself, per axis: noise alone.
    pub fn variances(&self) -> (f64, f64) {
        (self.gyro_sigma.powi(2), self.accel_sigma.powi(2))
    }
}

fn normal3(noise: &mut Noise) -> Vector3<f64> {
    Vector3::from_fn(|_, _| normal(noise))
}

/// Box and Muller 1958.
fn normal(noise: &mut Noise) -> f64 {
    let radius = (-2.0 * (1.0 - noise.unit()).ln()).sqrt();
    radius * (TAU * noise.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_spread_as_the_density_says_about_a_bias_that_stays() {
        let settings =
            ImuNoise { gyro_density: 0.001, accel_density: 0.01, gyro_bias: 0.02, accel_bias: 0.3 };
        let truth = ImuSample {
            gyro: Vector3::new(1.0, 2.0, 3.0),
            accel: Vector3::new(0.0, 0.0, 9.81),
            orientation: UnitQuaternion::identity(),
        };
        let (n, rate) = (20_000, 400.0);
        let mut imu = Imu::new(&settings, rate, 7);
        let bias = (imu.gyro_bias, imu.accel_bias);
        let samples: Vec<ImuSample> = (0..n).map(|_| imu.read(&truth)).collect();
        for axis in 0..3 {
            for (values, sigma, centre) in [
                (
                    samples.iter().map(|s| s.gyro[axis]).collect::<Vec<_>>(),
                    0.02,
                    truth.gyro[axis] + bias.0[axis],
                ),
                (samples.iter().map(|s| s.accel[axis]).collect(), 0.2, truth.accel[axis] + bias.1[axis]),
            ] {
                let mean = values.iter().sum::<f64>() / f64::from(n);
                let spread =
                    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n - 1)).sqrt();
                // Five standard errors: of a mean σ/√n, of a deviation σ/√(2n).
                assert!((mean - centre).abs() < 5.0 * sigma / f64::from(n).sqrt());
                assert!((spread / sigma - 1.0).abs() < 5.0 / f64::from(2 * n).sqrt());
            }
        }
    }
}

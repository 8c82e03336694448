//! The body above the ground: its height, its shift and its tilt, changed smoothly.

use crate::body_pose::BodyPose;
use crate::ground::Velocity;
use filters_lib::{
    BodyTwist as Twist, Filter, Limit, Motion, SecondOrderGains, SecondOrderInput, TransientSecondLimited,
    TransientSecondLimitedParams,
};
use nalgebra::{Isometry3, Point2, Rotation3, Translation3, UnitQuaternion, Vector3};

/// Time constant of the approach to a new posture, s.
const TIME: f64 = 0.15;
/// A body this near to a pose, and as slow, is there, m and rad, m/s and rad/s.
const THERE: f64 = 1e-3;
/// The top speed is reached within this time, s.
const RISE: f64 = 0.3;

/// Pose and velocity of the base, seen from the point of the ground that walks below it.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// The pose.
    pub pose: Isometry3<f64>,
    /// Velocity of the base's origin relative to the ground, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

impl Base {
    /// At rest there.
    pub fn rest(at: BodyPose) -> Base {
        let rotation = UnitQuaternion::from_euler_angles(at.roll, at.pitch, at.yaw);
        let pose = Isometry3::from_parts(Translation3::new(at.x, at.y, at.z), rotation);
        Base { pose, linear: Vector3::zeros(), angular: Vector3::zeros() }
    }
}

/// The pose of the body, on its way to another.
#[derive(Clone, Debug)]
pub struct Posture {
    motion: Motion<Twist>,
    law: TransientSecondLimited<Twist>,
}

impl Posture {
    /// At rest there. `speed` is the highest, m/s and rad/s.
    pub fn new(at: BodyPose, speed: [f64; 2], period: f64) -> Result<Posture, filters_lib::Error> {
        let motion = Motion { x: at.into(), v: Twist::default() };
        Ok(Posture { motion, law: TransientSecondLimited::new(law(speed, period))? })
    }

    /// At rest there, from now on.
    pub fn stand(&mut self, at: BodyPose) {
        self.motion = Motion { x: at.into(), v: Twist::default() };
    }

    /// At rest where it is, from now on.
    pub fn stop(&mut self) {
        self.motion.v = Twist::default();
    }

    /// The height, m.
    pub fn height(&self) -> f64 {
        self.motion.x.linear().z
    }

    /// One cycle towards a posture.
    pub fn step(&mut self, wanted: BodyPose, speed: [f64; 2], period: f64) -> Result<(), filters_lib::Error> {
        if *self.law.params() != law(speed, period) {
            self.law.set_params(law(speed, period))?;
        }
        let Motion { x, v } = self.motion;
        let rest = Twist::default();
        self.motion = self.law.output(&SecondOrderInput { x, v, xr: wanted.into(), vr: rest, ar: rest })?;
        Ok(())
    }

    /// Whether the body has come to a pose.
    pub fn is_at(&self, pose: BodyPose) -> bool {
        let (at, pose) = (&self.motion.x, Twist::from(pose));
        let away = [at.linear() - pose.linear(), at.angular() - pose.angular()];
        let speeds = [self.motion.v.linear(), self.motion.v.angular()];
        away.into_iter().chain(speeds).all(|part| part.amax() < THERE)
    }

    /// The base, while the point below it moves with a velocity, and it sways.
    pub fn base(&self, ground: &Velocity, sway: &Motion<Vector3<f64>>) -> Base {
        let (place, angles) = (self.motion.x.linear() + sway.x, self.motion.x.angular());
        let (moves, rates) = (self.motion.v.linear() + sway.v, self.motion.v.angular());
        let rotation = UnitQuaternion::from_euler_angles(angles.x, angles.y, angles.z);
        let yaw = Rotation3::from_euler_angles(0.0, 0.0, angles.z);
        let pitched = Rotation3::from_euler_angles(0.0, angles.y, angles.z);
        let carried = ground.at(&Point2::new(place.x, place.y));
        Base {
            pose: Isometry3::from_parts(Translation3::from(place), rotation),
            linear: Vector3::new(carried.x, carried.y, 0.0) + moves,
            angular: Vector3::z() * (ground.turn + rates.z)
                + yaw * Vector3::y() * rates.y
                + pitched * Vector3::x() * rates.x,
        }
    }
}

fn law(speed: [f64; 2], period: f64) -> TransientSecondLimitedParams {
    TransientSecondLimitedParams {
        period,
        gains: SecondOrderGains::critical(TIME),
        acceleration: Limit::parts(speed[0] / RISE, speed[1] / RISE),
        velocity: Limit::parts(speed[0], speed[1]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_velocity_is_the_derivative_of_the_pose() {
        let period = 1e-4;
        let start = BodyPose { x: 0.0, y: 0.0, z: 0.4, roll: 0.1, pitch: -0.2, yaw: 0.3 };
        let wanted = BodyPose { x: 0.05, y: -0.02, z: 0.3, roll: -0.3, pitch: 0.4, yaw: 0.6 };
        let mut posture = Posture::new(start, [0.2, 1.0], period).unwrap();
        let ground = Velocity { forward: 0.3, left: -0.1, turn: 0.5 };
        for _ in 0..5000 {
            let before = posture.base(&ground, &Motion { x: Vector3::zeros(), v: Vector3::zeros() });
            posture.step(wanted, [0.2, 1.0], period).unwrap();
            let after = posture.base(&ground, &Motion { x: Vector3::zeros(), v: Vector3::zeros() });
            // Both seen from the ground below the body at `before`.
            let step = ground.after(period);
            let (way, yaw) = (step.translation.vector, step.rotation.angle());
            let moved = Isometry3::new(Vector3::new(way.x, way.y, 0.0), Vector3::z() * yaw) * after.pose;
            let linear = (moved.translation.vector - before.pose.translation.vector) / period;
            let angular = (moved.rotation * before.pose.rotation.inverse()).scaled_axis() / period;
            let mean = |a: Vector3<f64>, b: Vector3<f64>| 0.5 * (a + b);
            assert!((linear - mean(before.linear, after.linear)).norm() < 1e-4, "{linear}");
            assert!((angular - mean(before.angular, after.angular)).norm() < 1e-3, "{angular}");
        }
    }
}

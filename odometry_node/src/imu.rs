//! What an inertial sensor says of the body between two moments.
//!
//! Joints and sensor have rates and clocks of their own; joints of a bus are known for a moment that is tens of milliseconds old.
//! Samples are therefore kept, and put together over exactly the time between the joints that are used (preintegration:
//! C. Forster, L. Carlone, F. Dellaert, D. Scaramuzza, "On-manifold preintegration for real-time visual-inertial odometry", 2017).

use std::collections::VecDeque;

use filters_lib::so3;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_model_lib::{LARGEST, RobotModel, fixed_pose};

use crate::Refused;

/// Samples kept: half a second of a fast sensor; joints are seldom older.
const KEPT: usize = 512;
/// Samples farther apart than this, s, leave open what the body did between them.
const LONGEST_GAP: f64 = 0.05;
/// Samples older than the newest by more than this, ns, mean that time was set back.
const TIME_JUMP: i64 = 100_000_000;

/// A sample in the base's axes, at its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    /// ns.
    stamp: i64,
    /// rad/s.
    gyro: Vector3<f64>,
    /// Acceleration less gravity, m/s².
    accel: Vector3<f64>,
}

/// What the sensor says of a stretch of time, biases included, in the base's axes at its beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Increment {
    /// Its duration, s.
    pub duration: f64,
    /// The angular velocity that makes the same turn when it is constant, rad/s.
    pub angular: Vector3<f64>,
    /// The mean acceleration less gravity, m/s².
    pub force: Vector3<f64>,
    /// The time at its end that no sample tells of yet, s: the newest one is taken for all of it.
    pub open: f64,
}

/// The sensor's samples.
#[derive(Debug, Clone)]
pub(crate) struct Inertial {
    samples: VecDeque<Sample>,
    /// The links that a sensor can sit on: those that are fixed to the base, and where they are on it.
    mounts: Vec<(String, Isometry3<f64>)>,
    /// The one that it sits on, among those.
    mount: Option<usize>,
}

impl Inertial {
    pub(crate) fn new(model: &RobotModel) -> Self {
        let fixed =
            |name: &str| fixed_pose(model, name).map(|pose| (name.to_owned(), nalgebra::convert(pose)));
        let mounts = model.link_names().filter_map(fixed).collect();
        Self { samples: VecDeque::with_capacity(KEPT), mounts, mount: None }
    }

    /// A sample of a time (ns) in the axes of `frame`, a link that is fixed to the base (empty: the base itself): angular velocity
    /// (rad/s) and acceleration less gravity (m/s²). One that was overtaken on its way is left out.
    pub(crate) fn take(
        &mut self,
        (stamp, frame): (i64, &str),
        [gyro, accel]: [[f64; 3]; 2],
    ) -> Result<(), Refused> {
        for (what, numbers) in [("angular velocity", gyro), ("acceleration", accel)] {
            if !numbers.iter().all(|number| number.abs() <= LARGEST) {
                return Err(Refused::NotFinite { name: frame.into(), what });
            }
        }
        let mount = self.mount(frame)?;
        let newest = self.samples.back().map_or(i64::MIN, |sample| sample.stamp);
        if stamp <= newest {
            if newest.saturating_sub(stamp) <= TIME_JUMP {
                return Ok(());
            }
            self.samples.clear();
        }
        let (gyro, accel) = (mount.rotation * Vector3::from(gyro), mount.rotation * Vector3::from(accel));
        // A point at r is accelerated by α × r + ω × (ω × r) more than the origin.
        let arm = mount.translation.vector;
        let last = self.samples.back().filter(|last| seconds(last.stamp, stamp) <= LONGEST_GAP);
        let angular =
            last.map_or_else(Vector3::zeros, |last| (gyro - last.gyro) / seconds(last.stamp, stamp));
        let accel = accel - angular.cross(&arm) - gyro.cross(&gyro.cross(&arm));
        if self.samples.len() == KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample { stamp, gyro, accel });
        Ok(())
    }

    /// What was between two moments, ns; None when the sensor was silent for a part of it. What was before is forgotten.
    pub(crate) fn between(&mut self, from: i64, to: i64) -> Option<Increment> {
        while self.samples.get(1).is_some_and(|second| second.stamp <= from) {
            self.samples.pop_front();
        }
        let duration = seconds(from, to);
        let first = *self.samples.front().filter(|first| first.stamp <= from && duration > 0.0)?;
        let mut sum = Sum { turn: UnitQuaternion::identity(), speed: Vector3::zeros() };
        let (mut last, mut now) = (first, from);
        for next in self.samples.iter().skip(1) {
            if seconds(last.stamp, next.stamp) > LONGEST_GAP {
                return None;
            }
            let end = next.stamp.min(to);
            sum.add(&last.at(next, now + (end - now) / 2), seconds(now, end));
            (last, now) = (*next, end);
            if now == to {
                break;
            }
        }
        // The newest sample holds for a while.
        if seconds(last.stamp, to) > LONGEST_GAP {
            return None;
        }
        let open = seconds(now, to);
        sum.add(&last, open);
        let (angular, force) = (sum.turn.scaled_axis() / duration, sum.speed / duration);
        Some(Increment { duration, angular, force, open })
    }

    /// Where the sensor is on the base. Samples of another one do not go on.
    fn mount(&mut self, frame: &str) -> Result<Isometry3<f64>, Refused> {
        // The root is the first of the links.
        let is_own = |(name, _): &(String, Isometry3<f64>)| frame.is_empty() || name == frame;
        let found = self.mounts.iter().position(is_own);
        let found = found.ok_or_else(|| Refused::NotFixed { name: frame.into() })?;
        if self.mount.replace(found) != Some(found) {
            self.samples.clear();
        }
        Ok(self.mounts[found].1)
    }
}

impl Sample {
    /// On the line to the next one, at a time, ns.
    fn at(&self, next: &Self, stamp: i64) -> Self {
        let share = seconds(self.stamp, stamp) / seconds(self.stamp, next.stamp);
        let between = |a: &Vector3<f64>, b: &Vector3<f64>| a + (b - a) * share;
        Self { stamp, gyro: between(&self.gyro, &next.gyro), accel: between(&self.accel, &next.accel) }
    }
}

/// Turn and change of speed since the beginning, in its axes.
struct Sum {
    turn: UnitQuaternion<f64>,
    speed: Vector3<f64>,
}

impl Sum {
    /// A stretch (s) with this mean.
    fn add(&mut self, mean: &Sample, dt: f64) {
        self.speed += self.turn * so3::exp(&(mean.gyro * (dt / 2.0))) * mean.accel * dt;
        self.turn *= so3::exp(&(mean.gyro * dt));
    }
}

fn seconds(from: i64, to: i64) -> f64 {
    to.saturating_sub(from) as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    const URDF: &str = r#"<robot name="r"><link name="base"/><link name="imu"/><link name="arm"/>
        <joint name="mount" type="fixed"><parent link="base"/><child link="imu"/><origin xyz="0.1 -0.2 0.3" rpy="0.5 -0.4 1.2"/></joint>
        <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;

    fn inertial() -> Inertial {
        Inertial::new(&RobotModel::from_urdf(URDF, &robot_model_lib::ModelConfig::default()).unwrap())
    }

    /// A body that turns about its origin with ω + α·t about one axis, its origin pushed by a force that is constant in the
    /// world: what a sensor at a place shows.
    fn shown(t: f64, mount: &Isometry3<f64>) -> [[f64; 3]; 2] {
        let axis = Vector3::new(0.3, -0.5, 0.8);
        let (rate, change, angle) = (axis * (0.7 + 2.0 * t), axis * 2.0, 0.7 * t + t * t);
        let turn = UnitQuaternion::new(axis * angle);
        let arm = mount.translation.vector;
        let force =
            turn.inverse() * Vector3::new(1.0, 2.0, 9.0) + change.cross(&arm) + rate.cross(&rate.cross(&arm));
        let back = mount.rotation.inverse();
        [(back * rate).into(), (back * force).into()]
    }

    #[test]
    fn turn_and_push_between_any_two_moments_are_found_wherever_the_sensor_sits() {
        for (frame, arm) in [("", Vector3::zeros()), ("imu", Vector3::new(0.1, -0.2, 0.3))] {
            let mut inertial = inertial();
            let turn = UnitQuaternion::from_euler_angles(0.5, -0.4, 1.2);
            let turn = if frame.is_empty() { UnitQuaternion::identity() } else { turn };
            let mount = Isometry3::from_parts(arm.into(), turn);
            for sample in 0..200_i64 {
                let stamp = sample * 5_000_000;
                inertial.take((stamp, frame), shown(stamp as f64 * 1e-9, &mount)).unwrap();
            }
            for (from, to) in [(6, 10), (12, 13), (21, 24), (24, 31), (31, 71)] {
                let (a, b) = (f64::from(from) * 1e-3, f64::from(to) * 1e-3);
                let found = inertial.between(i64::from(from) * 1_000_000, i64::from(to) * 1_000_000).unwrap();
                let axis = Vector3::new(0.3, -0.5, 0.8);
                let angle = |t: f64| 0.7 * t + t * t;
                let expected = axis * ((angle(b) - angle(a)) / (b - a));
                // The rate is a line of time, which the trapezoid integrates exactly; the arm's backward difference of a
                // line is exact but for the first sample.
                assert!(
                    (found.angular - expected).norm() < 1e-9,
                    "{frame} {from}: {}",
                    found.angular - expected
                );
                let force = UnitQuaternion::new(axis * angle(a)).inverse() * Vector3::new(1.0, 2.0, 9.0);
                // Second order in the samples' distance: (ω·h)²/8 of the force.
                let bound = 10.0 * (1.0_f64 * 5e-3).powi(2);
                assert!((found.force - force).norm() < bound, "{frame} {from}: {}", found.force - force);
            }
        }
    }

    #[test]
    fn a_silent_sensor_says_nothing() {
        let mut inertial = inertial();
        assert!(inertial.between(0, 10).is_none());
        for ms in [100, 105, 110, 115, 170, 175] {
            inertial.take((ms * 1_000_000, ""), [[0.1; 3], [1.0; 3]]).unwrap();
        }
        let ask = |from: i64, to: i64| inertial.clone().between(from * 1_000_000, to * 1_000_000);
        assert!(ask(90, 110).is_none(), "before the first");
        assert!(ask(101, 110).is_some() && ask(171, 220).is_some());
        assert!(ask(112, 172).is_none() && ask(120, 130).is_none(), "55 ms between two samples");
        assert!(ask(172, 230).is_none(), "the newest holds for 50 ms");
        assert!(ask(110, 110).is_none());
        assert!(inertial.take((0, "arm"), [[0.0; 3]; 2]).is_err());
    }
}

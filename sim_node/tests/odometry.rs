//! Odometry beside the truth: the shipped parameters, joints as the bridge measures them of a robot with weight.

#![allow(clippy::unwrap_used)]

mod common;

use nalgebra::{Isometry3, Matrix3, Vector3};
use odometry_node::replay::{Comparison, Trajectory, compare};
use odometry_node::{Feed, OdometryParams};
use param_lib::{Overrides, Params as _, Table};
use sim_node::{Lockstep, Scene};

/// How the odometry of a walk compares with the truth.
struct Beside {
    errors: Comparison,
    /// NEES of (x, y, heading) every ten seconds: 3 on the mean when the covariance is that of the error.
    nees: Vec<f64>,
}

/// An odometry that goes along.
struct Companion {
    is_given: bool,
    has_imu: bool,
    feed: Feed,
    track: Trajectory,
    /// Estimates, and what they claim of (x, y, heading), by time, ns: every ten seconds.
    claims: Vec<(i64, Isometry3<f64>, Matrix3<f64>)>,
    last: i64,
}

impl Companion {
    fn joints(&mut self, stamp: i64, names: &[String], q: &[f64]) {
        if stamp <= self.last {
            return;
        }
        self.last = stamp;
        let estimate = self.feed.joints(stamp, names, q, &[]).unwrap();
        self.track.push(stamp, estimate.pose);
        if self.claims.last().is_none_or(|(last, ..)| stamp >= last + TEN_SECONDS) {
            let claimed = Matrix3::from_fn(|i, j| estimate.pose_covariance[([0, 1, 5][i], [0, 1, 5][j])]);
            self.claims.push((stamp, estimate.pose, claimed));
        }
    }

    fn beside(&self, truth: &Trajectory) -> Beside {
        let (first, later) = self.claims.split_first().unwrap();
        let at = |stamp: i64| planar(&truth.at(stamp).unwrap());
        let nees = later.iter().map(|(stamp, pose, claimed)| {
            let believed = planar(&first.1).inverse() * planar(pose);
            let moved = at(first.0).inverse() * at(*stamp);
            let off = moved.translation.vector - believed.translation.vector;
            let turned = heading(&(believed.inverse() * moved));
            let error = Vector3::new(off.x, off.y, turned);
            (error.transpose() * claimed.try_inverse().unwrap() * error)[0]
        });
        Beside { errors: compare(&self.track, truth).unwrap(), nees: nees.collect() }
    }
}

const TEN_SECONDS: i64 = 10_000_000_000;

fn heading(pose: &Isometry3<f64>) -> f64 {
    let ahead = pose.rotation * Vector3::x();
    ahead.y.atan2(ahead.x)
}

fn planar(pose: &Isometry3<f64>) -> Isometry3<f64> {
    let place = pose.translation;
    Isometry3::new(Vector3::new(place.x, place.y, 0.0), Vector3::z() * heading(pose))
}

/// The robot's own parameters of the odometry, as they are shipped.
fn shipped(robot: &str) -> OdometryParams {
    let folder = if robot == "pony" { String::new() } else { format!("{robot}/") };
    let file = format!("{}/../config/{folder}odometry.yaml", env!("CARGO_MANIFEST_DIR"));
    let overrides =
        Overrides::from_text(&std::fs::read_to_string(file).unwrap()).unwrap().for_node("/odometry_node");
    OdometryParams::read(&Table::declare_all(OdometryParams::specs(), &overrides).unwrap()).unwrap()
}

/// Walks a course with four odometries: supports as the gait plans them, and contacts searched for, without and with the IMU.
fn walk(robot: &str, gait: &str, course: &[([f64; 3], f64)]) -> Vec<(String, Beside)> {
    let files = common::robot(robot);
    let (model, params) = (files.model().unwrap(), shipped(robot));
    let mut world = Lockstep::stand(&files, gait, &Scene::default()).unwrap();
    let names = world.commanded().0.to_vec();
    let companion = |(is_given, has_imu)| Companion {
        is_given,
        has_imu,
        feed: Feed::new(&model, &params).unwrap(),
        track: Trajectory::default(),
        claims: vec![],
        last: world.stamp(),
    };
    let mut companions = [(true, false), (false, false), (true, true), (false, true)].map(companion);
    let mut truth = Trajectory::default();
    truth.push(world.stamp(), world.truth().base);
    for (velocity, seconds) in course {
        for _ in 0..(seconds * 100.0) as usize {
            let begin = world.stamp();
            assert!(world.step(*velocity).unwrap(), "it fell");
            truth.push(world.stamp(), world.truth().base);
            let (chains, supports): (Vec<String>, Vec<f64>) =
                world.supports().map(|(chain, support)| (chain.to_owned(), support)).unzip();
            for companion in &mut companions {
                if companion.is_given {
                    companion.feed.support(begin, &chains, &[] as &[&str], &supports).unwrap();
                }
                for (stamp, sample) in world.inertial().iter().filter(|_| companion.has_imu) {
                    companion.feed.imu(*stamp, "", sample.gyro.into(), sample.accel.into()).unwrap();
                }
                if let Some(stamp) = world.measured().stamp() {
                    companion.joints(stamp, &names, world.measured().positions());
                }
            }
        }
    }
    let mut found = vec![];
    for companion in &companions {
        let Beside { errors, nees } = companion.beside(&truth);
        let what = format!(
            "{robot}, {gait}, {}, {}",
            if companion.is_given { "given" } else { "searched" },
            if companion.has_imu { "IMU" } else { "joints alone" }
        );
        let [far, turned] = errors.end;
        let [shift, turn] = errors.rpe.unwrap();
        println!(
            "{what}: {:.2} m in {:.0} s; end {:.2} %, {:.2}° ({:.2}°/10 m); ATE {:.1} mm; RPE {:.2} mm, {:.3}°; NEES {nees:.1?}",
            errors.distance,
            errors.duration,
            100.0 * far / errors.distance,
            turned.to_degrees(),
            turned.to_degrees() * 10.0 / errors.distance,
            1e3 * errors.ate,
            1e3 * shift,
            turn.to_degrees(),
        );
        found.push((what, Beside { errors, nees }));
    }
    found
}

/// Courses of a minute that no parameter was chosen with (the filter's rule for lift-off was found on the pony's trot): a rest of four
/// seconds, as robots stand before they walk, arcs, sidesteps, backward. With the IMU issue 18's goal for the end holds, 1 % of the way. Its goal for joints alone, 2 %, holds on soles
/// here; on points other courses miss it by far (README of `odometry_node`, "Figures"), and what is held there is the bound of
/// `test/odometry/test_physics.py`: 5 % of the way. The goals for the heading (1°/10 m) and NEES ([1.5, 5]) are not reached on all.
fn drift_is_bounded(robot: &str) {
    let (ahead, side, turn) = match robot {
        "hexapod" => ([0.028, 0.09], [0.025, 0.05], [0.1, 0.25]),
        "quadruped" => ([0.035, 0.09], [0.018, 0.035], [0.12, 0.25]),
        _ => ([0.055, 0.12], [0.03, 0.03], [0.18, 0.2]),
    };
    for (number, gait) in ["walk", "trot"].iter().enumerate() {
        let (v, side, w) = (ahead[number], side[number], turn[number]);
        let course = [
            ([0.0; 3], 4.0),
            ([v, 0.0, 0.3 * w], 15.0),
            ([0.0, -side, 0.0], 10.0),
            ([-0.8 * v, 0.0, 0.0], 8.0),
            ([v, 0.0, -0.6 * w], 12.0),
            ([0.7 * v, 0.4 * side, 0.0], 11.0),
        ];
        for (what, Beside { errors, .. }) in walk(robot, gait, &course) {
            let share = match robot {
                _ if what.ends_with("IMU") => 0.01,
                "pony" => 0.02,
                _ => 0.05,
            };
            assert!(errors.end[0] < share * errors.distance, "{what}: {errors:?}");
        }
    }
}

#[test]
fn the_drift_of_the_pony_on_soles_is_bounded() {
    drift_is_bounded("pony");
}

#[test]
fn the_drift_of_the_hexapod_on_points_is_bounded() {
    drift_is_bounded("hexapod");
}

#[test]
fn the_drift_of_the_quadruped_on_points_is_bounded() {
    drift_is_bounded("quadruped");
}

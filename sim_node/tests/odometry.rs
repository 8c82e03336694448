//! Odometry beside the truth: the shipped parameters, joints as the bridge measures them of a robot with weight.

#![allow(clippy::unwrap_used)]

mod common;

use nalgebra::{Isometry3, Matrix3, Vector3};
use odometry_node::{Feed, OdometryParams};
use param_lib::{Overrides, Params as _, Table};
use sim_node::{Lockstep, Scene};
use std::f64::consts::TAU;

/// How the odometry of a walk compares with the truth.
#[derive(Default)]
struct Beside {
    /// Length of the true way, m.
    way: f64,
    /// Error in the plane at the end, m, and of the heading, rad.
    error: (f64, f64),
    /// NEES of (x, y, heading) every ten seconds: 3 on the mean when the covariance is that of the error.
    nees: Vec<f64>,
}

/// An odometry that goes along.
struct Companion {
    feed: Feed,
    /// Estimates, and what they claim of (x, y, heading), by time, ns.
    track: Vec<(i64, Isometry3<f64>, Matrix3<f64>)>,
}

impl Companion {
    fn joints(&mut self, stamp: i64, names: &[String], q: &[f64]) {
        if self.track.last().is_some_and(|(last, ..)| *last >= stamp) {
            return;
        }
        let estimate = self.feed.joints(stamp, names, q, &[]).unwrap();
        let claimed = Matrix3::from_fn(|i, j| estimate.pose_covariance[([0, 1, 5][i], [0, 1, 5][j])]);
        self.track.push((stamp, estimate.pose, claimed));
    }

    fn beside(&self, truth: &[(i64, Isometry3<f64>)]) -> Beside {
        let mut found = Beside::default();
        let &(begin, first, _) = self.track.first().unwrap();
        let (own, world) = (planar(&first), planar(&at(truth, begin)));
        let (mut last, mut next) = (at(truth, begin), begin + TEN_SECONDS);
        for (stamp, pose, claimed) in &self.track {
            let true_pose = at(truth, *stamp);
            found.way += (true_pose.translation.vector - last.translation.vector).xy().norm();
            last = true_pose;
            let (believed, moved) = (own.inverse() * planar(pose), world.inverse() * planar(&true_pose));
            let off = moved.translation.vector - believed.translation.vector;
            let turned = heading(&moved) - heading(&believed);
            let turned = turned - (turned / TAU).round() * TAU;
            found.error = (off.norm(), turned);
            if *stamp >= next {
                next += TEN_SECONDS;
                let error = Vector3::new(off.x, off.y, turned);
                found.nees.push((error.transpose() * claimed.try_inverse().unwrap() * error)[0]);
            }
        }
        found
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

/// The truth at a time between two cycles.
fn at(truth: &[(i64, Isometry3<f64>)], stamp: i64) -> Isometry3<f64> {
    let after = truth.partition_point(|(at, _)| *at < stamp).clamp(1, truth.len() - 1);
    let ((from, a), (to, b)) = (&truth[after - 1], &truth[after]);
    a.lerp_slerp(b, ((stamp - from) as f64 / (to - from) as f64).clamp(0.0, 1.0))
}

/// The robot's own parameters of the odometry, as they are shipped.
fn shipped(robot: &str) -> OdometryParams {
    let folder = if robot == "pony" { String::new() } else { format!("{robot}/") };
    let file = format!("{}/../config/{folder}odometry.yaml", env!("CARGO_MANIFEST_DIR"));
    let overrides =
        Overrides::from_text(&std::fs::read_to_string(file).unwrap()).unwrap().for_node("/odometry_node");
    OdometryParams::read(&Table::declare_all(OdometryParams::specs(), &overrides).unwrap()).unwrap()
}

/// Walks a course with two odometries: supports as the gait plans them, and contacts searched for.
fn walk(robot: &str, gait: &str, course: &[([f64; 3], f64)]) -> [Beside; 2] {
    let files = common::robot(robot);
    let (model, params) = (files.model().unwrap(), shipped(robot));
    let mut world = Lockstep::stand(&files, gait, &Scene::default()).unwrap();
    let names = world.commanded().0.to_vec();
    let companion = || Companion { feed: Feed::new(&model, &params).unwrap(), track: vec![] };
    let (mut given, mut searched) = (companion(), companion());
    let mut truth = vec![(world.stamp(), world.truth().base)];
    for (velocity, seconds) in course {
        for _ in 0..(seconds * 100.0) as usize {
            let begin = world.stamp();
            assert!(world.step(*velocity).unwrap(), "it fell");
            truth.push((world.stamp(), world.truth().base));
            let (chains, supports): (Vec<String>, Vec<f64>) =
                world.supports().map(|(chain, support)| (chain.to_owned(), support)).unzip();
            given.feed.support(begin, &chains, &[] as &[&str], &supports).unwrap();
            // Only once the truth of its time is known.
            let Some(stamp) = world.measured().stamp().filter(|stamp| *stamp > truth[0].0) else { continue };
            for companion in [&mut given, &mut searched] {
                companion.joints(stamp, &names, world.measured().positions());
            }
        }
    }
    let found = [given, searched].map(|companion| companion.beside(&truth));
    for (name, beside) in ["given", "searched"].iter().zip(&found) {
        println!(
            "{robot}, {gait} of {:.2} m, {name}: {:.2} % of the way, heading {:+.2}°, NEES {:.1?}",
            beside.way,
            100.0 * beside.error.0 / beside.way,
            beside.error.1.to_degrees(),
            beside.nees
        );
    }
    found
}

/// Courses that no parameter was chosen with: arcs, a sidestep, backward. Issue 18's goals, 2 % of the way without an IMU and NEES within [1.5, 5], are not
/// reached on all of them (README of `odometry_node`, "Figures"). What is held is the bound of `test/odometry/test_physics.py`: 5 % of the way.
fn drift_is_below_5_percent(robot: &str) {
    let (ahead, side, turn) = match robot {
        "hexapod" => ([0.028, 0.09], [0.025, 0.05], [0.1, 0.25]),
        "quadruped" => ([0.035, 0.09], [0.018, 0.035], [0.12, 0.25]),
        _ => ([0.055, 0.12], [0.03, 0.03], [0.18, 0.2]),
    };
    for (number, gait) in ["walk", "trot"].iter().enumerate() {
        let (v, side, w) = (ahead[number], side[number], turn[number]);
        let course = [
            ([v, 0.0, 0.3 * w], 15.0),
            ([0.0, -side, 0.0], 10.0),
            ([-0.8 * v, 0.0, 0.0], 8.0),
            ([v, 0.0, -0.6 * w], 12.0),
        ];
        for (beside, contacts) in walk(robot, gait, &course).iter().zip(["given", "searched"]) {
            assert!(
                beside.error.0 < 0.05 * beside.way,
                "{robot}, {gait}, {contacts}: {} of {} m",
                beside.error.0,
                beside.way
            );
        }
    }
}

#[test]
fn the_drift_of_the_pony_on_soles_is_below_5_percent() {
    drift_is_below_5_percent("pony");
}

#[test]
fn the_drift_of_the_hexapod_on_points_is_below_5_percent() {
    drift_is_below_5_percent("hexapod");
}

#[test]
fn the_drift_of_the_quadruped_on_points_is_below_5_percent() {
    drift_is_below_5_percent("quadruped");
}

//! Motions as people record them, too fast, slightly outside, sparse, dense: what becomes of them under each rule.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony, rules, standing};
use gait_node::{
    Activity, Interpolation, JointTrack, Motion, MotionError, MotionLimits, MotionRules, Trajectory,
};
use proptest::prelude::*;
use robot_model_lib::{JointSlot, Limits, RobotModel};

const JOINTS: [&str; 4] = ["neck_yaw", "tail_pitch", "leg1_hip_pitch", "leg2_knee"];

fn limits(model: &RobotModel, name: &str) -> (usize, Limits) {
    match model.find_joint(name) {
        JointSlot::Joint { index, .. } => (index, model.joints()[index].limits),
        _ => panic!("{name}"),
    }
}

/// Points of joints that swing around the middle of their range, up to `beyond` (rad) outside of it.
fn swings(beyond: f64, times: &[f64], frequency: f64, phase: f64, with_velocities: bool) -> Vec<JointTrack> {
    let model = pony();
    let track = |(number, name): (usize, &&str)| {
        let (_, limits) = limits(&model, name);
        let (middle, half) = (limits.middle(), 0.5 * (limits.upper - limits.lower) + beyond);
        let angle = |t: &f64| frequency * t + phase + number as f64;
        let velocity = |t: &f64| half * frequency * angle(t).cos();
        JointTrack {
            name: (*name).into(),
            position: times.iter().map(|t| middle + half * angle(t).sin()).collect(),
            velocity: if with_velocities { times.iter().map(velocity).collect() } else { vec![] },
            acceleration: vec![],
        }
    };
    JOINTS.iter().enumerate().map(track).collect()
}

prop_compose! {
    /// Recorded at 5 … 100 Hz, or given by a few points; inside the limits, or outside by less than the tolerance.
    fn trajectory()(
        dense: bool, quintic: bool, velocities: bool, supports: bool,
        beyond in prop_oneof![Just(-0.2), Just(0.009)], count in 2..40_usize, gap in 0.05..0.2_f64,
        frequency in 1.0..30.0_f64, phase in 0.0..6.3_f64, first in 0.05..1.0_f64,
        gaps in prop::collection::vec(0.03..1.5_f64, 2..8)
    ) -> Trajectory {
        let mut time = first;
        let dense_gap = gap / frequency;
        let gaps = if dense { vec![dense_gap; count] } else { gaps };
        let times: Vec<f64> = gaps.iter().map(|gap| { time += gap; time }).collect();
        // Between points that are far apart, velocities mean a curve that goes wherever it likes.
        let mut tracks = swings(beyond, &times, frequency, phase, velocities && dense);
        if supports {
            let position = (0..times.len()).map(|k| (k % 2) as f64).collect();
            tracks.push(JointTrack { name: "support/leg1".into(), position, ..JointTrack::default() });
        }
        let interpolation = if quintic { Interpolation::Quintic } else { Interpolation::Cubic };
        Trajectory { interpolation, times, tracks }
    }
}

/// What no motion could do within the limits: a point outside, or a mean speed above the limit.
fn is_bad(trajectory: &Trajectory) -> bool {
    let model = pony();
    trajectory.tracks.iter().filter(|track| JOINTS.contains(&track.name.as_str())).any(|track| {
        let (_, limits) = limits(&model, &track.name);
        let speed = |k: usize| {
            (track.position[k + 1] - track.position[k]) / (trajectory.times[k + 1] - trajectory.times[k])
        };
        let outside = track.position.iter().any(|p| p - limits.clamp(*p) != 0.0);
        outside || (0..trajectory.times.len() - 1).any(|k| speed(k).abs() > limits.velocity)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Under `stretch` every one plays, through its points, within limits, speed and acceleration; under `refuse` the bad
    /// ones are refused by name, and the others are played as they are.
    #[test]
    fn a_hundred_motions_all_play_under_stretch_and_the_bad_ones_are_named_under_refuse(trajectory in trajectory()) {
        let mut walker = standing(params());
        let motion = Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Stretch)).unwrap();
        let changed = !motion.adjustments().to_string().is_empty();
        match Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Refuse)) {
            Ok(_) => prop_assert!(!changed && !is_bad(&trajectory)),
            Err(e) => {
                prop_assert!(changed, "{}", e);
                prop_assert!(JOINTS.iter().any(|name| e.to_string().contains(name)), "{}", e);
            }
        }
        // Through its points, at the stretched times.
        let (mut q, mut qd) = (walker.positions().to_vec(), walker.velocities().to_vec());
        let stretch = motion.adjustments().stretch();
        for (k, time) in trajectory.times.iter().enumerate() {
            motion.write(stretch * (time - trajectory.times[0]), &mut q, &mut qd);
            for name in JOINTS {
                let (index, limits) = limits(walker.model(), name);
                let wanted = trajectory.tracks.iter().find(|track| track.name == name).unwrap().position[k];
                prop_assert!((q[index] - limits.clamp(wanted)).abs() < 1e-6, "{} at {}", name, time);
            }
        }
        let acceleration = params().joint_acceleration * (1.0 + 1e-6);
        walker.play(motion);
        let mut played = false;
        while !(played && walker.activity() == Activity::Standing) {
            let (q, qd) = (walker.positions().to_vec(), walker.velocities().to_vec());
            let moves = walker.activity() != Activity::Standing;
            assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
            played |= walker.activity() == Activity::Playing;
            for (at, joint) in walker.model().joints().iter().enumerate() {
                let (p, v) = (walker.positions()[at], walker.velocities()[at]);
                prop_assert!(joint.limits.contains(p) && v.abs() <= joint.limits.velocity, "{}: {} {}", joint.name, p, v);
                if moves {
                    let off = (p - q[at] - PERIOD * qd[at]).abs();
                    prop_assert!((v - qd[at]).abs() <= acceleration * PERIOD, "{}: {} → {}", joint.name, qd[at], v);
                    prop_assert!(off <= 0.5 * acceleration * PERIOD * PERIOD, "{}: {}", joint.name, off);
                }
            }
        }
    }
}

fn one(times: &[f64], position: &[f64], velocity: &[f64]) -> Trajectory {
    let track = JointTrack {
        name: "neck_yaw".into(),
        position: position.to_vec(),
        velocity: velocity.to_vec(),
        acceleration: vec![],
    };
    Trajectory { interpolation: Interpolation::Cubic, times: times.to_vec(), tracks: vec![track] }
}

fn new(trajectory: &Trajectory, limits: MotionLimits) -> Result<Motion, MotionError> {
    Motion::new(trajectory, &pony(), &rules(limits))
}

#[test]
fn the_stretch_is_what_speed_and_acceleration_ask_for() {
    // A cubic from rest to rest: 1.5 times the mean speed, 6 ways per duration². The neck can 7.1 rad/s.
    let motion = new(&one(&[0.5, 0.7], &[-0.5, 0.5], &[]), MotionLimits::Stretch).unwrap();
    let (by_speed, by_acceleration) = (1.5 / 0.2 / 7.1, (6.0 / 0.04 / params().joint_acceleration).sqrt());
    assert!((motion.adjustments().stretch() - f64::max(by_speed, by_acceleration)).abs() < 1e-12);
    assert!((motion.duration() - 0.2 * motion.adjustments().stretch()).abs() < 1e-8);
    assert_eq!(motion.entry_time(), 0.5);
    let text = motion.adjustments().to_string();
    assert_eq!(text, "takes 1.732 times as long (neck_yaw: 150.0 rad/s² at 0.500 s, joint_acceleration 50)");
}

#[test]
fn points_slightly_outside_are_moved_onto_the_limit_and_said() {
    let slightly = one(&[0.5, 1.5], &[0.0, 0.9055], &[]);
    let motion = new(&slightly, MotionLimits::Stretch).unwrap();
    assert_eq!(motion.adjustments().moved(), 1);
    let text = motion.adjustments().to_string();
    assert_eq!(text, "1 point moved onto a limit (furthest neck_yaw at 1.500 s, by 0.0055 rad)");
    let far = one(&[0.5, 1.5], &[0.0, 1.2], &[]);
    assert!(matches!(new(&far, MotionLimits::Stretch), Err(MotionError::Limits { .. })));
    let (mut q, mut qd) = (vec![0.0; 40], vec![0.0; 40]);
    let motion = new(&far, MotionLimits::Clamp).unwrap();
    motion.write(1.0, &mut q, &mut qd);
    assert_eq!(q[limits(&pony(), "neck_yaw").0], 0.9);
}

#[test]
fn a_curve_that_leaves_the_limits_between_points_is_passed_slower() {
    // From 0.06 rad/s to −0.06 rad/s in a second a cubic rises by v·T/4 = 0.015 rad: 0.005 rad beyond the limit.
    let bulges = one(&[0.5, 1.5, 2.5, 3.5], &[0.0, 0.89, 0.89, 0.0], &[0.0, 0.06, -0.06, 0.0]);
    assert!(matches!(new(&bulges, MotionLimits::Refuse), Err(MotionError::Limits { .. })));
    let motion = new(&bulges, MotionLimits::Stretch).unwrap();
    assert!(motion.adjustments().to_string().contains("passed slower"), "{}", motion.adjustments());
    let neck = limits(&pony(), "neck_yaw").0;
    let (mut q, mut qd) = (vec![0.0; 40], vec![0.0; 40]);
    for k in 0..=3000 {
        motion.write(1e-3 * f64::from(k), &mut q, &mut qd);
        assert!(q[neck] <= 0.9 + 1e-9, "{}", q[neck]);
    }
}

#[test]
fn motion_speed_divides_all_times() {
    let trajectory = one(&[1.0, 3.0], &[0.0, 0.4], &[]);
    let twice = MotionRules { speed: 2.0, ..rules(MotionLimits::Stretch) };
    let motion = Motion::new(&trajectory, &pony(), &twice).unwrap();
    assert_eq!((motion.entry_time(), motion.duration()), (0.5, 1.0));
    // Too fast at four times its speed: the file's own time is named.
    let fast = MotionRules { speed: 4.0, ..rules(MotionLimits::Refuse) };
    let why = Motion::new(&one(&[1.0, 1.5], &[0.0, 0.6], &[]), &pony(), &fast).unwrap_err();
    assert!(matches!(why, MotionError::Speed { time, .. } if (time - 1.25).abs() < 1e-9), "{why}");
}

//! Motions that nobody means: times too near together, supports that are none, limits as large as the sky.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{pony, rules};
use gait_node::{Interpolation, JointTrack, Motion, MotionError, MotionLimits, Trajectory};
use proptest::prelude::*;
use robot_model_lib::{ModelConfig, RobotModel};

/// A robot of one joint with these limits, and 6 rad/s.
fn one_joint(lower: f64, upper: f64) -> RobotModel {
    let urdf = format!(
        r#"<robot name="s"><link name="base"/><link name="l"/><joint name="j" type="revolute"><parent link="base"/>
        <child link="l"/><axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}" effort="1" velocity="6"/></joint></robot>"#
    );
    RobotModel::from_urdf(&urdf, &ModelConfig { chains: vec![], contacts: vec![] }).unwrap()
}

fn trajectory(times: &[f64], position: &[f64], quintic: bool) -> Trajectory {
    let track = JointTrack { name: "j".into(), position: position.to_vec(), ..JointTrack::default() };
    let interpolation = if quintic { Interpolation::Quintic } else { Interpolation::Cubic };
    Trajectory { interpolation, times: times.to_vec(), tracks: vec![track] }
}

#[test]
fn times_that_are_rounding_are_refused_and_a_stretch_beyond_reason_too() {
    let model = one_joint(-1.0, 1.0);
    let why = |times: &[f64], position: &[f64]| {
        Motion::new(&trajectory(times, position, true), &model, &rules(MotionLimits::Stretch)).unwrap_err()
    };
    for times in [[1.0, 1.000_000_1], [0.0, 1e-160], [0.0, 1e-310], [0.0, 1e308], [-1e-9, 1.0]] {
        assert!(matches!(why(&times, &[0.1, 0.3]), MotionError::Times { .. }), "{times:?}");
    }
    // 0.2 rad in 0.1 ms: 15/8·2000 rad/s by speed, √(10/√3·0.2/1e-8/50) by acceleration.
    let MotionError::Stretch { name, by, .. } = why(&[1.0, 1.0001, 2.0], &[0.1, 0.3, 0.3]) else { panic!() };
    let expected = (10.0 / 3.0_f64.sqrt() * 0.2 / 1e-8 / rules(MotionLimits::Stretch).acceleration).sqrt();
    assert!(name == "j" && f64::min(by, expected) > 600.0, "{name}: {by}");
    // What is hardly a motion is played although its times are near.
    let close = trajectory(&[1.0, 1.001, 2.0], &[0.1, 0.1, 0.2], true);
    assert_eq!(Motion::new(&close, &model, &rules(MotionLimits::Refuse)).unwrap().duration(), 1.0);
}

#[test]
fn a_support_is_between_zero_and_one() {
    let support = |position: [f64; 2]| {
        let neck = JointTrack { name: "neck_yaw".into(), position: vec![0.0, 0.1], ..JointTrack::default() };
        let leg =
            JointTrack { name: "support/leg1".into(), position: position.to_vec(), ..JointTrack::default() };
        let trajectory = Trajectory {
            interpolation: Interpolation::Cubic,
            times: vec![0.5, 1.0],
            tracks: vec![neck, leg],
        };
        Motion::new(&trajectory, &pony(), &rules(MotionLimits::Clamp)).map(|_| ())
    };
    assert_eq!(support([0.0, 1.0]), Ok(()));
    for (bad, number) in [([7.0, 1.0], 1), ([0.0, -3.0], 2)] {
        let name = "support/leg1".to_string();
        assert_eq!(support(bad), Err(MotionError::Support { name, number, value: bad[number - 1] }));
    }
}

#[test]
fn rounding_of_large_numbers_is_no_excess() {
    for limit in [1e1, 1e4, 1e6, 1e7, 1e8, 1e9, 1e12] {
        for quintic in [false, true] {
            let positions = [0.3 * limit, limit, limit, -limit];
            // Nobody asks how long it takes: it must come to an end.
            let motion = Motion::new(
                &trajectory(&[0.5, 1.0, 1.3, 2.0], &positions, quintic),
                &one_joint(-limit, limit),
                &rules(MotionLimits::Clamp),
            );
            assert!(
                motion.is_ok() || matches!(motion, Err(MotionError::Stretch { .. })),
                "{limit}: {motion:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    /// Whatever is accepted: finite, within limits, speed and acceleration, at every time.
    #[test]
    fn what_is_accepted_can_be_played(
        gaps in prop::collection::vec(prop_oneof![4 => 0.01..1.0_f64, 1 => 1e-7..1e-3_f64], 1..8),
        states in prop::collection::vec((-1.4..1.4_f64, -20.0..20.0_f64, -300.0..300.0_f64), 9),
        quintic: bool, velocities: bool, accelerations: bool, clamp: bool
    ) {
        let mut time = 0.3;
        let times: Vec<f64> = gaps.iter().map(|gap| { time += gap; time }).collect();
        let mut trajectory = trajectory(&times, &states[..times.len()].iter().map(|s| s.0).collect::<Vec<_>>(), quintic);
        let of = |given: bool, value: fn(&(f64, f64, f64)) -> f64| {
            states[..times.len()].iter().filter(|_| given).map(value).collect::<Vec<_>>()
        };
        trajectory.tracks[0].velocity = of(velocities, |s| s.1);
        trajectory.tracks[0].acceleration = of(accelerations, |s| s.2);
        let rules = rules(if clamp { MotionLimits::Clamp } else { MotionLimits::Stretch });
        let Ok(motion) = Motion::new(&trajectory, &one_joint(-1.0, 1.2), &rules) else { return Ok(()) };
        let step = motion.duration() / 1000.0;
        let (mut q, mut qd, mut before) = ([0.0], [0.0], None);
        for k in 0..=1000 {
            motion.write(f64::from(k) * step, &mut q, &mut qd);
            prop_assert!((-1.0 - 1e-6..=1.2 + 1e-6).contains(&q[0]), "{} rad", q[0]);
            prop_assert!(qd[0].abs() <= 6.0 * (1.0 + 1e-6), "{} rad/s", qd[0]);
            let most = rules.acceleration * step * (1.0 + 1e-3) + 1e-6;
            prop_assert!(before.is_none_or(|v: f64| (qd[0] - v).abs() <= most), "{:?} → {}", before, qd[0]);
            before = Some(qd[0]);
        }
    }
}

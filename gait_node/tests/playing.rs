//! Motions: what is refused, what is passed when, and how the robot gets in and out.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, only_slowed, params, pony, rules, standing};
use gait_node::{
    Activity, Interpolation, JointTrack, Motion, MotionError, MotionLimits, Trajectory, Velocity,
};
use proptest::prelude::*;

fn track(name: &str, position: &[f64]) -> JointTrack {
    JointTrack { name: name.into(), position: position.to_vec(), ..JointTrack::default() }
}

fn trajectory(times: &[f64], tracks: Vec<JointTrack>) -> Trajectory {
    Trajectory { interpolation: Interpolation::Cubic, times: times.to_vec(), tracks }
}

#[test]
fn a_bad_motion_is_refused_and_the_culprit_named() {
    let model = pony();
    let refuse = rules(MotionLimits::Refuse);
    let why = |times: &[f64], tracks: Vec<JointTrack>| {
        Motion::new(&trajectory(times, tracks), &model, &refuse).unwrap_err()
    };
    let neck = |position: &[f64]| track("neck_yaw", position);
    assert_eq!(why(&[], vec![neck(&[])]), MotionError::Empty("times"));
    assert_eq!(why(&[1.0], vec![]), MotionError::Empty("joints"));
    assert_eq!(why(&[1.0], vec![track("wing", &[0.0])]), MotionError::Unknown("wing".into(), "joint"));
    assert_eq!(
        why(&[1.0], vec![track("support/head", &[0.0])]),
        MotionError::Unknown("support/head".into(), "leg")
    );
    assert_eq!(
        why(&[1.0], vec![neck(&[0.0]), neck(&[0.0])]),
        MotionError::Names(robot_model_lib::MessageError::Twice { name: "neck_yaw".into() })
    );
    for times in [[1.0, 1.0], [1.0, 0.5], [-1.0, 1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY]] {
        assert!(matches!(why(&times, vec![neck(&[0.0, 0.1])]), MotionError::Times { .. }), "{times:?}");
    }
    assert!(matches!(why(&[1.0, 2.0], vec![neck(&[0.0])]), MotionError::Length { found: 1, times: 2, .. }));
    assert!(matches!(why(&[1.0], vec![neck(&[f64::NAN])]), MotionError::NotFinite { number: 1, .. }));
    assert!(matches!(why(&[1.0], vec![neck(&[1.0])]), MotionError::Limits { .. }));
    assert!(matches!(why(&[1.0, 1.1], vec![neck(&[-0.5, 0.5])]), MotionError::Speed { .. }));
    // 6·0.1/0.1² = 60 rad/s² at the ends of the cubic.
    assert!(matches!(why(&[1.0, 1.1], vec![neck(&[0.0, 0.1])]), MotionError::Acceleration { .. }));
    let runs = JointTrack { velocity: vec![0.0, 1.0], ..neck(&[0.0, 0.9]) };
    assert!(
        matches!(why(&[1.0, 2.0], vec![runs]), MotionError::Room { speed: 1.0, .. }),
        "0.9 rad is its limit"
    );
}

#[test]
fn it_stops_plays_and_stands_up_again() {
    let mut walker = standing(params());
    let neck = walker.model().joints().iter().position(|joint| joint.name == "neck_pitch").unwrap();
    let mut quiet = |note: gait_node::Note<'_>| only_slowed(note);
    for _ in 0..300 {
        walker.command(Velocity { forward: 0.06, left: 0.0, turn: 0.1 });
        checked_step(&mut walker, &mut quiet);
    }
    let tracks = vec![track("neck_pitch", &[0.2, 0.6, 0.1]), track("support/leg2", &[1.0, 0.0, 1.0])];
    let rules = rules(MotionLimits::Refuse);
    walker.play(Motion::new(&trajectory(&[0.5, 1.5, 2.5], tracks), walker.model(), &rules).unwrap());
    let mut passed = vec![];
    for _ in 0..3000 {
        let before = walker.activity();
        checked_step(&mut walker, &mut quiet);
        if walker.activity() == Activity::Playing {
            passed.push((walker.positions()[neck], walker.supports()[1]));
        }
        if before == Activity::Rising && walker.activity() == Activity::Standing {
            break;
        }
    }
    assert_eq!(walker.activity(), Activity::Standing);
    // It gets to the first position in half a second and passes the others a second and two later.
    let at = |position: f64| passed.iter().position(|(q, _)| (q - position).abs() < 1e-3).unwrap() as i64;
    // It is within a thousandth a little before, for it arrives at rest.
    assert!((at(0.2) - 50).abs() <= 6 && (at(0.6) - 150).abs() <= 6, "{} {}", at(0.2), at(0.6));
    assert!(passed.iter().all(|(q, _)| *q <= 0.6 + 1e-9), "a cubic does not pass its positions");
    let lifted = passed.iter().filter(|(_, support)| *support == Some(0.0)).count() as i64;
    assert!((lifted - 100).abs() <= 1, "one second in the air: {lifted} cycles");
}

#[test]
fn another_motion_or_a_halt_ends_the_one_that_is_played() {
    let mut walker = standing(params());
    let tail = walker.model().joints().iter().position(|joint| joint.name == "tail_yaw").unwrap();
    let motion = |goal: f64| {
        let trajectory = trajectory(&[0.5, 5.0], vec![track("tail_yaw", &[goal, goal])]);
        Motion::new(&trajectory, &pony(), &rules(MotionLimits::Refuse)).unwrap()
    };
    walker.play(motion(0.5));
    for _ in 0..200 {
        checked_step(&mut walker, &mut |note| panic!("{note}"));
    }
    assert_eq!((walker.activity(), walker.positions()[tail]), (Activity::Playing, 0.5));
    walker.play(motion(-0.5));
    for _ in 0..300 {
        checked_step(&mut walker, &mut |note| panic!("{note}"));
        assert_eq!(walker.activity(), Activity::Playing, "it does not stand up in between");
    }
    assert_eq!((walker.activity(), walker.positions()[tail]), (Activity::Playing, -0.5));
    walker.stand();
    assert_eq!(walker.activity(), Activity::Rising);
    for _ in 0..300 {
        checked_step(&mut walker, &mut |note| panic!("{note}"));
    }
    assert_eq!((walker.activity(), walker.positions()[tail]), (Activity::Standing, 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever passes the checks is played without a jump, through all its positions.
    #[test]
    fn any_motion_that_is_accepted_is_played_smoothly(
        knots in prop::collection::vec((0.02..1.5_f64, -0.9..0.9_f64, -1.0..0.6_f64), 1..8), quintic: bool
    ) {
        let mut walker = standing(params());
        let mut time = 0.0;
        let times: Vec<f64> = knots.iter().map(|(dt, ..)| { time += dt; time }).collect();
        let necks: Vec<f64> = knots.iter().map(|(_, neck, _)| *neck).collect();
        let tails: Vec<f64> = knots.iter().map(|(.., tail)| *tail).collect();
        let mut trajectory = trajectory(&times, vec![track("neck_yaw", &necks), track("tail_pitch", &tails)]);
        if quintic {
            trajectory.interpolation = Interpolation::Quintic;
        }
        let Ok(motion) = Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Refuse)) else { return Ok(()) };
        let neck = walker.model().joints().iter().position(|joint| joint.name == "neck_yaw").unwrap();
        walker.play(motion);
        let mut nearest = vec![f64::INFINITY; necks.len()];
        for _ in 0..4000 {
            checked_step(&mut walker, &mut |note| panic!("{note}"));
            for (nearest, wanted) in nearest.iter_mut().zip(&necks) {
                *nearest = nearest.min((walker.positions()[neck] - wanted).abs());
            }
            if walker.activity() == Activity::Standing {
                break;
            }
        }
        prop_assert_eq!(walker.activity(), Activity::Standing);
        // Within what it moves in a cycle.
        prop_assert!(nearest.iter().all(|away| *away <= 7.1 * PERIOD), "{:?}", nearest);
    }
}

//! A motion whose joints are watched: held at its end, judged by what is measured, dropped by other orders.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, rules, standing};
use gait_node::{
    Activity, Follow, Interpolation, JointTrack, Measured, Motion, MotionLimits, PlayId, PlayState,
    Tolerance, Trajectory, Velocity, Verdict, Walker,
};
use proptest::prelude::*;

const JOINT: &str = "neck_yaw";

fn joint(walker: &Walker) -> usize {
    walker.model().joints().iter().position(|joint| joint.name == JOINT).unwrap()
}

fn turn(walker: &mut Walker, last_speed: f64) -> PlayId {
    let track = JointTrack {
        name: JOINT.into(),
        position: vec![-0.3, 0.3],
        velocity: vec![0.0, last_speed],
        ..JointTrack::default()
    };
    let trajectory =
        Trajectory { interpolation: Interpolation::Cubic, times: vec![0.5, 2.0], tracks: vec![track] };
    walker.play(Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Refuse)).unwrap().holding(true))
}

fn step(walker: &mut Walker) {
    assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
}

/// What a servo would measure that is off by so much.
fn measure(walker: &Walker, off: f64) -> Measured {
    let mut measured = Measured::new(walker.positions().len());
    let names: Vec<String> = walker.model().joints().iter().map(|joint| joint.name.clone()).collect();
    let positions: Vec<f64> = walker.positions().iter().map(|q| q + off).collect();
    measured.take(walker.model(), &names, &positions, walker.velocities()).unwrap();
    measured
}

#[test]
fn it_is_held_at_its_end_until_another_order() {
    for last_speed in [0.0, 0.8] {
        let mut walker = standing(params());
        let neck = joint(&walker);
        let id = turn(&mut walker, last_speed);
        assert_eq!(walker.play_state(id), PlayState::Waiting);
        while walker.play_state(id) != PlayState::Ended {
            step(&mut walker);
        }
        (0..300).for_each(|_| {
            walker.command(Velocity { forward: 0.06, ..Velocity::ZERO });
            step(&mut walker);
        });
        // With a speed at its end it moves on by v²/2a.
        let end = 0.3 + last_speed * last_speed / (2.0 * params().joint_acceleration);
        assert!((walker.positions()[neck] - end).abs() < 1e-9, "{}", walker.positions()[neck]);
        assert_eq!((walker.activity(), walker.play_state(id)), (Activity::Halted, PlayState::Ended));
        walker.stand();
        assert_eq!(walker.play_state(id), PlayState::Dropped);
    }
}

#[test]
fn the_verdict_is_what_the_tolerances_say() {
    let within = |position| Tolerance { position: Some(position), velocity: None };
    for (off, path, goal) in [
        (0.0, within(1e-9), within(1e-9)),
        (0.05, within(0.06), within(0.06)),
        (0.05, within(0.04), within(0.06)),
        (0.05, Tolerance::default(), within(0.04)),
        (9.0, Tolerance::default(), Tolerance::default()),
        (f64::NAN, within(0.1), within(0.1)),
    ] {
        let mut walker = standing(params());
        let neck = joint(&walker);
        let play = turn(&mut walker, 0.0);
        let mut follow = Follow::new(play, vec![(neck, path, goal)], 0.3);
        let (mut verdict, mut ended) = (Verdict::UnderWay, 0);
        while verdict == Verdict::UnderWay {
            step(&mut walker);
            verdict = follow.step(&walker, &measure(&walker, off), PERIOD);
            ended += usize::from(walker.play_state(play) == PlayState::Ended);
        }
        let leaves = |tolerance: Tolerance| tolerance.position.is_some_and(|most| off.is_nan() || off > most);
        match verdict {
            Verdict::OffPath(violation) => assert!(leaves(path) && violation.joint == neck),
            // It had its time: 0.3 s, to the cycle.
            Verdict::OffGoal(_) => assert!(!leaves(path) && leaves(goal) && (30..=32).contains(&ended)),
            Verdict::Reached => assert!(!leaves(path) && !leaves(goal)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_was_measured_long_ago_counts_for_nothing() {
    let walker = standing(params());
    let mut measured = measure(&walker, 0.0);
    assert!(measured.position(0).is_finite());
    (0..60).for_each(|_| measured.step(PERIOD));
    assert!(measured.position(0).is_nan() && measured.velocity(0).is_nan());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Cancelled at any time: all joints come to rest with joint_acceleration, and stay.
    #[test]
    fn a_cancelled_motion_brakes_and_rests(cycles in 1..250_usize, walks in any::<bool>()) {
        let mut walker = standing(params());
        if walks {
            walker.command(Velocity { forward: 0.06, ..Velocity::ZERO });
            (0..40).for_each(|_| step(&mut walker));
        }
        let id = turn(&mut walker, 0.0);
        (0..cycles).for_each(|_| step(&mut walker));
        let state = walker.play_state(id);
        walker.cancel(id);
        let most = params().joint_acceleration * PERIOD * (1.0 + 1e-6);
        if state == PlayState::UnderWay {
            let fastest = walker.velocities().iter().fold(0.0_f64, |top, v| top.max(v.abs()));
            for cycle in 0..200 {
                let before = walker.velocities().to_vec();
                step(&mut walker);
                for (v, before) in walker.velocities().iter().zip(&before) {
                    prop_assert!((v - before).abs() <= most);
                }
                // v/a, and the move of a millisecond that follows.
                let time = PERIOD * (cycle + 1) as f64;
                prop_assert!(time <= fastest / params().joint_acceleration + 2.0 * PERIOD || !walker.is_braking());
            }
            prop_assert!(walker.velocities().iter().all(|v| *v == 0.0));
            prop_assert_eq!(walker.activity(), Activity::Halted);
        }
        prop_assert!(matches!(walker.play_state(id), PlayState::Dropped | PlayState::Ended));
    }
}

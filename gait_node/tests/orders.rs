//! Orders that come at an awkward moment: each of these once gave something that nobody had asked for.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, params, pony, rules, standing};
use gait_node::{
    Activity, DropReason, Follow, GaitParams, Interpolation, JointTrack, Measured, Motion, MotionLimits,
    PlayState, Source, Trajectory, Velocity, Verdict, Walker,
};

const AHEAD: Velocity = Velocity { forward: 0.06, left: 0.0, turn: 0.0 };

fn neck(walker: &Walker, times: &[f64], position: &[f64]) -> Motion {
    let track = JointTrack { name: "neck_yaw".into(), position: position.to_vec(), ..JointTrack::default() };
    let trajectory =
        Trajectory { interpolation: Interpolation::Cubic, times: times.to_vec(), tracks: vec![track] };
    Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Stretch)).unwrap()
}

fn go(walker: &mut Walker, cycles: usize) {
    (0..cycles).for_each(|_| checked_step(walker, &mut |_| ()));
}

#[test]
fn a_halt_ends_a_walk_though_commands_keep_coming_until_it_is_told_to_stand() {
    let mut walker = standing(params());
    let walk = |walker: &mut Walker, cycles: usize| {
        for _ in 0..cycles {
            walker.command(AHEAD);
            go(walker, 1);
        }
    };
    walk(&mut walker, 300);
    walker.halt();
    walk(&mut walker, 700);
    assert_eq!((walker.activity(), walker.velocity()), (Activity::Halted, Velocity::ZERO));
    walker.stand();
    walk(&mut walker, 600);
    assert_eq!((walker.activity(), walker.velocity()), (Activity::Walking, AHEAD));
}

#[test]
fn a_motion_takes_the_place_of_one_that_is_entered_at_once() {
    let mut walker = standing(params());
    let first = walker.play(neck(&walker, &[20.0, 21.0], &[0.3, -0.3]));
    go(&mut walker, 100);
    let second = walker.play(neck(&walker, &[0.5, 1.0], &[-0.3, 0.0]));
    go(&mut walker, 1);
    assert_eq!([first, second].map(|id| walker.play_state(id)), [PlayState::Dropped, PlayState::UnderWay]);
}

#[test]
fn a_motion_that_is_cancelled_does_not_let_the_one_before_it_go_on() {
    let mut walker = standing(params());
    let first = walker.play(neck(&walker, &[3.0, 6.0], &[0.3, -0.3]).holding(true));
    go(&mut walker, 100);
    let second = walker.play(neck(&walker, &[0.5, 1.0], &[-0.3, 0.0]).holding(true));
    walker.cancel(second);
    go(&mut walker, 100);
    assert_eq!([first, second].map(|id| walker.play_state(id)), [PlayState::Dropped; 2]);
    assert_eq!(walker.activity(), Activity::Halted);
}

/// Once per round in a cycle it called itself: a file of a microsecond ended the process.
#[test]
fn a_motion_of_microseconds_comes_round_as_often_as_it_is_told() {
    for gap in [2e-6, 1e-5, 1e-3] {
        let mut walker = standing(params());
        walker.play(neck(&walker, &[0.5, 0.5 + gap], &[0.1, 0.1]).repeated(true));
        go(&mut walker, 400);
        let rounds = walker.progress().unwrap().rounds;
        assert!(f64::from(rounds) * gap > 1.0, "{rounds} rounds of {gap} s");
    }
}

#[test]
fn without_torque_nothing_is_played_when_it_comes_back() {
    let mut walker = standing(params());
    let names: Vec<String> = walker.model().joints().iter().map(|joint| joint.name.clone()).collect();
    walker.torque(&names, &vec![false; names.len()]);
    let id = walker.play(neck(&walker, &[0.5, 1.0], &[0.6, -0.6]));
    assert_eq!(walker.play_state(id), PlayState::Dropped);
    let pose = walker.positions().to_vec();
    walker.torque(&names, &vec![true; names.len()]);
    for _ in 0..1000 {
        walker.pose(Source::Measured, &names, &pose).unwrap();
        walker.step(PERIOD, 1.0, &mut |_| ());
        assert_ne!(walker.activity(), Activity::Playing);
    }
    assert_eq!(walker.activity(), Activity::Standing);
}

#[test]
fn a_battery_that_is_low_from_the_start_makes_it_sit_as_soon_as_it_can() {
    let params = GaitParams { low_battery: 7.0, wait_for_pose: true, ..params() };
    let mut walker = Walker::new(pony(), params, PERIOD).unwrap();
    let names: Vec<String> = walker.model().joints().iter().map(|joint| joint.name.clone()).collect();
    for cycle in 0..4000 {
        walker.battery(6.0);
        if cycle > 500 {
            let pose = walker.positions().to_vec();
            walker.pose(Source::Measured, &names, &pose).unwrap();
        }
        walker.step(PERIOD, 1.0, &mut |_| ());
    }
    assert_eq!(walker.activity(), Activity::Sitting);
}

/// In rqt people drag sliders while the robot walks: legs were left out, and the robot fell.
#[test]
fn a_slider_that_is_dragged_leaves_no_leg_out() {
    for (every, period, duty) in
        [(10, 0.002, 0.0), (40, 0.002, 0.0), (60, -0.001, 0.0), (10, 0.0, 0.0005), (30, 0.001, -0.0005)]
    {
        let mut current = params();
        let mut walker = standing(params());
        let mut lifts = [0_i32; 4];
        for cycle in 0..2000 {
            if cycle > 200 && cycle < 1200 && cycle % every == 0 {
                let walk = current.gaits.0.iter_mut().find(|(name, _)| name == "walk").unwrap();
                (walk.1.period, walk.1.duty) = (walk.1.period + period, walk.1.duty + duty);
                walker.set_params(current.clone()).unwrap();
            }
            walker.command(Velocity { forward: 0.05, ..AHEAD });
            let before: Vec<_> = walker.supports()[..4].to_vec();
            checked_step(&mut walker, &mut |note| panic!("{note}"));
            for (leg, before) in before.iter().enumerate() {
                lifts[leg] += i32::from(*before == Some(1.0) && walker.supports()[leg] == Some(0.0));
            }
        }
        let (least, most) = (lifts.iter().min().unwrap(), lifts.iter().max().unwrap());
        assert!(most - least <= 1 && *least >= 9, "{lifts:?}");
    }
}

/// Halted while the robot still stops for it: it is over, by name, and does not come back with the next order.
#[test]
fn a_halt_drops_a_motion_that_waits_and_says_which() {
    for cycles in [0, 1, 20, 60] {
        let mut walker = standing(params());
        for _ in 0..300 {
            walker.command(AHEAD);
            go(&mut walker, 1);
        }
        let id = walker.play(neck(&walker, &[0.5, 1.0], &[0.3, -0.3]).named("nod").holding(true));
        let (measured, mut follow) =
            (Measured::new(walker.model().joints().len()), Follow::new(id, vec![], 1.0));
        go(&mut walker, cycles);
        assert_eq!(walker.play_state(id), PlayState::Waiting);
        assert_eq!(follow.step(&walker, &measured, PERIOD), Verdict::UnderWay);
        assert_eq!(walker.halt().as_deref(), Some("nod"));
        assert_eq!(follow.step(&walker, &measured, PERIOD), Verdict::Dropped(DropReason::Halted));
        assert_eq!(walker.halt(), None, "nothing waits any more");
        go(&mut walker, 700);
        assert_eq!(walker.activity(), Activity::Halted);
        assert!(!walker.resume(), "there is nothing to go on with");
        walker.stand();
        go(&mut walker, 300);
        assert_eq!((walker.activity(), walker.play_state(id)), (Activity::Standing, PlayState::Dropped));
    }
}

/// A motion under way is only paused by a halt; what ends one before its time is told apart.
#[test]
fn what_ends_a_motion_is_told() {
    type Order = fn(&mut Walker);
    let orders: [(Order, DropReason); 4] = [
        (|walker| walker.stand(), DropReason::Stand),
        (|walker| assert!(walker.sit()), DropReason::Sit),
        (
            |walker| {
                let names: Vec<String> = walker.model().joints().iter().map(|j| j.name.clone()).collect();
                walker.torque(&names, &vec![false; names.len()]);
            },
            DropReason::Torque,
        ),
        (
            |walker| {
                walker.play(neck(walker, &[0.5, 1.0], &[0.1, 0.2]));
                go(walker, 1);
            },
            DropReason::Replaced,
        ),
    ];
    for (order, reason) in orders {
        let mut walker = standing(params());
        let id = walker.play(neck(&walker, &[0.5, 3.0], &[0.3, -0.3]));
        go(&mut walker, 100);
        assert_eq!(walker.halt(), None);
        assert_eq!(walker.play_state(id), PlayState::UnderWay);
        assert!(walker.resume());
        go(&mut walker, 10);
        order(&mut walker);
        assert_eq!((walker.play_state(id), walker.drop_reason()), (PlayState::Dropped, reason));
    }
}

/// The last order counts, also within one cycle and also for a robot that sits already.
#[test]
fn a_motion_that_waits_for_a_sitting_robot_is_dropped_when_it_is_told_to_sit() {
    let mut walker = standing(params());
    assert!(walker.sit());
    go(&mut walker, 1000);
    assert_eq!(walker.activity(), Activity::Sitting);
    let id = walker.play(neck(&walker, &[0.5, 1.0], &[0.3, 0.0]));
    assert!(walker.sit());
    assert_eq!((walker.play_state(id), walker.drop_reason()), (PlayState::Dropped, DropReason::Sit));
    go(&mut walker, 1000);
    assert_eq!(walker.activity(), Activity::Sitting);
}

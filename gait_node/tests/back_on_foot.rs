//! Back on its feet after a motion or a halt: feet that stand stay where they are, whatever was asked for meanwhile.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, rules, standing};
use gait_node::{
    Activity, BodyPose, GaitParams, Interpolation, JointTrack, Motion, MotionLimits, PlayState, Trajectory,
    Velocity, Walker,
};
use nalgebra::Point3;
use robot_model_lib::Kinematics;

/// The inverse kinematics comes nearer than this to where a foot shall be, m.
const NEAR: f64 = 1e-5;

fn step(walker: &mut Walker) {
    assert!(walker.step(PERIOD, 1.0, &mut |note| assert!(note.to_string().contains("slow"), "{note}")));
}

fn nods() -> Motion {
    let position = vec![0.1, -0.1];
    let track =
        |name: &str| JointTrack { name: name.into(), position: position.clone(), ..JointTrack::default() };
    let tracks = vec![track("neck_yaw"), track("leg1_hip_yaw")];
    let trajectory = Trajectory { interpolation: Interpolation::Cubic, times: vec![0.5, 1.0], tracks };
    Motion::new(&trajectory, &common::pony(), &rules(MotionLimits::Stretch)).unwrap()
}

/// Steps until it stands; gives how far two standing feet moved against each other at the most, m.
fn slip_until_it_stands(walker: &mut Walker) -> f64 {
    let mut kinematics = Kinematics::new(walker.model());
    let (mut since, mut slip) = ([[None; 4]; 4], 0.0_f64);
    for _ in 0..3000 {
        step(walker);
        kinematics.update(walker.positions());
        let stands = |leg: usize| walker.supports()[leg] == Some(1.0);
        for (a, b) in (0..4).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let span = (kinematics.contact(a).centre - kinematics.contact(b).centre).norm();
            let since: &mut Option<f64> = &mut since[a][b];
            *since = (stands(a) && stands(b)).then_some(since.unwrap_or(span));
            slip = since.map_or(slip, |since| slip.max((since - span).abs()));
        }
        if walker.activity() == Activity::Standing {
            return slip;
        }
    }
    panic!("it does not stand: {}", walker.activity())
}

#[test]
fn what_is_asked_for_during_a_motion_is_done_on_the_feet_after_it() {
    let changes: [fn(GaitParams) -> GaitParams; 4] = [
        |params| GaitParams { height: 0.36, body_pitch: 0.075, ..params },
        |params| GaitParams { body_roll: 0.1, body_yaw: 0.1, ..params },
        |params| GaitParams { stance_width: params.stance_width + 0.02, ..params },
        |params| GaitParams { stance_length: params.stance_length + 0.02, height: 0.37, ..params },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut walker = standing(params());
        walker.play(nods());
        step(&mut walker);
        assert_eq!(walker.activity(), Activity::Playing);
        walker.set_params(GaitParams { wait_for_pose: false, ..change(params()) }).unwrap();
        walker.lean(BodyPose { x: 0.01, roll: -0.05, ..BodyPose::default() });
        let slip = slip_until_it_stands(&mut walker);
        assert!(slip < NEAR, "{at}: {slip} m");
        // It makes the steps that another stance takes, and is where one is that was asked before it stood.
        let mut asked = standing(change(params()));
        asked.lean(BodyPose { x: 0.01, roll: -0.05, ..BodyPose::default() });
        for walker in [&mut walker, &mut asked] {
            (0..1000).for_each(|_| step(walker));
            assert_eq!((walker.activity(), walker.velocity()), (Activity::Standing, Velocity::ZERO));
        }
        for ((joint, is), wanted) in
            walker.model().joints().iter().zip(walker.positions()).zip(asked.positions())
        {
            assert!((is - wanted).abs() < 1e-3, "{at}: {} at {is} instead of {wanted}", joint.name);
        }
    }
}

#[test]
fn halted_on_its_way_down_or_up_it_comes_up_on_its_feet() {
    for cycles in (5..120).step_by(10) {
        for up in [false, true] {
            let mut walker = standing(params());
            assert!(walker.sit());
            (0..if up { 400 } else { cycles }).for_each(|_| step(&mut walker));
            if up {
                walker.stand();
                (0..cycles).for_each(|_| step(&mut walker));
            }
            walker.halt();
            (0..100).for_each(|_| step(&mut walker));
            walker.stand();
            let slip = slip_until_it_stands(&mut walker);
            assert!(slip < NEAR, "{cycles}, {up}: {slip} m");
        }
    }
}

/// Somebody who leans it this way and that does not keep it from standing.
#[test]
fn it_stands_up_while_its_body_is_led() {
    let mut walker = standing(params());
    assert!(walker.sit());
    (0..400).for_each(|_| step(&mut walker));
    walker.stand();
    for cycle in 0..1000 {
        let x = 0.02 * (0.05 * f64::from(cycle)).sin();
        walker.lean(BodyPose { x, ..BodyPose::default() });
        step(&mut walker);
    }
    assert_eq!(walker.activity(), Activity::Standing);
}

/// Where the feet are, seen from the base.
fn feet(walker: &Walker) -> Vec<Point3<f64>> {
    let mut kinematics = Kinematics::new(walker.model());
    kinematics.update(walker.positions());
    (0..4).map(|leg| kinematics.contact(leg).centre).collect()
}

/// The body goes forward and down above feet that stay, recorded 20 times a second.
fn recorded_lean() -> Trajectory {
    let mut walker = standing(params());
    walker.lean(BodyPose { x: 0.03, z: -0.03, ..BodyPose::default() });
    let joints: Vec<usize> = walker.model().chains()[..4].iter().flat_map(|leg| leg.joints.clone()).collect();
    let track = |name: String| JointTrack { name, ..JointTrack::default() };
    let mut tracks: Vec<JointTrack> =
        joints.iter().map(|joint| track(walker.model().joints()[*joint].name.clone())).collect();
    let mut times = vec![];
    for cycle in 0..200 {
        if cycle % 5 == 0 {
            times.push(0.5 + PERIOD * f64::from(cycle));
            let positions = joints.iter().map(|joint| walker.positions()[*joint]);
            tracks.iter_mut().zip(positions).for_each(|(track, q)| track.position.push(q));
        }
        step(&mut walker);
    }
    let stands = |leg| JointTrack { position: vec![1.0; times.len()], ..track(format!("support/leg{leg}")) };
    tracks.extend((1..5).map(stands));
    Trajectory { interpolation: Interpolation::Cubic, times, tracks }
}

#[test]
fn backwards_a_motion_leads_into_the_stance_that_it_came_from_with_feet_where_they_were() {
    let there = recorded_lean();
    let mut back = there.clone();
    back.reverse();
    let motion = |trajectory: &Trajectory| {
        Motion::new(trajectory, &common::pony(), &rules(MotionLimits::Stretch)).unwrap()
    };
    let mut walker = standing(params());
    let (stance, stood) = (walker.positions().to_vec(), feet(&walker));
    let id = walker.play(motion(&there).holding(true));
    while walker.play_state(id) != PlayState::Ended {
        step(&mut walker);
        assert_eq!(walker.supports()[..4], [Some(1.0); 4]);
    }
    let leant = feet(&walker);
    // 30 mm forward and 30 mm down.
    let leans =
        |(is, was): (&Point3<f64>, &Point3<f64>)| ((is - was).norm() - 0.03 * 2.0_f64.sqrt()).abs() < 1e-3;
    assert!(leant.iter().zip(&stood).all(leans), "{leant:?}");
    walker.play(motion(&back));
    step(&mut walker);
    let slip = slip_until_it_stands(&mut walker);
    // Half a millimetre: between two recorded poses joints go on cubics, feet on arcs that are not quite theirs.
    assert!(slip < 5e-4, "{slip} m");
    for (is, was) in feet(&walker).iter().zip(&stood) {
        assert!((is - was).norm() < NEAR, "{is} instead of {was}");
    }
    let away = walker.positions().iter().zip(&stance).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(away < 1e-4, "{away} rad from the stance");
}

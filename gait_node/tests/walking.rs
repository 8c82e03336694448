//! The pony walks: no joint jumps, feet that stand stay where they are, the body goes where it is told.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, hexapod, only_slowed, params, pony, standing};
use gait_node::{Activity, GaitParams, PatternParams, Source, Velocity, Walker};
use nalgebra::{Isometry3, Matrix3, Translation3, Vector3};
use proptest::prelude::*;
use robot_model_lib::Kinematics;

/// How the body moved between two poses, from feet that stood meanwhile: the rigid motion by which their three or more
/// corners come back to where they were (W. Kabsch 1976), and how far they are off then.
fn body_step(
    kinematics: &mut Kinematics,
    walker: &Walker,
    before: &[f64],
    stood: &[Option<f64>],
) -> (Isometry3<f64>, f64) {
    let model = walker.model();
    let mut points = [vec![], vec![]];
    for (side, q) in points.iter_mut().zip([before, walker.positions()]) {
        kinematics.update(q);
        for (chain, limb) in model.chains().iter().enumerate() {
            let Some(contact) = limb.default_contact else { continue };
            // One that begins to swing has not left its spot yet.
            if stood[chain] == Some(1.0) {
                // A leg of fewer than five joints cannot keep its foot level; the centre stays where it is.
                if limb.joints.len() < 5 {
                    side.push(kinematics.contact(chain).centre.coords);
                } else {
                    side.extend(
                        kinematics.contact_points(chain, &model.contacts()[contact]).map(|p| p.coords),
                    );
                }
            }
        }
    }
    let [old, new] = [&points[0], &points[1]];
    assert!(old.len() >= 3, "two feet of four corners, or three feet");
    let mean = |side: &[Vector3<f64>]| side.iter().sum::<Vector3<f64>>() / side.len() as f64;
    let (from, to) = (mean(new), mean(old));
    let spread: Matrix3<f64> = new.iter().zip(old).map(|(n, o)| (o - to) * (n - from).transpose()).sum();
    let svd = spread.svd(true, true);
    let (u, v) = (svd.u.unwrap(), svd.v_t.unwrap());
    let flip = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, (u * v).determinant().signum()));
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(u * flip * v);
    let way = to - rotation * from;
    let off = new.iter().zip(old).map(|(n, o)| (rotation * n + way - o).norm()).fold(0.0, f64::max);
    (Isometry3::from_parts(way.into(), nalgebra::UnitQuaternion::from_rotation_matrix(&rotation)), off)
}

/// Walks with a command and gives where the body got to, checked in every cycle.
fn walk(walker: &mut Walker, command: Velocity, cycles: usize) -> Isometry3<f64> {
    let mut kinematics = Kinematics::new(walker.model());
    let mut body = Isometry3::identity();
    for _ in 0..cycles {
        let (before, stood) = (walker.positions().to_vec(), walker.supports().to_vec());
        let speeds = walker.velocities().to_vec();
        walker.command(command);
        checked_step(walker, &mut |note| panic!("{note}"));
        let (step, off) = body_step(&mut kinematics, walker, &before, &stood);
        assert!(off < 1e-8, "feet that stand slip by {off} m");
        body *= step;
        // The mean of the velocities at both ends is the way, to the third order of the period.
        for ((q, b), (qd, bd)) in
            walker.positions().iter().zip(&before).zip(walker.velocities().iter().zip(&speeds))
        {
            assert!(
                ((q - b) / PERIOD - 0.5 * (qd + bd)).abs() < 0.12,
                "{} {}",
                (q - b) / PERIOD,
                0.5 * (qd + bd)
            );
        }
    }
    body
}

#[test]
fn the_body_goes_where_it_is_told_in_every_gait() {
    let commands = [
        ("walk", Velocity { forward: 0.06, left: 0.0, turn: 0.0 }),
        ("walk", Velocity { forward: 0.0, left: 0.05, turn: 0.0 }),
        ("walk", Velocity { forward: 0.0, left: 0.0, turn: 0.3 }),
        ("trot", Velocity { forward: 0.1, left: 0.0, turn: 0.0 }),
        ("trot", Velocity { forward: -0.1, left: 0.0, turn: 0.0 }),
        ("trot", Velocity { forward: 0.07, left: 0.02, turn: -0.15 }),
        ("trot", Velocity { forward: 0.0, left: -0.06, turn: 0.0 }),
    ];
    for (gait, command) in commands {
        let mut walker = standing(GaitParams { gait: gait.into(), ..params() });
        walk(&mut walker, command, 300);
        assert_eq!(
            (walker.activity(), walker.velocity()),
            (Activity::Walking, command),
            "{gait} {command:?}"
        );
        // Ten seconds at a steady pace.
        let sway = |walker: &Walker| Isometry3::from(Translation3::from(walker.sway().push(0.0)));
        let before = sway(&walker);
        let body = before * walk(&mut walker, command, 1000) * sway(&walker).inverse();
        let wanted = command.after(10.0);
        let away = body.translation.vector.xy() - wanted.translation.vector;
        let turned = nalgebra::UnitComplex::new(body.rotation.euler_angles().2).angle_to(&wanted.rotation);
        assert!(away.norm() < 1e-6 && turned.abs() < 1e-6, "{gait} {command:?}: off by {away}, {turned} rad");
        assert!(body.translation.z.abs() < 1e-7, "on level ground");
        // It stops by itself when commands end, standing at home.
        for _ in 0..600 {
            checked_step(&mut walker, &mut |note| panic!("{note}"));
        }
        assert_eq!((walker.activity(), walker.velocity()), (Activity::Standing, Velocity::ZERO));
    }
}

/// Legs in the order in which they lift during one period of a steady walk, those that lift together together; and whether
/// all feet stand in between.
fn order(gait: &str) -> (Vec<Vec<usize>>, bool) {
    let mut walker = standing(GaitParams { gait: gait.into(), ..params() });
    let period = params().gaits.0.iter().find(|(name, _)| name == gait).unwrap().1.period;
    let (mut order, mut all_stood, mut overlap) = (vec![], true, true);
    for cycle in 0..((3.0 * period / PERIOD).round() as usize) {
        let stood = walker.supports().to_vec();
        walker.command(Velocity { forward: 0.03, ..Velocity::ZERO });
        checked_step(&mut walker, &mut |note| panic!("{note}"));
        let lifts = |leg: &usize| stood[*leg] == Some(1.0) && walker.supports()[*leg] == Some(0.0);
        let together: Vec<usize> = (0..4).filter(lifts).collect();
        // The first period is that in which it begins.
        if !together.is_empty() && cycle as f64 * PERIOD >= period && order.len() < 4 {
            overlap &= all_stood;
            order.push(together);
        }
        all_stood = stood.iter().take(4).all(|support| *support == Some(1.0));
    }
    (order, overlap)
}

#[test]
fn the_pony_s_gaits_step_as_they_are_named() {
    // Legs: left fore, right fore, left hind, right hind. A cycle of four steps may begin anywhere.
    let (crawl, stands) = order("crawl");
    assert!(stands, "one leg at a time, all four on the ground in between");
    let start = crawl.iter().position(|legs| *legs == [2]).unwrap();
    let turned: Vec<_> = crawl.iter().cycle().skip(start).take(4).cloned().collect();
    assert_eq!(
        turned,
        [[2], [0], [3], [1]],
        "left hind, left fore, right hind, right fore (M. Hildebrand 1965)"
    );
    let pairs = |gait: &str| {
        let mut pairs = order(gait).0;
        pairs.sort();
        pairs.dedup();
        pairs
    };
    assert_eq!(pairs("trot"), [[0, 3], [1, 2]], "diagonals");
    assert_eq!(pairs("pace"), [[0, 2], [1, 3]], "sides");
}

#[test]
fn an_insect_of_six_legs_with_three_joints_each_walks_as_well() {
    for (gait, command) in [
        ("walk", Velocity { forward: 0.02, left: 0.01, turn: 0.05 }),
        ("trot", Velocity { forward: 0.06, left: 0.0, turn: -0.1 }),
    ] {
        let params =
            GaitParams { gait: gait.into(), wait_for_pose: false, max_stride: 0.06, ..GaitParams::default() };
        let mut walker = Walker::new(hexapod(), params, PERIOD).unwrap();
        while walker.activity() != Activity::Standing {
            checked_step(&mut walker, &mut |note| panic!("{note}"));
        }
        walk(&mut walker, command, 300);
        let body = walk(&mut walker, command, 500);
        let wanted = command.after(5.0);
        let away = body.translation.vector.xy() - wanted.translation.vector;
        assert!(away.norm() < 1e-6 && body.translation.z.abs() < 1e-7, "{gait}: off by {away}");
    }
}

#[test]
fn it_starts_without_a_jump_from_any_pose_within_the_limits() {
    let model = pony();
    let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
    let rise_speed = params().rise_speed;
    for share in [0.0, 0.13, 0.5, 0.87, 1.0] {
        let mut walker = Walker::new(model.clone(), params(), PERIOD).unwrap();
        assert!(!walker.step(PERIOD, 1.0, &mut |_| ()), "silent until the pose is known");
        let pose: Vec<f64> = model
            .joints()
            .iter()
            .enumerate()
            .map(|(k, joint)| {
                let share = (share + 0.37 * k as f64).fract();
                joint.limits.lower + share * (joint.limits.upper - joint.limits.lower)
            })
            .collect();
        let (last, most) = (names.len() - 1, names.len() - 2);
        walker.pose(Source::Measured, &names[..most], &pose[..most]).unwrap();
        walker.pose(Source::Measured, &names[most..last], &[f64::NAN]).unwrap();
        assert_eq!(walker.unknown().collect::<Vec<_>>(), [&names[most], &names[last]]);
        assert!(walker.waits_for().contains(&format!("{}, {};", names[most], names[last])));
        walker.pose(Source::Measured, &names, &pose).unwrap();
        assert!(walker.waits_for().starts_with("all joints are measured; waiting for"), "no empty list");
        let mut waited = 0;
        while !walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")) {
            waited += 1;
            assert!(waited < 100);
        }
        assert!(
            walker.positions().iter().zip(&pose).all(|(q, p)| (q - p).abs() < 1e-4),
            "begins where it is"
        );
        while walker.activity() == Activity::Rising {
            checked_step(&mut walker, &mut |note| panic!("{note}"));
            assert!(walker.velocities().iter().all(|speed| speed.abs() <= rise_speed + 1e-9));
        }
        assert_eq!(walker.activity(), Activity::Standing);
    }
}

#[test]
fn what_is_commanded_is_a_better_start_than_what_is_measured() {
    let model = pony();
    let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
    let (commanded, measured) = (vec![0.1; names.len()], vec![0.12; names.len()]);
    let mut walker = Walker::new(model, params(), PERIOD).unwrap();
    walker.pose(Source::Measured, &names, &measured).unwrap();
    assert!(!walker.step(PERIOD, 1.0, &mut |_| ()));
    walker.pose(Source::Commanded, &names, &commanded).unwrap();
    walker.pose(Source::Measured, &names, &measured).unwrap();
    assert!(walker.step(PERIOD, 1.0, &mut |_| ()));
    assert!(walker.positions().iter().all(|q| (q - 0.1).abs() < 1e-4));
}

#[test]
fn out_of_reach_is_the_nearest_height_and_no_jump() {
    let mut walker = standing(params());
    // The legs are about 0.45 m long: at this height no foot can stay on the ground.
    walker.set_params(GaitParams { height: 0.6, ..params() }).unwrap();
    for _ in 0..500 {
        checked_step(&mut walker, &mut |note| panic!("{note}"));
    }
    // The foot is nearly straight below: hip and ankle are as far apart as thigh and shank allow, but for a step.
    let mut kinematics = Kinematics::new(walker.model());
    kinematics.update(walker.positions());
    let low = kinematics.contact(0).centre.z;
    let longest = 0.05 + 0.03 + 0.16 + 0.16 + 0.05;
    assert!((-low - longest).abs() < 0.02, "{low}");
    let rest = walker.positions().to_vec();
    checked_step(&mut walker, &mut |_| ());
    assert!(walker.positions().iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-6), "it stays there");
    walker.set_params(params()).unwrap();
    for _ in 0..1000 {
        checked_step(&mut walker, &mut |_| ());
    }
    assert_eq!(walker.activity(), Activity::Standing);
    checked_step(&mut walker, &mut |note| panic!("{note}"));
}

#[test]
fn commands_that_are_no_numbers_are_refused() {
    let mut walker = standing(params());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!walker.command(Velocity { forward: bad, ..Velocity::ZERO }));
        assert!(!walker.command(Velocity { turn: bad, ..Velocity::ZERO }));
    }
    checked_step(&mut walker, &mut |note| panic!("{note}"));
    assert_eq!(walker.activity(), Activity::Standing);
    assert!(
        !walker.step(f64::NAN, 1.0, &mut |_| ())
            && !walker.step(0.0, 1.0, &mut |_| ())
            && !walker.step(PERIOD, f64::INFINITY, &mut |_| ())
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// In any gait with two or more feet on the ground, at any pace: feet that stand stay where they are, and all legs
    /// step alike.
    #[test]
    fn at_any_duty_and_period_no_foot_slips_and_all_legs_step_alike(
        trot: bool, duty in prop_oneof![Just(0.5), 0.5..0.85_f64], swing in 0.4..0.8_f64,
        forward in -0.15..0.15_f64, left in -0.05..0.05_f64, turn in -0.3..0.3_f64
    ) {
        let gait = if trot { "trot" } else { "walk" };
        let pattern = PatternParams { period: swing / (1.0 - duty), duty, phases: vec![] };
        let gaits = param_lib::Group(vec![(gait.into(), pattern)]);
        let mut walker = standing(GaitParams { gait: gait.into(), gaits, max_stride: 0.08, ..params() });
        let mut kinematics = Kinematics::new(walker.model());
        let mut lifts = [0_i32; 4];
        for _ in 0..1500 {
            let (before, stood) = (walker.positions().to_vec(), walker.supports().to_vec());
            walker.command(Velocity { forward, left, turn });
            checked_step(&mut walker, &mut |note| only_slowed(note));
            let (_, off) = body_step(&mut kinematics, &walker, &before, &stood);
            // In 4.5 s of stance less than a hundredth of a millimetre.
            prop_assert!(off < 1e-8, "{} m in a cycle", off);
            for (leg, (was, is)) in stood.iter().zip(walker.supports()).take(4).enumerate() {
                lifts[leg] += i32::from(*was == Some(1.0) && *is == Some(0.0));
            }
        }
        let (least, most) = (lifts.iter().min().unwrap(), lifts.iter().max().unwrap());
        prop_assert!(*least > 0 && most - least <= 1, "{:?}", lifts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Commands, gaits and postures that change at any time never make a joint jump or leave its limits, and when all is
    /// quiet the robot stands.
    #[test]
    fn whatever_happens_no_joint_jumps(
        events in prop::collection::vec((
            ([-0.6..0.6, -0.4..0.4, -2.0..2.0_f64], any::<bool>()),
            ([-0.04..0.04, -0.03..0.03, -0.25..0.25, -0.25..0.25, -0.25..0.25_f64], 0.33..0.42_f64, 0.0..0.06_f64),
            1..200_usize), 1..8)
    ) {
        let mut walker = standing(params());
        for (([forward, left, turn], trot), ([x, y, roll, pitch, yaw], height, lift), cycles) in events {
            walker.set_params(GaitParams {
                gait: if trot { "trot" } else { "walk" }.into(),
                body_x: x, body_y: y, body_roll: roll, body_pitch: pitch, body_yaw: yaw,
                height, lift: lift.max(0.001),
                ..params()
            }).unwrap();
            for _ in 0..cycles {
                walker.command(Velocity { forward, left, turn });
                checked_step(&mut walker, &mut |_| ());
            }
        }
        walker.set_params(params()).unwrap();
        for _ in 0..1500 {
            checked_step(&mut walker, &mut |_| ());
        }
        prop_assert_eq!(walker.activity(), Activity::Standing);
    }
}

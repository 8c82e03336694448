//! Targets are reached within the limits; what is out of reach is said to be so.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::time::Instant;

use common::Dice;
use robot_model_lib::nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use robot_model_lib::{ChainIk, IkGoal, IkOptions, IkStatus, Kinematics, RobotModel};

fn within_limits(model: &RobotModel, q: &[f64]) -> bool {
    model.joints().iter().zip(q).all(|(joint, q)| joint.limits.contains(*q))
}

fn pose(kinematics: &Kinematics, chain: usize) -> Isometry3<f64> {
    let frame = kinematics.contact_frame(chain);
    Isometry3::from_parts(frame.translation, UnitQuaternion::from_rotation_matrix(&frame.rotation))
}

/// Solves for poses of random joints from zero; gives the rate of failures and the mean time, s.
fn solve_many(model: &RobotModel, chain: usize, targets: usize, position_only: bool) -> (f64, f64) {
    let mut dice = Dice(chain as u64 + 10);
    let mut kinematics = Kinematics::new(model);
    let mut ik = ChainIk::new(model, chain, IkOptions::default());
    let (mut failures, mut time) = (0, 0.0);
    for _ in 0..targets {
        let wanted = dice.pose(model);
        kinematics.update(&wanted);
        let target = pose(&kinematics, chain);
        let goal = if position_only {
            IkGoal::Position(target.translation.vector.into())
        } else {
            IkGoal::Pose(target)
        };
        // The rest of the robot stands as it stood for the target.
        let mut q = wanted.clone();
        q[model.chains()[chain].joints.clone()].fill(0.0);
        let start = Instant::now();
        let result = ik.solve(&goal, &mut q);
        time += start.elapsed().as_secs_f64();
        assert!(within_limits(model, &q));
        kinematics.update(&q);
        let found = pose(&kinematics, chain);
        let distance = (found.translation.vector - target.translation.vector).norm();
        let angle = found.rotation.angle_to(&target.rotation);
        assert!((distance - result.position_error).abs() < 1e-12);
        let reached = distance <= 1e-9 && (position_only || angle <= 1e-7);
        assert!(reached || result.status != IkStatus::Reached);
        failures += usize::from(!reached);
    }
    (failures as f64 / targets as f64, time / targets as f64)
}

#[test]
fn ten_thousand_reachable_poses_per_leg_of_the_pony_are_found_within_the_limits() {
    let model = common::pony();
    for leg in 0..4 {
        let (failures, mean) = solve_many(&model, leg, 10_000, false);
        println!("pony leg{}: {:.3} % failures, {:.1} µs a target", leg + 1, 100.0 * failures, mean * 1e6);
        assert!(failures <= 0.001, "leg{}: {failures}", leg + 1);
    }
}

#[test]
fn reachable_points_are_found_with_three_joints_and_with_sliding_ones() {
    for (name, model) in [("hexapod", common::hexapod()), ("telescope", common::telescope())] {
        let (failures, mean) = solve_many(&model, 1, 2_000, true);
        println!("{name}: {:.3} % failures, {:.1} µs a target", 100.0 * failures, mean * 1e6);
        assert!(failures <= 0.001, "{name}: {failures}");
    }
}

#[test]
fn five_joints_reach_the_position_exactly_and_turn_as_near_as_they_can() {
    let model = common::skew();
    let mut dice = Dice(20);
    let mut kinematics = Kinematics::new(&model);
    let mut ik = ChainIk::new(&model, 0, IkOptions::default());
    let zero = vec![0.0; model.joints().len()];
    let mut reached = 0;
    for _ in 0..300 {
        let wanted: Vec<f64> = dice.pose(&model).iter().map(|q| 0.5 * q).collect();
        kinematics.update(&wanted);
        let mut target = pose(&kinematics, 0);
        target.rotation *= UnitQuaternion::from_scaled_axis(Vector3::from(dice.numbers::<3>(0.3)));
        let mut q = zero.clone();
        let result = ik.solve(&IkGoal::Pose(target), &mut q);
        if result.status != IkStatus::PositionReached {
            continue;
        }
        reached += 1;
        assert!(result.position_error <= 1e-9 && within_limits(&model, &q));
        // No small move along which the position stays (to first order) turns any nearer.
        kinematics.update(&q);
        let jacobian = kinematics.jacobian(0).into_owned();
        let found = pose(&kinematics, 0);
        let miss = (target.rotation * found.rotation.inverse()).scaled_axis();
        let limits = |joint: usize| model.joints()[joint].limits;
        let inside = |joint: &usize| [-1e-9, 1e-9].iter().all(|d| limits(*joint).contains(q[*joint] + d));
        let free: Vec<usize> = (0..5).filter(inside).collect();
        let own = jacobian.select_columns(&free);
        let linear = own.rows(0, 3).into_owned();
        let gradient = own.rows(3, 3).transpose() * miss;
        let square = (&linear * linear.transpose()).try_inverse();
        if let (Some(square), true) = (square, free.len() == 5) {
            let held = &gradient - linear.transpose() * (square * (&linear * &gradient));
            assert!(held.norm() < 1e-3, "{} of {}", held.norm(), gradient.norm());
        }
    }
    println!("five joints: {reached} of 300 positions reached");
    assert!(reached >= 295);
}

#[test]
fn five_joints_align_a_normal_exactly() {
    let model = common::skew();
    let mut dice = Dice(21);
    let mut kinematics = Kinematics::new(&model);
    let mut ik = ChainIk::new(&model, 1, IkOptions::default());
    let mut failures = 0;
    for _ in 0..500 {
        let wanted = dice.pose(&model);
        kinematics.update(&wanted);
        let contact = kinematics.contact(1);
        let mut q = vec![0.0; wanted.len()];
        let result = ik.solve(&IkGoal::Normal(contact.centre, contact.normal), &mut q);
        failures += usize::from(result.status != IkStatus::Reached);
        assert!(within_limits(&model, &q));
    }
    println!("normals: {failures} of 500 missed");
    assert!(failures <= 2);
}

#[test]
fn a_target_out_of_reach_gives_the_nearest_position_and_says_so() {
    let model = common::pony();
    let mut dice = Dice(22);
    let mut kinematics = Kinematics::new(&model);
    let mut ik = ChainIk::new(&model, 0, IkOptions::default());
    let centres: Vec<Point3<f64>> = (0..20_000)
        .map(|_| {
            kinematics.update(&dice.pose(&model));
            kinematics.contact(0).centre
        })
        .collect();
    for _ in 0..20 {
        let direction = Vector3::from(dice.numbers::<3>(1.0)).normalize();
        let far = Point3::from(direction * 2.0);
        let mut q = vec![0.0; model.joints().len()];
        let result = ik.solve(&IkGoal::Pose(Isometry3::translation(far.x, far.y, far.z)), &mut q);
        assert_eq!(result.status, IkStatus::Nearest);
        assert!(within_limits(&model, &q));
        let nearest = centres.iter().map(|centre| (centre - far).norm()).fold(f64::INFINITY, f64::min);
        assert!(result.position_error <= nearest, "{} but {nearest} is possible", result.position_error);
    }
}

#[test]
fn the_pony_can_take_long_steps_and_turn_with_flat_hooves() {
    let model = common::pony();
    let kinematics = Kinematics::new(&model);
    for leg in 0..4 {
        let mut ik = ChainIk::new(&model, leg, IkOptions { restarts: 0, ..IkOptions::default() });
        let start = pose(&kinematics, leg);
        for corner in 0..81 {
            let end = |place: u32| f64::from(corner / 3_i32.pow(place) % 3 - 1);
            let (dx, dy, up, yaw) = (end(0), end(1), end(2), end(3));
            // Stride 12 cm, sidestep 8 cm, lift and crouch 4 cm, turn half a radian to either side.
            let shift = Vector3::new(0.06 * dx, 0.04 * dy, 0.01 + 0.03 * up);
            let turn = UnitQuaternion::from_scaled_axis(Vector3::z() * 0.5 * yaw);
            let target =
                Isometry3::from_parts((start.translation.vector + shift).into(), turn * start.rotation);
            let mut q = vec![0.0; model.joints().len()];
            let result = ik.solve(&IkGoal::Pose(target), &mut q);
            assert_eq!(result.status, IkStatus::Reached, "leg{} {dx} {dy} {up} {yaw}", leg + 1);
        }
    }
}

#[test]
fn a_warm_start_near_by_takes_few_steps_and_stays_near() {
    let model = common::pony();
    let mut kinematics = Kinematics::new(&model);
    let mut ik = ChainIk::new(&model, 0, IkOptions::default());
    let mut q = vec![0.0; model.joints().len()];
    let start = pose(&kinematics, 0);
    for step in 1..=100 {
        let mut target = start;
        target.translation.vector.x += 0.0005 * f64::from(step);
        let before = q.clone();
        let result = ik.solve(&IkGoal::Pose(target), &mut q);
        assert_eq!(result.status, IkStatus::Reached);
        assert!(result.evaluations <= 6, "{}", result.evaluations);
        assert!(q.iter().zip(&before).all(|(now, before)| (now - before).abs() < 0.02));
    }
    kinematics.update(&q);
}

#[test]
fn what_is_not_finite_is_refused_and_changes_nothing() {
    let model = common::pony();
    let mut ik = ChainIk::new(&model, 0, IkOptions::default());
    let mut q = vec![0.1; model.joints().len()];
    let goal = IkGoal::Position(Point3::new(0.0, f64::NAN, 0.0));
    assert_eq!(ik.solve(&goal, &mut q).status, IkStatus::Refused);
    assert!(q.iter().all(|q| *q == 0.1));
    q[0] = f64::INFINITY;
    assert_eq!(ik.solve(&IkGoal::Position(Point3::origin()), &mut q).status, IkStatus::Refused);
}

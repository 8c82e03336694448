//! Jacobians and velocities equal finite differences of the poses, on random trees.
#![allow(clippy::unwrap_used)]

mod common;

use common::Dice;
use proptest::prelude::*;
use robot_model_lib::nalgebra::Vector3;
use robot_model_lib::{Kinematics, RobotModel};

const STEP: f64 = 1e-5;

/// Central difference of contact centre and orientation when the joints move along `direction`.
fn difference(
    model: &RobotModel,
    chain: usize,
    q: &[f64],
    direction: &[f64],
) -> (Vector3<f64>, Vector3<f64>) {
    let mut kinematics = Kinematics::new(model);
    let mut at = |step: f64| {
        let moved: Vec<f64> = q.iter().zip(direction).map(|(q, d)| q + step * d).collect();
        kinematics.update(&moved);
        kinematics.contact_frame(chain)
    };
    let (before, after) = (at(-STEP), at(STEP));
    let turned = (after.rotation * before.rotation.inverse()).into_inner();
    // For a small turn the skew part is the turn; the angle from the trace would lose half the digits.
    let skew = (turned - turned.transpose()) / 2.0;
    let angular = Vector3::new(skew[(2, 1)], skew[(0, 2)], skew[(1, 0)]);
    let linear = after.translation.vector - before.translation.vector;
    (linear / (2.0 * STEP), angular / (2.0 * STEP))
}

fn check(model: &RobotModel, q: &[f64], qd: &[f64]) -> Result<(), TestCaseError> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update(q);
    for (number, chain) in model.chains().iter().enumerate() {
        for (column, joint) in chain.joints.clone().enumerate() {
            let mut direction = vec![0.0; q.len()];
            direction[joint] = 1.0;
            let (linear, angular) = difference(model, number, q, &direction);
            let ours = kinematics.jacobian_columns(number)[column];
            prop_assert!((Vector3::from_column_slice(&ours[..3]) - linear).amax() < 1e-7, "{:?}", ours);
            prop_assert!((Vector3::from_column_slice(&ours[3..]) - angular).amax() < 1e-7, "{:?}", ours);
        }
        let (linear, angular) = difference(model, number, q, qd);
        let twist = kinematics.contact_twist(number, qd);
        prop_assert!((twist.linear - linear).amax() < 1e-7);
        prop_assert!((twist.angular - angular).amax() < 1e-7);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn jacobians_and_twists_equal_finite_differences(seed in any::<u64>(), links in 2..25_usize) {
        let mut dice = Dice(seed);
        if let Some(model) = common::random_robot(&mut dice, links) {
            let q = dice.pose(&model);
            let qd: Vec<f64> = q.iter().map(|_| dice.within(-1.0, 1.0)).collect();
            check(&model, &q, &qd)?;
        }
    }
}

#[test]
fn the_example_robots_agree_too() {
    let mut dice = Dice(3);
    for model in common::all() {
        for _ in 0..5 {
            let q = dice.pose(&model);
            let qd: Vec<f64> = q.iter().map(|_| dice.within(-1.0, 1.0)).collect();
            check(&model, &q, &qd).unwrap();
        }
    }
}

#[test]
fn other_contacts_are_carried_from_the_default_one() {
    let model = common::pony();
    let (edge, q) = (&model.contacts()[1], Dice(4).pose(&model));
    let qd: Vec<f64> = q.iter().map(|q| 0.3 - q).collect();
    let mut kinematics = Kinematics::of_contacts(&model);
    let mut centre = |step: f64| {
        let moved: Vec<f64> = q.iter().zip(&qd).map(|(q, v)| q + step * v).collect();
        kinematics.update(&moved);
        kinematics.contact_of(2, edge).centre
    };
    let velocity = (centre(STEP) - centre(-STEP)) / (2.0 * STEP);
    kinematics.update(&q);
    let twist = kinematics.contact_twist(2, &qd).carried(&kinematics.lever(2, edge));
    assert!((twist.linear - velocity).amax() < 1e-8);
    let points: Vec<_> = kinematics.contact_points(2, edge).collect();
    assert!((points[0] - kinematics.contact_of(2, edge).centre).amax() < 1e-15);
}

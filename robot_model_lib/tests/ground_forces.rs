//! The ground carries the robot, never pulls, and never jumps.
#![allow(clippy::unwrap_used)]

mod common;

use common::Dice;
use proptest::prelude::*;
use robot_model_lib::nalgebra::{DMatrix, DVector, UnitQuaternion, Vector3};
use robot_model_lib::{BaseMotion, Dynamics, RobotModel, StandingContact, WholeBody};

const LEGS: usize = 4;

fn on(model: &RobotModel, supports: [f64; LEGS]) -> Vec<Option<StandingContact>> {
    let leg = |chain: usize| {
        let support = *supports.get(chain)?;
        (support > 0.0).then_some(StandingContact { contact: 0, support })
    };
    (0..model.chains().len()).map(leg).collect()
}

fn still(model: &RobotModel) -> Vec<f64> {
    vec![0.0; model.joints().len()]
}

#[test]
fn standing_feet_carry_the_weight_and_mirror_each_other() {
    let model = common::pony();
    let (mut body, zeros) = (WholeBody::new(&model).unwrap(), still(&model));
    let weight = body.mass() * 9.81;
    let efforts = body.efforts([&zeros; 3], &BaseMotion::default(), &on(&model, [1.0; LEGS]));
    assert!(efforts.base.force.amax() < 1e-9 && efforts.base.moment.amax() < 1e-9);
    // A servo of a standing leg holds a quarter of the robot at a lever of some centimetres.
    let most = efforts.joints.iter().fold(0.0_f64, |most, effort| most.max(effort.abs()));
    assert!(most > 0.1 && most < weight * 0.25 * 0.16, "{most}");
    let forces = body.ground_forces();
    assert!((forces.iter().map(|at| at.force.z).sum::<f64>() - weight).abs() < 1e-9);
    for at in forces {
        let mirror = forces.iter().find(|other| {
            (other.point.coords - at.point.coords.component_mul(&Vector3::new(1.0, -1.0, 1.0))).amax() < 1e-9
        });
        assert!((mirror.unwrap().force.z - at.force.z).abs() < 1e-9);
    }
}

#[test]
fn a_robot_that_hangs_by_its_base_feels_no_ground() {
    let model = common::pony();
    let q = Dice(3).pose(&model);
    let mut body = WholeBody::new(&model).unwrap();
    let efforts = body.efforts([&q; 3], &BaseMotion::default(), &on(&model, [0.0; LEGS]));
    let mut dynamics = Dynamics::new(&model).unwrap();
    assert_eq!(efforts.joints, dynamics.inverse(&q, &q, &q, &BaseMotion::default()).joints);
    assert!(body.ground_forces().is_empty());
}

#[test]
fn where_no_bound_is_met_the_shares_are_those_of_weighted_least_squares() {
    let model = common::pony();
    let (mut body, zeros) = (WholeBody::new(&model).unwrap(), still(&model));
    let supports = [1.0, 0.8, 0.9, 0.7];
    body.efforts([&zeros; 3], &BaseMotion::default(), &on(&model, supports));
    let forces = body.ground_forces().to_vec();
    assert!(forces.iter().all(|at| at.force.z > 0.0), "the example is to be one without bounds");
    // f = W Gᵀ (G W Gᵀ)⁻¹ b with the pseudo-inverse: all feet are in one plane.
    let columns = 3 * forces.len();
    let mut wrenches = DMatrix::zeros(6, columns);
    let mut weights = DMatrix::zeros(columns, columns);
    for (number, at) in forces.iter().enumerate() {
        for axis in 0..3 {
            let direction = Vector3::ith(axis, 1.0);
            let moment = at.point.coords.cross(&direction);
            let wrench = DVector::from_iterator(6, direction.iter().chain(&moment).copied());
            wrenches.set_column(3 * number + axis, &wrench);
            let along = if axis == 2 { 1.0 } else { 0.25 };
            weights[(3 * number + axis, 3 * number + axis)] = supports[at.chain] * along;
        }
    }
    let wanted = Dynamics::new(&model).unwrap().inverse(&zeros, &zeros, &zeros, &BaseMotion::default()).base;
    let wanted = DVector::from_iterator(6, wanted.force.iter().chain(&wanted.moment).copied());
    let stiffness = (&wrenches * &weights * wrenches.transpose()).pseudo_inverse(1e-12).unwrap();
    let least = &weights * wrenches.transpose() * stiffness * wanted;
    for (number, at) in forces.iter().enumerate() {
        for axis in 0..3 {
            assert!((at.force[axis] - least[3 * number + axis]).abs() < 1e-8);
        }
    }
}

/// Largest step of any effort while the supports go from `from` to `to` in so many steps.
fn largest_step(model: &RobotModel, from: [f64; LEGS], to: [f64; LEGS], steps: usize) -> f64 {
    let (mut body, zeros) = (WholeBody::new(model).unwrap(), still(model));
    let (mut last, mut most): (Vec<f64>, f64) = (vec![], 0.0);
    for step in 0..=steps {
        let t = step as f64 / steps as f64;
        let supports = std::array::from_fn(|leg| from[leg] + (to[leg] - from[leg]) * t);
        let efforts = body.efforts([&zeros; 3], &BaseMotion::default(), &on(model, supports)).joints;
        for (now, before) in efforts.iter().zip(&last) {
            most = most.max((now - before).abs());
        }
        last = efforts.to_vec();
    }
    most
}

/// A jump does not get smaller when one looks more closely; a slope does.
#[test]
fn feet_that_leave_the_ground_make_no_effort_jump() {
    let model = common::pony();
    let all = [1.0; LEGS];
    for to in [
        [0.0, 1.0, 1.0, 1.0],
        // Two that carry on a line, two of one side (who fall over), one, none: the robot comes to hang by its base.
        [0.0, 1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0; LEGS],
    ] {
        let (coarse, fine) = (largest_step(&model, all, to, 1000), largest_step(&model, all, to, 10_000));
        // Ten times as closely: a slope by ten, and even a root, whose slope has no bound, by √10.
        assert!(fine < coarse / 10_f64.sqrt(), "{to:?}: {coarse} {fine}");
        // Two of one side cannot bear the weight beside them, so what they bear depends on its lever, too.
        if to == [0.0, 1.0, 0.0, 1.0] {
            continue;
        }
        // Each of the three points of a foot that leaves bears at most support · weight, at most 0.42 m from any joint of a
        // leg; who stays takes it over.
        let weight = Dynamics::new(&model).unwrap().mass() * 9.81;
        let leaving: f64 = to.iter().map(|support| 1.0 - support).sum();
        assert!(coarse < 1e-3 * leaving * 3.0 * weight * 0.42, "{to:?}: {coarse}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever stands and however it moves: no foot pulls, all is finite, and the ground gives no more than is wanted.
    #[test]
    fn the_ground_never_pulls(
        seed in any::<u64>(), supports in [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0_f64], wild in 0.0..1.0_f64,
    ) {
        let model = common::pony();
        let mut dice = Dice(seed);
        let q: Vec<f64> = dice.pose(&model).iter().map(|q| q * wild).collect();
        let mut values = |reach: f64| -> Vec<f64> { q.iter().map(|_| dice.within(-reach, reach)).collect() };
        let (dq, ddq) = (values(6.0 * wild), values(60.0 * wild));
        let base = BaseMotion {
            orientation: UnitQuaternion::new(Vector3::from(dice.numbers(wild))),
            linear_acceleration: Vector3::from(dice.numbers(3.0 * wild)),
            ..BaseMotion::default()
        };
        let mut body = WholeBody::new(&model).unwrap();
        let wanted = Dynamics::new(&model).unwrap().inverse(&q, &dq, &ddq, &base).base;
        let efforts = body.efforts([&q, &dq, &ddq], &base, &on(&model, supports));
        prop_assert!(efforts.joints.iter().all(|effort| effort.is_finite()));
        // No forces at all would leave all of it: what is found cannot be worse.
        let size = |force: Vector3<f64>, moment: Vector3<f64>| force.norm_squared() + moment.norm_squared() * 6.0;
        let (rest, whole) = (size(efforts.base.force, efforts.base.moment), size(wanted.force, wanted.moment));
        prop_assert!(rest <= whole * 1.3, "{rest} {whole}");
        let up = base.orientation.inverse_transform_vector(&Vector3::z());
        for at in body.ground_forces() {
            prop_assert!(at.force.dot(&up) >= -1e-12 * wanted.force.norm());
        }
    }

    /// Near the standing pose, on three or four feet, the balance is exact.
    #[test]
    fn feet_that_can_carry_do(seed in any::<u64>(), lifted in 0..5_usize, tilt in [-0.02..0.02, -0.02..0.02_f64]) {
        let model = common::pony();
        let mut dice = Dice(seed);
        let q: Vec<f64> = still(&model).iter().map(|_| dice.within(-0.03, 0.03)).collect();
        let supports = std::array::from_fn(|leg| if leg == lifted { 0.5 } else { dice.within(0.6, 1.0) });
        let base = BaseMotion {
            orientation: UnitQuaternion::new(Vector3::new(tilt[0], tilt[1], 0.0)),
            ..BaseMotion::default()
        };
        let mut body = WholeBody::new(&model).unwrap();
        let zeros = still(&model);
        let efforts = body.efforts([&q, &zeros, &zeros], &base, &on(&model, supports));
        prop_assert!(efforts.base.force.amax() < 1e-9 && efforts.base.moment.amax() < 1e-9, "{:?}", efforts.base);
    }
}

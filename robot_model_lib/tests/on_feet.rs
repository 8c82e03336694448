//! A base that stands on its feet moves as the joints say: what is worked out from joint velocities and accelerations is what finite differences of
//! the poses give.
#![allow(clippy::unwrap_used)]

mod common;

use common::Dice;
use proptest::prelude::*;
use robot_model_lib::nalgebra::{IsometryMatrix3, UnitQuaternion, Vector3};
use robot_model_lib::{BaseMotion, Kinematics, RobotModel, StandingContact, WholeBody};

const STEP: f64 = 1e-4;
/// No bound for the base's accelerations.
const FREE: [f64; 2] = [f64::INFINITY; 2];

/// Joints around t = 0.
struct Course {
    q: Vec<f64>,
    dq: Vec<f64>,
    ddq: Vec<f64>,
}

impl Course {
    fn new(model: &RobotModel, dice: &mut Dice) -> Course {
        let q = dice.pose(model);
        let mut values = |reach: f64| q.iter().map(|_| dice.within(-reach, reach)).collect();
        let (dq, ddq) = (values(1.0), values(3.0));
        Course { q, dq, ddq }
    }

    fn at(&self, t: f64) -> Vec<f64> {
        (0..self.q.len()).map(|i| self.q[i] + t * self.dq[i] + 0.5 * t * t * self.ddq[i]).collect()
    }

    fn rate_at(&self, t: f64) -> Vec<f64> {
        (0..self.q.len()).map(|i| self.dq[i] + t * self.ddq[i]).collect()
    }

    fn motion(&self) -> [&[f64]; 3] {
        [&self.q, &self.dq, &self.ddq]
    }
}

fn contact_accelerations_are_differences_of_twists(
    model: &RobotModel,
    course: &Course,
) -> Result<(), TestCaseError> {
    let mut kinematics = Kinematics::new(model);
    for chain in 0..model.chains().len() {
        let mut twist = |t: f64| {
            kinematics.update(&course.at(t));
            kinematics.contact_twist(chain, &course.rate_at(t))
        };
        let (before, after) = (twist(-STEP), twist(STEP));
        kinematics.update(&course.q);
        let found = kinematics.contact_acceleration(chain, &course.dq, &course.ddq);
        // The differences' own error is STEP²/6 times the third derivatives, some hundred at most, and 1e-16/STEP of rounding.
        prop_assert!((found.linear - (after.linear - before.linear) / (2.0 * STEP)).amax() < 1e-5);
        prop_assert!((found.angular - (after.angular - before.angular) / (2.0 * STEP)).amax() < 1e-5);
    }
    Ok(())
}

/// The base's motion when one foot, with three points, stays where it is: by differences of the pose that this gives the base.
fn standing_on(
    model: &RobotModel,
    chain: usize,
    course: &Course,
    orientation: UnitQuaternion<f64>,
) -> BaseMotion {
    let mut kinematics = Kinematics::new(model);
    let mut foot = |t: f64| {
        kinematics.update(&course.at(t));
        kinematics.contact_frame(chain)
    };
    let [before, now, after] = [-STEP, 0.0, STEP].map(&mut foot);
    let begins = IsometryMatrix3::from_parts(Vector3::zeros().into(), orientation.to_rotation_matrix());
    let [before, now, after] = [before, now, after].map(|foot| begins * now * foot.inverse());
    // For a small turn the skew part is the turn, but for a sixth of its cube; the angle from the trace would lose half the digits.
    let turn = |from: &IsometryMatrix3<f64>, to: &IsometryMatrix3<f64>| {
        let turned = (from.rotation.inverse() * to.rotation).into_inner();
        Vector3::new(
            turned[(2, 1)] - turned[(1, 2)],
            turned[(0, 2)] - turned[(2, 0)],
            turned[(1, 0)] - turned[(0, 1)],
        ) / 2.0
    };
    let (first, second) = (turn(&before, &now), turn(&now, &after));
    let place = |pose: &IsometryMatrix3<f64>| pose.translation.vector;
    BaseMotion {
        orientation,
        angular_velocity: turn(&before, &after) / (2.0 * STEP),
        angular_acceleration: (second - first) / (STEP * STEP),
        linear_acceleration: orientation.inverse()
            * ((place(&before) + place(&after) - place(&now) * 2.0) / (STEP * STEP)),
    }
}

fn efforts_are_those_of_the_base_that_the_foot_carries(
    model: &RobotModel,
    dice: &mut Dice,
) -> Result<(), TestCaseError> {
    let course = Course::new(model, dice);
    let orientation = UnitQuaternion::new(Vector3::from(dice.numbers(0.3)));
    let mut body = WholeBody::new(model).unwrap();
    for chain in 0..4 {
        let mut standing = vec![None; model.chains().len()];
        standing[chain] = Some(StandingContact { contact: 0, support: dice.within(0.1, 1.0) });
        let base = standing_on(model, chain, &course, orientation);
        let right = body.efforts(course.motion(), &base, &standing).joints.to_vec();
        let found = body.efforts_on_feet(course.motion(), orientation, &standing, FREE);
        // Rounding of second differences: 4·1e-16/STEP² m/s², times some kg and a lever of less than a metre; and STEP²/12 times
        // fourth derivatives.
        for (found, right) in found.joints.iter().zip(&right) {
            prop_assert!(
                (found - right).abs() < 1e-4 * (1.0 + right.abs()),
                "leg {chain}: {found} for {right}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn contact_accelerations_of_random_trees(seed in any::<u64>(), links in 2..25_usize) {
        let mut dice = Dice(seed);
        if let Some(model) = common::random_robot(&mut dice, links) {
            let course = Course::new(&model, &mut dice);
            contact_accelerations_are_differences_of_twists(&model, &course)?;
        }
    }

    #[test]
    fn a_foot_carries_the_base(seed in any::<u64>()) {
        efforts_are_those_of_the_base_that_the_foot_carries(&common::pony(), &mut Dice(seed))?;
    }
}

#[test]
fn no_foot_stands_and_the_base_rests() {
    let (model, mut dice) = (common::pony(), Dice(5));
    let course = Course::new(&model, &mut dice);
    let mut body = WholeBody::new(&model).unwrap();
    let nobody = vec![None; model.chains().len()];
    let right = body.efforts(course.motion(), &BaseMotion::default(), &nobody).joints.to_vec();
    assert_eq!(
        body.efforts_on_feet(course.motion(), UnitQuaternion::identity(), &nobody, FREE).joints,
        right
    );
}

/// Feet on points that all stand still while the joints rest: the base rests, and the efforts are those of statics.
#[test]
fn joints_at_rest_carry_a_base_at_rest() {
    let model = common::pony();
    let still = vec![0.0; model.joints().len()];
    let mut body = WholeBody::new(&model).unwrap();
    let all: Vec<_> = model
        .chains()
        .iter()
        .map(|c| c.name.starts_with("leg").then_some(StandingContact { contact: 0, support: 1.0 }))
        .collect();
    let right = body.efforts([&still; 3].map(|x| &x[..]), &BaseMotion::default(), &all).joints.to_vec();
    let found = body.efforts_on_feet([&still; 3].map(|x| &x[..]), UnitQuaternion::identity(), &all, FREE);
    assert!(found.joints.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-12));
}

/// A joint whose acceleration is wrong for a cycle (200 rad/s², as much as the agregator lets pass) asked 76 N·m of a knee, for 5 of a base at rest. By
/// Newton the ground gives at the most the mass times the bounded accelerations more; the weight is less than 0.2 m from the base's origin.
#[test]
fn a_spike_pushes_the_base_no_harder_than_it_may() {
    let model = common::pony();
    let still = vec![0.0; model.joints().len()];
    let mut body = WholeBody::new(&model).unwrap();
    let all: Vec<_> = model
        .chains()
        .iter()
        .map(|c| c.name.starts_with("leg").then_some(StandingContact { contact: 0, support: 1.0 }))
        .collect();
    for joint in 0..still.len() {
        let mut spike = still.clone();
        spike[joint] = 200.0;
        let motion = [&still[..], &still, &spike];
        let mut total = |on_feet: Option<[f64; 2]>| {
            match on_feet {
                Some(most) => body.efforts_on_feet(motion, UnitQuaternion::identity(), &all, most),
                None => body.efforts(motion, &BaseMotion::default(), &all),
            };
            let forces = body.ground_forces().iter().map(|at| at.force);
            (forces.sum::<Vector3<f64>>(), body.mass())
        };
        let ((rests, mass), (moves, _)) = (total(None), total(Some([2.0, 10.0])));
        assert!((moves - rests).norm() < mass * (2.0 + 10.0 * 0.2), "joint {joint}: {rests} {moves}");
    }
}

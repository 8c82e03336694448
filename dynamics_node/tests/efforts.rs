//! What comes in, what goes out: efforts are those of the robot's dynamics, whatever the messages are like.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Rig, names, rig};
use dynamics_node::{DynamicsParams, PoseArrays, Refused};
use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model_lib::{BaseMotion, StandingContact, SupportError, WholeBody};

const MS: i64 = 1_000_000;
const LEGS: [&str; 4] = ["leg1", "leg2", "leg3", "leg4"];

/// By the library alone.
fn reference(rig: &Rig, base: &BaseMotion, supports: [f64; 4]) -> Vec<f64> {
    let model = rig.core.model();
    let zeros = vec![0.0; model.joints().len()];
    let stand = |chain: usize| {
        let support = *supports.get(chain)?;
        (support > 0.0).then_some(StandingContact { contact: 0, support })
    };
    let standing: Vec<_> = (0..model.chains().len()).map(stand).collect();
    WholeBody::new(model).unwrap().efforts([&zeros; 3], base, &standing).joints.to_vec()
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn standing_efforts_carry_the_weight() {
    let mut rig = rig(DynamicsParams::default());
    let none: [&str; 0] = [];
    rig.core.support(0, &LEGS, &none, &[1.0; 4]).unwrap();
    let efforts = rig.still(10 * MS).unwrap();
    assert!(near(&efforts, &reference(&rig, &BaseMotion::default(), [1.0; 4])));
    assert!((rig.core.summary().normal_force - rig.core.mass() * 9.81).abs() < 1e-9);
    assert!(rig.core.summary().missing_force < 1e-9 && rig.core.summary().held.is_none());
    let (_, effort, limit) = rig.core.summary().worst.unwrap();
    assert!(effort.abs() > 0.1 && effort.abs() < limit);
}

#[test]
fn a_leaning_base_leans_gravity_until_its_message_is_old() {
    let mut rig = rig(DynamicsParams { effort_time: 0.0, fade_time: 0.0, ..DynamicsParams::default() });
    let turn = UnitQuaternion::new(Vector3::new(0.2, -0.1, 0.7));
    rig.core.body(0, &["base_link"], [[turn.i, turn.j, turn.k, turn.w]].into_iter()).unwrap();
    let leaning = BaseMotion { orientation: turn, ..BaseMotion::default() };
    assert!(near(&rig.still(100 * MS).unwrap(), &reference(&rig, &leaning, [0.0; 4])));
    let level = reference(&rig, &BaseMotion::default(), [0.0; 4]);
    assert!(near(&rig.still(501 * MS).unwrap(), &level));
}

#[test]
fn names_in_any_order_foreign_names_and_given_efforts() {
    let mut rig = rig(DynamicsParams { fade_time: 0.0, ..DynamicsParams::default() });
    let plain = rig.still(0).unwrap();
    let mut name = names(&rig);
    name.reverse();
    name.push("wheel".into());
    let zeros = vec![0.0; name.len()];
    let mut effort = vec![f64::NAN; name.len()];
    (effort[0], effort[name.len() - 1]) = (0.125, 77.0);
    let pose =
        PoseArrays { name: &name, position: &zeros, velocity: &[], acceleration: &[], effort: &effort };
    let found = rig.core.efforts(0, &pose).unwrap();
    let mut wanted: Vec<f64> = plain.iter().rev().copied().collect();
    wanted[0] += 0.125;
    wanted.push(77.0);
    assert!(near(found, &wanted));
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut rig = rig(DynamicsParams::default());
    let none: [&str; 0] = [];
    rig.core.support(0, &LEGS, &none, &[1.0; 4]).unwrap();
    let before = rig.still(10 * MS).unwrap();
    let core = &mut rig.core;
    let at = 20 * MS;
    let why = |result: Result<(), Refused>| match result {
        Err(Refused::Supports(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(matches!(why(core.support(at, &LEGS, &none, &[1.0; 3])), SupportError::Lengths { .. }));
    assert!(matches!(why(core.support(at, &LEGS, &["hoof"], &[1.0; 4])), SupportError::Lengths { .. }));
    assert!(matches!(why(core.support(at, &["leg1", "leg1"], &none, &[0.0; 2])), SupportError::Names(_)));
    assert!(matches!(why(core.support(at, &["leg1"], &none, &[1.1])), SupportError::Support { .. }));
    assert!(matches!(
        why(core.support(at, &["leg1"], &["paw"], &[1.0])),
        SupportError::UnknownContact { .. }
    ));
    assert!(matches!(why(core.support(at, &["tail"], &none, &[1.0])), SupportError::NoLeg { .. }));
    assert!(matches!(why(core.support(at, &["wing"], &none, &[1.0])), SupportError::UnknownChain { .. }));
    for turn in [[0.0, 0.0, 0.0, 1.1], [f64::NAN, 0.0, 0.0, 1.0], [f64::INFINITY; 4]] {
        assert!(matches!(core.body(at, &["base_link"], [turn].into_iter()), Err(Refused::NotUnit { .. })));
    }
    let level = [[0.0, 0.0, 0.0, 1.0]];
    assert!(matches!(core.body(at, &["head"], level.into_iter()), Err(Refused::NoBody { .. })));
    assert!(matches!(core.body(at, &none, level.into_iter()), Err(Refused::Lengths { .. })));
    let name = names(&rig);
    let zeros = vec![0.0; name.len()];
    let pose = |name, position, velocity, acceleration, effort| PoseArrays {
        name,
        position,
        velocity,
        acceleration,
        effort,
    };
    let wild = vec![f64::INFINITY; name.len()];
    for bad in [
        pose(&name[..], &zeros[1..], &[], &[], &[]),
        pose(&name, &wild, &[], &[], &[]),
        pose(&name, &zeros, &wild, &[], &[]),
        pose(&name, &zeros, &[], &wild, &[]),
        pose(&name, &zeros, &[], &[], &wild),
        pose(&name, &zeros, &zeros[1..], &[], &[]),
    ] {
        assert!(matches!(rig.core.efforts(at, &bad), Err(Refused::Joints(_))));
    }
    let part = pose(&name[1..], &zeros[1..], &[], &[], &[]);
    assert!(matches!(rig.core.efforts(at, &part), Err(Refused::Missing { name: n }) if n == name[0]));
    assert_eq!(rig.still(20 * MS).unwrap(), before);
}

#[test]
fn a_foot_gives_up_its_load_in_its_time_and_a_silent_source_means_that_none_stands() {
    let params = DynamicsParams {
        effort_time: 0.0,
        support_time: 0.1,
        support_timeout: 0.5,
        ..DynamicsParams::default()
    };
    let mut rig = rig(params);
    let none: [&str; 0] = [];
    let level = BaseMotion::default();
    rig.core.support(0, &LEGS, &none, &[1.0; 4]).unwrap();
    rig.still(0).unwrap();
    rig.core.support(10 * MS, &LEGS, &none, &[0.0, 1.0, 1.0, 1.0]).unwrap();
    let (with, without) = (reference(&rig, &level, [1.0; 4]), reference(&rig, &level, [0.0, 1.0, 1.0, 1.0]));
    for step in 1..=10 {
        let even = |(with, without): (&f64, &f64)| with + 0.1 * f64::from(step) * (without - with);
        let expected: Vec<f64> = with.iter().zip(&without).map(even).collect();
        let found = rig.still(10 * MS * i64::from(step)).unwrap();
        assert!(near(&found, &expected), "{step}");
    }
    rig.still(510 * MS).unwrap();
    let hung = reference(&rig, &level, [0.0; 4]);
    assert!(!near(&rig.still(510 * MS).unwrap(), &hung));
    rig.still(511 * MS).unwrap();
    assert!(near(&rig.still(620 * MS).unwrap(), &hung));
}

#[test]
fn a_looped_bag_goes_on_with_the_supports_of_its_own_time() {
    let mut rig = rig(DynamicsParams::default());
    let none: [&str; 0] = [];
    for lap in 0..3 {
        for k in 0..100 {
            rig.core.support(k * 10 * MS, &LEGS, &none, &[1.0; 4]).unwrap();
            rig.still(k * 10 * MS).unwrap();
            assert!((rig.core.summary().normal_force - rig.core.mass() * 9.81).abs() < 1e-6, "{lap} {k}");
        }
    }
    // One that was overtaken has no say.
    rig.core.support(980 * MS, &LEGS, &none, &[0.0; 4]).unwrap();
    rig.still(1100 * MS).unwrap();
    assert!(rig.core.summary().normal_force > 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn efforts_are_finite_and_within_limits_whatever_comes(
        numbers in proptest::collection::vec(-1e9..1e9_f64, 96), size in -9.0..0.0_f64,
        steps in proptest::collection::vec(-2000..2000_i64, 3), supports in [0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0_f64],
    ) {
        let mut rig = rig(DynamicsParams::default());
        let none: [&str; 0] = [];
        let name = names(&rig);
        let mut at = 5_000_000 * MS;
        for step in steps {
            at += step * MS;
            rig.core.support(at, &LEGS, &none, &supports).unwrap();
            let take = |from: usize| -> Vec<f64> {
                (0..name.len()).map(|i| numbers[(from + i) % numbers.len()] * 10_f64.powf(size)).collect()
            };
            let (position, velocity, acceleration, effort) = (take(0), take(13), take(41), take(67));
            let pose = PoseArrays {
                name: &name, position: &position, velocity: &velocity, acceleration: &acceleration, effort: &effort,
            };
            let efforts = rig.core.efforts(at, &pose).unwrap().to_vec();
            for (joint, effort) in rig.core.model().joints().iter().zip(efforts) {
                prop_assert!(effort.is_finite() && effort.abs() <= joint.limits.effort);
            }
        }
    }
}

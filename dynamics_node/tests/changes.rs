//! Efforts do not jump when what they are made of changes: contacts, switches, sources; and loads are where the weight is.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Rig, names, rig};
use dynamics_node::{DynamicsParams, PoseArrays};
use proptest::prelude::*;
use robot_model_lib::{BaseMotion, StandingContact, WholeBody};

const MS: i64 = 1_000_000;
const LEGS: [&str; 4] = ["leg1", "leg2", "leg3", "leg4"];
const NONE: [&str; 0] = [];
/// Of a cycle, s.
const T: f64 = 0.01;

fn stands(rig: &mut Rig, k: i64, contact: &str) {
    rig.core.support(k * 10 * MS, &LEGS, &[contact; 4], &[1.0; 4]).unwrap();
}

fn most(efforts: &[f64], others: &[f64]) -> f64 {
    efforts.iter().zip(others).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Efforts of the pose at rest, standing on a contact for ever.
fn at_rest(contact: &str) -> Vec<f64> {
    let mut rig = rig(DynamicsParams::default());
    stands(&mut rig, 0, contact);
    rig.still(0).unwrap()
}

/// From hoof to toe efforts jumped by 0.38 N·m within a cycle.
#[test]
fn a_load_moves_to_another_contact_in_its_time() {
    let (hoof, toe) = (at_rest("hoof"), at_rest("toe"));
    let way = most(&hoof, &toe);
    assert!(way > 0.1, "the two differ: {way}");
    let params = DynamicsParams::default();
    let mut rig = rig(params.clone());
    let mut last = hoof;
    for k in 0..60 {
        stands(&mut rig, k, if (20..23).contains(&k) || k >= 40 { "toe" } else { "hoof" });
        let now = rig.still(k * 10 * MS).unwrap();
        assert!(
            most(&now, &last) <= way * T / params.support_time + 1e-9,
            "cycle {k}: {}",
            most(&now, &last)
        );
        assert!((rig.core.summary().normal_force - rig.core.mass() * 9.81).abs() < 1e-6, "cycle {k}");
        last = now;
    }
    assert!(most(&last, &toe) < 1e-9);
}

/// All feet leave and land, or their supports grow too old: any share above 0 carried all of the weight, and 1.43 N·m went in a cycle.
#[test]
fn the_robot_leaves_the_ground_and_lands_in_its_time() {
    let params = DynamicsParams { effort_time: 0.0, support_timeout: 0.3, ..DynamicsParams::default() };
    let (stood, hung) = (at_rest("hoof"), rig(params.clone()).still(0).unwrap());
    let (way, part) = (most(&stood, &hung), T / params.support_time);
    let mut rig = rig(params);
    let weight = rig.core.mass() * 9.81;
    let (mut last, mut carried) = (stood.clone(), weight);
    for k in 0..200 {
        match k {
            20..40 | 90..92 | 95..97 => rig.core.support(k * 10 * MS, &LEGS, &NONE, &[0.0; 4]).unwrap(),
            // Without a word from 120 on: after 0.3 s nothing stands.
            120..170 => {}
            _ => stands(&mut rig, k, "hoof"),
        }
        let now = rig.still(k * 10 * MS).unwrap();
        let force = rig.core.summary().normal_force;
        assert!(most(&now, &last) <= way * part + 1e-9, "cycle {k}: {}", most(&now, &last));
        // As exact as the least squares with which feet carry the weight.
        assert!((force - carried).abs() <= weight * part + 1e-6, "cycle {k}: {carried} → {force} N");
        assert!((force + rig.core.summary().missing_force - weight).abs() < 1e-6, "cycle {k}");
        match k {
            30..40 | 160..170 => assert!(most(&now, &hung) < 1e-9 && force == 0.0, "cycle {k}: {force} N"),
            10..20 | 50..90 | 110..120 | 180.. => assert!(most(&now, &stood) < 1e-9, "cycle {k}"),
            _ => {}
        }
        (last, carried) = (now, force);
    }
}

/// From one diagonal to the other, as in a trot, some foot always carries: the weight stays on the ground.
#[test]
fn a_load_that_changes_feet_stays_on_the_ground() {
    let mut rig = rig(DynamicsParams::default());
    let weight = rig.core.mass() * 9.81;
    for k in 0..100 {
        let supports = if k / 7 % 2 == 0 { [1.0, 0.0, 0.0, 1.0] } else { [0.0, 1.0, 1.0, 0.0] };
        rig.core.support(k * 10 * MS, &LEGS, &NONE, &supports).unwrap();
        rig.still(k * 10 * MS).unwrap();
        let force = rig.core.summary().normal_force;
        assert!((force - weight).abs() < 0.01, "cycle {k}: {force} N");
    }
}

/// `enabled` threw the goals of servo_inv_param by 0.1 rad.
#[test]
fn switching_on_and_off_takes_its_time() {
    let full = at_rest("hoof");
    let way = most(&full, &vec![0.0; full.len()]);
    let mut params = DynamicsParams::default();
    let mut rig = rig(params.clone());
    let mut last = full.clone();
    for k in 0..400 {
        stands(&mut rig, k, "");
        let enabled = !(50..150).contains(&k) && !(200..205).contains(&k);
        if enabled != params.enabled {
            params.enabled = enabled;
            rig.core.set_params(&params);
        }
        let now = rig.still(k * 10 * MS).unwrap();
        assert!(most(&now, &last) <= way * T / params.fade_time + 1e-9, "cycle {k}: {}", most(&now, &last));
        if k == 149 {
            assert!(rig.core.is_passive() && now.iter().all(|effort| *effort == 0.0));
        }
        last = now;
    }
    assert!(most(&last, &full) < 1e-9 && !rig.core.is_passive());
}

/// An effort that its source leaves out for a cycle, or gives for the first time, does not kick.
#[test]
fn an_effort_that_comes_or_goes_fades() {
    let params = DynamicsParams::default();
    let mut rig = rig(params.clone());
    let name = names(&rig);
    let zeros = vec![0.0; name.len()];
    let mut last = None;
    for k in 0..200 {
        let given = if k == 50 || (100..150).contains(&k) { f64::NAN } else { 0.5 };
        let effort = vec![given; name.len()];
        let pose =
            PoseArrays { name: &name, position: &zeros, velocity: &[], acceleration: &[], effort: &effort };
        let now = rig.core.efforts(k * 10 * MS, &pose).unwrap().to_vec();
        let step = last.map_or(0.0, |last: Vec<f64>| most(&now, &last));
        assert!(step <= 0.5 * T / params.fade_time + 1e-9, "cycle {k}: {step}");
        last = Some(now);
    }
}

/// A robot that becomes known later comes in as softly.
#[test]
fn efforts_that_begin_late_come_in_their_time() {
    let full = at_rest("hoof");
    let params = DynamicsParams::default();
    let mut rig = rig(params.clone());
    rig.core.begin_without_efforts(0);
    let mut last = vec![0.0; full.len()];
    for k in 1..100 {
        stands(&mut rig, k, "");
        let now = rig.still(k * 10 * MS).unwrap();
        let way = most(&full, &vec![0.0; full.len()]);
        assert!(most(&now, &last) <= way * T / params.fade_time + 1e-9, "cycle {k}: {}", most(&now, &last));
        last = now;
    }
    assert!(most(&last, &full) < 1e-9);
}

/// A support that is a hair newer than the first pose, and never said again, was forgotten.
#[test]
fn supports_are_kept_whichever_comes_first() {
    let mut rig = rig(DynamicsParams::default());
    let weight = rig.core.mass() * 9.81;
    let stands = |rig: &Rig| (rig.core.summary().normal_force - weight).abs() < 1e-6;
    rig.core.support(10 * MS + 1, &LEGS, &NONE, &[1.0; 4]).unwrap();
    (1..50).for_each(|k| drop(rig.still(k * 10 * MS).unwrap()));
    assert!(stands(&rig));
    // A pause, and time that is set back.
    rig.still(5000 * MS).unwrap();
    assert!(stands(&rig));
    rig.core.support(1000 * MS + 1, &LEGS, &NONE, &[1.0; 4]).unwrap();
    (100..150).for_each(|k| drop(rig.still(k * 10 * MS).unwrap()));
    assert!(stands(&rig));
    // Set back without a word of supports: those of the later time are gone.
    (0..50).for_each(|k| drop(rig.still(k * 10 * MS).unwrap()));
    assert_eq!(rig.core.summary().normal_force, 0.0);
}

/// Supports are shares: small ones carry the weight as well as great ones.
#[test]
fn the_feet_that_stand_carry_all_of_the_weight() {
    for supports in [[1.0; 4], [0.25; 4], [0.01; 4], [0.25, 0.0, 0.0, 0.25], [0.3, 0.1, 0.1, 0.3], [1e-9; 4]]
    {
        for contact in ["hoof", "toe"] {
            let mut rig = rig(DynamicsParams::default());
            rig.core.support(0, &LEGS, &[contact; 4], &supports).unwrap();
            rig.still(10 * MS).unwrap();
            let found = rig.core.summary().normal_force;
            assert!((found - rig.core.mass() * 9.81).abs() < 0.01, "{contact} {supports:?}: {found} N");
        }
    }
}

/// NaN is absent, as a chain that is not named.
#[test]
fn a_nan_support_concerns_its_own_leg_alone() {
    let efforts = |names: &[&str], supports: &[f64]| {
        let mut rig = rig(DynamicsParams::default());
        rig.core.support(0, names, &NONE, supports).unwrap();
        rig.still(0).unwrap()
    };
    assert_eq!(efforts(&LEGS, &[1.0, f64::NAN, 1.0, 1.0]), efforts(&["leg1", "leg3", "leg4"], &[1.0; 3]));
}

/// Efforts of the pose at rest on these legs by the library alone, beyond the joints' limits where it takes that.
fn on(legs: usize) -> Vec<f64> {
    let rig = rig(DynamicsParams::default());
    let model = rig.core.model();
    let zeros = vec![0.0; model.joints().len()];
    let stand = |leg: usize| (legs >> leg & 1 == 1).then_some(StandingContact { contact: 0, support: 1.0 });
    let standing: Vec<_> = (0..model.chains().len()).map(stand).collect();
    WholeBody::new(model).unwrap().efforts([&zeros; 3], &BaseMotion::default(), &standing).joints.to_vec()
}

/// Of a set of legs, one bit each.
fn shares(legs: usize) -> [f64; 4] {
    [0, 1, 2, 3].map(|leg| if legs >> leg & 1 == 1 { 1.0 } else { 0.0 })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A foot with a tenth of the others' share still carries a third of its load: when shares went to 0 evenly, the last cycle of five gave
    /// up half of the load. Whatever legs stand and whenever they change: no effort goes farther in a cycle than the even part of what
    /// lies between any two sets of legs, and after the time of a change it is there.
    #[test]
    fn loads_come_and_go_evenly(sets in proptest::collection::vec((0..16_usize, 1..12_i64), 1..12)) {
        let params = DynamicsParams { effort_time: 0.0, ..DynamicsParams::default() };
        let all: Vec<Vec<f64>> = (0..16).map(on).collect();
        let way = all.iter().flat_map(|a| all.iter().map(|b| most(a, b))).fold(0.0, f64::max);
        let mut rig = rig(params.clone());
        let limits: Vec<f64> = rig.core.model().joints().iter().map(|joint| joint.limits.effort).collect();
        let held = |legs: usize| -> Vec<f64> {
            all[legs].iter().zip(&limits).map(|(effort, limit)| effort.clamp(-limit, *limit)).collect()
        };
        let (mut last, mut k) = (held(sets[0].0), 0);
        for (legs, cycles) in sets {
            for cycle in 1..=cycles {
                rig.core.support(k * 10 * MS, &LEGS, &NONE, &shares(legs)).unwrap();
                let now = rig.still(k * 10 * MS).unwrap();
                let step = most(&now, &last);
                prop_assert!(step <= way * T / params.support_time + 1e-9, "cycle {k}: {step}");
                // One more than five: times are rounded.
                prop_assert!(cycle < 6 || most(&now, &held(legs)) < 1e-9, "cycle {k}");
                (last, k) = (now, k + 1);
            }
        }
    }
}

//! A cycle takes no memory from the heap.
#![allow(clippy::unwrap_used)]

use servo_inv_node::desired::Desired;
use servo_inv_node::ident::Identification;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::{IdentParams, InverseParams};
use test_lib::allocations;

fn joints() -> Vec<String> {
    (0..24).map(|i| format!("joint{i}")).collect()
}

const PONY: ServoModel = ServoModel { kp: 100.0, kgear: 2.155, alpha: [1.39, 52.1, 7.09, 212.0] };

#[test]
fn a_cycle_of_goals_allocates_nothing() {
    let name = joints();
    let named = name.iter().map(|j| (j.clone(), PONY)).collect();
    let settings = Settings::from(&InverseParams::default());
    let mut inverse = ServoInverse::new(settings, Models::new(PONY, named).unwrap());
    let mut cycle = |k: i64| {
        // A jump now and then, with its notice.
        let position = [if k % 50 == 0 { 3.0 } else { 0.01 * k as f64 }; 24];
        let desired = Desired {
            name: &name,
            position: &position,
            velocity: &[0.1; 24],
            acceleration: &[1.0; 24],
            effort: &[0.5; 24],
        };
        inverse.sync(0, k * 10_000_000, 0.01);
        inverse.battery(11.0 + 0.001 * k as f64).unwrap();
        assert_eq!(inverse.step(desired, k * 10_000_000).unwrap().unwrap().target.len(), 24);
    };
    cycle(1);
    assert_eq!(allocations(|| (2..1000).for_each(cycle)), 0);
}

#[test]
fn a_cycle_of_identification_allocates_nothing() {
    let name = joints();
    let params = IdentParams::default();
    let mut ident = Identification::new((&params).into(), &name, PONY, vec![], 12.0);
    name.iter().for_each(|joint| ident.start(joint).unwrap());
    let mut cycle = |k: i32| {
        let t = 1e9 + f64::from(k) * 0.01;
        let position = [(t * 5.0).sin(); 24];
        ident.goals(t, &name, &position, &[0.01; 24]).unwrap();
        ident.efforts(t, &name, &[0.5; 24]).unwrap();
        ident.positions(t, &name, &position.map(|p| p - 0.1)).unwrap();
    };
    cycle(1);
    assert_eq!(allocations(|| (2..1000).for_each(&mut cycle)), 0);
    assert!(ident.servos().iter().all(|s| s.session.as_ref().unwrap().used() > 20));
}

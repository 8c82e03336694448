//! A cycle takes no memory from the heap.
#![allow(clippy::unwrap_used)]

mod common;

use dynamics_node::{DynamicsParams, PoseArrays};
use test_lib::allocations;

#[test]
fn a_cycle_allocates_nothing() {
    let mut rig = common::rig(DynamicsParams::default());
    let name = common::names(&rig);
    let (legs, contacts) = (["leg1", "leg2", "leg3", "leg4"], ["hoof", "", "toe", "hoof"]);
    let values = vec![0.1; name.len()];
    // A feed-forward beyond the limit now and then, with its note.
    let mut effort = vec![0.0; name.len()];
    let mut cycle = |k: i64| {
        effort[0] = if k % 50 == 0 { 100.0 } else { 0.0 };
        let stamp = k * 10_000_000;
        let support = std::array::from_fn::<f64, 4, _>(|leg| ((k / 20 + leg as i64) % 3 != 0) as u8 as f64);
        rig.core.support(stamp, &legs, &contacts, &support).unwrap();
        rig.core.body(stamp, &["base_link"], [[0.0, 0.0, 0.0, 1.0]].into_iter()).unwrap();
        rig.core.imu(stamp, "base_link", [0.1, 0.0, 0.2], [0.5, 0.0, 9.8]).unwrap();
        let pose = PoseArrays {
            name: &name,
            position: &values,
            velocity: &values,
            acceleration: &values,
            effort: &effort,
        };
        assert_eq!(rig.core.efforts(stamp, &pose).unwrap().len(), name.len());
        // On two feet other servos may be at their end.
        let is_first_held = rig.core.summary().held.is_some_and(|held| held.joint == 0);
        assert_eq!(is_first_held, k % 50 == 0, "{k}");
    };
    cycle(1);
    assert_eq!(allocations(|| (2..1000).for_each(&mut cycle)), 0);
}

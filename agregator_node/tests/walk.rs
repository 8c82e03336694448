//! The pony as it is shipped: what its gait wants is inside every limit, and passes the agregator to the last bit.
#![allow(clippy::unwrap_used, clippy::panic)]

use agregator_node::{Agregator, AgregatorParams, CycleTime, JointArrays};
use gait_node::{GaitParams, Velocity, Walker};
use test_lib::{pony, shipped};

#[test]
fn the_shipped_walk_and_trot_pass_bit_for_bit() {
    for (gait, period) in [("walk", 0.01), ("trot", 0.01), ("walk", 0.02), ("walk", 0.001), ("trot", 0.001)] {
        let params: GaitParams = shipped("gait.yaml", "/gait_node");
        let params = GaitParams { gait: gait.into(), wait_for_pose: false, ..params };
        let mut walker = Walker::new(pony(), params, period).unwrap();
        let params: AgregatorParams = shipped("agregator.yaml", "/agregator_node");
        let mut core = Agregator::new(pony(), params).unwrap();
        let name: Vec<String> = core.model().joints().iter().map(|joint| joint.name.clone()).collect();
        let mut note = |note: agregator_node::Note<'_>| panic!("{gait}: {note}");
        let cycles = (20.0 / period) as u32;
        for k in 1..cycles {
            if k == cycles / 4 {
                walker.command(Velocity { forward: 0.1, left: 0.02, turn: 0.2 });
            } else if k == cycles / 4 * 3 {
                walker.halt();
            }
            core.sync(k, i64::from(k) * (period * 1e9) as i64, period, &mut note);
            if k > 1 {
                let same = core.pose().unwrap().position.iter().zip(walker.positions());
                for ((shown, wanted), name) in same.zip(&name) {
                    assert_eq!(shown.to_bits(), wanted.to_bits(), "{gait} at {period} s, cycle {k}: {name}");
                }
            }
            assert!(walker.step(period, 1.0, &mut |_| {}));
            let (position, velocity) = (walker.positions(), walker.velocities());
            let arrays = JointArrays { name: &name, position, velocity, effort: &[] };
            core.joints(CycleTime::Absent, arrays, &mut note).unwrap();
        }
    }
}

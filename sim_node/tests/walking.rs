//! The same walk gives the same bits, on any machine and at any load.

#![allow(clippy::unwrap_used)]

mod common;

use common::{robot, stretch};
use sim_node::Lockstep;

#[test]
fn two_walks_give_the_same_bits() {
    for name in ["pony", "hexapod", "quadruped"] {
        let walk = || {
            let files = robot(name);
            let mut robot = Lockstep::stand(&files, "walk", &files.world.scene()).unwrap();
            assert!(stretch(&mut robot, [0.03, 0.0, 0.0], 3.0).is_within_a_tenth());
            let (q, v) = robot.world().state();
            q.iter().chain(v).map(|x| x.to_bits()).collect::<Vec<u64>>()
        };
        assert_eq!(walk(), walk(), "{name}");
    }
}

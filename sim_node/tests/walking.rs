//! The same walk gives the same bits, on any machine and at any load, and the same bag.

#![allow(clippy::unwrap_used)]

mod common;

use common::{robot, stretch};
use sim_node::{Lockstep, Recording};

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

#[test]
fn two_walks_give_the_same_bag() {
    let folder = std::env::temp_dir().join(format!("gaitway_lockstep_{}", std::process::id()));
    let walk = |name: &str| {
        let files = robot("pony");
        let mut robot = Lockstep::stand(&files, "trot", &files.world.scene()).unwrap();
        let path = folder.join(name);
        let mut bag = Recording::create(&path).unwrap();
        for _ in 0..200 {
            assert!(robot.step([0.1, 0.0, 0.1]).unwrap());
            bag.take(&robot).unwrap();
        }
        assert_eq!(bag.finish().unwrap(), path);
        assert!(Recording::create(&path).is_err(), "what is there is left alone");
        std::fs::read(path).unwrap()
    };
    let (first, second) = (walk("first.mcap"), walk("second.mcap"));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(first.len() > 100_000 && first == second);
}

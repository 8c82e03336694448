//! The same walk gives the same bits, on any machine and at any load, and the same bag.

#![allow(clippy::unwrap_used)]

mod common;

use bag_lib::Reader;
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

/// What `robot_sim` publishes and what the bag has of a robot on its feet are told alike.
#[test]
fn the_bag_says_what_the_running_robot_would_say() {
    let folder = std::env::temp_dir().join(format!("gaitway_recording_{}", std::process::id()));
    let mut files = robot("pony");
    (files.world.gyro_noise, files.world.accel_noise, files.world.imu_rate) = (0.001, 0.02, 250.0);
    let mut robot = Lockstep::stand(&files, "walk", &files.world.scene()).unwrap();
    assert!(robot.go([0.0; 3], 2.0).unwrap());
    let mut bag = Recording::create(&folder.join("stand.mcap")).unwrap();
    for _ in 0..20 {
        assert!(robot.step([0.0; 3]).unwrap());
        bag.take(&robot).unwrap();
    }
    let bytes = std::fs::read(bag.finish().unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut topics = std::collections::BTreeSet::new();
    for message in mcap::MessageStream::new(&bytes).unwrap().map(Result::unwrap) {
        let mut cdr = Reader::new(&message.data).unwrap();
        let (_, frame) = cdr.header().unwrap();
        let (mut names, mut arrays) = (vec![], [vec![], vec![], vec![]]);
        match message.channel.topic.as_str() {
            "/imu" => {
                let [_, _, _, _, unknown, ..] = cdr.array::<13>().unwrap();
                let [_, _, _, gyro, ..] = cdr.array::<12>().unwrap();
                let [x, y, z, accel, ..] = cdr.array::<12>().unwrap();
                // A density of σ per √Hz at 250 Hz.
                assert!((gyro - 0.001f64.powi(2) * 250.0).abs() < 1e-12 && unknown == -1.0, "{gyro}");
                assert!(
                    (accel - 0.02f64.powi(2) * 250.0).abs() < 1e-9 && frame == "base_link",
                    "{accel} {frame}"
                );
                // At rest it shows one g, within five deviations of noise and bias.
                let far = 5.0 * (accel.sqrt() + files.world.accel_bias);
                assert!((x.hypot(y).hypot(z) - 9.81).abs() < far, "{x} {y} {z}");
            }
            "/truth/joint_states" => {
                cdr.texts(&mut names).unwrap();
                arrays.iter_mut().for_each(|array| cdr.f64s(array).unwrap());
                assert!(names.len() == 31 && arrays.iter().all(|array| array.len() == 31));
            }
            "/truth/contacts" => {
                cdr.u32().unwrap();
                cdr.texts(&mut names).unwrap();
                assert_eq!((names.len(), cdr.u32().unwrap()), (4, 0));
                cdr.f64s(&mut arrays[0]).unwrap();
                assert!(
                    (arrays[0].iter().sum::<f64>() - 1.0).abs() < 1e-9 && arrays[0].iter().all(|s| *s > 0.1)
                );
            }
            "/truth/forces" => {
                let (mut places, mut twists, mut wrenches) = (vec![], vec![], vec![]);
                cdr.texts(&mut names).unwrap();
                cdr.structs::<7>(&mut places).unwrap();
                cdr.structs::<6>(&mut twists).unwrap();
                cdr.structs::<6>(&mut wrenches).unwrap();
                assert!((names.len(), places.len(), twists.len(), wrenches.len()) == (4, 4, 0, 4));
                assert!(frame == "world" && wrenches.iter().all(|[_, _, up, ..]| *up > 0.0));
            }
            "/truth/odom" => assert_eq!((frame, cdr.text().unwrap()), ("world", "base_link")),
            _ => {}
        }
        topics.insert(message.channel.topic.clone());
    }
    assert_eq!(topics.len(), 8, "{topics:?}");
}

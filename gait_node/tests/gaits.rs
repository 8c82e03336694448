//! Gaits as data, and changes between them: config/gaits.yaml on four legs and on six.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, hexapod, params, pony, standing};
use gait_node::{Activity, GaitParams, PatternParams, Velocity, Walker};

fn gaits() -> Vec<(String, PatternParams)> {
    test_lib::shipped::<GaitParams>("gaits.yaml", "/gait_node").gaits.0
}

#[test]
fn each_gait_of_the_file_steps_as_it_is_named() {
    // Gait, most legs in the air at a time, as the names have it (D. M. Wilson 1966 for insects).
    for (name, most) in [("bound", 2), ("wave", 1), ("ripple", 2)] {
        let (_, own) = gaits().into_iter().find(|(gait, _)| gait == name).unwrap();
        let legs = own.phases.len();
        let model = if legs == 6 { hexapod() } else { pony() };
        let gaits = param_lib::Group(vec![(name.into(), own.clone())]);
        let base =
            if legs == 6 { GaitParams { max_stride: 0.06, ..GaitParams::default() } } else { params() };
        let params = GaitParams { gait: name.into(), gaits, wait_for_pose: false, ..base };
        let mut walker = Walker::new(model, params, PERIOD).unwrap();
        while walker.activity() != Activity::Standing {
            checked_step(&mut walker, &mut |note| panic!("{note}"));
        }
        let (mut lifts, mut airborne, mut least) = (vec![0_usize; legs], 0, f64::INFINITY);
        let cycles = (10.0 * own.period / PERIOD) as usize;
        for _ in 0..cycles {
            let before = walker.supports().to_vec();
            walker.command(Velocity { forward: 0.02, ..Velocity::ZERO });
            checked_step(&mut walker, &mut |note| panic!("{note}"));
            let stands = |leg: usize| walker.supports()[leg] == Some(1.0);
            (0..legs).for_each(|leg| lifts[leg] += usize::from(before[leg] == Some(1.0) && !stands(leg)));
            airborne = airborne.max((0..legs).filter(|leg| !stands(*leg)).count());
            least = least.min(walker.stability().unwrap().margin);
        }
        assert_eq!(airborne, most, "{name}");
        let (few, many) = (lifts.iter().min().unwrap(), lifts.iter().max().unwrap());
        assert!(*few >= 9 && many - few <= 1, "{name}: {lifts:?}");
        // Five and more feet of six: stable without sway.
        assert!(name != "wave" || least > 0.0, "{name}: {least} m");
    }
}

#[test]
fn a_gait_gives_way_to_another_while_the_robot_walks() {
    // Without sway nobody waits; with it a leg may, until the others carry the weight, and the body creeps at a tenth of the command.
    gives_way(0.0, 1.0);
    gives_way(0.02, 0.1);
}

fn gives_way(sway_margin: f64, share: f64) {
    let own = || GaitParams { sway_margin, ..params() };
    let mut walker = standing(own());
    let command = Velocity { forward: 0.03, ..Velocity::ZERO };
    let walk = |walker: &mut Walker, cycles: usize| {
        let mut slowest = f64::INFINITY;
        for _ in 0..cycles {
            walker.command(command);
            checked_step(walker, &mut |note| panic!("{note}"));
            slowest = f64::min(slowest, walker.velocity().forward);
        }
        slowest
    };
    walk(&mut walker, 300);
    for gait in ["trot", "crawl", "walk", "crawl", "trot", "walk"] {
        walker.set_params(GaitParams { gait: gait.into(), ..own() }).unwrap();
        let slowest = walk(&mut walker, 500);
        assert!(slowest > share * 0.03 - 1e-9, "{gait}: it slows down to {slowest} m/s");
        assert_eq!(walker.activity(), Activity::Walking);
    }
}

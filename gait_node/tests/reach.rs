//! What the body does above its feet stays within what the legs reach.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, hexapod, only_slowed, robot_standing, robots};
use gait_node::{GaitParams, PatternParams, Velocity, Walker};
use param_lib::Group;

/// The hexapod's, in a gait that has more time to sway than its legs have reach.
fn slow(period: f64, duty: f64, sway_margin: f64) -> GaitParams {
    let slow = PatternParams { period, duty, phases: vec![] };
    GaitParams { gaits: Group(vec![("walk".into(), slow)]), sway_margin, ..robots()[1].1.clone() }
}

/// What the log says of the gait.
fn said(walker: &Walker) -> Vec<String> {
    walker.shortfalls().map(|note| note.to_string()).collect()
}

/// Legs of six swing two at a time and for long: sway went for the middle of the others, 0.1 m and more aside.
#[test]
fn sway_keeps_all_feet_in_reach() {
    for (period, duty) in [(5.0, 0.65), (5.0, 0.55), (8.0, 0.75), (3.0, 0.8)] {
        for (forward, left, turn) in [(0.0, 0.0, 0.1), (1.0, 0.0, 0.0), (-0.01, 0.01, 0.0), (0.0, 1.0, 0.0)] {
            let params = slow(period, duty, 0.1);
            let mut walker = robot_standing(&hexapod(), &params);
            let mut least = f64::INFINITY;
            for _ in 0..(3.0 * period / PERIOD) as usize {
                walker.command(Velocity { forward, left, turn });
                checked_step(&mut walker, &mut only_slowed);
                least = least.min(walker.stability().unwrap().margin);
                for (q, joint) in walker.positions().iter().zip(walker.model().joints()) {
                    let room = (q - joint.limits.lower).min(joint.limits.upper - q);
                    assert!(room > 1e-6, "{period} s, {duty}: {} at its limit, {q} rad", joint.name);
                }
            }
            let said = said(&walker);
            println!("{period} s, {duty}, {forward} {left} {turn}: {:.1} mm; {said:?}", 1e3 * least);
            assert!(said.iter().any(|note| note.contains("sway") || note.contains("instead of 100")));
        }
    }
}

/// Stands, walks and sits without a word of reach or of joints that are held back.
fn lives(walker: &mut Walker) {
    for (forward, cycles) in [(0.0, 400), (0.03, 400), (0.0, 400)] {
        for _ in 0..cycles {
            walker.command(Velocity { forward, ..Velocity::ZERO });
            checked_step(walker, &mut only_slowed);
        }
    }
    assert!(walker.sit());
    (0..400).for_each(|_| checked_step(walker, &mut only_slowed));
}

#[test]
fn the_robots_files_ask_for_nothing_out_of_reach() {
    for (model, params) in robots() {
        let said = said(&robot_standing(&model, &params));
        assert!(said.iter().all(|note| !note.contains("reach no further with")), "{said:?}");
    }
}

/// 0.30 m is lower than the pony can stand: joints were held back, feet went nowhere.
#[test]
fn a_height_out_of_reach_is_the_nearest_in_reach() {
    let (model, base) = &robots()[0];
    // Turned at the lowest, feet that swing would tip over their edge.
    for (height, body_yaw) in [(0.05, 0.0), (0.1, -0.109), (0.30, 0.0), (0.50, 0.0), (3.0, 0.0)] {
        let params = GaitParams { height, body_yaw, ..base.clone() };
        let mut changed = robot_standing(model, base);
        changed.set_params(params.clone()).unwrap();
        for mut walker in [robot_standing(model, &params), changed] {
            let said = said(&walker);
            assert!(said.iter().any(|note| note.starts_with("height is 0.")), "{height}: {said:?}");
            lives(&mut walker);
        }
    }
}

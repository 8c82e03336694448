//! A robot's life with weight: it sits, gets up, walks in one gait after another without stopping in between, and sits down again.
//! `cargo test -p sim_node --features lockstep --test life -- --nocapture` shows how safely.

#![allow(clippy::unwrap_used)]

mod common;

use common::robot;
use gait_node::{Activity, GaitParams, PatternParams};
use sim_node::{Lockstep, RobotFiles};

/// What somebody orders.
enum Order {
    Sit,
    Stand,
    /// A gait, ahead and turning, m/s and rad/s.
    Walk(&'static str, f64, f64),
}

/// For this long, s.
type Part = (Order, f64);

/// The gaits of config/gaits.yaml.
fn more_gaits() -> Vec<(String, PatternParams)> {
    test_lib::shipped::<GaitParams>("gaits.yaml", "/gait_node").gaits.0
}

/// A robot that knows all gaits with as many legs as it has.
fn with_all_gaits(name: &str) -> RobotFiles {
    let mut files = robot(name);
    let model = files.model().unwrap();
    let legs = model.chains().iter().filter(|chain| chain.default_contact.is_some()).count();
    let own: Vec<String> = files.gait.gaits.0.iter().map(|(gait, _)| gait.clone()).collect();
    let more = more_gaits().into_iter().filter(|(gait, how)| how.phases.len() == legs && !own.contains(gait));
    files.gait.gaits.0.extend(more);
    files
}

/// Lives through all parts; says of each how safely, and whether the robot did as it was told.
fn live(name: &str, parts: &[Part]) {
    let files = with_all_gaits(name);
    let mut robot = Lockstep::stand(&files, "walk", &files.world.scene()).unwrap();
    for (order, seconds) in parts {
        let (what, velocity) = match order {
            Order::Sit => {
                assert!(robot.gait().sit());
                ("sit", [0.0; 3])
            }
            Order::Stand => {
                robot.gait().stand();
                ("stand", [0.0; 3])
            }
            Order::Walk(gait, forward, turn) => {
                robot.gait().set_params(GaitParams { gait: (*gait).into(), ..files.gait.clone() }).unwrap();
                (*gait, [*forward, 0.0, *turn])
            }
        };
        robot.take_tilt();
        let (start, mut margin, mut is_up) = (robot.truth().base, f64::INFINITY, true);
        for _ in 0..(seconds * 100.0) as usize {
            is_up &= robot.step(velocity).unwrap();
            margin = robot.gait().stability().map_or(margin, |stability| margin.min(stability.margin));
        }
        let way = (start.inverse() * robot.truth().base).translation;
        let (tilt, activity) = (robot.take_tilt().to_degrees(), robot.gait().activity());
        println!(
            "{name:10} {what:7} {seconds:4.1} s  margin {:6.1} mm  tilt {tilt:4.1}°  way {:6.3} {:6.3} m, height {:.3} m{}",
            1e3 * margin,
            way.x,
            way.y,
            robot.truth().base.translation.z,
            if is_up { "" } else { "  FELL" }
        );
        assert!(is_up, "{name} falls: {what}");
        let expected = match order {
            Order::Sit => Activity::Sitting,
            Order::Stand => Activity::Standing,
            Order::Walk(..) => Activity::Walking,
        };
        assert_eq!(activity, expected, "{name}: {what}");
    }
}

#[test]
fn the_pony_sits_stands_walks_trots_paces_and_sits_again() {
    use Order::{Sit, Stand, Walk};
    live(
        "pony",
        &[
            (Sit, 5.0),
            (Stand, 5.0),
            (Walk("walk", 0.06, 0.0), 8.0),
            (Walk("trot", 0.1, 0.1), 6.0),
            (Walk("pace", 0.08, 0.0), 6.0),
            (Walk("crawl", 0.03, 0.0), 9.0),
            (Walk("bound", 0.05, 0.0), 6.0),
            (Stand, 5.0),
            (Sit, 5.0),
        ],
    );
}

/// Faster than it can: 0.6 m/s once threw it over.
#[test]
fn no_gait_of_the_pony_is_driven_so_fast_that_it_falls() {
    for gait in ["walk", "trot", "pace", "crawl"] {
        live("pony", &[(Order::Walk(gait, 2.0, 0.0), 8.0), (Order::Stand, 6.0)]);
    }
}

#[test]
fn the_hexapod_sits_stands_waves_ripples_and_sits_again() {
    use Order::{Sit, Stand, Walk};
    live(
        "hexapod",
        &[
            (Sit, 5.0),
            (Stand, 5.0),
            (Walk("wave", 0.03, 0.0), 10.0),
            (Walk("ripple", 0.05, 0.1), 10.0),
            (Walk("trot", 0.1, 0.0), 6.0),
            (Walk("wave", 0.03, 0.0), 10.0),
            (Stand, 6.0),
            (Sit, 5.0),
        ],
    );
}

/// A margin of 20 mm is more than the time with four feet down allows in a walk: asked for it, the sway once threw the pony over within 1.5 s.
/// It takes what it can have, and the weight is over the standing feet in every cycle.
#[test]
fn with_sway_the_pony_is_statically_stable_and_not_thrown() {
    for (gait, period, duty, speed) in [
        ("walk", 1.8, 0.8, 0.05),
        ("walk", 1.6, 0.8, 0.05),
        ("walk", 1.8, 0.85, 0.04),
        ("crawl", 3.0, 0.88, 0.03),
    ] {
        let mut files = robot("pony");
        files.gait.sway_margin = 0.02;
        for (_, pattern) in files.gait.gaits.0.iter_mut().filter(|(name, _)| name == gait) {
            (pattern.period, pattern.duty) = (period, duty);
        }
        let mut robot = Lockstep::stand(&files, gait, &files.world.scene()).unwrap();
        let (mut margin, mut is_up) = (f64::INFINITY, true);
        for _ in 0..1500 {
            is_up &= robot.step([speed, 0.0, 0.0]).unwrap();
            margin = margin.min(robot.gait().stability().unwrap().margin);
        }
        let (margin, tilt) = (1e3 * margin, robot.take_tilt().to_degrees());
        println!("pony {gait} {period} s, duty {duty}, with sway: margin {margin:.1} mm, tilt {tilt:.1}°");
        assert!(is_up && margin > 0.0, "{gait} {period} s, duty {duty}");
    }
}

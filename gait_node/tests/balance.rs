//! Body sway: a walk is statically stable, seen by the kinematics and the masses of the URDF, not by those who plan it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, params, standing};
use gait_node::{Activity, GaitParams, Note, Velocity, Walker};
use nalgebra::Vector2;
use proptest::prelude::*;
use robot_model_lib::{Kinematics, LinkPoses};

/// Centre of mass from the links' masses and poses, seen from the (level) base.
fn weight(walker: &Walker, links: &mut LinkPoses) -> Vector2<f64> {
    links.update(walker.positions());
    let (mut sum, mut mass) = (Vector2::zeros(), 0.0);
    for (link, pose) in walker.model().urdf().links.iter().zip(links.iter()) {
        let own = link.inertial.mass.value;
        let origin = &link.inertial.origin.xyz;
        let centre = pose * nalgebra::Point3::new(origin[0], origin[1], origin[2]);
        sum += centre.coords.xy() * own;
        mass += own;
    }
    sum / mass
}

/// How far the weight is inside the triangle (or polygon) of the standing feet: by the winding of the feet round it.
fn inside(point: Vector2<f64>, mut feet: Vec<Vector2<f64>>) -> f64 {
    let centre = feet.iter().sum::<Vector2<f64>>() / feet.len() as f64;
    feet.sort_by(|a, b| {
        (a - centre).y.atan2((a - centre).x).total_cmp(&(b - centre).y.atan2((b - centre).x))
    });
    (0..feet.len())
        .map(|k| {
            let (from, to) = (feet[k], feet[(k + 1) % feet.len()]);
            (to - from).perp(&(point - from)) / (to - from).norm()
        })
        .fold(f64::INFINITY, f64::min)
}

/// The pony's gaits, but for a walk with the duty that sway needs.
fn swaying(gait: &str, sway_margin: f64) -> GaitParams {
    let mut params = GaitParams { gait: gait.into(), sway_margin, ..params() };
    params.gaits.0.iter_mut().filter(|(name, _)| name == "walk").for_each(|(_, walk)| walk.duty = 0.8);
    params
}

fn with_sway(gait: &str) -> GaitParams {
    swaying(gait, 0.02)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Starts, walks in any direction, turns, stops: the weight is inside the polygon of the standing feet in every cycle, no
    /// joint leaves position or speed, and the published margin is the one that is measured here.
    #[test]
    fn a_walk_with_sway_is_statically_stable(
        crawl in any::<bool>(),
        legs in prop::collection::vec((0.01..0.025_f64, any::<bool>(), -0.015..0.015_f64, -0.05..0.05_f64, 200..900_usize), 1..3)
    ) {
        let mut walker = standing(with_sway(if crawl { "crawl" } else { "walk" }));
        let (mut kinematics, mut links) = (Kinematics::new(walker.model()), LinkPoses::new(walker.model()));
        let mut lifted = 0;
        for (speed, back, left, turn, cycles) in legs.into_iter().chain([(0.0, false, 0.0, 0.0, 1500)]) {
            let forward = if back { -speed } else { speed };
            for cycle in 0..cycles {
                walker.command(Velocity { forward, left, turn });
                // What the joints cannot do besides the sway is walked slower, and is said.
                checked_step(&mut walker, &mut |note| assert!(matches!(note, Note::Slowed { .. }), "{note}"));
                kinematics.update(walker.positions());
                let feet: Vec<Vector2<f64>> = (0..4)
                    .filter(|leg| walker.supports()[*leg] == Some(1.0))
                    .map(|leg| kinematics.contact(leg).centre.coords.xy())
                    .collect();
                prop_assert!(feet.len() >= 3);
                lifted += usize::from(feet.len() == 3);
                let margin = inside(weight(&walker, &mut links), feet);
                prop_assert!(margin > 0.0, "{} m in cycle {}", margin, cycle);
                let said = walker.stability().unwrap().margin;
                prop_assert!((said - margin).abs() < 1e-4, "{} said, {} measured", said, margin);
            }
        }
        prop_assert!(lifted > 50);
        prop_assert_eq!(walker.activity(), Activity::Standing);
    }
}

#[test]
fn it_gets_as_far_with_sway_as_without() {
    let far = |params: GaitParams| {
        let mut walker = standing(params);
        let mut way = 0.0;
        for _ in 0..2000 {
            walker.command(Velocity { forward: 0.03, ..Velocity::ZERO });
            checked_step(&mut walker, &mut |note| panic!("{note}"));
            way += PERIOD * walker.velocity().forward;
        }
        way
    };
    for gait in ["walk", "crawl"] {
        let (with, without) = (far(with_sway(gait)), far(swaying(gait, 0.0)));
        // It starts when its weight is over three feet, and no leg waits after that: a gait's period is what it may lose.
        let period = params().gaits.0.iter().find(|(name, _)| name == gait).unwrap().1.period;
        assert!(with > without - 0.03 * period, "{gait}: {with} m, without sway {without} m");
    }
}

#[test]
fn a_trot_does_not_sway() {
    let way = |params: GaitParams| {
        let mut walker = standing(params);
        (0..500).for_each(|_| {
            walker.command(Velocity { forward: 0.1, ..Velocity::ZERO });
            checked_step(&mut walker, &mut |note| panic!("{note}"));
        });
        walker.positions().to_vec()
    };
    assert_eq!(way(with_sway("trot")), way(GaitParams { gait: "trot".into(), ..params() }));
}

/// While the velocity changes the plan may be behind for some cycles. Given up with a leg in the air, the body came back to the middle: 4 mm outside.
#[test]
fn a_walk_that_sets_off_fast_keeps_its_plan() {
    for (forward, left, turn) in [(-0.1, 0.0588, -0.165), (-0.0745, 0.0328, -0.158), (-0.0689, 0.021, -0.324)]
    {
        let mut slow = with_sway("walk");
        slow.gaits.0.iter_mut().filter(|(name, _)| name == "walk").for_each(|(_, walk)| walk.period = 1.8);
        let mut walker = standing(slow);
        for cycle in 0..90 {
            walker.command(Velocity { forward, left, turn });
            checked_step(&mut walker, &mut |note| assert!(matches!(note, Note::Slowed { .. }), "{note}"));
            let margin = walker.stability().unwrap().margin;
            assert!(margin > 0.0, "{forward} {left} {turn}: {margin} m in cycle {cycle}");
        }
    }
}

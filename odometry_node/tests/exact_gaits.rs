//! A body path that is known in closed form comes back from the joints.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gait, Path, Walker, exact, gap};
use odometry_node::{Method, Odometry, OdometryParams, Posture};

const GAITS: [(&str, [f64; 3]); 5] = [
    ("ahead", [0.2, 0.0, 0.0]),
    ("backward arc", [-0.15, 0.0, -0.3]),
    ("turn on the spot", [0.0, 0.0, 0.5]),
    ("sidestep", [0.0, 0.1, 0.0]),
    ("arc", [0.18, 0.03, 0.35]),
];

/// Largest errors over the way: m, rad, of the velocity.
fn walk(walker: Walker, given: bool, cycles: usize) -> (f64, f64, f64) {
    walk_with(&exact(), walker, given, cycles)
}

fn walk_with(params: &OdometryParams, mut walker: Walker, given: bool, cycles: usize) -> (f64, f64, f64) {
    let mut odometry = Odometry::new(&walker.model, params).unwrap();
    let (mut far, mut turned, mut fast) = (0.0_f64, 0.0_f64, 0.0_f64);
    for cycle in 0..cycles {
        let posture = Posture { stamp: walker.stamp(), q: &walker.q, qd: &walker.qd, mean_rates: false };
        let footings = walker.footings();
        let estimate = odometry.update(&posture, given.then_some(&footings), None);
        assert_eq!(estimate.warning, None, "cycle {cycle}");
        assert_eq!(estimate.method == Method::Fitted, cycle > 0);
        for (leg, footing) in estimate.legs.iter().zip(&footings) {
            assert_eq!(leg.footing, *footing, "cycle {cycle}, chain {}", leg.chain);
        }
        let (distance, angle) = gap(&estimate.pose, &walker.pose());
        far = far.max(distance);
        turned = turned.max(angle);
        fast = fast.max((estimate.twist.0 - walker.path.twist(walker.time())).amax());
        walker.advance();
    }
    (far, turned, fast)
}

fn all(legs: usize, given: bool) {
    for (name, velocity) in GAITS {
        for gait in [Gait::walk(legs), Gait::trot(legs)] {
            let what = format!("{legs} legs, {name}, period {}", gait.period);
            let model = if legs == 4 { common::pony() } else { common::robot(legs) };
            let (far, turned, fast) = walk(Walker::new(model, gait, Path::new(velocity)), given, 1000);
            println!("{what}: {far:.1e} m, {turned:.1e} rad, {fast:.1e} m/s or rad/s");
            assert!(far < 1e-9, "{what}: {far} m");
            assert!(turned < 1e-9, "{what}: {turned} rad");
            assert!(fast < 1e-9, "{what}: {fast} m/s or rad/s");
        }
    }
}

#[test]
fn four_legs_with_given_supports_come_back_to_1e_9_after_1000_cycles() {
    all(4, true);
}

#[test]
fn four_legs_with_searched_contacts_come_back_to_1e_9_after_1000_cycles() {
    all(4, false);
}

#[test]
fn six_legs_with_given_supports_come_back_to_1e_9_after_1000_cycles() {
    all(6, true);
}

#[test]
fn six_legs_with_searched_contacts_come_back_to_1e_9_after_1000_cycles() {
    all(6, false);
}

#[test]
fn waiting_for_hooves_to_settle_and_a_ground_at_zero_leave_an_exact_gait_exact() {
    let params = OdometryParams { settle_speed: 0.05, ground_z_zero: true, ..exact() };
    for gait in [Gait::walk(4), Gait::trot(4)] {
        let walker = Walker::new(common::pony(), gait, Path::new([0.18, 0.03, 0.35]));
        let (far, turned, fast) = walk_with(&params, walker, false, 1000);
        assert!(far < 1e-9 && turned < 1e-9 && fast < 1e-9, "{far} m, {turned} rad, {fast}");
    }
}

/// With the default tolerances hooves count as standing while they already swing, up to 5 mm above the ground.
#[test]
fn hooves_that_swing_within_the_tolerance_do_not_drag_the_body() {
    for velocity in [[0.2, 0.0, 0.0], [0.18, 0.03, 0.35], [0.0, 0.1, 0.0], [0.0, 0.0, 0.5]] {
        let drift = |settle_speed: f64| {
            let params = OdometryParams { settle_speed, ..common::fit() };
            let mut walker = Walker::new(common::pony(), Gait::trot(4), Path::new(velocity));
            let mut odometry = Odometry::new(&walker.model, &params).unwrap();
            for _ in 0..1000 {
                let posture =
                    Posture { stamp: walker.stamp(), q: &walker.q, qd: &walker.qd, mean_rates: false };
                odometry.update(&posture, None, None);
                walker.advance();
            }
            gap(&odometry.estimate().pose, &walker.path.pose(walker.time() - common::DT))
        };
        let (all, some) = (drift(0.0), drift(OdometryParams::default().settle_speed));
        println!("{velocity:?}: all believed {all:?}, weighed {some:?}");
        // 50 steps, 2 m or half a turn or more: without weighing a quarter of it is lost.
        assert!(all.0 > 0.3, "the gait is no test of this: {all:?}");
        assert!(some.0 < 0.02 && some.1 < 0.03, "{velocity:?}: {some:?}");
    }
}

//! `ground_z_zero` and poses from outside, and feet that change all at once with no time to fly.
#![allow(clippy::unwrap_used)]

mod common;

use common::{DT, Gait, HEIGHT, Path, Walker, exact, gap};
use nalgebra::{Isometry3, Vector3};
use odometry_node::{Odometry, OdometryParams, Posture};

fn walker() -> Walker {
    Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]))
}

fn posture(walker: &Walker) -> Posture<'_> {
    Posture { stamp: walker.stamp(), q: &walker.q, qd: &walker.qd, mean_rates: false }
}

#[test]
fn a_pose_that_the_pinned_ground_would_take_back_is_refused_and_changes_nothing() {
    let mut walker = walker();
    let params = OdometryParams { ground_z_zero: true, ..exact() };
    let mut odometry = Odometry::new(&walker.model, &params).unwrap();
    assert!(odometry.set_pose(Isometry3::identity()).is_err(), "no joints have said how high it stands");
    for _ in 0..30 {
        odometry.update(&posture(&walker), None, None);
        walker.advance();
    }
    let stands = odometry.estimate().clone();
    let lifted = Isometry3::new(Vector3::new(2.0, 0.0, 1.0), Vector3::zeros());
    let leaning = Isometry3::new(Vector3::new(2.0, 0.0, HEIGHT), Vector3::x() * 0.3);
    for odd in [lifted, leaning] {
        let text = odometry.set_pose(odd).unwrap_err().to_string();
        assert!(text.contains("ground_z_zero"), "{text}");
        assert_eq!(*odometry.estimate(), stands);
    }
    // Elsewhere on the same ground, and turned: that holds.
    let aside = Isometry3::new(Vector3::new(2.0, -1.0, 0.0), Vector3::z() * 1.2);
    odometry.set_pose(aside * stands.pose).unwrap();
    let from = walker.path.pose(walker.time() - DT);
    for _ in 0..30 {
        let pose = odometry.update(&posture(&walker), None, None).pose;
        let (far, turned) = gap(&pose, &(aside * stands.pose * from.inverse() * walker.pose()));
        assert!(far < 1e-9 && turned < 1e-9, "{far} m, {turned} rad");
        walker.advance();
    }
}

/// As `gaps.rs` has it with time to fly: the velocity bridges the step between two pairs of feet, which stand all the time.
#[test]
fn a_flight_time_of_zero_takes_nothing_from_a_body_that_stands() {
    let mut walker = walker();
    let params = OdometryParams { flight_time: 0.0, ..exact() };
    let mut odometry = Odometry::new(&walker.model, &params).unwrap();
    for _ in 0..400 {
        odometry.update(&posture(&walker), Some(&walker.footings_without_overlap()), None);
        walker.advance();
    }
    let (far, turned) = gap(&odometry.estimate().pose, &walker.path.pose(walker.time() - DT));
    println!("20 steps: {far:.1e} m, {turned:.1e} rad");
    // Trapezoids of 10 ms: dt³/12 times the sway's third derivative (0.006 m, 0.04 rad, 7.3 rad/s) in each of 20 steps.
    assert!(far < 1e-3 && turned < 2e-3, "{far} m, {turned} rad");
}

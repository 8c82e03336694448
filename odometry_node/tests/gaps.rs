//! What happens when contacts are missing, told, moved or taken away.
#![allow(clippy::unwrap_used)]

mod common;

use common::{DT, Gait, Path, Walker, exact, gap};
use filters_lib::WorldTwist;
use nalgebra::{Isometry3, Vector3};
use odometry_node::{Body, Footing, Footings, Method, Odometry, OdometryParams, Posture, Warning};

fn walker() -> Walker {
    Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]))
}

fn posture(walker: &Walker) -> Posture<'_> {
    Posture { stamp: walker.stamp(), q: &walker.q, qd: &walker.qd, mean_rates: false }
}

fn only(footings: &Footings, legs: usize) -> Footings {
    let mut kept = 0;
    footings.map(|footing| {
        kept += usize::from(footing.is_some());
        footing.filter(|_| kept <= legs)
    })
}

#[test]
fn fewer_than_two_contacts_warn_and_integrate_without_a_jump_when_contact_returns() {
    for lost in [1, 0] {
        let mut walker = walker();
        let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
        let mut last = Isometry3::identity();
        let mut worst = 0.0_f64;
        for cycle in 0..200 {
            let footings = walker.footings();
            let missing = (50..70).contains(&cycle);
            let footings = if missing { only(&footings, lost) } else { footings };
            let estimate = odometry.update(&posture(&walker), Some(&footings), None);
            assert_eq!(estimate.warning, missing.then_some(Warning::TooFew));
            // The cycle after a gap has new contacts only.
            let integrated = (50..71).contains(&cycle);
            assert_eq!(estimate.method == Method::Integrated, integrated, "cycle {cycle}");
            if cycle > 0 {
                let step = (estimate.pose.translation.vector - last.translation.vector).norm();
                worst = worst.max(step);
            }
            last = estimate.pose;
            walker.advance();
        }
        // 0.2 m/s and the sway make less than 4 mm a cycle; a jump would be more.
        assert!(worst < 0.004, "{worst}");
        let (far, turned) = gap(&last, &walker.path.pose(walker.time() - DT));
        println!("{lost} contacts for 20 cycles: {far:.1e} m, {turned:.1e} rad off");
        // With one contact the velocity is exact and only its integration is not; with none the body sways unseen.
        let bound = if lost == 1 { 2e-4 } else { 0.03 };
        assert!(far < bound && turned < 5.0 * bound);
    }
}

#[test]
fn hooves_without_a_common_plane_warn_and_the_body_comes_to_rest() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    for _ in 0..10 {
        odometry.update(&posture(&walker), None, None);
        walker.advance();
    }
    // Every leg twisted another way, as when the robot is carried.
    let mut q = walker.q.clone();
    for leg in 0..4 {
        q[6 * leg + 4] += 0.3 * (leg as f64 - 1.5);
        q[6 * leg + 5] += 0.2 * (leg as f64 % 2.0);
    }
    let mut stamp = walker.stamp();
    let mut places = vec![];
    for _ in 0..200 {
        let aloft = Posture { stamp, q: &q, qd: &walker.qd, mean_rates: false };
        let estimate = odometry.update(&aloft, None, None);
        assert_eq!(estimate.warning, Some(Warning::Undetermined));
        places.push(estimate.pose.translation.vector);
        stamp += common::DT_NS;
    }
    assert!((places[10] - places[0]).norm() > 0.01, "it goes on at first");
    assert_eq!(places[199], places[60], "it rests after flight_time");
}

#[test]
fn contacts_that_change_all_at_once_are_bridged_by_the_velocity() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    for _ in 0..400 {
        odometry.update(&posture(&walker), Some(&walker.footings_without_overlap()), None);
        walker.advance();
    }
    let (far, turned) = gap(&odometry.estimate().pose, &walker.path.pose(walker.time() - DT));
    println!("20 steps: {far:.1e} m, {turned:.1e} rad");
    assert!(far < 1e-3 && turned < 2e-3);
}

#[test]
fn a_told_body_replaces_pose_and_velocity_and_the_way_goes_on_from_there() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    let moved = Isometry3::new(Vector3::new(3.0, -1.0, 0.5), Vector3::new(0.0, 0.0, 1.2));
    for cycle in 0..100 {
        let (linear, angular) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
        let body = Body { pose: moved * walker.pose(), twist: Some(WorldTwist::new(linear, angular)) };
        let told = cycle == 37;
        let estimate = odometry.update(&posture(&walker), None, told.then_some(&body));
        let expected = if cycle < 37 { walker.pose() } else { moved * walker.pose() };
        let (far, turned) = gap(&estimate.pose, &expected);
        assert!(far < 1e-11 && turned < 1e-11, "cycle {cycle}");
        if told {
            assert_eq!(estimate.method, Method::Told);
            assert!((estimate.twist_in_odom().0 - WorldTwist::new(linear, angular).0).amax() < 1e-12);
        } else {
            assert!((estimate.twist.0 - walker.path.twist(walker.time())).amax() < 1e-9);
        }
        walker.advance();
    }
}

#[test]
fn set_pose_moves_the_way_and_reset_brings_it_back_to_the_start() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    let target = Isometry3::new(Vector3::new(-2.0, 5.0, HEIGHT), Vector3::z() * 2.0);
    const HEIGHT: f64 = common::HEIGHT;
    for _ in 0..20 {
        odometry.update(&posture(&walker), None, None);
        walker.advance();
    }
    let before = odometry.estimate().pose;
    odometry.set_pose(target).unwrap();
    for _ in 0..20 {
        odometry.update(&posture(&walker), None, None);
        let (far, turned) = gap(&odometry.estimate().pose, &(target * before.inverse() * walker.pose()));
        assert!(far < 1e-11 && turned < 1e-11);
        walker.advance();
    }
    odometry.reset();
    let estimate = odometry.update(&posture(&walker), None, None);
    let place = estimate.pose.translation.vector;
    assert!(place.xy().norm() == 0.0 && estimate.heading().abs() < 1e-12 && estimate.method == Method::Start);
    assert!((place.z - walker.pose().translation.z).abs() < 1e-9, "the ground is at z = 0 again");
}

#[test]
fn the_start_is_level_as_the_support_plane_says_or_at_identity_when_asked() {
    // The body leans by roll 0.03 and pitch 0.04 at its first cycle.
    let path = Path { omega: 0.0, ..Path::new([0.0; 3]) };
    let mut walker = Walker::new(common::pony(), Gait::walk(4), path);
    let lean = Path { tilt: Vector3::new(0.03, 0.04, 0.0), omega: std::f64::consts::FRAC_PI_2 / DT, ..path };
    walker.path = lean;
    walker.advance();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    let pose = odometry.update(&posture(&walker), None, None).pose;
    let up = pose.rotation.inverse() * Vector3::z();
    let expected = walker.pose().rotation.inverse() * Vector3::z();
    assert!((up - expected).norm() < 1e-9);
    assert!((pose.translation.z - walker.pose().translation.z).abs() < 1e-9);
    assert!(pose.translation.vector.xy().norm() == 0.0 && (pose.rotation * Vector3::x()).y.abs() < 1e-12);

    let params = OdometryParams { start_at_identity: true, ..exact() };
    let mut odometry = Odometry::new(&walker.model, &params).unwrap();
    let start = walker.pose();
    for _ in 0..30 {
        let pose = odometry.update(&posture(&walker), None, None).pose;
        let (far, turned) = gap(&pose, &(start.inverse() * walker.pose()));
        assert!(far < 1e-9 && turned < 1e-9);
        walker.advance();
    }
}

#[test]
fn another_contact_of_the_hoof_is_anchored_by_itself() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    for _ in 0..100 {
        let toes = walker.footings().map(|footing| footing.map(|f| Footing { contact: 1, ..f }));
        let estimate = odometry.update(&posture(&walker), Some(&toes), None);
        let (far, turned) = gap(&estimate.pose, &walker.pose());
        assert!(far < 1e-11 && turned < 1e-11);
        assert!((estimate.twist.0 - walker.path.twist(walker.time())).amax() < 1e-9);
        walker.advance();
    }
}

#[test]
fn legs_that_are_told_to_stand_but_swing_are_found_out() {
    let mut walker = walker();
    let mut odometry = Odometry::new(&walker.model, &exact()).unwrap();
    for cycle in 0..400 {
        let all = walker.footings().map(|_| Some(Footing { contact: 0, weight: 1.0 }));
        let estimate = odometry.update(&posture(&walker), Some(&all), None);
        for (number, leg) in estimate.legs.iter().enumerate() {
            let since = walker.gait.step(number, walker.cycle).1;
            // Half a step long it stands, then it swings; the cycles around the changes may count either way.
            let (stands, swings) = ((3..=20).contains(&since), (24..40).contains(&since));
            assert!(cycle < 3 || !stands || leg.support() == 1.0, "cycle {cycle}, leg {number}");
            assert!(cycle < 3 || !swings || leg.support() == 0.0, "cycle {cycle}, leg {number}");
        }
        walker.advance();
    }
    let (far, turned) = gap(&odometry.estimate().pose, &walker.path.pose(walker.time() - DT));
    println!("{far:.4} m, {turned:.4} rad after 4 s");
    assert!(far < 0.02 && turned < 0.02);
}

//! The Kalman filter: its covariance is that of its error, at any rate, and feet that move do not take the body along.
#![allow(clippy::unwrap_used)]

mod common;

use common::monte_carlo::{Case, RESOLUTION, Sensor, means, walk, walk_on};
use common::{Dice, Gait, Path, Walker, gap};
use nalgebra::{Isometry3, Vector3};
use odometry_node::{Body, Estimator, Feed, Footing, Method, Odometry, OdometryParams, Posture};

fn filter() -> OdometryParams {
    OdometryParams { method: Estimator::Filter, ..OdometryParams::default() }
}

fn cases(sensors: &[Sensor]) -> Vec<Case> {
    let both = |&sensor: &Sensor| [true, false].map(|given| Case::new(sensor, given, Estimator::Filter));
    sensors.iter().flat_map(both).collect()
}

/// NEES of three numbers is 3 on the mean. With given supports it is within issue 18's [1.5, 5]. With searched ones that
/// goal is not reached: at 50 Hz it is 0.7 (σ twice too large), at 100 Hz with white noise 5.8 (README, "Figures"). What is
/// held there is only that σ is not too small by more than a factor of two.
fn nees(rate: i64) {
    let cases = cases(&[Sensor::White(0.002), Sensor::Steps(RESOLUTION)]);
    let ends: Vec<_> = (1000..1050).map(|seed| walk(seed, rate, 15.0, &cases)).collect();
    let mut wrong = vec![];
    for (at, case) in cases.iter().enumerate() {
        let [nees, error, ..] = means(ends.iter().map(|ends| ends[at]));
        let (given, allowed) = if case.given { ("given", 1.5..5.0) } else { ("searched", 0.0..3.0 * 4.0) };
        let what = format!(
            "{rate} Hz, {:?}, {given}: NEES {nees:.2}, {:.2} % of the way",
            case.sensor,
            100.0 * error
        );
        println!("{what}");
        if !allowed.contains(&nees) {
            wrong.push(what);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_covariance_is_that_of_the_error_at_50_hz() {
    nees(50);
}

#[test]
fn the_covariance_is_that_of_the_error_at_100_hz() {
    nees(100);
}

#[test]
fn the_covariance_is_that_of_the_error_at_200_hz() {
    nees(200);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p odometry_node --test filter -- --ignored"]
fn the_covariance_is_that_of_the_error_at_1000_hz() {
    nees(1000);
}

#[test]
fn after_100_m_with_exact_joints_the_height_is_within_10_cm_and_within_3_sigma() {
    let path = Path::new([0.25, 0.0, 0.0]);
    let walker = Walker::new(common::pony(), Gait::trot(4), path);
    for end in walk_on(walker, 400.0, &cases(&[Sensor::Exact]), &mut Dice(1)) {
        println!(
            "{:.1} m: error {:?}, height off {:.4} m, σ {:.4} m",
            end.distance, end.error, end.height.0, end.height.1
        );
        assert!(end.distance > 99.0 && end.height.0.abs() < 0.1 && end.height.0.abs() < 3.0 * end.height.1);
    }
}

/// A slip of 10 ms: the foot moves at half a metre per second. Slower ones are printed, and not all of them are found:
/// a foot of two that slides across the line between them looks like a body that turns.
#[test]
fn a_foot_that_slips_5_mm_at_once_leaves_place_and_heading_within_3_sigma() {
    let cases = cases(&[Sensor::Exact, Sensor::Steps(RESOLUTION)]);
    for (seed, way) in [[5.0, 0.0], [-5.0, 0.0], [0.0, 5.0], [3.0, -4.0]].into_iter().enumerate() {
        for takes in [1, 5, 12] {
            let mut walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.0, 0.1]));
            // The first leg has come down at 100, and lifts after 120.
            assert!(walker.gait.step(0, 104).1 == 4 && walker.gait.is_down(0, 104 + takes));
            walker.slip = Some((0, 104, takes, Vector3::new(way[0], way[1], 0.0) * 1e-3));
            for (case, end) in cases.iter().zip(walk_on(walker, 2.0, &cases, &mut Dice(seed as u64))) {
                let sigmas = end.error.component_div(&end.covariance.diagonal().map(f64::sqrt));
                let what = format!("{way:?} mm in {takes} cycles, {:?}, given {}", case.sensor, case.given);
                println!("{what}: {:.1} {:.1} {:.1} σ", sigmas.x, sigmas.y, sigmas.z);
                assert!(takes > 1 || sigmas.amax() < 3.0, "{what}: {sigmas}");
            }
        }
    }
}

fn posture<'a>(walker: &'a Walker, qd: &'a [f64]) -> Posture<'a> {
    Posture { stamp: walker.stamp(), q: &walker.q, qd, mean_rates: true }
}

/// Three σ of the claimed errors of place, m, and orientation, rad, with room for rounding.
fn three_sigma(estimate: &odometry_node::Estimate) -> (f64, f64) {
    let variance = estimate.pose_covariance.diagonal();
    let sigma = |from: usize| (variance[from] + variance[from + 1] + variance[from + 2]).sqrt();
    (3.0 * sigma(0) + 1e-9, 3.0 * sigma(3) + 1e-9)
}

#[test]
fn a_given_body_replaces_the_pose_and_the_way_goes_on_from_there() {
    let mut walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]));
    let mut odometry = Odometry::new(&walker.model, &filter()).unwrap();
    let qd = vec![0.0; walker.q.len()];
    let moved = Isometry3::new(Vector3::new(3.0, -1.0, 1.5), Vector3::new(0.0, 0.0, 1.2));
    for cycle in 0..300 {
        let body = Body { pose: moved * walker.pose(), twist: None };
        let given = cycle == 100;
        let estimate = odometry.update(&posture(&walker, &qd), None, given.then_some(&body));
        let expected = if cycle < 100 { walker.pose() } else { moved * walker.pose() };
        let (far, turned) = gap(&estimate.pose, &expected);
        let (place, turn) = three_sigma(estimate);
        assert!(far < place && turned < turn, "cycle {cycle}: {far} of {place} m, {turned} of {turn} rad");
        assert_eq!(estimate.method == Method::Told, given);
        walker.advance();
    }
    let target = Isometry3::new(Vector3::new(0.5, 0.0, 1.0), Vector3::z() * -2.0);
    let before = walker.path.pose(walker.time() - walker.dt());
    odometry.set_pose(target).unwrap();
    for _ in 0..100 {
        let estimate = odometry.update(&posture(&walker, &qd), None, None);
        let (far, turned) = gap(&estimate.pose, &(target * before.inverse() * walker.pose()));
        let (place, turn) = three_sigma(estimate);
        assert!(
            far < place && turned < turn,
            "{far} of {place} m, {turned} of {turn} rad: the ground goes along"
        );
        walker.advance();
    }
}

#[test]
fn legs_that_are_given_but_swing_are_found_out() {
    let mut walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]));
    let mut odometry = Odometry::new(&walker.model, &filter()).unwrap();
    let qd = vec![0.0; walker.q.len()];
    for cycle in 0..400 {
        let all = walker.footings().map(|_| Some(Footing { contact: 0, weight: 1.0 }));
        let estimate = odometry.update(&posture(&walker, &qd), Some(&all), None);
        for (number, leg) in estimate.legs.iter().enumerate() {
            let since = walker.gait.step(number, walker.cycle).1;
            // Half a step long it stands, then it swings; the cycles around the changes may count either way.
            let (stands, swings) = ((4..=20).contains(&since), (24..40).contains(&since));
            assert!(cycle < 5 || !stands || leg.support() == 1.0, "cycle {cycle}, leg {number}");
            assert!(cycle < 5 || !swings || leg.support() == 0.0, "cycle {cycle}, leg {number}");
        }
        walker.advance();
    }
    let (far, turned) = gap(&odometry.estimate().pose, &walker.path.pose(walker.time() - walker.dt()));
    println!("{far:.4} m, {turned:.4} rad after 4 s");
    assert!(far < 0.02 && turned < 0.02);
}

#[test]
fn a_cycle_of_the_filter_allocates_nothing() {
    let mut walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]));
    let names: Vec<String> = walker.model.joints().iter().map(|joint| joint.name.clone()).collect();
    let mut table = vec![];
    for _ in 0..walker.gait.period {
        table.push(walker.q.clone());
        walker.advance();
    }
    let mut feed = Feed::new(&walker.model, &OdometryParams { support_timeout: 0.1, ..filter() }).unwrap();
    let chains = ["leg1", "leg2", "leg3", "leg4"];
    let mut cycle = |cycle: usize| {
        let stamp = 1 + cycle as i64 * common::DT_NS;
        let at = cycle % table.len();
        if cycle % 1000 < 500 {
            let down = [0, 1, 2, 3].map(|leg| f64::from(walker.gait.is_down(leg, at as i64)));
            feed.support(stamp, &chains, &[] as &[&str], &down).unwrap();
        }
        feed.joints(stamp, &names, &table[at], &[]).unwrap();
    };
    (0..100).for_each(&mut cycle);
    assert_eq!(test_lib::allocations(|| (100..20_000).for_each(&mut cycle)), 0);
    let covariance = feed.estimate().pose_covariance;
    assert!(covariance.cholesky().is_some(), "{covariance}");
}

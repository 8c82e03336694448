//! A day of cycles: nothing allocates, the quaternion stays unit.
#![allow(clippy::unwrap_used)]

mod common;

use common::{DT, Gait, Path, Walker};
use odometry_node::{Feed, OdometryParams};

#[test]
fn a_day_at_100_hz_keeps_the_quaternion_unit_and_allocates_nothing() {
    let gait = Gait::trot(4);
    // The body sways once per step, so that the joints repeat themselves.
    let omega = std::f64::consts::TAU / (gait.period as f64 * DT);
    let path = Path { omega, ..Path::new([0.2, 0.01, 0.1]) };
    let mut walker = Walker::new(common::pony(), gait.clone(), path);
    let names: Vec<String> = walker.model.joints().iter().map(|joint| joint.name.clone()).collect();
    let chains = ["leg1", "leg2", "leg3", "leg4"];
    let mut table = vec![];
    for cycle in 0..gait.period {
        let down = [0, 1, 2, 3].map(|leg| f64::from(gait.is_down(leg, cycle)));
        table.push((walker.q.clone(), walker.qd.clone(), down));
        walker.advance();
    }
    let params = OdometryParams {
        position_tolerance: 1e-4,
        angle_tolerance: 1e-3,
        support_timeout: 0.1,
        ..common::fit()
    };
    let mut feed = Feed::new(&walker.model, &params).unwrap();
    let cycles: i64 = 24 * 3600 * 100;
    let mut worst = 0.0_f64;
    let mut cycle = |cycle: i64| {
        let (q, qd, down) = &table[(cycle % gait.period) as usize];
        let stamp = 1 + cycle * common::DT_NS;
        // Half of the day with supports, half with a search.
        if cycle % 1000 < 500 {
            feed.support(stamp, &chains, &[] as &[&str], down).unwrap();
        }
        let estimate = feed.joints(stamp, &names, q, if cycle % 2 == 0 { qd } else { &[] }).unwrap();
        worst = worst.max((estimate.pose.rotation.coords.norm() - 1.0).abs());
    };
    (0..1000).for_each(&mut cycle);
    let allocations = test_lib::allocations(|| (1000..cycles).for_each(&mut cycle));
    assert_eq!(allocations, 0, "in a day");
    assert!(worst < 1e-12, "{worst}");
    let covariance = feed.estimate().pose_covariance;
    assert!(covariance.iter().all(|number| number.is_finite()) && covariance.cholesky().is_some());
    println!("quaternion within {worst:.1e} of unit length");
}

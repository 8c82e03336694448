//! `method: fit` at the rates and with the joints that robots have: the way does not depend on the rate, and the covariance is that of the error.
#![allow(clippy::unwrap_used)]

mod common;

use common::monte_carlo::{Case, RESOLUTION, Sensor, means, walk};
use common::{Gait, Path, Walker};
use odometry_node::{Estimator, Feed};

/// NEES of (x, y, heading) is 3 on the mean. The anchors' errors are not in a state of their own, so what the closed form claims is held
/// to a factor of two of σ on the safe side, and to issue 18's 5 on the other. With joints as servos measure them the way is within the
/// 2 % that the issue asks of joints alone; white noise of 2 mrad is two and a half times as much.
fn fit_is_honest(rate: i64) {
    let mut cases = vec![];
    for sensor in [Sensor::White(0.002), Sensor::Steps(RESOLUTION)] {
        cases.extend([true, false].map(|given| Case::new(sensor, given, Estimator::Fit)));
    }
    let ends: Vec<_> = (1000..1030).map(|seed| walk(seed, rate, 15.0, &cases)).collect();
    let mut wrong = vec![];
    for (at, case) in cases.iter().enumerate() {
        let [nees, error, ..] = means(ends.iter().map(|ends| ends[at]));
        let what = format!(
            "{rate} Hz, {:?}, given {}: NEES {nees:.2}, {:.2} % of the way",
            case.sensor,
            case.given,
            100.0 * error
        );
        println!("{what}");
        let is_servo = matches!(case.sensor, Sensor::Steps(_));
        if !(0.75..5.0).contains(&nees) || is_servo && error > 0.02 {
            wrong.push(what);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn at_50_hz_the_fit_knows_its_error() {
    fit_is_honest(50);
}

#[test]
fn at_100_hz_the_fit_knows_its_error() {
    fit_is_honest(100);
}

#[test]
fn at_200_hz_the_fit_knows_its_error() {
    fit_is_honest(200);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p odometry_node --test fit -- --ignored"]
fn at_1000_hz_the_fit_knows_its_error() {
    fit_is_honest(1000);
}

#[test]
fn a_cycle_of_the_fit_allocates_nothing_used_or_not() {
    let mut walker = Walker::at_rate(common::pony(), Gait::trot(4), Path::new([0.2, 0.02, 0.3]), 200);
    let names: Vec<String> = walker.model.joints().iter().map(|joint| joint.name.clone()).collect();
    let mut table = vec![];
    for _ in 0..walker.gait.period {
        table.push(walker.q.clone());
        walker.advance();
    }
    let mut feed = Feed::new(&walker.model, &common::fit()).unwrap();
    let mut cycle = |cycle: i64| {
        let q = &table[cycle as usize % table.len()];
        feed.joints(1 + cycle * walker.period, &names, q, &[]).unwrap();
    };
    (0..100).for_each(&mut cycle);
    assert_eq!(test_lib::allocations(|| (100..4_000).for_each(&mut cycle)), 0);
}

//! Messages of another time than the joints', and gaps in the joints' own.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Gait, Path, Walker, exact, gap};
use nalgebra::Isometry3;
use odometry_node::{Body, Estimate, Estimator, Feed, Method, OdometryParams};

const NONE: [&str; 0] = [];
const SECOND: i64 = 1_000_000_000;
const LEGS: [&str; 4] = ["leg1", "leg2", "leg3", "leg4"];

struct Rig {
    walker: Walker,
    names: Vec<String>,
    feed: Feed,
    /// Added to the stamps of the walk, ns.
    later: i64,
}

impl Rig {
    fn new(params: &OdometryParams) -> Self {
        let walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.0, 0.3]));
        let names = walker.model.joints().iter().map(|joint| joint.name.clone()).collect();
        let feed = Feed::new(&walker.model, params).unwrap();
        Self { walker, names, feed, later: 0 }
    }

    fn stamp(&self) -> i64 {
        self.walker.stamp() + self.later
    }

    /// The joints of now; then the walk goes on.
    fn joints(&mut self) -> Estimate {
        let stamp = self.stamp();
        let estimate = self.feed.joints(stamp, &self.names, &self.walker.q, &[]).unwrap().clone();
        self.walker.advance();
        estimate
    }
}

fn filter() -> OdometryParams {
    OdometryParams { method: Estimator::Filter, ..OdometryParams::default() }
}

#[test]
fn a_body_of_two_seconds_ago_is_not_the_present_with_or_without_sync() {
    for (params, is_synced) in [(exact(), false), (exact(), true), (filter(), false), (filter(), true)] {
        let mut rig = Rig::new(&params);
        let body = Body { pose: Isometry3::translation(5.0, 0.0, 1.0), twist: None };
        for cycle in 0..250_u32 {
            if is_synced {
                rig.feed.sync(cycle + 1, rig.stamp(), 0.01);
            }
            let old = rig.stamp() - 2 * SECOND;
            if cycle > 210 {
                assert!(!rig.feed.body(old, body), "{old}: its joints have come long ago");
            }
            assert_ne!(rig.joints().method, Method::Told);
        }
        // It came in time, but the joints of its time never did.
        assert!(rig.feed.body(rig.stamp(), body));
        rig.later += 2 * SECOND;
        assert_ne!(rig.joints().method, Method::Told);
        // A tracker's pose comes a little after the joints of its moment, or a little before those of the next.
        if !is_synced {
            let now = rig.stamp() - common::DT_NS;
            assert!(rig.feed.body(now - 4_000_000, body) && rig.joints().method == Method::Told);
        }
        assert!(rig.feed.body(rig.stamp() - 1_000_000, body) && rig.joints().method == Method::Told);
    }
}

#[test]
fn a_support_stamped_a_minute_ahead_never_counts_beside_those_of_the_present() {
    let mut rig = Rig::new(&exact());
    let ahead = rig.stamp() + 60 * SECOND + 55_000_000;
    rig.feed.support(ahead, &LEGS, &NONE, &[1.0, 1.0, 1.0, 1.0]).unwrap();
    for cycle in 0..6100 {
        // Supports come when they change, as a source may send them.
        let down = [0, 1, 2, 3].map(|leg| f64::from(rig.walker.gait.is_down(leg, cycle)));
        let before = [0, 1, 2, 3].map(|leg| f64::from(rig.walker.gait.is_down(leg, cycle - 1)));
        if cycle == 0 || down != before {
            rig.feed.support(rig.stamp(), &LEGS, &NONE, &down).unwrap();
        }
        let estimate = rig.joints();
        let used: Vec<_> = estimate.legs.iter().map(|leg| f64::from(leg.footing.is_some())).collect();
        assert_eq!(used, down, "cycle {cycle}");
    }
}

/// A body at 1 m/s at the most may be anywhere within the gap's seconds; that, and no NaN, is what is known.
#[test]
fn after_stamps_that_leap_the_filter_goes_on_from_there_and_says_what_it_does_not_know() {
    for seconds in [3_i64, 60, 3600, 30 * 365 * 86_400, 200 * 365 * 86_400] {
        let mut rig = Rig::new(&filter());
        for _ in 0..100 {
            rig.joints();
        }
        let before = rig.feed.estimate().pose_covariance;
        rig.later += seconds * SECOND;
        let mut first = None;
        for _ in 0..100 {
            let truth = rig.walker.pose();
            let estimate = rig.joints();
            let variance = estimate.pose_covariance.diagonal();
            assert!(estimate.pose_covariance.iter().all(|entry| entry.is_finite()), "{seconds} s");
            assert!(estimate.pose_covariance.cholesky().is_some(), "{seconds} s: {variance}");
            // The way since the leap is seen as before.
            let first = *first.get_or_insert((estimate.pose, truth));
            let (far, _) = gap(&(first.0.inverse() * estimate.pose), &(first.1.inverse() * truth));
            assert!(far < 0.05, "{seconds} s: {far} m");
        }
        let sigma = rig.feed.estimate().pose_covariance[(0, 0)].sqrt();
        assert!(
            sigma >= seconds.min(60) as f64 / 3.0 && before[(0, 0)].sqrt() < 0.1,
            "{seconds} s: {sigma} m"
        );
        let (far, _) = gap(&rig.feed.estimate().pose, &rig.walker.pose());
        assert!(far < 1.0, "{seconds} s: {far} m");
    }
}

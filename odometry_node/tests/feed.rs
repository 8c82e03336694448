//! Messages: what is malformed is refused and changes nothing, and time has an order.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Dice, Gait, Path, Walker, exact};
use nalgebra::Isometry3;
use odometry_node::{Body, Estimate, Feed, Method, OdometryParams, Refused, Warning};

const NONE: [&str; 0] = [];

struct Rig {
    walker: Walker,
    names: Vec<String>,
}

impl Rig {
    fn new() -> Self {
        let walker = Walker::new(common::pony(), Gait::trot(4), Path::new([0.2, 0.0, 0.3]));
        let names = walker.model.joints().iter().map(|joint| joint.name.clone()).collect();
        Self { walker, names }
    }

    fn feed(&self, params: &OdometryParams) -> Feed {
        Feed::new(&self.walker.model, params).unwrap()
    }

    fn joints(&self, feed: &mut Feed) -> Estimate {
        let Walker { q, qd, .. } = &self.walker;
        feed.joints(self.walker.stamp(), &self.names, q, qd).unwrap().clone()
    }
}

#[test]
fn joints_in_any_order_with_strangers_among_them_give_the_same() {
    let mut rig = Rig::new();
    let (mut plain, mut mixed) = (rig.feed(&exact()), rig.feed(&exact()));
    let mut dice = Dice(5);
    for _ in 0..50 {
        let mut order: Vec<usize> = (0..rig.names.len()).collect();
        order.sort_by_cached_key(|_| dice.bits());
        let mut names: Vec<&str> = order.iter().map(|&at| rig.names[at].as_str()).collect();
        let mut q: Vec<f64> = order.iter().map(|&at| rig.walker.q[at]).collect();
        let mut qd: Vec<f64> = order.iter().map(|&at| rig.walker.qd[at]).collect();
        names.insert(3, "gripper");
        q.insert(3, f64::NAN);
        qd.insert(3, 7.0);
        let expected = rig.joints(&mut plain);
        assert_eq!(*mixed.joints(rig.walker.stamp(), &names, &q, &qd).unwrap(), expected);
        rig.walker.advance();
    }
}

#[test]
fn malformed_messages_are_refused_without_a_change() {
    let mut rig = Rig::new();
    let (mut clean, mut bothered) = (rig.feed(&exact()), rig.feed(&exact()));
    for _ in 0..60 {
        rig.joints(&mut clean);
        rig.joints(&mut bothered);
        bother(&rig, &mut bothered);
        assert_eq!(clean.estimate(), bothered.estimate());
        rig.walker.advance();
    }
}

fn bother(rig: &Rig, feed: &mut Feed) {
    let (stamp, names) = (rig.walker.stamp() + 1, &rig.names);
    let (q, qd) = (&rig.walker.q.iter().map(|q| q + 0.1).collect::<Vec<_>>(), &rig.walker.qd);
    let with = |values: &[f64], at: usize, value: f64| {
        let mut values = values.to_vec();
        values[at] = value;
        values
    };
    let refused = |result: Result<&Estimate, Refused>, what: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
    };
    refused(feed.joints(stamp, names, &q[1..], qd), "position has 30 elements for 31 names");
    refused(feed.joints(stamp, names, q, &qd[1..]), "velocity");
    refused(feed.joints(stamp, names, &with(q, 29, f64::NAN), qd), "is NaN");
    refused(feed.joints(stamp, names, &with(q, 0, f64::INFINITY), qd), "\"leg1_hip_yaw\"");
    refused(feed.joints(stamp, names, q, &with(qd, 4, f64::NEG_INFINITY)), "velocity of joint");
    refused(feed.joints(stamp, &names[1..], &q[1..], &qd[1..]), "joint \"leg1_hip_yaw\" is missing");
    refused(feed.joints::<&str>(stamp, &[], &[], &[]), "31 of 31 joints are missing");
    let mut twice = names.clone();
    twice[7] = twice[3].clone();
    refused(feed.joints(stamp, &twice, q, qd), "stands twice");
    refused(feed.joints(stamp - 10_000_000, names, q, qd), "older than the last");

    let refused = |result: Result<(), Refused>, what: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
    };
    refused(feed.support(stamp, &["leg1"], &NONE, &[]), "support: 0 values");
    refused(feed.support(stamp, &["leg1"], &["sole", "sole"], &[1.0]), "contact: 2 values");
    refused(feed.support(stamp, &["leg1", "leg1"], &NONE, &[1.0, 1.0]), "stands twice");
    refused(feed.support(stamp, &["leg9"], &NONE, &[1.0]), "no chain \"leg9\"; there are: leg1, leg2");
    refused(feed.support(stamp, &["leg1"], &["horn"], &[1.0]), "no contact \"horn\"; there are: sole, toe");
    for bad in [-0.1, 1.5, f64::INFINITY] {
        refused(feed.support(stamp, &["leg1"], &NONE, &[bad]), "outside 0 … 1");
    }
}

#[test]
fn absent_velocities_are_differences_and_nan_means_absent_for_one_joint() {
    let mut rig = Rig::new();
    let (mut given, mut absent, mut some) = (rig.feed(&exact()), rig.feed(&exact()), rig.feed(&exact()));
    let mut worst = 0.0_f64;
    for cycle in 0..100 {
        let (stamp, q) = (rig.walker.stamp(), rig.walker.q.clone());
        let expected = rig.joints(&mut given);
        let found = absent.joints(stamp, &rig.names, &q, &[]).unwrap().clone();
        let mut qd = rig.walker.qd.clone();
        qd[0] = f64::NAN;
        qd[13] = f64::NAN;
        let mixed = some.joints(stamp, &rig.names, &q, &qd).unwrap().clone();
        assert_eq!(found.pose, expected.pose);
        // A hoof that has just come down was still moving a moment ago.
        if cycle % 20 > 1 {
            worst = worst
                .max((found.twist.0 - expected.twist.0).amax())
                .max((mixed.twist.0 - expected.twist.0).amax());
        }
        rig.walker.advance();
    }
    // Half a cycle late: the acceleration of the sway, 0.04·7.3² rad/s², times 5 ms.
    assert!(worst < 0.02, "{worst}");
}

#[test]
fn a_looped_bag_begins_anew_and_gives_the_same_again() {
    let rig = Rig::new();
    let mut feed = rig.feed(&exact());
    let mut loops: Vec<Vec<Estimate>> = vec![];
    for _ in 0..3 {
        let mut rig = Rig::new();
        let mut estimates = vec![];
        for cycle in 0..90 {
            // From the thirtieth cycle on supports are told; the next loop must not know them.
            if cycle >= 30 {
                let down: Vec<f64> =
                    (0..4).map(|leg| f64::from(rig.walker.gait.is_down(leg, cycle))).collect();
                feed.support(rig.walker.stamp(), &["leg1", "leg2", "leg3", "leg4"], &NONE, &down).unwrap();
            }
            let stamp = rig.walker.stamp();
            estimates.push(feed.joints(stamp, &rig.names, &rig.walker.q, &[]).unwrap().clone());
            rig.walker.advance();
        }
        loops.push(estimates);
    }
    assert_eq!(loops[0], loops[1]);
    assert_eq!(loops[0], loops[2]);
    assert_eq!(feed.resets(), 2);
}

#[test]
fn supports_wait_for_the_joints_of_their_time_and_expire() {
    let mut rig = Rig::new();
    let params = OdometryParams { support_timeout: 0.035, ..exact() };
    let mut feed = rig.feed(&params);
    let down =
        |estimate: &Estimate| estimate.legs.iter().map(|leg| leg.footing.is_some()).collect::<Vec<_>>();
    let told = [false, true, true, true];
    let ahead = rig.walker.stamp() + 2 * common::DT_NS;
    feed.support(ahead, &["leg2", "leg3", "leg4", "leg1"], &NONE, &[1.0, 0.5, 1.0, 0.0]).unwrap();
    for cycle in 0..8 {
        let estimate = rig.joints(&mut feed);
        // It comes in the third cycle and is too old after the sixth.
        assert_eq!(down(&estimate) == told, (2..=5).contains(&cycle), "cycle {cycle}");
        rig.walker.advance();
    }
    feed.support(0, &["leg1"], &NONE, &[1.0]).unwrap();
    assert_eq!(rig.joints(&mut feed).warning, Some(Warning::TooFew), "without a stamp it holds at once");
}

#[test]
fn a_support_of_a_time_that_does_not_come_holds_up_no_other_and_an_old_one_replaces_no_newer() {
    let mut rig = Rig::new();
    let mut feed = rig.feed(&exact());
    let legs = ["leg1", "leg2", "leg3", "leg4"];
    let down =
        |estimate: &Estimate| estimate.legs.iter().map(|leg| leg.footing.is_some()).collect::<Vec<_>>();
    let stamp = rig.walker.stamp();
    feed.support(stamp + 3_600_000_000_000, &legs, &NONE, &[1.0, 1.0, 0.0, 0.0]).unwrap();
    feed.support(stamp, &legs, &NONE, &[0.0, 1.0, 1.0, 1.0]).unwrap();
    assert_eq!(down(&rig.joints(&mut feed)), [false, true, true, true]);
    rig.walker.advance();
    feed.support(stamp - common::DT_NS, &legs, &NONE, &[1.0; 4]).unwrap();
    assert_eq!(down(&rig.joints(&mut feed)), [false, true, true, true]);
}

#[test]
fn a_support_is_of_the_joints_of_its_cycle_whichever_comes_first_and_however_it_is_stamped() {
    for (sync_first, off) in
        [(true, -99_000), (true, 99_000), (false, -99_000), (false, 99_000), (true, 9_000_000)]
    {
        let mut rig = Rig::new();
        let mut feed = rig.feed(&exact());
        let legs = ["leg1", "leg2", "leg3", "leg4"];
        for cycle in 0..8_u32 {
            let stamp = rig.walker.stamp();
            // A leg of its own is up in each cycle; the message goes ahead of its sync or behind it, off the grid by 1 %.
            let told: Vec<f64> = (0..4).map(|leg| f64::from(leg != cycle % 4)).collect();
            let sync = |feed: &mut Feed| feed.sync(cycle + 1, stamp - off % 1_000_000, 0.01);
            if sync_first || cycle == 0 {
                sync(&mut feed);
            }
            feed.support(stamp + off, &legs, &NONE, &told).unwrap();
            let estimate = rig.joints(&mut feed);
            let down: Vec<f64> = estimate.legs.iter().map(|leg| f64::from(leg.footing.is_some())).collect();
            assert_eq!((down, feed.cycle()), (told, cycle + 1), "off by {off} ns, sync first: {sync_first}");
            if !sync_first {
                sync(&mut feed);
            }
            rig.walker.advance();
        }
    }
}

#[test]
fn a_body_counts_once_and_for_its_own_cycle_only() {
    let mut rig = Rig::new();
    let mut feed = rig.feed(&exact());
    let body = Body { pose: Isometry3::translation(1.0, 2.0, 3.0), twist: None };
    let stamp = rig.walker.stamp();
    feed.sync(7, stamp, 0.01);
    // Its stamp lies in the cycle of the joints, if a little behind them.
    assert!(feed.body(stamp + 3_000_000, body));
    let estimate = rig.joints(&mut feed);
    assert!(estimate.method == Method::Told && estimate.pose == body.pose && feed.cycle() == 7);
    rig.walker.advance();
    feed.sync(8, rig.walker.stamp(), 0.01);
    assert!(!feed.body(stamp, body), "its cycle is over");
    assert_eq!(rig.joints(&mut feed).method, Method::Fitted);
}

#[test]
fn robots_without_legs_and_frames_that_are_no_root_are_refused() {
    let rig = Rig::new();
    let params = OdometryParams { base_frame: "head".into(), ..OdometryParams::default() };
    let text = Feed::new(&rig.walker.model, &params).unwrap_err().to_string();
    assert!(text.contains("\"head\"") && text.contains("\"base_link\""), "{text}");
    let many = Feed::new(&common::robot(18), &OdometryParams::default()).unwrap_err();
    assert_eq!(many, Refused::Legs { legs: 18, most: 16 });
    assert!(Feed::new(&common::robot(16), &OdometryParams::default()).is_ok());
}

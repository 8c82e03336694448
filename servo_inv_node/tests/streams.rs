//! However `sync` and poses come, the lead is that of the speed: stamps beside their grid, and messages that are late, lost,
//! repeated or overtake each other, gaps and stepped clocks.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::LeadParams;

const T: i64 = 20_000_000;
const PERIOD: f64 = 0.02;
const LEAD: f64 = 0.05;
/// After which a source starts anew, ns.
const SILENCE: i64 = 1_000_000_000;
/// rad per cycle.
const SPEED: f64 = 0.05;

/// One cycle of a trajectory, and what becomes of its two messages on their way.
#[derive(Clone, Debug)]
struct Cycle {
    step: f64,
    /// Cycles since the one before.
    gap: i64,
    sync: Message,
    pose: Message,
}

#[derive(Clone, Debug)]
struct Message {
    /// Off the grid, ns: up to 1 % of a period.
    jitter: i64,
    /// On its way for so long, in hundredths of a cycle.
    delay: i64,
    lost: bool,
    /// Comes once more, so much later.
    again: Option<i64>,
}

fn message() -> impl Strategy<Value = Message> {
    let delay = prop_oneof![6 => 0..90_i64, 1 => 0..300_i64];
    let lost = prop_oneof![9 => Just(false), 1 => Just(true)];
    let again = prop_oneof![9 => Just(None), 1 => (0..150_i64).prop_map(Some)];
    (-T / 100..=T / 100, delay, lost, again).prop_map(|(jitter, delay, lost, again)| Message {
        jitter,
        delay,
        lost,
        again,
    })
}

fn cycles() -> impl Strategy<Value = Vec<Cycle>> {
    let gap = prop_oneof![20 => Just(1_i64), 2 => 2..5_i64, 1 => 5..100_i64];
    let cycle = (-SPEED..SPEED, gap, message(), message()).prop_map(|(step, gap, sync, pose)| Cycle {
        step,
        gap,
        sync,
        pose,
    });
    prop::collection::vec(cycle, 2..60)
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Sync(i64),
    /// Stamp, cycle, position.
    Pose(i64, i64, f64),
}

/// Messages in the order in which they arrive. From its cycle on, a clock step moves every stamp by so many cycles.
fn arrivals(cycles: &[Cycle], clock_step: Option<(usize, i64)>) -> Vec<Event> {
    let (mut k, mut q) = (1000, 0.0);
    let mut events = vec![(-1, Event::Sync(k * T))];
    for (i, cycle) in cycles.iter().enumerate() {
        k += cycle.gap;
        q += cycle.step * cycle.gap as f64;
        let offset = clock_step.filter(|(at, _)| i >= *at).map_or(0, |(_, by)| by);
        let stamp = |message: &Message| (k + offset) * T + message.jitter;
        for (message, event) in [
            (&cycle.sync, Event::Sync(stamp(&cycle.sync))),
            (&cycle.pose, Event::Pose(stamp(&cycle.pose), k, q)),
        ] {
            let arrival = (k - 1000) * 100 + message.delay;
            if !message.lost {
                events.push((arrival, event));
            }
            events.extend(message.again.map(|more| (arrival + more, event)));
        }
    }
    events.sort_by_key(|(arrival, _)| *arrival);
    events.into_iter().map(|(_, event)| event).collect()
}

struct Robot(ServoInverse, Vec<String>);

impl Robot {
    fn new() -> Robot {
        let params = LeadParams { period: 0.5, lead: LEAD, ..LeadParams::default() };
        Robot(ServoInverse::ideal(Settings::from(&params)).unwrap(), vec!["a".into()])
    }

    fn target(&mut self, stamp: i64, q: f64) -> Option<f64> {
        let desired = Desired { name: &self.1, position: &[q], ..Desired::default() };
        self.0.step(desired, stamp).unwrap().map(|goals| goals.target[0])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// A pose is led by the mean speed since the nearest pose before it that has come; an old one not at all.
    #[test]
    fn every_goal_leads_by_the_speed_since_the_pose_before_it(cycles in cycles()) {
        let mut robot = Robot::new();
        let mut come: Vec<(i64, f64)> = vec![];
        let mut newest_stamp = i64::MAX;
        for event in arrivals(&cycles, None) {
            match event {
                Event::Sync(stamp) => { robot.0.sync(0, stamp, PERIOD); }
                Event::Pose(stamp, k, q) => {
                    let newest = come.iter().map(|(k, _)| *k).max();
                    let target = robot.target(stamp, q);
                    if newest.is_some_and(|newest| k < newest) {
                        prop_assert_eq!(target, None, "cycle {} after {:?}", k, newest);
                    } else {
                        if stamp.saturating_sub(newest_stamp) > SILENCE {
                            come.clear();
                        }
                        newest_stamp = stamp;
                        let before = come.iter().filter(|(i, _)| *i < k).max_by_key(|(i, _)| *i);
                        let lead = before.map_or(0.0, |(i, p)| (q - p) / ((k - i) as f64 * PERIOD) * LEAD);
                        let target = target.unwrap();
                        prop_assert!((target - q - lead).abs() < 1e-9, "cycle {k}: {q} → {target}, not {}", q + lead);
                    }
                    come.push((k, q));
                }
            }
        }
    }

    /// Where the clock is stepped, nothing is led farther than the speed goes, and goals come again after four cycles.
    #[test]
    fn a_stepped_clock_leads_nothing_too_far(
        mut cycles in cycles(),
        at in 0..40_usize,
        // Back by one cycle is missing: then two poses say that they are of one cycle, and the second replaces the first.
        by in prop_oneof![-24..-1_i64, 1..24_i64, -200..200_i64].prop_filter("not -1", |by| *by != -1),
    ) {
        // One lost or late just where the two times cross would look like speed, and no stamp could tell.
        for Cycle { gap, pose, .. } in &mut cycles {
            (*gap, *pose) = (1, Message { delay: pose.delay % 100, lost: false, again: None, ..*pose });
        }
        let mut robot = Robot::new();
        let mut silent = 0;
        for event in arrivals(&cycles, Some((at, by))) {
            match event {
                Event::Sync(stamp) => { robot.0.sync(0, stamp, PERIOD); }
                Event::Pose(stamp, k, q) => match robot.target(stamp, q) {
                    None => silent += 1,
                    Some(target) => {
                        silent = 0;
                        let lead = (target - q).abs();
                        prop_assert!(lead <= SPEED / PERIOD * LEAD + 1e-9, "cycle {k}: {q} → {target}");
                    }
                },
            }
            prop_assert!(silent < 4, "silent for {silent} poses");
        }
    }

    /// A motion of constant speed is led by it also where the period changes: early, late or in between.
    #[test]
    fn a_changed_period_is_no_change_of_speed(
        periods in prop::collection::vec(prop::sample::select(vec![5_i64, 10, 20, 40]), 2..30),
        turns in prop::collection::vec(any::<bool>(), 1..40),
        speed in -5.0..5.0_f64,
    ) {
        const MS: i64 = 1_000_000;
        let mut robot = Robot::new();
        let mut at = 1_000 * MS;
        // The start of each cycle and its duration, ms.
        let cycles: Vec<(i64, i64)> = periods.iter().map(|ms| { at += ms * MS; (at - ms * MS, *ms) }).collect();
        let (mut synced, mut sent, mut turns) = (0, 0, turns.into_iter().cycle());
        while sent < cycles.len() {
            // A pose comes at most one cycle before its sync, or one behind it.
            let next_is_sync = synced == 0 || sent > synced || (synced < sent + 2 && turns.next() == Some(true));
            if next_is_sync && synced < cycles.len() {
                let (start, ms) = cycles[synced];
                robot.0.sync(0, start, ms as f64 / 1e3);
                synced += 1;
            } else {
                let start = cycles[sent].0;
                let q = speed * (start - 1_000 * MS) as f64 / 1e9;
                let lead = robot.target(start, q).unwrap() - q;
                let expected = if sent == 0 { 0.0 } else { speed * LEAD };
                prop_assert!((lead - expected).abs() < 1e-9, "pose {sent} after {synced} syncs: {lead}, not {expected}");
                sent += 1;
            }
        }
    }
}

//! `servo_inv_lead`: the formula, the cycle, and every way in which a stream of positions can begin, change and break.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use servo_inv_node::desired::{Desired, Refusal};
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::notice::Notice;
use servo_inv_node::params::LeadParams;
use servo_inv_node::timing::JointTiming;

const PERIOD: f64 = 0.02;
const LEAD: f64 = 0.05;
const CYCLE: i64 = 20_000_000;

fn settings() -> Settings {
    Settings::from(&LeadParams { period: PERIOD, lead: LEAD, ..LeadParams::default() })
}

fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

struct Robot(ServoInverse);

impl Robot {
    fn new() -> Robot {
        Robot(ServoInverse::ideal(settings()).unwrap())
    }

    /// Targets (none for a pose that was skipped), the first joint's playtime, and notices.
    fn send(
        &mut self,
        at_ns: i64,
        joints: &str,
        position: &[f64],
    ) -> Result<(Vec<f64>, f64, Vec<Notice>), Refusal> {
        let name = names(joints);
        let goals = self.0.step(Desired { name: &name, position, ..Desired::default() }, at_ns)?;
        Ok(goals.map_or((vec![], 0.0, vec![]), |goals| {
            (goals.target.to_vec(), goals.playtime[0], goals.notices.to_vec())
        }))
    }

    fn targets(&mut self, at_ns: i64, joints: &str, position: &[f64]) -> Vec<f64> {
        self.send(at_ns, joints, position).unwrap().0
    }
}

fn led(q: f64, q_prev: f64) -> f64 {
    q + (q - q_prev) * LEAD / PERIOD
}

#[test]
fn the_first_message_is_its_own_goal() {
    let (target, playtime, notices) = Robot::new().send(1, "a b", &[0.1, -0.2]).unwrap();
    assert_eq!((target, playtime, notices), (vec![0.1, -0.2], LEAD + PERIOD, vec![]));
}

/// A joint with a lead of its own has the playtime of that: it had the one of all, and was five times as fast as asked.
#[test]
fn each_joint_has_the_playtime_of_its_own_lead() {
    let name = names("a b");
    let timing = JointTiming { joint: "b".into(), lead: Some(0.1), delay: Some(0.03) };
    for (fixed, expected) in [(0.0, [LEAD + PERIOD, 0.1 + PERIOD]), (0.0112, [0.0112; 2])] {
        let mut inverse = ServoInverse::ideal(Settings { playtime: fixed, ..settings() }).unwrap();
        inverse.set_timing(vec![timing.clone()]);
        for k in 1..3 {
            let desired = Desired { name: &name, position: &[0.0; 2], ..Desired::default() };
            let goals = inverse.step(desired, k * CYCLE).unwrap().unwrap();
            assert!(goals.playtime.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{goals:?}");
        }
    }
}

#[test]
fn without_sync_the_previous_message_is_the_previous_cycle() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a", &[0.1]);
    assert_eq!(robot.targets(2 * CYCLE, "a", &[0.13]), [led(0.13, 0.1)]);
    assert_eq!(robot.targets(3 * CYCLE, "a", &[0.12]), [led(0.12, 0.13)]);
}

#[test]
fn several_messages_within_a_cycle_all_start_from_the_previous_cycle() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    // Nothing is known of a cycle before.
    assert_eq!(robot.targets(CYCLE + 1, "a", &[0.1]), [0.1]);
    assert_eq!(robot.targets(CYCLE + 2, "a", &[0.2]), [0.2]);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE + 1, "a", &[0.25]), [led(0.25, 0.2)]);
    assert_eq!(robot.targets(2 * CYCLE + 2, "a", &[0.3]), [led(0.3, 0.2)]);
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    robot.0.sync(0, 4 * CYCLE, PERIOD);
    // A cycle without a pose: the step is that of two cycles.
    assert_eq!(robot.targets(4 * CYCLE + 1, "a", &[0.31]), [0.31 + (0.31 - 0.3) * LEAD / (2.0 * PERIOD)]);
}

/// Found by the fuzz target: the time between the two was none, and the goals no numbers.
#[test]
fn a_source_that_goes_on_while_the_beat_is_away_is_led_by_its_own_speed() {
    let mut robot = Robot::new();
    robot.0.sync(1, CYCLE, PERIOD);
    robot.targets(CYCLE, "a", &[0.0]);
    robot.targets(3 * CYCLE, "a", &[0.1]);
    robot.0.sync(2, 5 * CYCLE, PERIOD);
    assert_eq!(robot.targets(5 * CYCLE, "a", &[0.11]), [0.11 + (0.11 - 0.1) * LEAD / (2.0 * PERIOD)]);
}

#[test]
fn the_period_is_that_of_sync_and_else_the_parameter() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, 0.1);
    robot.targets(CYCLE, "a", &[0.0]);
    robot.0.sync(0, 6 * CYCLE, 0.1);
    let (target, playtime, _) = robot.send(6 * CYCLE, "a", &[0.1]).unwrap();
    assert_eq!((target, playtime), (vec![0.1 + 0.1 * LEAD / 0.1], LEAD + 0.1));
    robot.0.sync(0, 11 * CYCLE, 0.0);
    let (target, playtime, _) = robot.send(11 * CYCLE, "a", &[0.2]).unwrap();
    // The cycle between the two still lasted 0.1 s.
    assert_eq!((target, playtime), (vec![0.2 + 0.1 * LEAD / 0.1], LEAD + PERIOD));
    robot.0.sync(0, 12 * CYCLE, 0.0);
    assert_eq!(robot.targets(12 * CYCLE, "a", &[0.21]), [led(0.21, 0.2)]);
}

#[test]
fn a_message_that_sync_overtook_still_belongs_to_its_cycle() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    robot.targets(CYCLE + 1, "a", &[0.1]);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE + 1, "a", &[0.12]), [led(0.12, 0.1)]);
    assert_eq!(robot.targets(3 * CYCLE + 1, "a", &[0.14]), [led(0.14, 0.12)]);
}

#[test]
fn a_pose_that_overtakes_its_sync_is_of_its_own_cycle_though_it_is_stamped_a_little_early() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    robot.targets(CYCLE, "a", &[0.0]);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE, "a", &[0.05]), [led(0.05, 0.0)]);
    assert_eq!(robot.targets(3 * CYCLE - 50, "a", &[0.10]), [led(0.10, 0.05)]);
    assert!((led(0.10, 0.05) - 0.225).abs() < 1e-15);
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    // Seven silent cycles.
    robot.0.sync(0, 11 * CYCLE, PERIOD);
    assert_eq!(robot.targets(11 * CYCLE, "a", &[0.50]), [0.625]);
}

#[test]
fn an_old_pose_has_no_goals_and_what_comes_after_it_is_compared_with_it() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    robot.targets(CYCLE, "a", &[0.1]);
    robot.targets(3 * CYCLE, "a", &[0.14]);
    assert!(robot.targets(2 * CYCLE, "a", &[0.13]).is_empty());
    assert_eq!(robot.0.skipped(), 1);
    assert_eq!(robot.targets(3 * CYCLE, "a", &[0.15]), [led(0.15, 0.13)]);
    assert_eq!(robot.targets(4 * CYCLE, "a", &[0.16]), [led(0.16, 0.15)]);
    // Without a sync it is the stamp that says that a pose is old.
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a", &[0.1]);
    robot.targets(3 * CYCLE, "a", &[0.14]);
    assert!(robot.targets(2 * CYCLE, "a", &[0.13]).is_empty());
    assert_eq!(robot.targets(4 * CYCLE, "a", &[0.16]), [led(0.16, 0.14)]);
}

#[test]
fn the_first_sync_counts_the_poses_that_came_before_it() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a", &[0.1]);
    robot.targets(2 * CYCLE, "a", &[0.11]);
    robot.0.sync(0, 4 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE + 5, "a", &[0.12]), [led(0.12, 0.1)]);
    assert_eq!(robot.targets(4 * CYCLE, "a", &[0.14]), [0.14 + (0.14 - 0.12) * LEAD / (2.0 * PERIOD)]);
}

#[test]
fn when_sync_dies_the_lead_does_not_grow() {
    let mut robot = Robot::new();
    robot.0.sync(0, 0, PERIOD);
    robot.targets(0, "a", &[0.0]);
    for k in 1..1000 {
        let q = f64::from(k) * 0.01;
        let target = robot.targets(i64::from(k) * CYCLE, "a", &[q])[0];
        assert!((target - led(q, q - 0.01)).abs() < 1e-12, "{k}: {q} {target}");
    }
}

#[test]
fn other_joints_start_without_lead_and_with_a_warning() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a b", &[0.0, 0.0]);
    robot.targets(2 * CYCLE, "a b", &[0.1, 0.1]);
    for (k, joints, n) in [(3, "a b c", 3), (5, "a c", 2), (7, "d e", 2)] {
        let (target, _, notices) = robot.send(k * CYCLE, joints, &[0.5; 3][..n]).unwrap();
        assert_eq!(target, [0.5; 3][..n]);
        assert!(matches!(notices[..], [Notice::JointsChanged { .. }]), "{notices:?}");
        let (target, _, notices) = robot.send((k + 1) * CYCLE, joints, &[0.52; 3][..n]).unwrap();
        assert!(target.iter().all(|t| (t - led(0.52, 0.5)).abs() < 1e-12) && notices.is_empty());
    }
    let text = Notice::JointsChanged { before: 2, now: 3, came: names("c d"), went: names("a") }.to_string();
    assert_eq!(text, "the joints changed from 2 to 3, new: c d, gone: a; goals start without lead");
}

#[test]
fn another_order_of_the_same_joints_changes_nothing() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a b c", &[0.1, 0.2, 0.3]);
    let (target, _, notices) = robot.send(2 * CYCLE, "c a b", &[0.31, 0.12, 0.23]).unwrap();
    assert_eq!((target, notices), (vec![led(0.31, 0.3), led(0.12, 0.1), led(0.23, 0.2)], vec![]));
}

#[test]
fn a_jump_is_not_prolonged_and_is_told() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a b", &[0.0, 0.0]);
    let (target, _, notices) = robot.send(2 * CYCLE, "a b", &[0.1, 2.0]).unwrap();
    assert_eq!((target, notices), (vec![led(0.1, 0.0), 2.0], vec![Notice::Jump { joint: 1, by: 2.0 }]));
    assert_eq!(robot.targets(3 * CYCLE, "a b", &[0.1, 2.1])[1], led(2.1, 2.0));
    // Per cycle: 1.5 rad in two of them is motion, in one it is a jump.
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    let (target, _, notices) = robot.send(5 * CYCLE, "a b", &[1.6, 2.1]).unwrap();
    assert_eq!((target[0], notices), (1.6 + 1.5 * LEAD / (2.0 * PERIOD), vec![]));
    assert_eq!(robot.targets(6 * CYCLE, "a b", &[0.1, 2.1])[0], 0.1);
}

#[test]
fn a_source_that_was_away_starts_anew() {
    for gap in [2_000_000_000, -2_000_000_000] {
        let mut robot = Robot::new();
        let start = 10_000_000_000;
        robot.targets(start, "a", &[0.0]);
        let (target, _, notices) = robot.send(start + gap, "a", &[0.5]).unwrap();
        assert_eq!(target, [0.5]);
        assert!(matches!(notices[..], [Notice::Silence { .. }]));
        assert_eq!(robot.targets(start + gap + CYCLE, "a", &[0.51]), [led(0.51, 0.5)]);
    }
}

#[test]
fn a_recording_that_starts_again_starts_without_lead() {
    let mut robot = Robot::new();
    robot.0.sync(0, 100 * CYCLE, PERIOD);
    robot.targets(100 * CYCLE, "a", &[0.0]);
    robot.0.sync(0, 101 * CYCLE, PERIOD);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE, "a", &[0.5]), [0.5]);
}

#[test]
fn malformed_messages_are_refused_whole_and_leave_no_trace() {
    let mut robot = Robot::new();
    robot.targets(CYCLE, "a b", &[0.1, 0.2]);
    let bad: [(&str, &[f64], &str); 8] = [
        ("a b", &[0.5], "position has 1 elements for 2 names"),
        ("a b", &[0.5, 0.5, 0.5], "position has 3 elements for 2 names"),
        ("a b", &[], "position has 0 elements for 2 names"),
        ("a b", &[0.5, f64::NAN], "position of joint \"b\" is NaN"),
        ("a b", &[f64::INFINITY, 0.5], "position of joint \"a\" is inf"),
        ("a b", &[1e300, 0.5], "position of joint \"a\" is 1"),
        ("a a", &[0.5, 0.5], "\"a\" stands twice in the message"),
        ("", &[], "the message names no joint"),
    ];
    for (joints, position, reason) in bad {
        let refusal = robot.send(2 * CYCLE, joints, position).unwrap_err().to_string();
        assert!(refusal.starts_with(reason), "{refusal}");
    }
    let name = names("a b");
    let velocity =
        Desired { name: &name, position: &[0.5, 0.5], velocity: &[f64::INFINITY, 0.0], ..Desired::default() };
    assert!(robot.0.step(velocity, 2 * CYCLE).is_err());
    assert_eq!(robot.targets(2 * CYCLE, "a b", &[0.11, 0.21]), [led(0.11, 0.1), led(0.21, 0.2)]);
}

#[test]
fn a_new_lead_counts_from_the_next_cycle_on() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    robot.targets(CYCLE, "a", &[0.0]);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    robot.0.set(Settings { lead: 0.0, ..settings() });
    assert_eq!(robot.targets(2 * CYCLE, "a", &[0.1]), [led(0.1, 0.0)]);
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    let (target, playtime, _) = robot.send(3 * CYCLE, "a", &[0.2]).unwrap();
    assert_eq!((target, playtime), (vec![0.2], PERIOD));
}

proptest! {
    /// Random streams of cycles with any number of messages, against the formula written down once more.
    #[test]
    fn any_stream_follows_the_formula(
        cycles in prop::collection::vec(prop::collection::vec(prop::array::uniform3(-0.4..0.4f64), 0..4), 1..20),
    ) {
        let mut robot = Robot::new();
        let mut latest: Option<(usize, [f64; 3])> = None;
        let mut previous = None;
        for (k, messages) in cycles.iter().enumerate() {
            let start = (k as i64 + 1) * CYCLE;
            robot.0.sync(0, start, PERIOD);
            previous = latest.or(previous);
            for (i, q) in messages.iter().enumerate() {
                let target = robot.targets(start + i as i64, "a b c", q);
                for j in 0..3 {
                    let expected = previous.map_or(q[j], |(i, p)| q[j] + (q[j] - p[j]) * LEAD / ((k - i) as f64 * PERIOD));
                    prop_assert!((target[j] - expected).abs() < 1e-12);
                }
                latest = Some((k, *q));
            }
        }
    }
}

#[test]
fn a_message_that_overtakes_its_sync_starts_from_the_previous_cycle_all_the_same() {
    let mut robot = Robot::new();
    robot.0.sync(0, CYCLE, PERIOD);
    robot.targets(CYCLE, "a", &[0.1]);
    // The sync of its cycle comes behind it, and does not make it its own predecessor.
    assert_eq!(robot.targets(2 * CYCLE, "a", &[0.13]), [led(0.13, 0.1)]);
    robot.0.sync(0, 2 * CYCLE, PERIOD);
    assert_eq!(robot.targets(2 * CYCLE + 5, "a", &[0.14]), [led(0.14, 0.1)]);
    robot.0.sync(0, 3 * CYCLE, PERIOD);
    assert_eq!(robot.targets(3 * CYCLE, "a", &[0.15]), [led(0.15, 0.14)]);
    // Two cycles fell out: the same speed over three periods.
    robot.0.sync(0, 6 * CYCLE, PERIOD);
    assert_eq!(robot.targets(6 * CYCLE, "a", &[0.18]), [0.18 + (0.18 - 0.15) * LEAD / (3.0 * PERIOD)]);
}

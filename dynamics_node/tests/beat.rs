//! Time between poses is the robot's: a beat that was away, a clock that was set and lost messages.
#![allow(clippy::unwrap_used)]

mod common;

use common::rig;
use dynamics_node::DynamicsParams;

const MS: i64 = 1_000_000;
const LEGS: [&str; 4] = ["leg1", "leg2", "leg3", "leg4"];
const NONE: [&str; 0] = [];
/// The pose with which a foot leaves.
const LEAVES: u32 = 20;

/// Efforts from pose to pose, every 10 ms. With the one with which a foot leaves, stamps have gone on by `stamps` ms more, and numbers of
/// `sync` by `numbers` more.
fn leaving(stamps: i64, numbers: u32, params: &DynamicsParams) -> Vec<Vec<f64>> {
    let mut rig = rig(params.clone());
    let pose = |k: u32| {
        let (stamps, numbers, stands) = if k < LEAVES { (0, 0, 1.0) } else { (stamps, numbers, 0.0) };
        let stamp = (10_000 + i64::from(k) * 10 + stamps) * MS;
        rig.core.sync(1 + k + numbers, stamp, 0.01);
        rig.core.support(stamp, &LEGS, &NONE, &[1.0, 1.0, stands, 1.0]).unwrap();
        rig.still(stamp).unwrap()
    };
    (0..45).map(pose).collect()
}

/// Any difference of two runs.
fn apart(one: &[Vec<f64>], other: &[Vec<f64>]) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A foot that left right after a stall of 0.3 s gave up all of its load in a cycle, 1.29 N·m of a hip: the stall counted as time to leave in.
#[test]
fn a_beat_that_was_away_is_no_time() {
    // Also what holds only for a while does.
    let params = DynamicsParams { support_timeout: 0.02, ..DynamicsParams::default() };
    let plain = leaving(0, 0, &params);
    for gap in [30, 300, 3000] {
        let by = apart(&plain, &leaving(gap, 0, &params));
        assert!(by < 1e-12, "{gap} ms: efforts differ by {by} N·m");
    }
}

/// Set back by 90 ms: supports of the new time were taken for overtaken ones, and a foot that had left stood for nine more cycles.
#[test]
fn a_clock_that_is_set_is_no_time() {
    let params = DynamicsParams::default();
    let plain = leaving(0, 0, &params);
    for by in [-300, -90, -37, -15, 37] {
        let apart = apart(&plain, &leaving(by, 0, &params));
        assert!(apart < 1e-12, "{by} ms: efforts differ by {apart} N·m");
    }
}

/// What was lost on the way is time as ever: three cycles of five make up three fifths of a change.
#[test]
fn lost_messages_are_time() {
    let params = DynamicsParams { effort_time: 0.0, ..DynamicsParams::default() };
    let (plain, lost) = (leaving(0, 0, &params), leaving(20, 2, &params));
    let at = LEAVES as usize;
    let by = apart(&plain[at + 2..], &lost[at..]);
    assert!(by < 1e-12, "efforts differ by {by} N·m");
}

/// Poses that come before their `sync`s, as over DDS: how long the beat was away is not known yet.
#[test]
fn a_pose_that_overtakes_its_sync_goes_on_as_the_one_before() {
    let run = |gap: i64, is_overtaken: bool| -> Vec<Vec<f64>> {
        let mut rig = rig(DynamicsParams::default());
        let pose = |k: u32| {
            let (gap, stands) = if k < LEAVES { (0, 1.0) } else { (gap, 0.0) };
            let stamp = (10_000 + i64::from(k) * 10 + gap) * MS;
            if !is_overtaken {
                rig.core.sync(1 + k, stamp, 0.01);
            }
            rig.core.support(stamp, &LEGS, &NONE, &[1.0, 1.0, stands, 1.0]).unwrap();
            let efforts = rig.still(stamp).unwrap();
            rig.core.sync(1 + k, stamp, 0.01);
            efforts
        };
        (0..45).map(pose).collect()
    };
    for gap in [0, 300, 3000] {
        let by = apart(&run(0, false), &run(gap, true));
        assert!(by < 1e-12, "{gap} ms: efforts differ by {by} N·m");
    }
}

/// A recording that starts again, with its `sync`s.
#[test]
fn a_looped_bag_begins_anew() {
    let mut rig = rig(DynamicsParams::default());
    for lap in 0..3 {
        for k in 0..100 {
            rig.core.sync(1 + k, i64::from(k) * 10 * MS, 0.01);
            rig.core.support(i64::from(k) * 10 * MS, &LEGS, &NONE, &[1.0; 4]).unwrap();
            rig.still(i64::from(k) * 10 * MS).unwrap();
            let missing = rig.core.summary().normal_force - rig.core.mass() * 9.81;
            assert!(missing.abs() < 1e-6, "{lap} {k}: {missing} N");
        }
    }
}

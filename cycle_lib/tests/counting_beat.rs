//! One beat that counts its cycles, whatever its clock does and whatever is lost of it.

use cycle_lib::{Beat, Cycles, SyncRelation};

const MS: i64 = 1_000_000;
const T: i64 = 10 * MS;
const START: i64 = 1_700_000_000_000 * MS;

/// The wall clock is set back while one `sync_node` beats on: number by number, every period, as `Beat::follow_step` makes the stamps.
/// Every one of its `sync`s begins a cycle.
#[test]
fn each_sync_of_one_beat_begins_a_cycle_also_when_the_clock_is_set_back() {
    let mut bad = vec![];
    for ms in [-1.5, -2.6, -3.1, -5.0, -8.0, -10.0, -15.0, -25.0, -37.0, -100.0, -300.0, -499.0] {
        let by = (ms * 1e6) as i64;
        let mut cycles = Cycles::new(0.01);
        let (mut due, mut wall) = (5_000 * MS, START);
        let mut beat = Beat::start(due, wall, T);
        let mut found = vec![];
        for number in 1..=40_u32 {
            // It wakes on time.
            wall += beat.due_ns() - due;
            due = beat.due_ns();
            if number == 20 {
                wall += by;
            }
            beat.follow_step(due, wall, 20_000);
            assert_eq!(beat.catch_up(due), 0);
            found.push(cycles.sync(number, beat.stamp_ns(), 0.01));
            beat.advance();
        }
        let next = SyncRelation::Next { passed: 1, fell_out: 0 };
        let others: Vec<_> =
            found.iter().enumerate().filter(|(k, r)| **r != next && (*k as f64) > 0.0).collect();
        if !others.is_empty() {
            bad.push(format!("{ms} ms: {others:?}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The same forward: a step is no time in which the robot moved, and no cycle fell out of the beat or was lost.
#[test]
fn each_sync_of_one_beat_begins_a_cycle_also_when_the_clock_is_set_forward() {
    let mut bad = vec![];
    for ms in [1.5, 2.6, 4.0, 5.0, 8.0, 15.0, 300.0, 2000.0] {
        let by = (ms * 1e6) as i64;
        let mut cycles = Cycles::new(0.01);
        let mut spans = vec![];
        for k in 0..40_i64 {
            let before = cycles.current();
            cycles.sync(k as u32 + 1, START + k * T + if k >= 20 { by } else { 0 }, 0.01);
            spans.push(cycles.span(before, cycles.current()));
        }
        if spans[1..].iter().any(|span| (span - 0.01).abs() > 1e-12) {
            bad.push(format!("{ms} ms: {:?}", &spans[18..24]));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// What fell out before a cycle is known as long as somebody may still ask over it.
#[test]
fn a_fall_out_is_known_however_many_syncs_come_after_it() {
    let mut cycles = Cycles::new(0.01);
    for k in 0..5 {
        cycles.sync(k as u32 + 1, START + k * T, 0.01);
    }
    let last = cycles.current();
    let mut found = vec![];
    for k in 0..8 {
        cycles.sync(6 + k as u32, START + (35 + k) * T, 0.01);
        found.push((cycles.span(last, cycles.current()) * 100.0).round());
    }
    assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
}

/// One `sync` is lost on its way right after a stall: what fell out is between the two that came.
#[test]
fn a_fall_out_beside_a_lost_sync_is_no_time() {
    let mut cycles = Cycles::new(0.01);
    for k in 0..5 {
        cycles.sync(k as u32 + 1, START + k * T, 0.01);
    }
    let before = cycles.current();
    // 30 fell out, number 6 was lost, number 7 comes.
    let relation = cycles.sync(7, START + 36 * T, 0.01);
    assert_eq!(relation, SyncRelation::Next { passed: 32, fell_out: 30 });
    let span = cycles.span(before, cycles.current());
    assert!((span - 0.02).abs() < 1e-12, "{span} s of the robot's time, right is 0.02");
}

//! A beat that was away, and a wall clock that is set, through the whole shipped path (gait, agregator, dynamics, param) and through agregator
//! and lead: goals are those without.
#![allow(clippy::unwrap_used)]

mod chain;
use chain::*;

const CYCLES: u32 = 420;
const GAITS: [(&str, f64); 2] = [("walk", 0.06), ("trot", 0.1)];

/// One gap a run, at every 7th cycle of a walk: where a goal is another than in the run without.
fn stalls(gait: &str, command: f64, make: impl Fn() -> Chain, gap: i64) -> Vec<String> {
    let (plain, _) = walk(make(), command, CYCLES, |_| 0);
    let mut bad = vec![];
    for at in (200..400).step_by(7) {
        let (found, silent) = walk(make(), command, CYCLES, |k| if k >= at { gap * T } else { 0 });
        let (apart, joint, cycle) = apart(&plain, &found);
        if apart > 1e-9 || silent > 0 {
            bad.push(format!("{gait}, gap of {gap} before {at}: {apart} rad (joint {joint}, cycle {cycle}), {silent} cycles silent"));
        }
    }
    bad
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_param() {
    let bad =
        GAITS.map(|(gait, speed)| stalls(gait, speed, || Chain::new(gait, by_param(), false), 30)).concat();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_param_and_effort() {
    let bad =
        GAITS.map(|(gait, speed)| stalls(gait, speed, || Chain::new(gait, by_param(), true), 30)).concat();
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_lead() {
    let bad =
        GAITS.map(|(gait, speed)| stalls(gait, speed, || Chain::new(gait, by_lead(), false), 30)).concat();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The wall clock is set by so many ms in the middle of a walk, as `Beat::follow_step` moves the grid: once.
fn steps(name: &str, gait: &str, command: f64, make: impl Fn() -> Chain) {
    let (plain, _) = walk(make(), command, CYCLES, |_| 0);
    let mut bad = vec![];
    for ms in [2000.0, 37.0, -2.6, -5.0, -15.0, -37.0, -90.0, -300.0, -2000.0] {
        let by = (ms * 1e6) as i64;
        for at in (220..400).step_by(13) {
            let (found, silent) = walk(make(), command, CYCLES, |k| if k >= at { by } else { 0 });
            let (apart, joint, cycle) = apart(&plain, &found);
            // Stamps on another grid round the spans between them; nothing else may differ.
            if apart > 1e-9 || silent > 0 {
                bad.push(format!("{gait} {name} {ms:+} ms before {at}: {apart} rad (joint {joint}, cycle {cycle}), {silent} cycles silent"));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_stepped_clock_leaves_the_goals_of_the_lead_as_they_are() {
    steps("lead", "trot", 0.1, || Chain::new("trot", by_lead(), false));
}

#[test]
fn a_stepped_clock_leaves_the_goals_of_the_shipped_path_as_they_are() {
    steps("param and effort", "trot", 0.1, || Chain::new("trot", by_param(), true));
}

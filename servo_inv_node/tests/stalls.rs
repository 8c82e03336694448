//! A beat that was away, and a wall clock that is set, through the whole shipped path (gait, agregator, dynamics, param) and through agregator
//! and lead: goals are those without.
#![allow(clippy::unwrap_used)]

mod chain;
use chain::*;

const CYCLES: u32 = 420;

/// One gap of 30 cycles a run, at every 7th cycle of a walk: the largest difference of a goal to the run without, and the largest change of a
/// goal's speed within ten cycles of the gap, beside that of the run without.
fn stalls(gait: &str, command: f64, make: impl Fn() -> Chain, gap: i64) -> Result<(), String> {
    let (plain, _) = walk(make(), command, CYCLES, |_| 0);
    let (mut worst, mut kicks) = ((0.0, 0, 0, 0), (0.0, 0.0, 0, 0));
    for at in (200..400).step_by(7) {
        let (found, silent) = walk(make(), command, CYCLES, |k| if k >= at { gap * T } else { 0 });
        assert_eq!(silent, 0);
        let (by, joint, k) = apart(&plain, &found);
        if by > worst.0 {
            worst = (by, joint, k, at);
        }
        let near = at as usize - 1..at as usize + 10;
        let (own, kick) = (jerk(&plain, near.clone()), jerk(&found, near));
        if kick.0 - own.0 > kicks.1 - kicks.0 {
            kicks = (own.0, kick.0, kick.1, at as usize);
        }
    }
    let text = format!(
        "{gait}, gap {gap}: a goal differs by {:.4} rad (joint {}, cycle {}, gap before {}); kick {:.4} instead of {:.4} rad/cycle² (joint {}, gap before {})",
        worst.0, worst.1, worst.2, worst.3, kicks.1, kicks.0, kicks.2, kicks.3
    );
    println!("{text}");
    if worst.0 > 1e-9 { Err(text) } else { Ok(()) }
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_param() {
    let all =
        [("walk", 0.06), ("trot", 0.1)].map(|(g, c)| stalls(g, c, || Chain::new(g, by_param(), false), 30));
    assert!(all.iter().all(Result::is_ok), "{all:#?}");
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_param_and_effort() {
    let all =
        [("walk", 0.06), ("trot", 0.1)].map(|(g, c)| stalls(g, c, || Chain::new(g, by_param(), true), 30));
    assert!(all.iter().all(Result::is_ok), "{all:#?}");
}

#[test]
fn a_beat_that_was_away_changes_no_goal_by_lead() {
    let all =
        [("walk", 0.06), ("trot", 0.1)].map(|(g, c)| stalls(g, c, || Chain::new(g, by_lead(), false), 30));
    assert!(all.iter().all(Result::is_ok), "{all:#?}");
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

/// Where the difference comes from: acceleration (agregator) and effort (dynamics) of the first pose after a gap of 30 cycles.
#[test]
fn acceleration_and_effort_of_the_first_pose_after_a_gap_are_those_without() {
    let run = |gait: &str, command: f64, effort: bool, at: u32, gap: i64| {
        let mut chain = Chain::new(gait, by_param(), effort);
        let mut number = 0;
        while chain.walker.activity() != gait_node::Activity::Standing {
            number += 1;
            chain.cycle(number, START + i64::from(number) * T, 0.0);
        }
        let mut rows = vec![];
        for k in 0..at + 6 {
            number += 1;
            let more = if k >= at { gap * T } else { 0 };
            let goals = chain.cycle(number, START + i64::from(number) * T + more, command).unwrap();
            rows.push((goals, chain.accelerations.clone(), chain.efforts.clone()));
        }
        rows
    };
    let mut bad = vec![];
    for (gait, command, effort, at, joint) in
        [("trot", 0.1, false, 368, 15), ("trot", 0.1, true, 368, 14), ("walk", 0.06, true, 242, 8)]
    {
        let (plain, found) = (run(gait, command, effort, at, 0), run(gait, command, effort, at, 30));
        for k in at as usize - 1..at as usize + 5 {
            let of = |rows: &Vec<(Vec<f64>, Vec<f64>, Vec<f64>)>| {
                (rows[k].0[joint], rows[k].1[joint], rows[k].2.get(joint).copied().unwrap_or(0.0))
            };
            let (a, b) = (of(&plain), of(&found));
            println!(
                "{gait} effort {effort} joint {joint} cycle {k}: goal {:.4} | {:.4}, acceleration {:.1} | {:.1}, effort {:.3} | {:.3}",
                a.0, b.0, a.1, b.1, a.2, b.2
            );
            if (a.1 - b.1).abs() > 1e-6 || (a.2 - b.2).abs() > 1e-6 {
                bad.push(format!("{gait} cycle {k} joint {joint}: acceleration {:.1} instead of {:.1}, effort {:.3} instead of {:.3}", b.1, a.1, b.2, a.2));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

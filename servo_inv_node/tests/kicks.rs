//! Feet that come and go in a walk through the whole shipped path do not kick: loads go over evenly.
#![allow(clippy::unwrap_used)]

mod chain;
use chain::*;
use gait_node::Activity;

/// `support_time` of config/dynamics.yaml, cycles.
const CHANGE: usize = 5;
/// Changes below this are lost among those that the motion itself brings, N·m.
const COUNTS: f64 = 1.0;
/// While feet change the motion goes on, and with it the load of the feet that stand: up to half as much again as the even part.
const WITH_MOTION: f64 = 1.5;

/// When the share of a foot went to 0 evenly, the last of five cycles gave up half of its load: goals changed their speed by 0.159 rad in a
/// cycle of a plain walk.
#[test]
fn a_foot_of_a_plain_walk_takes_up_its_load_and_gives_it_up_evenly() {
    for (gait, command) in [("walk", 0.06), ("trot", 0.1)] {
        let (mut chain, mut number) = (Chain::new(gait, by_param(), true), 0);
        let mut cycle = |chain: &mut Chain, command| {
            number += 1;
            chain.cycle(number, START + i64::from(number) * T, command)
        };
        while chain.walker.activity() != Activity::Standing {
            cycle(&mut chain, 0.0);
        }
        let (mut efforts, mut supports) = (vec![], vec![]);
        for _ in 0..460 {
            let standing: Vec<_> = chain.agregator.supports().iter().map(|s| s.map(|s| s.support)).collect();
            cycle(&mut chain, command).unwrap();
            supports.push(standing);
            efforts.push(chain.dynamics.as_ref().unwrap().last_efforts().to_vec());
        }
        let effort = |k: usize, joint: usize| efforts[k][joint];
        let (mut worst, mut changes) = (0.0_f64, 0);
        for k in (100..450).filter(|&k| supports[k] != supports[k - 1]) {
            // Another change within this one has its own.
            if supports[k..=k + CHANGE].iter().any(|later| *later != supports[k]) {
                continue;
            }
            for joint in 0..chain.names.len() {
                let of = |k: usize| effort(k, joint);
                // The effort of the cycle before a change, and of its last.
                let way = (of(k + CHANGE - 1) - of(k - 1)).abs();
                if way < COUNTS {
                    continue;
                }
                changes += 1;
                let step = (k..k + CHANGE).map(|k| (of(k) - of(k - 1)).abs()).fold(0.0, f64::max);
                worst = worst.max(step / (way / CHANGE as f64));
            }
        }
        println!("{gait}: {changes} changes, a cycle of {worst:.2} even parts");
        assert!(changes > 10, "{changes}");
        assert!(worst <= WITH_MOTION, "{gait}: {worst} times the even part of a change in one cycle");
    }
}

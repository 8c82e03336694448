//! What the bridge's thread takes of a processor, in every state. A process of its own, so that no other bridge counts.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;
mod robot;

use herkulex_node::bus::{Command, Tuning};
use robot::{Robot, bus};
use std::time::{Duration, Instant};

/// Processor time of the bridge's threads, s.
fn processor() -> f64 {
    let ticks: u64 = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok())
        .filter(|stat| stat.contains("(servo bus)"))
        .filter_map(|stat| {
            let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
            Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
        })
        .sum();
    // USER_HZ is 100 on Linux.
    ticks as f64 / 100.0
}

#[test]
fn no_state_spins() {
    let mut robot = Robot::new("spin");
    let tuning = bus().tuning;
    let mut clock = 1;
    let mut measure = |robot: &mut Robot, what: &str, goals: bool| {
        let (start, before) = (Instant::now(), processor());
        while start.elapsed() < Duration::from_millis(1000) {
            clock += 20_000_000;
            if goals {
                robot.goals(clock);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let share = 100.0 * (processor() - before) / start.elapsed().as_secs_f64();
        println!("{what:42} {share:5.1} % of a processor");
        share
    };
    let mut shares = vec![measure(&mut robot, "following goals", true)];
    shares.push(measure(&mut robot, "holding", false));
    robot.bridge().tune(Tuning { goal_timeout: 0.0, ..tuning });
    shares.push(measure(&mut robot, "holding, goal_timeout set to 0", false));
    robot.bridge().tune(Tuning { period: 0.001, ..tuning });
    shares.push(measure(&mut robot, "period shorter than the jog", true));
    robot.bridge().tune(Tuning { release_after: 0.1, ..tuning });
    shares.push(measure(&mut robot, "released by the watchdog", false));
    robot.order(Command::Stop).unwrap();
    shares.push(measure(&mut robot, "stopped", true));
    robot.conditions.dark = true;
    robot.simulator.set(robot.conditions.clone());
    shares.push(measure(&mut robot, "nobody answers", true));
    robot.unplug(true);
    shares.push(measure(&mut robot, "port away", true));
    assert!(shares.iter().all(|share| *share < 40.0), "{shares:?}");
}

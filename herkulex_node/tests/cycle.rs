//! Goals set the pace: they are on the line the moment they come, reads fill the rest, and nothing is said twice without a
//! reason.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::Tuning;
use herkulex_node::codec::command;
use herkulex_node::sim::Noise;
use rig::{Rig, config, start_angle};

const N: usize = 24;
/// Shorter than the goals' interval: what a file says and what a source does need not agree.
const PERIOD: f64 = 0.01;
const INTERVAL: f64 = 0.02;

fn rig(baud: u32) -> Rig {
    let tuning = Tuning { period: PERIOD, playtime: 2.0 * INTERVAL, goal_timeout: 0.0, ..Tuning::default() };
    let mut rig = Rig::new(config(N as u8, baud, tuning), 1);
    rig.rate = 0.75;
    rig.get_ready(5.0);
    rig.keep_writes = true;
    rig
}

fn goals(rig: &mut Rig) {
    let t = rig.now as f64 * 1e-9;
    rig.goals(2.0 * INTERVAL, |i| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin());
}

/// When jogs were sent.
fn jogs(rig: &Rig) -> Vec<u64> {
    let jog = |bytes: &Vec<u8>| bytes[3] == 0xFE && matches!(bytes[4], command::I_JOG | command::S_JOG);
    rig.writes.iter().filter(|(_, bytes)| jog(bytes)).map(|(at, _)| *at).collect()
}

#[test]
fn one_jog_for_one_message_of_goals() {
    for baud in [115_200, 666_666] {
        let mut rig = rig(baud);
        for _ in 0..50 {
            goals(&mut rig);
            rig.run(INTERVAL);
        }
        rig.writes.clear();
        rig.bus.window(rig.now);
        for _ in 0..400 {
            goals(&mut rig);
            rig.run(INTERVAL);
        }
        let w = rig.bus.window(rig.now);
        println!(
            "{baud} baud: {} jogs for 400 messages, {} reads, {} cycles",
            jogs(&rig).len(),
            w.reads,
            w.cycles
        );
        assert_eq!(jogs(&rig).len(), 400);
        assert_eq!(rig.sim.collided(), 0);
        // The line's time that the jogs leave, less a request's time kept free for each: 28 bytes an exchange.
        let free = INTERVAL - (8 + 4 * N + 9) as f64 * 10.0 / f64::from(baud);
        let exchange = 28.0 * 10.0 / f64::from(baud) + 0.0005;
        assert!(w.reads as f64 > 0.9 * 400.0 * free / exchange, "{} reads", w.reads);
    }
}

#[test]
fn goals_are_on_the_line_the_moment_they_come() {
    for baud in [57_600, 115_200, 666_666] {
        let mut rig = rig(baud);
        // At the slowest rate the jog alone takes 18 ms.
        let interval = if baud < 100_000 { 0.04 } else { INTERVAL };
        let mut noise = Noise::new(7);
        let mut arrivals = vec![];
        for _ in 0..400 {
            arrivals.push(rig.now);
            goals(&mut rig);
            // Jitter of ±3 ms.
            rig.run(interval + 0.006 * (noise.unit() - 0.5));
        }
        let sent = jogs(&rig);
        for at in &arrivals[50..] {
            assert!(sent.contains(at), "{baud} baud: goals of {at} ns went out later");
        }
        println!("{baud} baud: {} messages, each in the same call", arrivals.len() - 50);
    }
}

#[test]
fn without_goals_a_lost_jog_is_said_again_and_then_there_is_silence() {
    let mut rig = rig(666_666);
    for _ in 0..50 {
        goals(&mut rig);
        rig.run(INTERVAL);
    }
    // The last message is lost on the line.
    rig.sim.faults.drop = 1.0;
    let last = rig.now as f64 * 1e-9;
    goals(&mut rig);
    rig.run(0.001);
    rig.sim.faults.drop = 0.0;
    rig.run(0.5);
    for (i, servo) in rig.sim.servos.iter().enumerate() {
        let goal = start_angle(i) + 0.25 * (3.0 * last + i as f64).sin();
        assert!((servo.goal() - goal).abs() < 0.004, "servo {i} never got its last goal");
    }
    rig.writes.clear();
    rig.run(5.0);
    assert_eq!(jogs(&rig).len(), 0, "they hold, and all is said");
    // One that missed more than that is seen to stand elsewhere, and brought there gently: the rig checks how fast.
    rig.sim.faults.deaf = vec![3];
    let mut last = 0.0;
    for _ in 0..80 {
        last = rig.now as f64 * 1e-9;
        goals(&mut rig);
        rig.run(INTERVAL);
    }
    rig.run(1.0);
    let goal = start_angle(2) + 0.25 * (3.0 * last + 2.0).sin();
    assert!((rig.sim.servos[2].angle() - goal).abs() > 0.05, "else this proves nothing");
    rig.sim.faults.deaf = vec![];
    rig.run(1.0);
    assert!((rig.sim.servos[2].angle() - goal).abs() < 0.01);
}

#[test]
fn a_long_way_is_walked_without_new_goals() {
    let mut rig = rig(666_666);
    rig.rate = 0.0;
    rig.goals(2.5, |i| start_angle(i) + 0.6);
    rig.run(2.7);
    for (i, servo) in rig.sim.servos.iter().enumerate() {
        assert!((servo.angle() - start_angle(i) - 0.6).abs() < 0.02, "servo {i} is at {}", servo.angle());
    }
    rig.writes.clear();
    rig.run(2.0);
    assert_eq!(jogs(&rig).len(), 0);
}

#[test]
fn goals_that_come_back_from_elsewhere_are_approached_however_long_the_silence() {
    for silence in [0.05, 0.15, 1.0, 5.0] {
        let mut rig = rig(666_666);
        for _ in 0..100 {
            goals(&mut rig);
            rig.run(INTERVAL);
        }
        rig.run(silence);
        // The rig checks that none is faster than the approach.
        rig.rate = 0.0;
        for _ in 0..100 {
            rig.goals(2.0 * INTERVAL, |i| start_angle(i) + 0.55);
            rig.run(INTERVAL);
        }
        assert!((0..N).all(|i| (rig.sim.servos[i].goal() - start_angle(i) - 0.55).abs() < 0.01));
    }
}

#[test]
fn joints_that_are_not_named_are_not_jogged() {
    let mut rig = rig(115_200);
    rig.run(1.0);
    rig.writes.clear();
    for k in 0..100 {
        rig.goals(0.04, |i| if i < 4 { start_angle(i) + 0.1 * f64::from(k).sin() * 0.01 } else { f64::NAN });
        rig.run(INTERVAL);
    }
    let long = rig.writes.iter().filter(|(_, b)| b[3] == 0xFE && b.len() > 8 + 5 * 4).count();
    assert_eq!(long, 0, "four joints, four goals");
}

//! What an order is answered, and that what was said to all does not overrule what was said to one.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{BusConfig, Command, Release, Torque, Tuning};
use herkulex_node::codec::{reg, torque};
use rig::{Rig, config, start_angle};

const N: usize = 31;
const PERIOD: f64 = 0.02;

fn bus() -> BusConfig {
    let tuning = Tuning {
        period: PERIOD,
        playtime: 2.0 * PERIOD,
        goal_timeout: 0.3,
        release_after: 0.7,
        release: Release::Brake,
        ..Tuning::default()
    };
    config(N as u8, 666_666, tuning)
}

fn walk(rig: &mut Rig, seconds: f64) {
    for _ in 0..(seconds / PERIOD).round() as usize {
        let t = rig.now as f64 * 1e-9;
        rig.goals(2.0 * PERIOD, |i| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin());
        rig.run(PERIOD);
    }
}

fn walking() -> Rig {
    let mut rig = Rig::new(bus(), 3);
    rig.rate = 0.75;
    rig.get_ready(5.0);
    walk(&mut rig, 0.5);
    rig
}

fn torques(rig: &Rig) -> Vec<i32> {
    rig.sim.servos.iter().map(|s| s.get(&reg::TORQUE)).collect()
}

#[test]
fn a_broadcast_does_not_overrule_what_one_joint_is_told_after_it() {
    for pause in [0.0, 0.001, 0.003, 0.006, 0.009] {
        let mut rig = walking();
        // One that never confirms: the broadcast is said as often as it may be.
        rig.sim.faults.dead = vec![31];
        rig.order(Command::Brake, rig.all());
        rig.run(pause);
        rig.order(Command::TorqueOff, vec![3]);
        rig.run(0.5);
        assert_eq!(torques(&rig)[3], i32::from(torque::FREE), "after {pause} s");
        assert_eq!(torques(&rig)[4], i32::from(torque::BRAKE));
    }
}

#[test]
fn a_servo_that_brakes_but_shall_turn_freely_is_told_again() {
    let mut rig = walking();
    assert!(rig.outcome(Command::TorqueOff, rig.all()).is_ok());
    rig.sim.servos[5].set(&reg::TORQUE, i32::from(torque::BRAKE));
    // Seen with voltage and temperature, every 17th read.
    rig.run(2.0);
    assert_eq!(torques(&rig), [i32::from(torque::FREE); N]);
}

#[test]
fn an_order_is_not_done_for_a_servo_that_does_not_answer() {
    use Command::*;
    for (first, then) in
        [(TorqueOff, TorqueOff), (Brake, Brake), (Stop, Stop), (TorqueOn, TorqueOn), (TorqueOff, ClearErrors)]
    {
        for lost in [false, true] {
            let mut rig = walking();
            rig.bus.tune(rig.now, Tuning { goal_timeout: 0.0, release_after: 0.0, ..bus().tuning });
            assert!(rig.outcome(first, rig.all()).is_ok());
            rig.sim.faults.dead = vec![5];
            rig.run(if lost { 1.0 } else { 0.0 });
            let refused = rig.outcome(then, rig.all());
            assert_eq!(refused, Err("joint5 (id 5): no answer".into()), "{first:?}, {then:?}, lost {lost}");
        }
    }
}

#[test]
fn an_order_that_stands_no_longer_says_what_overruled_it() {
    use Command::*;
    for (first, then, by) in [
        (TorqueOn, TorqueOff, "overruled by torque_off"),
        (TorqueOff, TorqueOn, "overruled by torque_on"),
        (Brake, Stop, "overruled by stop"),
        (TorqueOn, Stop, "overruled by stop"),
        (TorqueOff, Brake, "overruled by brake"),
    ] {
        let mut rig = walking();
        if first == TorqueOn {
            assert!(rig.outcome(TorqueOff, rig.all()).is_ok());
        }
        rig.order(first, rig.all());
        rig.run(0.001);
        rig.order(then, rig.all());
        rig.run(1.0);
        let answer = rig.bus.outcome().unwrap().result;
        assert_eq!(answer, Err(by.into()), "{first:?}, {then:?}");
        assert_eq!(rig.bus.outcome().unwrap().result, Ok(format!("{N} servos")));
    }
    let mut rig = walking();
    assert!(rig.outcome(Stop, vec![]).is_ok());
    assert_eq!(rig.outcome(Brake, rig.all()), Err("overruled by stop".into()));
    let mut rig = walking();
    assert!(rig.outcome(TorqueOff, rig.all()).is_ok());
    rig.order(TorqueOn, rig.all());
    rig.run(0.001);
    rig.relax(Torque::Brake);
    rig.run(0.2);
    assert_eq!(rig.bus.outcome().unwrap().result, Err("overruled by the end of the bridge".into()));
}

#[test]
fn the_end_is_said_to_all_first_whatever_was_found_or_ordered() {
    for (what, order) in [("never found", None), ("off", Some(Command::TorqueOff))] {
        let mut rig = Rig::new(bus(), 3);
        rig.rate = 0.75;
        if order.is_none() {
            rig.sim.faults.dead = vec![9];
        }
        rig.run(1.5);
        if let Some(order) = order {
            assert!(rig.outcome(order, vec![8]).is_ok());
        }
        walk(&mut rig, 0.3);
        rig.keep_writes = true;
        rig.relax(Torque::Brake);
        let ended = rig.now;
        rig.run(0.002);
        let (at, first) = rig.writes.iter().find(|(at, _)| *at >= ended).unwrap();
        assert_eq!((*at, first[3], &first[7..10]), (ended, 0xFE, &[0x34, 1, torque::BRAKE][..]), "{what}");
        rig.run(0.3);
        assert_eq!(rig.on(), 0, "{what}");
        let expected: Vec<i32> =
            (0..N).map(|i| i32::from(if i == 8 { torque::FREE } else { torque::BRAKE })).collect();
        assert_eq!(torques(&rig), expected, "{what}: each has its own in the end");
    }
}

#[test]
fn a_stop_asks_servos_at_once_that_were_asked_at_longer_intervals() {
    for command in [Command::Stop, Command::TorqueOff, Command::Brake] {
        let mut rig = walking();
        rig.sim.faults.dead = vec![5];
        rig.run(3.0);
        rig.sim.faults.dead = vec![];
        let start = rig.now;
        assert!(rig.outcome(command, rig.all()).is_ok());
        // Three packets and an answer for each of 31 servos take 25 ms; those that were away are set up again.
        assert!(rig.now - start < 80_000_000, "{command:?}: {} s", (rig.now - start) as f64 * 1e-9);
    }
}

#[test]
fn another_way_of_release_applies_to_joints_that_are_released() {
    let mut rig = walking();
    rig.run(1.5);
    assert_eq!(torques(&rig), [i32::from(torque::BRAKE); N]);
    rig.bus.tune(rig.now, Tuning { release: Release::Free, ..bus().tuning });
    rig.run(0.2);
    assert_eq!(torques(&rig), [i32::from(torque::FREE); N]);
}

#[test]
fn a_goal_that_is_older_than_the_newest_is_not_followed() {
    let mut rig = walking();
    for k in 0..50 {
        let t = rig.now as f64 * 1e-9;
        let path = |i: usize| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin();
        rig.goals(2.0 * PERIOD, path);
        rig.run(PERIOD / 2.0);
        // Late, by another way: from 0.1 s ago, and somewhere else.
        if k % 2 == 0 {
            rig.goals_of(rig.clock() - 100_000_000, 2.0 * PERIOD, |i| path(i) + 0.1);
        }
        rig.run(PERIOD / 2.0);
        for (i, servo) in rig.sim.servos.iter().enumerate() {
            let off = (servo.goal() - path(i)).abs();
            assert!(off < 0.06, "servo {i} goes {off} rad beside its newest goal");
        }
    }
    // A clock that was set back: what comes then is the newest, whatever came before.
    let set_back = |rig: &Rig| rig.clock() - 3_600_000_000_000;
    for _ in 0..50 {
        let t = rig.now as f64 * 1e-9;
        let path = |i: usize| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin();
        rig.goals_at(set_back(&rig), set_back(&rig), 2.0 * PERIOD, path);
        rig.run(PERIOD);
        assert!((0..N).all(|i| (rig.sim.servos[i].goal() - path(i)).abs() < 0.06), "not followed");
    }
}

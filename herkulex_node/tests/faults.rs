//! Everything that goes wrong on such a bus. Whatever happens, a servo is only ever between where it stood and where it was
//! told to go, and a second after the fault it follows again.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{BusConfig, Command, Event, Phase, Tuning};
use herkulex_node::codec::{error, reg};
use herkulex_node::sim::Faults;
use proptest::prelude::*;
use rig::{Rig, config, start_angle};

const N: usize = 24;
const PERIOD: f64 = 0.02;
/// How far from its goals a servo may be: half a count, friction, and what a battery that sags makes of it.
const SLACK: f64 = 0.02;

fn bus() -> BusConfig {
    let tuning = Tuning { period: PERIOD, playtime: 2.0 * PERIOD, goal_timeout: 0.5, ..Tuning::default() };
    config(N as u8, 666_666, tuning)
}

/// Goals move at no more than 0.25·3 rad/s.
fn rig_with(seed: u64) -> Rig {
    let mut rig = Rig::new(bus(), seed);
    rig.rate = 0.75;
    rig
}

fn path(i: usize, t: f64) -> f64 {
    start_angle(i) + 0.25 * (3.0 * t + i as f64).sin()
}

/// Walks for some time; every cycle the servos are checked.
fn walk(rig: &mut Rig, seconds: f64) {
    for _ in 0..(seconds / PERIOD).round() as usize {
        let t = rig.now as f64 * 1e-9;
        rig.goals(2.0 * PERIOD, |i| path(i, t));
        rig.run(PERIOD);
    }
}

/// A second after the fault every servo follows again; after one that takes torque, a servo waits once more for as long as the
/// fault has lasted, since its back-off doubles.
fn recovers(rig: &mut Rig, what: &str, lasted: f64) {
    rig.sim.faults = Faults::default();
    walk(rig, 1.0 + lasted);
    let t = rig.now as f64 * 1e-9;
    for i in 0..N {
        assert_eq!(rig.bus.servos()[i].phase(), Phase::Ready, "{what}: servo {i}");
        let off = (rig.sim.servos[i].angle() - path(i, t)).abs();
        assert!(off < 0.1, "{what}: servo {i} is {off} rad behind a second after the fault");
        assert!(
            rig.sim.servos[i].worst_start <= 2,
            "{what}: torque {} counts away",
            rig.sim.servos[i].worst_start
        );
    }
}

fn line_fault(what: &str, faults: Faults, seconds: f64) {
    let mut rig = rig_with(7);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    rig.bus.window(rig.now);
    rig.sim.faults = faults;
    walk(&mut rig, seconds);
    let w = rig.bus.window(rig.now);
    let sum = |f: fn(&herkulex_node::bus::ServoStatistics) -> u64| -> u64 {
        rig.bus.servos().iter().map(|s| f(s.statistics())).sum()
    };
    println!(
        "{what}: {seconds} s, {} requests, {} timeouts, {} broken, {} unmatched, {} echoes; lost {}, faulted {}, restarted {}",
        w.reads,
        sum(|s| s.timeouts),
        sum(|s| s.checksums),
        w.unmatched,
        w.echoes,
        rig.count(|e| matches!(e, Event::Lost(_))),
        rig.count(|e| matches!(e, Event::Fault(..))),
        rig.count(|e| matches!(e, Event::Restarted(_))),
    );
    recovers(&mut rig, what, 0.0);
}

const TENTH: f64 = 0.1;

#[test]
fn each_fault_of_the_line_alone() {
    let none = Faults::default;
    line_fault("drop", Faults { drop: TENTH, ..none() }, 10.0);
    line_fault("corrupt", Faults { corrupt: TENTH, ..none() }, 10.0);
    line_fault("delay", Faults { delay: TENTH, delay_time: 0.03, ..none() }, 10.0);
    line_fault("duplicate", Faults { duplicate: TENTH, ..none() }, 10.0);
    line_fault("echo", Faults { echo: TENTH, ..none() }, 10.0);
    line_fault("echo always", Faults { echo: 1.0, ..none() }, 10.0);
    line_fault("garbage", Faults { garbage: TENTH, ..none() }, 10.0);
    line_fault("nothing comes through", Faults { drop: 1.0, ..none() }, 3.0);
}

fn all_at_a_tenth() -> Faults {
    Faults {
        drop: TENTH,
        corrupt: TENTH,
        delay: TENTH,
        delay_time: 0.03,
        duplicate: TENTH,
        echo: TENTH,
        garbage: TENTH,
        ..Faults::default()
    }
}

#[test]
fn all_faults_of_the_line_together_for_a_minute() {
    line_fault("all together", all_at_a_tenth(), 60.0);
}

#[test]
fn all_faults_of_line_and_servos_together_for_a_minute() {
    let what = "line and servos";
    let mut rig = rig_with(11);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    // Each second another set of servos is hot or dead, the battery drops out now and then, and the plug is pulled.
    for second in 0..60usize {
        let hot = (0..N as u8).filter(|i| (usize::from(*i) + second) % 10 == 0).map(|i| i + 1).collect();
        let dead = (0..N as u8).filter(|i| (usize::from(*i) + second) % 10 == 5).map(|i| i + 1).collect();
        let voltage_drop = if second % 10 == 3 { 1.5 } else { 0.0 };
        rig.sim.faults = Faults { hot, dead, voltage_drop, ..all_at_a_tenth() };
        if second % 10 == 7 {
            rig.unplug();
            walk(&mut rig, 0.5);
            rig.plug();
            walk(&mut rig, 0.5);
        } else {
            walk(&mut rig, 1.0);
        }
    }
    println!("{what}: {} events", rig.events.len());
    // So many faults in so short a time lock some of them, until somebody says that they may try again.
    rig.sim.faults = Faults::default();
    rig.run(0.1);
    assert!(rig.count(|e| matches!(e, Event::Locked(..))) > 0);
    rig.order(Command::ClearErrors, (0..N).collect());
    recovers(&mut rig, what, 0.0);
}

#[test]
fn a_hot_servo_is_named_and_comes_back_gently() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    rig.sim.faults.hot = vec![5];
    walk(&mut rig, 2.0);
    assert!(rig.count(|e| matches!(e, Event::Fault(4, s) if s.error == error::TEMPERATURE)) > 0);
    assert!(
        !rig.sim.servos[4].is_on(),
        "{:?} {:?}",
        rig.bus.servos()[4].fsm(),
        rig.events.iter().rev().take(12).collect::<Vec<_>>()
    );
    assert!(rig.bus.problem_text(4).contains("joint5 (id 5): temperature"), "{}", rig.bus.problem_text(4));
    assert!(rig.sim.servos.iter().enumerate().all(|(i, s)| i == 4 || s.is_on()), "the others walk on");
    recovers(&mut rig, "hot", 2.0);
}

#[test]
fn a_voltage_drop_releases_all_and_all_come_back() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    rig.sim.faults.voltage_drop = 1.5;
    walk(&mut rig, 2.0);
    assert!(rig.sim.servos.iter().all(|s| !s.is_on() && s.get(&reg::STATUS_ERROR) & 1 != 0));
    assert!(rig.bus.servos().iter().all(|s| s.voltage().is_some_and(|v| (v - 5.9).abs() < 0.1)));
    recovers(&mut rig, "voltage", 2.0);
}

#[test]
fn a_dead_servo_is_named_and_costs_the_others_little() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    rig.sim.faults.dead = vec![9];
    walk(&mut rig, 1.0);
    assert_eq!(rig.count(|e| *e == Event::Lost(8)), 1);
    assert!(rig.bus.is_lost(8) && rig.bus.problem_text(8) == "joint9 (id 9): no answer");
    rig.bus.window(rig.now);
    walk(&mut rig, 2.0);
    assert!(rig.bus.window(rig.now).reads > 1000, "the others are read as before");
    recovers(&mut rig, "dead", 0.0);
    assert_eq!(rig.count(|e| *e == Event::Back(8)), 1);
}

#[test]
fn a_servo_that_reboots_by_itself_is_set_up_again_and_does_not_jump() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    let mut frame = herkulex_node::codec::Frame::default();
    rig.sim.write(rig.now, frame.reboot(3));
    walk(&mut rig, 0.7);
    recovers(&mut rig, "reboot", 0.25);
    assert_eq!(rig.sim.servos[2].get(&reg::ACCELERATION_RATIO), 0);
    assert!(rig.count(|e| matches!(e, Event::Restarted(2) | Event::Lost(2))) > 0);
}

#[test]
fn unplug_and_replug_sets_everything_up_again_without_a_jump() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    walk(&mut rig, 1.0);
    rig.unplug();
    let held: Vec<f64> = rig.sim.servos.iter().map(|s| s.goal()).collect();
    walk(&mut rig, 3.0);
    for (servo, goal) in rig.sim.servos.iter().zip(&held) {
        assert!((servo.angle() - goal).abs() < SLACK, "it holds while nobody talks to it");
    }
    // The worst case: the power went, too, and somebody moved a leg.
    let mut frame = herkulex_node::codec::Frame::default();
    rig.sim.write(rig.now, frame.reboot(4));
    rig.run(0.7);
    rig.plug();
    recovers(&mut rig, "plug", 0.0);
}

#[test]
fn goals_that_stop_while_a_servo_is_out_of_sight_do_not_throw_it() {
    let mut rig = rig_with(3);
    rig.get_ready(5.0);
    // On its way to a goal that is far, gently, it is not heard of any more; then the goals stop; then it is back.
    for _ in 0..10 {
        rig.goals(2.0 * PERIOD, |i| start_angle(i) + 1.6);
        rig.run(PERIOD);
    }
    rig.sim.faults.dead = vec![3];
    for _ in 0..20 {
        rig.goals(2.0 * PERIOD, |i| start_angle(i) + 1.6);
        rig.run(PERIOD);
    }
    rig.run(0.6);
    rig.sim.faults.dead = vec![];
    let at = rig.sim.servos[2].angle();
    rig.run(2.0);
    assert!((rig.sim.servos[2].angle() - at).abs() < SLACK, "it stays where it was seen");
}

#[test]
fn a_scan_on_a_bad_line_finds_those_that_should_be_there() {
    let mut rig = rig_with(5);
    rig.get_ready(5.0);
    rig.sim.faults.drop = 0.03;
    let scan = rig.outcome(Command::Scan, vec![]).unwrap();
    // A request or its answer is lost in 6 of 100; three in a row for one of 24 servos in one of 200 scans.
    assert!(!scan.contains("no answer"), "{scan}");
}

#[test]
fn orders_get_through_a_bad_line() {
    let mut rig = rig_with(5);
    rig.sim.faults = all_at_a_tenth();
    rig.get_ready(10.0);
    use Command::*;
    for command in [TorqueOff, TorqueOn, Reboot, Brake, TorqueOn, Stop, ClearStop, TorqueOn] {
        let start = rig.now;
        let outcome = rig.outcome(command, (0..N).collect());
        println!("{command:?} took {:.3} s on a bad line", (rig.now - start) as f64 * 1e-9);
        assert_eq!(outcome, Ok("24 servos".into()), "{command:?} {:?}", rig.phases());
    }
    for (i, servo) in rig.sim.servos.iter().enumerate() {
        assert!((servo.angle() - start_angle(i)).abs() < SLACK && servo.worst_start <= 2);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_bytes_make_the_bus_panic_or_stand_still(
        pieces in prop::collection::vec(prop::collection::vec(prop_oneof![2 => Just(0xFFu8), 1 => 0u8..24, 2 => any::<u8>()], 0..80), 1..60),
    ) {
        let mut rig = rig_with(3);
        for piece in &pieces {
            rig.bus.receive(rig.now, piece);
            rig.run(0.01);
        }
        rig.run(1.0);
        prop_assert!(rig.all_ready());
    }
}

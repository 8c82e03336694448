//! The start: what a node finds, what it may do before it has found everything, and how it ends meanwhile.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{BusConfig, Command, Event, Phase, Torque, Tuning};
use herkulex_node::codec::{Frame, Memory, reg, torque};
use rig::{Rig, config, start_angle};

const N: usize = 31;
const PERIOD: f64 = 0.02;

fn bus(baud: u32) -> BusConfig {
    let tuning = Tuning {
        period: PERIOD,
        playtime: 2.0 * PERIOD,
        goal_timeout: 0.0,
        resume: true,
        ..Tuning::default()
    };
    config(N as u8, baud, tuning)
}

fn walk(rig: &mut Rig, seconds: f64) {
    for _ in 0..(seconds / PERIOD).round() as usize {
        let t = rig.now as f64 * 1e-9;
        rig.goals(2.0 * PERIOD, |i| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin());
        rig.run(PERIOD);
    }
}

fn walking(baud: u32) -> Rig {
    let mut rig = Rig::new(bus(baud), 3);
    rig.rate = 0.75;
    rig.get_ready(20.0);
    walk(&mut rig, 0.5);
    rig
}

fn marks(rig: &Rig) -> Vec<i32> {
    rig.sim.servos.iter().map(|s| s.get(&reg::LED)).collect()
}

#[test]
fn an_order_before_everything_is_found_does_not_hide_a_stop() {
    for baud in [57_600, 666_666] {
        for before in [Command::TorqueOn, Command::TorqueOff, Command::Brake, Command::ClearStop] {
            let mut rig = walking(baud);
            assert!(rig.outcome(Command::Stop, vec![]).is_ok());
            rig.respawn();
            rig.order(before, rig.all());
            rig.run(0.01);
            rig.order(Command::TorqueOn, rig.all());
            walk(&mut rig, 4.0);
            assert_eq!((rig.on(), rig.bus.is_stopped()), (0, true), "{baud}, {before:?}");
            assert_eq!(marks(&rig), [4; N], "{baud}, {before:?}");
            assert!(rig.outcome(Command::ClearStop, vec![]).is_ok());
            assert!(rig.outcome(Command::TorqueOn, rig.all()).is_ok());
        }
    }
}

#[test]
fn an_order_while_the_port_is_away_does_not_hide_a_stop() {
    for order in [Command::TorqueOff, Command::Brake] {
        let mut rig = walking(666_666);
        assert!(rig.outcome(Command::Stop, vec![]).is_ok());
        rig.respawn_unplugged();
        rig.order(order, rig.all());
        rig.run(0.3);
        rig.plug();
        rig.run(1.0);
        let refused = rig.outcome(Command::TorqueOn, rig.all());
        assert_eq!(refused, Err("stopped: clear_stop comes first".into()), "{order:?}");
        walk(&mut rig, 1.0);
        assert_eq!((rig.on(), marks(&rig)), (0, vec![4; N]), "{order:?}");
    }
}

#[test]
fn torque_is_refused_until_everything_is_found_and_says_so() {
    let mut rig = Rig::new(bus(57_600), 3);
    let refused = rig.outcome(Command::TorqueOn, vec![0]).unwrap_err();
    assert!(refused.contains("still being found"), "{refused}");
    // One that does not answer is waited for, but not for ever.
    rig.sim.faults.dead = vec![7];
    rig.run(8.0);
    assert_eq!(rig.on(), N - 1);
    assert!(rig.outcome(Command::TorqueOn, vec![0]).is_ok());
}

#[test]
fn an_order_off_before_everything_is_found_is_carried_out_at_once() {
    let mut rig = walking(57_600);
    rig.respawn();
    rig.run(0.02);
    rig.order(Command::TorqueOff, rig.all());
    // The broadcast takes torque from all within its 1.7 ms.
    rig.run(0.05);
    assert_eq!(rig.on(), 0);
    rig.run(5.0);
    assert_eq!((rig.on(), marks(&rig)), (0, vec![2; N]));
    assert!(rig.outcome(Command::TorqueOn, rig.all()).is_ok());
}

#[test]
fn an_end_while_servos_are_being_found_takes_their_torque() {
    for baud in [57_600, 666_666] {
        for after in [0.0, 0.005, 0.05, 0.2] {
            let mut rig = walking(baud);
            rig.respawn();
            rig.run(after);
            rig.relax(Torque::Brake);
            // As long as the bridge gives its farewell.
            rig.run(0.7 + 0.02 * N as f64);
            assert_eq!(rig.on(), 0, "{baud} baud, after {after} s");
            assert!(rig.bus.is_relaxed(), "{baud} baud, after {after} s: {:?}", rig.phases());
        }
    }
}

#[test]
fn an_end_while_servos_are_being_found_keeps_what_they_were_told() {
    for (order, mark) in [(Command::Stop, 4), (Command::TorqueOff, 2), (Command::Brake, 3)] {
        for after in [0.0, 0.003, 0.02, 0.1] {
            let mut rig = walking(666_666);
            assert!(rig.outcome(order, rig.all()).is_ok());
            rig.respawn();
            rig.run(after);
            rig.relax(Torque::Brake);
            rig.run(1.0);
            assert_eq!((rig.on(), marks(&rig)), (0, vec![mark; N]), "{order:?}, {after}");
            rig.respawn();
            walk(&mut rig, 1.0);
            assert_eq!(rig.on(), 0, "{order:?}, {after}");
        }
    }
}

#[test]
fn a_servo_that_cannot_be_proved_loses_the_torque_it_was_found_with() {
    let mut rig = walking(666_666);
    rig.sim.servos[4].set_number([4, 1]);
    rig.respawn();
    walk(&mut rig, 1.0);
    assert!(matches!(rig.bus.servos()[4].phase(), Phase::Refused(_)));
    assert_eq!((rig.on(), rig.sim.servos[4].is_on()), (N - 1, false));
    assert_eq!(rig.count(|e| matches!(e, Event::Refused(4, _))), 1, "said once");
    // And somebody else's hand gives it none.
    rig.sim.servos[4].set(&reg::TORQUE, i32::from(torque::ON));
    rig.asked[4].off = None;
    rig.run(0.5);
    assert!(!rig.sim.servos[4].is_on());
    rig.relax(Torque::Brake);
    rig.run(0.2);
    assert!(rig.bus.is_relaxed(), "{:?}", rig.phases());
    assert_eq!(rig.on(), 0);
}

#[test]
fn a_servo_that_comes_late_with_our_mark_keeps_what_it_has() {
    // Not what it had: a node before us marked it, and it has no torque.
    for (mark, has, gets) in
        [(1, false, false), (1, true, true), (2, false, false), (3, false, false), (0, false, true)]
    {
        let mut rig = Rig::new(bus(666_666), 3);
        rig.sim.faults.dead = vec![3];
        rig.sim.servos[2].set(&reg::LED, mark);
        if has {
            // Torque, and a goal where it stands.
            rig.sim.servos[2].set(&reg::TORQUE, i32::from(torque::BRAKE));
        }
        rig.run(3.0);
        assert_eq!(rig.on(), N - 1);
        if has {
            let mut frame = Frame::default();
            let goal = (512.0 + start_angle(2).to_degrees() / 0.325).round() as u16;
            let jog = herkulex_node::codec::Jog { id: 3, goal, set: 4, playtime: 1 };
            rig.sim.faults.dead = vec![];
            frame.i_jog(3, &[jog]);
            let bytes = frame.bytes().to_vec();
            rig.sim.write(rig.now, &bytes);
            let bytes = frame.write(3, Memory::Ram, reg::TORQUE.address(), &[torque::ON]).unwrap().to_vec();
            rig.sim.write(rig.now, &bytes);
        }
        rig.sim.faults.dead = vec![];
        rig.run(2.0);
        assert_eq!(rig.sim.servos[2].is_on(), gets, "mark {mark}, torque {has}");
        assert_eq!(rig.on(), N - 1 + usize::from(gets), "mark {mark}, torque {has}");
    }
}

#[test]
fn a_stopped_servo_that_comes_late_stays_off_alone() {
    let mut rig = Rig::new(bus(666_666), 3);
    rig.rate = 0.75;
    rig.sim.faults.dead = vec![3];
    rig.sim.servos[2].set(&reg::LED, 4);
    rig.run(3.0);
    // Even if torque was ordered for all while it was away.
    let _ = rig.outcome(Command::TorqueOn, rig.all());
    rig.asked[2].off = Some(rig.now);
    walk(&mut rig, 0.5);
    rig.sim.faults.dead = vec![];
    walk(&mut rig, 2.0);
    assert_eq!((rig.on(), rig.sim.servos[2].is_on(), rig.bus.is_stopped()), (N - 1, false, false));
    assert_eq!(rig.count(|e| *e == Event::LeftStopped(2)), 1);
    // Asked for now, it gets torque.
    assert!(rig.outcome(Command::TorqueOn, vec![2]).is_ok());
    assert_eq!(rig.on(), N);
}

#[test]
fn a_servo_that_answers_nothing_but_its_status_after_a_power_cut_is_found_again() {
    for off in [false, true] {
        let mut rig = walking(666_666);
        let (mut frame, address) = (Frame::default(), reg::ACK_POLICY.eep.unwrap());
        let request = frame.write(5, Memory::Eep, address, &[0]).unwrap().to_vec();
        rig.sim.write(rig.now, &request);
        rig.run(0.1);
        if off {
            assert!(rig.outcome(Command::TorqueOff, rig.all()).is_ok());
        }
        rig.sim.servos[4].power(false);
        rig.run(0.5);
        rig.sim.servos[4].power(true);
        rig.run(3.0);
        assert!(!rig.bus.is_lost(4), "{:?}", rig.phases());
        assert_eq!(rig.sim.servos[4].get(&reg::LED), if off { 2 } else { 1 });
        if !off {
            rig.get_ready(2.0);
        }
    }
}

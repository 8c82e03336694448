//! The bus as it should be: goals applied, positions read, torque with care.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{Command, Event, Phase, Release, Torque, Tuning, Watch};
use herkulex_node::codec::{command, error, reg, torque};
use rig::{Rig, config, start_angle};

const N: usize = 24;

fn tuning(period: f64) -> Tuning {
    Tuning { period, playtime: 2.0 * period, goal_timeout: 0.0, ..Tuning::default() }
}

/// Slow enough for the servos to follow, different for each, through the place where each stands at the start.
fn path(i: usize, t: f64) -> f64 {
    start_angle(i) + 0.3 * (2.0 * std::f64::consts::PI * 0.5 * t + i as f64).sin() - 0.3 * (i as f64).sin()
}

#[test]
fn twenty_four_servos_follow_and_are_read_at_both_speeds() {
    for (baud, period) in [(115_200, 0.02), (666_666, 0.01)] {
        let mut rig = Rig::new(config(N as u8, baud, tuning(period)), 1);
        let took = rig.get_ready(5.0);
        rig.bus.window(rig.now);
        let started = rig.now;
        let (mut applied, mut oldest) = (0, 0);
        let cycles = (10.0 / period) as usize;
        for k in 0..cycles {
            let t = k as f64 * period;
            rig.goals(2.0 * period, |i| path(i, t));
            rig.run(period);
            // The goal of this cycle is the servo's goal before the next one.
            for i in 0..N {
                let quantum = rig.bus.servos()[i].config().joint.quantum();
                let off = (rig.sim.servos[i].goal() - path(i, t)).abs();
                applied += usize::from(off <= quantum / 2.0 + 1e-9);
                // What was read is where the servo was, to half a count and what it moved since.
                let m = rig.bus.servos()[i].measured().unwrap();
                let age = (rig.now - m.at) as f64 * 1e-9 + 0.002;
                oldest = oldest.max(rig.now - m.at);
                assert!((m.position - rig.sim.servos[i].angle()).abs() <= quantum / 2.0 + age * 1.5);
            }
        }
        // The first cycles are the gentle approach.
        assert!(applied >= (cycles - 60) * N, "{baud}: {applied} of {}", cycles * N);
        let time = (rig.now - started) as f64 * 1e-9;
        let w = rig.bus.window(rig.now);
        println!(
            "{baud} baud, {N} servos, cycle {:.0} ms: ready after {took:.3} s, {} goals, {} jogs, {:.1} reads per cycle, \
             utilisation {:.1} %, jog {:.2} ms, slack {:.2} ms per cycle, poll period {:.1} ms, oldest position {:.1} ms, \
             {} collisions",
            period * 1e3,
            w.goals,
            w.jogs,
            w.reads as f64 / w.cycles as f64,
            w.utilisation() * 100.0,
            w.jog_time / w.jogs as f64 * 1e3,
            w.slack() / w.cycles as f64 * 1e3,
            time / (w.reads as f64 / N as f64) * 1e3,
            oldest as f64 * 1e-6,
            rig.sim.collided(),
        );
        assert_eq!((w.jogs as usize, rig.sim.collided()), (cycles, 0));
        assert!(rig.sim.servos.iter().all(|s| s.get(&reg::STATUS_ERROR) == 0));
        assert!(rig.bus.servos().iter().all(|s| s.statistics().timeouts == 0));
    }
}

#[test]
fn a_servo_at_rest_reads_back_within_half_a_count() {
    let mut rig = Rig::new(config(N as u8, 666_666, tuning(0.01)), 1);
    rig.get_ready(5.0);
    rig.goals(0.5, |i| -start_angle(i));
    rig.run(3.0);
    for i in 0..N {
        let (m, q) = (rig.bus.servos()[i].measured().unwrap(), rig.bus.servos()[i].config().joint.quantum());
        assert!((m.position - rig.sim.servos[i].angle()).abs() <= q / 2.0 + 1e-9);
        // Dry friction leaves it a little before its goal.
        assert!((rig.sim.servos[i].angle() + start_angle(i)).abs() <= q / 2.0 + 0.004);
    }
}

#[test]
fn torque_comes_with_the_goal_at_the_measured_place_and_nothing_moves() {
    let mut rig = Rig::new(config(N as u8, 115_200, tuning(0.02)), 1);
    rig.get_ready(5.0);
    rig.run(1.0);
    for (i, servo) in rig.sim.servos.iter().enumerate() {
        assert!(servo.worst_start <= 1, "servo {i} got torque {} counts away", servo.worst_start);
        assert!((servo.angle() - start_angle(i)).abs() < 0.006, "servo {i} moved");
        assert_eq!((servo.get(&reg::ACCELERATION_RATIO), servo.get(&reg::MAX_ACCELERATION_TIME)), (0, 0));
    }
}

#[test]
fn goals_that_jump_are_approached_and_caught_up_with() {
    let gentle = Tuning { approach_speed: 1.0, goal_timeout: 0.3, ..tuning(0.01) };
    let mut rig = Rig::new(config(4, 666_666, gentle), 1);
    rig.get_ready(5.0);
    // Every millisecond the rig checks that no servo is faster than it may be: here, than the approach.
    rig.rate = 0.0;
    let drive = |rig: &mut Rig, cycles: usize, goal: &dyn Fn(usize) -> f64| {
        for _ in 0..cycles {
            rig.goals(0.02, |i| start_angle(i) + goal(i));
            rig.run(0.01);
        }
    };
    drive(&mut rig, 100, &|_| 0.0);
    // Half a radian within one cycle, as from a gait that died and came back.
    drive(&mut rig, 40, &|_| 0.5);
    assert!((0..4).all(|i| rig.sim.servos[i].angle() < start_angle(i) + 0.41), "a radian per second");
    drive(&mut rig, 60, &|_| 0.5);
    assert!((0..4).all(|i| (rig.sim.servos[i].goal() - start_angle(i) - 0.5).abs() < 0.01), "and got there");
    // A silence, then goals from elsewhere.
    rig.run(1.0);
    assert_eq!(rig.bus.servos()[0].watch(), Watch::Holding);
    drive(&mut rig, 100, &|_| 0.4);
    assert!((0..4).all(|i| (rig.sim.servos[i].goal() - start_angle(i) - 0.4).abs() < 0.01));
    // What moves fast but does not jump is followed at once.
    rig.rate = 5.0;
    for k in 0..20 {
        drive(&mut rig, 1, &|_| 0.4 - 0.05 * f64::from(k));
    }
    assert!((0..4).all(|i| (rig.sim.servos[i].goal() - start_angle(i) + 0.55).abs() < 0.01));
}

#[test]
fn one_jog_per_cycle_short_when_playtimes_agree_and_long_when_they_do_not() {
    let mut rig = Rig::new(config(6, 115_200, tuning(0.02)), 1);
    rig.get_ready(5.0);
    rig.goals(0.04, start_angle);
    rig.run(1.0);
    rig.keep_writes = true;
    let jogs = |rig: &mut Rig, playtime: fn(usize) -> f64| {
        rig.writes.clear();
        let points = (0..6).map(|servo| herkulex_node::bus::GoalPoint {
            servo,
            position: start_angle(servo),
            playtime: playtime(servo),
            stamp: 0,
            alive: true,
        });
        rig.bus.goals(rig.now, 0, points);
        rig.run(0.001);
        let (_, first) = rig.writes[0].clone();
        (first[3], first[4], first.len())
    };
    assert_eq!(jogs(&mut rig, |_| 0.04), (0xFE, command::S_JOG, 8 + 6 * 4));
    rig.run(0.5);
    assert_eq!(jogs(&mut rig, |i| 0.04 + 0.1 * i as f64), (0xFE, command::I_JOG, 7 + 6 * 5));
    rig.run(2.0);
    // 0.040 s and 0.043 s are both four ticks.
    assert_eq!(jogs(&mut rig, |i| 0.043 + 0.0005 * i as f64), (0xFE, command::S_JOG, 8 + 6 * 4));
}

#[test]
fn a_hundred_servos_are_served_with_split_jogs() {
    let mut rig = Rig::new(config(100, 666_666, tuning(0.02)), 1);
    rig.get_ready(10.0);
    rig.goals(0.04, |i| start_angle(i) + 0.05);
    rig.run(2.0);
    for (i, servo) in rig.sim.servos.iter().enumerate() {
        assert!((servo.goal() - start_angle(i) - 0.05).abs() < 0.003, "servo {i}");
    }
}

#[test]
fn goals_faster_than_the_wire_neither_pile_up_nor_stop_the_reads() {
    let mut rig = Rig::new(config(N as u8, 115_200, tuning(0.001)), 1);
    rig.get_ready(5.0);
    rig.bus.window(rig.now);
    for _ in 0..2000 {
        rig.goals(0.02, start_angle);
        rig.run(0.001);
    }
    let w = rig.bus.window(rig.now);
    assert!(w.overtaken > 1500 && w.reads >= w.cycles, "{w:?}");
}

#[test]
fn without_full_duplex_a_request_waits_for_the_answer_before() {
    let mut half = config(N as u8, 115_200, tuning(0.04));
    half.full_duplex = false;
    let mut rig = Rig::new(half, 1);
    rig.get_ready(10.0);
    for k in 0..100 {
        rig.goals(0.08, |i| path(i, k as f64 * 0.04));
        rig.run(0.04);
    }
    assert_eq!(rig.sim.collided(), 0);
    assert!(rig.bus.servos().iter().all(|s| s.statistics().timeouts == 0));
}

#[test]
fn the_budget_says_what_would_fit() {
    let fast = config(18, 115_200, tuning(0.01)).budget();
    // HERKULEX: S_JOG for 18 servos takes 6.9 ms at 115200.
    assert!((fast.jog - 0.0069).abs() < 0.0001 && fast.fits(), "{fast}");
    let tight = config(N as u8, 115_200, tuning(0.01)).budget();
    assert!(!tight.fits() && tight.baud == Some(200_000), "{tight}");
    assert!(tight.to_string().contains("200000 baud") && tight.to_string().contains("period of"), "{tight}");
    assert_eq!(config(N as u8, 57_600, tuning(0.0005)).budget().baud, None);
}

#[test]
fn stale_goals_hold_then_release_and_torque_comes_back_only_as_told() {
    for (release, resume) in [(Release::Free, false), (Release::Brake, true)] {
        let tuning = Tuning { goal_timeout: 0.3, release_after: 1.0, release, resume, ..tuning(0.02) };
        let mut rig = Rig::new(config(6, 115_200, tuning), 1);
        rig.get_ready(5.0);
        rig.run(1.2);
        assert!(rig.all_ready() && rig.bus.servos()[0].watch() == Watch::Waiting, "not before its time");
        for _ in 0..100 {
            rig.goals(0.04, |i| start_angle(i) + 0.2);
            rig.run(0.02);
        }
        rig.goals(0.04, |_| f64::NAN);
        rig.run(0.25);
        assert_eq!(rig.bus.servos()[0].watch(), Watch::Following);
        rig.goals(0.04, |_| f64::NAN);
        rig.run(0.1);
        assert_eq!(rig.bus.servos()[0].watch(), Watch::Holding);
        assert!(rig.sim.servos.iter().all(|s| s.is_on()));
        rig.run(0.9);
        assert!(rig.sim.servos.iter().all(|s| s.is_on()), "not before its time");
        rig.run(0.2);
        assert_eq!(rig.bus.servos()[0].watch(), Watch::Released);
        let register = if release == Release::Free { torque::FREE } else { torque::BRAKE };
        assert!(rig.sim.servos.iter().all(|s| s.get(&reg::TORQUE) == i32::from(register)));

        for _ in 0..50 {
            rig.goals(0.04, |i| start_angle(i) + 0.4);
            rig.run(0.02);
        }
        assert_eq!(rig.sim.servos.iter().filter(|s| s.is_on()).count(), if resume { 6 } else { 0 });
        if !resume {
            assert_eq!(rig.outcome(Command::TorqueOn, (0..6).collect()), Ok("6 servos".into()));
        }
        assert!(rig.sim.servos.iter().all(|s| s.is_on() && s.worst_start <= 1));
    }
}

#[test]
fn orders_are_carried_out_and_reported() {
    let mut rig = Rig::new(config(4, 115_200, tuning(0.02)), 1);
    rig.get_ready(5.0);
    assert_eq!(rig.outcome(Command::TorqueOff, vec![1, 2]), Ok("2 servos".into()));
    let on: Vec<bool> = rig.sim.servos.iter().map(|s| s.is_on()).collect();
    assert_eq!(on, [true, false, false, true]);
    assert_eq!(rig.outcome(Command::Brake, vec![1]), Ok("1 servos".into()));
    assert_eq!(rig.sim.servos[1].get(&reg::TORQUE), i32::from(torque::BRAKE));
    assert_eq!(rig.outcome(Command::TorqueOn, vec![0, 1, 2, 3]), Ok("4 servos".into()));
    assert!(rig.sim.servos.iter().all(|s| s.is_on() && s.worst_start <= 1));

    rig.sim.servos[2].latch(error::POSITION_LIMIT, 0);
    assert_eq!(rig.outcome(Command::ClearErrors, vec![2]), Ok("1 servos".into()));
    assert_eq!((rig.sim.servos[2].get(&reg::STATUS_ERROR), rig.sim.servos[2].is_on()), (0, true));

    rig.sim.servos[3].set(&reg::KP, 100);
    assert_eq!(rig.outcome(Command::Reboot, vec![3]), Ok("1 servos".into()));
    assert_eq!(rig.sim.servos[3].get(&reg::KP), 440, "settings are those of the EEP again");
    assert_eq!(rig.sim.servos[3].get(&reg::ACCELERATION_RATIO), 0, "and ours were written again");
    assert!(rig.sim.servos[3].is_on() && rig.sim.servos[3].worst_start <= 1);

    rig.sim.faults.dead = vec![2];
    rig.run(0.5);
    let scan = rig.outcome(Command::Scan, vec![]).unwrap();
    assert_eq!(scan, "answered: 1 (joint1), 3 (joint3), 4 (joint4); no answer: 2 (joint2)");
    let refused = rig.outcome(Command::TorqueOff, vec![0, 1]).unwrap_err();
    assert_eq!(refused, "joint2 (id 2): no answer");
}

#[test]
fn a_servo_outside_its_limits_is_not_dragged_back_by_torque() {
    let mut config = config(2, 115_200, tuning(0.02));
    config.servos[1].joint.limits = (-0.1, 0.1);
    let mut rig = Rig::new(config, 1);
    let start = rig.sim.servos[1].angle();
    assert!(start > 0.2);
    rig.get_ready(5.0);
    rig.run(1.0);
    assert!((rig.sim.servos[1].angle() - start).abs() < 0.006);
    // A goal brings it to the near limit, gently.
    rig.goals(0.04, |_| 5.0);
    rig.run(0.1);
    assert!(rig.sim.servos[1].angle() > start - 0.2);
    rig.run(2.0);
    assert!((rig.sim.servos[1].angle() - 0.1).abs() < 0.01);
}

#[test]
fn shut_down_takes_torque_from_every_servo() {
    let mut rig = Rig::new(config(N as u8, 666_666, tuning(0.01)), 1);
    rig.get_ready(5.0);
    rig.relax(Torque::Brake);
    rig.run(0.3);
    assert!(rig.bus.is_relaxed());
    assert!(rig.sim.servos.iter().all(|s| s.get(&reg::TORQUE) == i32::from(torque::BRAKE)));
    assert!(rig.count(|e| matches!(e, Event::Fault(..) | Event::Lost(_))) == 0);
    assert!(rig.bus.servos().iter().all(|s| s.phase() == Phase::Resting));
}

//! Orders that cannot be overruled: every order that takes torque against everything that could give it back. That no servo
//! gets torque after such an order is checked by the rig, every millisecond; here it is checked that the order is carried out.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{BusConfig, Command, Event, Phase, Release, Torque, Tuning, Watch};
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
        resume: true,
        ..Tuning::default()
    };
    config(N as u8, 666_666, tuning)
}

/// A robot that walks.
fn walking() -> Rig {
    let mut rig = Rig::new(bus(), 3);
    rig.rate = 0.75;
    rig.get_ready(5.0);
    walk(&mut rig, 0.5);
    assert_eq!(rig.on(), N);
    rig
}

fn walk(rig: &mut Rig, seconds: f64) {
    for _ in 0..(seconds / PERIOD).round() as usize {
        let t = rig.now as f64 * 1e-9;
        rig.goals(2.0 * PERIOD, |i| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin());
        rig.run(PERIOD);
    }
}

fn registers(rig: &Rig) -> Vec<i32> {
    rig.sim.servos.iter().map(|s| s.get(&reg::TORQUE)).collect()
}

type Disturbance = fn(&mut Rig, Command);

/// Each gives the order somewhere on its way, and then everything that could bring torque back.
const DISTURBANCES: [(&str, Disturbance); 20] = [
    ("goals go on", |rig, order| {
        rig.order(order, rig.all());
        walk(rig, 2.0);
    }),
    ("goals stop and return, with resume", |rig, order| {
        rig.order(order, rig.all());
        rig.run(2.0);
        walk(rig, 2.0);
    }),
    ("released by the watchdog before, goals return with resume", |rig, order| {
        rig.run(1.5);
        assert_eq!(rig.on(), 0);
        rig.order(order, rig.all());
        rig.run(0.5);
        walk(rig, 2.0);
    }),
    ("unplugged before the order", |rig, order| {
        rig.unplug();
        walk(rig, 0.5);
        rig.order(order, rig.all());
        walk(rig, 0.5);
        rig.plug();
        walk(rig, 2.0);
    }),
    ("unplugged while it is carried out", |rig, order| {
        rig.order(order, rig.all());
        rig.run(0.003);
        rig.unplug();
        walk(rig, 0.5);
        rig.plug();
        walk(rig, 2.0);
    }),
    ("unplugged after it", |rig, order| {
        rig.order(order, rig.all());
        walk(rig, 1.0);
        rig.unplug();
        walk(rig, 0.5);
        rig.plug();
        walk(rig, 2.0);
    }),
    ("servos replugged one after the other", |rig, order| {
        rig.order(order, rig.all());
        walk(rig, 0.5);
        for i in 0..N {
            rig.sim.servos[i].power(false);
            walk(rig, 0.1);
            rig.sim.servos[i].power(true);
        }
        walk(rig, 2.0);
    }),
    ("power cut, node alive", |rig, order| {
        rig.order(order, rig.all());
        walk(rig, 0.5);
        rig.sim.power(false);
        walk(rig, 1.0);
        rig.sim.power(true);
        walk(rig, 2.0);
    }),
    ("order during a power cut", |rig, order| {
        rig.sim.power(false);
        walk(rig, 0.5);
        rig.order(order, rig.all());
        walk(rig, 0.5);
        rig.sim.power(true);
        walk(rig, 2.0);
    }),
    ("order while the port is away, crash, replugged", |rig, order| {
        rig.unplug();
        rig.run(0.3);
        rig.order(order, rig.all());
        rig.respawn_unplugged();
        walk(rig, 0.5);
        rig.plug();
        walk(rig, 2.0);
    }),
    ("crash while the port is away, order, another crash, replugged", |rig, order| {
        rig.unplug();
        rig.respawn_unplugged();
        rig.order(order, rig.all());
        rig.respawn_unplugged();
        rig.run(0.3);
        rig.respawn_unplugged();
        rig.plug();
        walk(rig, 2.0);
    }),
    ("unplugged while it is carried out, crash, replugged", |rig, order| {
        rig.order(order, rig.all());
        rig.run(0.004);
        rig.unplug();
        rig.respawn_unplugged();
        rig.plug();
        walk(rig, 2.0);
    }),
    ("crash while it is carried out", |rig, order| {
        rig.order(order, rig.all());
        rig.run(0.004);
        rig.respawn();
        walk(rig, 2.0);
    }),
    ("order right after a crash, and another crash", |rig, order| {
        rig.respawn();
        rig.order(order, rig.all());
        rig.run(0.002);
        rig.respawn();
        walk(rig, 2.0);
    }),
    ("order while servos are found after a crash", |rig, order| {
        rig.respawn();
        rig.run(0.03);
        rig.order(order, rig.all());
        walk(rig, 2.0);
    }),
    ("order during a power cut, crash, power", |rig, order| {
        rig.sim.power(false);
        walk(rig, 0.5);
        rig.order(order, rig.all());
        rig.run(0.5);
        rig.respawn();
        rig.run(0.5);
        rig.sim.power(true);
        walk(rig, 2.0);
    }),
    ("replugged port, servo and power together", |rig, order| {
        rig.unplug();
        rig.order(order, rig.all());
        rig.sim.power(false);
        walk(rig, 0.5);
        rig.plug();
        walk(rig, 0.5);
        rig.sim.power(true);
        walk(rig, 2.0);
    }),
    ("crash", |rig, order| {
        rig.order(order, rig.all());
        rig.run(1.0);
        rig.respawn();
        walk(rig, 2.0);
    }),
    ("power cut of the servos, then a crash", |rig, order| {
        rig.order(order, rig.all());
        rig.run(0.5);
        rig.sim.power(false);
        rig.run(1.0);
        rig.sim.power(true);
        rig.run(2.0);
        rig.respawn();
        walk(rig, 2.0);
    }),
    ("good end and start", |rig, order| {
        rig.order(order, rig.all());
        rig.run(0.5);
        rig.relax(Torque::Brake);
        rig.run(0.5);
        rig.respawn();
        walk(rig, 2.0);
    }),
];

#[test]
fn every_order_holds_over_every_disturbance_and_only_another_order_ends_it() {
    for command in [Command::TorqueOff, Command::Brake, Command::Stop] {
        for (what, disturb) in DISTURBANCES {
            let mut rig = walking();
            disturb(&mut rig, command);
            let register = if command == Command::Brake { torque::BRAKE } else { torque::FREE };
            assert_eq!(registers(&rig), [i32::from(register); N], "{command:?}: {what}: {:?}", rig.phases());
            if command == Command::Stop {
                assert!(rig.bus.is_stopped(), "{what}");
                let refused = rig.outcome(Command::TorqueOn, rig.all());
                assert_eq!(refused, Err("stopped: clear_stop comes first".into()), "{what}");
                assert!(rig.outcome(Command::ClearStop, rig.all()).is_ok(), "{what}");
                walk(&mut rig, 1.0);
                assert_eq!(rig.on(), 0, "{what}: the end of the stop gives no torque");
            }
            assert_eq!(
                rig.outcome(Command::TorqueOn, rig.all()),
                Ok(format!("{N} servos")),
                "{command:?}: {what}"
            );
            walk(&mut rig, 0.5);
            assert_eq!(rig.on(), N, "{command:?}: {what}");
        }
    }
}

#[test]
fn a_bus_that_was_never_ours_gets_torque_at_the_start_and_no_other() {
    // Killed while it walks: left as found, which is with torque, and it walks on.
    let mut rig = walking();
    rig.respawn();
    walk(&mut rig, 1.0);
    assert_eq!((rig.on(), rig.count(|e| *e == Event::Adopted(N))), (N, 1));
    // Killed while half of it is free: that half stays free.
    let half: Vec<usize> = (0..N / 2).collect();
    assert!(rig.outcome(Command::TorqueOff, half).is_ok());
    rig.respawn();
    walk(&mut rig, 1.0);
    assert_eq!(rig.on(), N - N / 2);
    // Killed after the watchdog took the torque: nobody asked for it since.
    rig.run(2.0);
    assert_eq!(rig.on(), 0);
    rig.respawn();
    walk(&mut rig, 1.0);
    assert_eq!(rig.on(), 0);
    // One servo loses its power as well: the others say that the bus was ours.
    rig.sim.servos[5].power(false);
    rig.run(0.1);
    rig.sim.servos[5].power(true);
    rig.respawn();
    walk(&mut rig, 1.0);
    assert_eq!(rig.on(), 0);
    // All lose it: the robot was switched off and on.
    rig.sim.power(false);
    rig.run(0.1);
    rig.sim.power(true);
    rig.respawn();
    rig.get_ready(2.0);
    // A good end hands the bus back.
    rig.relax(Torque::Brake);
    rig.run(0.5);
    assert_eq!(registers(&rig), [i32::from(torque::BRAKE); N]);
    rig.respawn();
    rig.get_ready(2.0);
    assert!(rig.sim.servos.iter().all(|s| s.worst_start <= 2));
}

#[test]
fn power_that_comes_after_the_node_gives_torque_at_the_start() {
    let mut rig = Rig::new(bus(), 3);
    rig.sim.power(false);
    rig.run(3.0);
    rig.sim.power(true);
    rig.get_ready(2.0);
}

#[test]
fn a_servo_that_refuses_to_brake_delays_no_other() {
    for id in [1, 15, 31] {
        for (what, act) in [
            ("order", (|rig| rig.order(Command::Brake, rig.all())) as fn(&mut Rig)),
            ("end", |rig| rig.relax(Torque::Brake)),
            ("watchdog", |rig| rig.run(1.0)),
        ] {
            for fault in ["broken", "stubborn", "dead"] {
                let mut rig = walking();
                let list = vec![id];
                match fault {
                    "broken" => rig.sim.faults.broken = list,
                    "stubborn" => rig.sim.faults.stubborn = list,
                    _ => rig.sim.faults.dead = list,
                }
                rig.run(0.1);
                act(&mut rig);
                // Three packets for each of 31 servos and their answers at 666666 baud take 31·(11+9+13)·15 µs + turnarounds
                // ≈ 25 ms; the bad one costs a reply timeout each round. A fifth of a second is generous.
                rig.run(0.2);
                let braked = registers(&rig).iter().filter(|r| **r == i32::from(torque::BRAKE)).count();
                assert!(braked >= N - 1, "{what}, {fault} {id}: {braked} of {N}: {:?}", rig.phases());
                rig.run(1.0);
                if fault == "broken" {
                    assert_eq!(registers(&rig)[usize::from(id) - 1], i32::from(torque::FREE), "{what} {id}");
                    assert!(
                        rig.bus.servos()[usize::from(id) - 1].fsm().is_relaxed(),
                        "free is as good as it gets"
                    );
                }
            }
        }
    }
}

#[test]
fn a_stubborn_servo_is_told_again_until_it_lets_go() {
    let mut rig = walking();
    rig.sim.faults.stubborn = vec![7];
    rig.run(0.01);
    let refused = rig.outcome(Command::Stop, vec![]);
    assert_eq!(refused, Err("joint7 (id 7): not ready".into()));
    rig.run(5.0);
    rig.sim.faults.stubborn = vec![];
    rig.run(0.3);
    assert_eq!(rig.on(), 0);
}

#[test]
fn stop_says_it_to_all_before_it_asks_anybody() {
    let mut rig = walking();
    rig.keep_writes = true;
    rig.order(Command::Stop, vec![]);
    let ordered = rig.now;
    rig.run(0.05);
    let (at, first) = rig.writes.iter().find(|(at, _)| *at >= ordered).unwrap();
    assert_eq!(
        (*at, &first[..10]),
        (ordered, &[0xFF, 0xFF, 0x0A, 0xFE, 0x03, 0xC2, 0x3C, 0x34, 0x01, 0x00][..])
    );
    assert_eq!(rig.on(), 0);
}

#[test]
fn a_joint_whose_source_died_is_held_and_released_while_others_walk() {
    let mut rig = walking();
    let legs = 0..6;
    // The agregator goes on sending the last pose of the legs; only the ears are commanded.
    legs.clone().for_each(|i| rig.alive[i] = false);
    walk(&mut rig, 0.4);
    assert!(legs.clone().all(|i| rig.bus.servos()[i].watch() == Watch::Holding));
    assert_eq!(rig.on(), N);
    walk(&mut rig, 0.8);
    assert_eq!(rig.count(|e| matches!(e, Event::Release(_))), 6);
    assert_eq!(rig.on(), N - 6);
    assert!((6..N).all(|i| rig.bus.servos()[i].watch() == Watch::Following));
    legs.clone().for_each(|i| rig.alive[i] = true);
    walk(&mut rig, 1.5);
    assert_eq!(rig.on(), N, "resume is true");
}

#[test]
fn goals_go_by_their_stamps() {
    // One message over and over is one message.
    let walking = || {
        let mut rig = walking();
        // These goals are a step from where it walks, within its playtime: faster than the walk, as asked.
        rig.rate = 2.0 * 0.25 / 0.04;
        rig
    };
    let mut rig = walking();
    let stamp = rig.clock();
    for _ in 0..60 {
        rig.goals_of(stamp, 0.04, start_angle);
        rig.run(PERIOD);
    }
    assert_eq!((rig.on(), rig.count(|e| matches!(e, Event::Release(_)))), (0, N));
    // Old ones are not followed, and count.
    let mut rig = walking();
    rig.bus.window(rig.now);
    for _ in 0..60 {
        rig.goals_of(rig.clock() - 400_000_000, 0.04, start_angle);
        rig.run(PERIOD);
    }
    assert_eq!((rig.on(), rig.bus.window(rig.now).stale), (0, 60 * N as u64));
    // A message that was under way for 0.2 s has 0.1 s left of its 0.3.
    let mut rig = walking();
    rig.goals_of(rig.clock() - 200_000_000, 0.04, start_angle);
    rig.run(0.25);
    assert_eq!(
        rig.bus.servos()[0].watch(),
        Watch::Following,
        "the last commanded goal is newer than the late one"
    );
    rig.run(0.06);
    assert_eq!(rig.bus.servos()[0].watch(), Watch::Holding);
    // Without a stamp a goal is as old as its arrival.
    let mut rig = walking();
    for _ in 0..60 {
        rig.goals_of(0, 0.04, start_angle);
        rig.run(PERIOD);
    }
    assert_eq!(rig.on(), N);
}

#[test]
fn the_watchdog_is_armed_by_torque_and_by_holding_alone() {
    let mut rig = Rig::new(bus(), 3);
    rig.get_ready(5.0);
    rig.run(1.1);
    assert_eq!(rig.on(), 0, "no goal ever came");
    // While it holds, the timeout is set to 0, for never: what is held is released all the same, and nothing spins.
    let mut rig = walking();
    rig.run(0.4);
    assert_eq!(rig.bus.servos()[0].watch(), Watch::Holding);
    let tuning = Tuning { goal_timeout: 0.0, ..rig.bus.config().tuning };
    rig.bus.tune(rig.now, tuning);
    rig.run(0.7);
    assert_eq!(rig.on(), 0);
}

#[test]
fn a_process_that_dies_leaves_servos_that_stop() {
    let mut rig = walking();
    rig.goals(2.8, |i| start_angle(i) + 0.8);
    rig.run(1.0);
    // Killed: nobody talks any more. By then each is on its way, and goes no further than half a second.
    let at: Vec<f64> = rig.sim.servos.iter().map(|s| s.angle()).collect();
    rig.unplug();
    rig.run(2.0);
    for (servo, at) in rig.sim.servos.iter().zip(&at) {
        let speed = 1.1 / 2.8;
        assert!((servo.angle() - at).abs() < speed * (herkulex_node::bus::REACH + 0.0224) + 0.02);
        assert!(servo.velocity().abs() < 0.01, "it stands");
    }
    assert!(rig.bus.servos().iter().all(|s| s.phase() == Phase::Ready));
}

#[test]
fn clearing_a_stop_that_is_none_changes_nothing() {
    let mut rig = walking();
    assert_eq!(rig.outcome(Command::ClearStop, vec![]), Ok("not stopped".into()));
    walk(&mut rig, 0.5);
    assert_eq!(rig.on(), N);
}

#[test]
fn an_order_before_the_first_connection_stands() {
    for command in [Command::TorqueOff, Command::Brake, Command::Stop] {
        let mut rig = Rig::new(bus(), 3);
        rig.unplug();
        rig.respawn_unplugged();
        rig.order(command, rig.all());
        walk(&mut rig, 0.5);
        rig.plug();
        walk(&mut rig, 1.0);
        let register = if command == Command::Brake { torque::BRAKE } else { torque::FREE };
        assert_eq!(registers(&rig), [i32::from(register); N], "{command:?}");
    }
}

#[test]
fn no_other_order_gives_torque_that_was_ordered_off() {
    for command in [Command::TorqueOff, Command::Stop] {
        let mut rig = walking();
        assert!(rig.outcome(command, rig.all()).is_ok());
        for other in [Command::ClearErrors, Command::Reboot, Command::Scan, Command::Brake] {
            let _ = rig.outcome(other, rig.all());
            walk(&mut rig, 0.3);
            assert_eq!(rig.on(), 0, "{command:?}, {other:?}");
        }
    }
}

#[test]
fn nothing_gives_torque_once_the_end_has_begun() {
    let mut rig = walking();
    rig.relax(Torque::Brake);
    assert_eq!(rig.outcome(Command::TorqueOn, rig.all()), Err("the bridge is ending".into()));
    walk(&mut rig, 0.2);
    rig.unplug();
    rig.run(0.1);
    rig.plug();
    walk(&mut rig, 1.0);
    assert_eq!(registers(&rig), [i32::from(torque::BRAKE); N]);
}

#[test]
fn without_torque_at_start_a_bus_is_left_as_found() {
    let mut config = bus();
    config.torque_at_start = false;
    let mut rig = Rig::new(config, 3);
    walk(&mut rig, 1.0);
    assert_eq!(rig.on(), 0);
    assert!(rig.outcome(Command::TorqueOn, rig.all()).is_ok());
    rig.respawn();
    walk(&mut rig, 1.0);
    assert_eq!(rig.on(), N, "a crash does not take it");
}

//! The thread, the port and the rings, in real time on a pseudo-terminal.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;
mod robot;

use herkulex_node::bridge::Notice;
use herkulex_node::bus::{Command, Event};
use herkulex_node::codec::torque;
use herkulex_node::port::Port;
use robot::{BAUD, N, Robot, order_file, start};
use std::time::{Duration, Instant};
use test_lib::allocations;

#[test]
fn the_end_takes_torque_from_all_and_hands_the_bus_back() {
    let mut robot = Robot::new("end");
    let ended = Instant::now();
    robot.bridge = None;
    println!("farewell of {N} servos: {:.0} ms", ended.elapsed().as_secs_f64() * 1e3);
    assert_eq!(robot.with(torque::BRAKE), N);
    // The next start is one on a bus that is nobody's.
    let (bridge, feed) = start(&robot.link);
    (robot.bridge, robot.feed) = (Some(bridge), feed);
    robot.wait("torque again", |r| r.on() == N);
}

#[test]
fn the_end_waits_a_while_for_a_port_that_is_away() {
    let mut robot = Robot::new("away");
    robot.unplug(true);
    std::thread::sleep(Duration::from_millis(300));
    let bridge = robot.bridge.take();
    let ending = std::thread::spawn(move || drop(bridge));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(robot.on(), N);
    robot.unplug(false);
    ending.join().unwrap();
    assert_eq!(robot.with(torque::BRAKE), N, "replugged during the farewell");
}

#[test]
fn the_end_does_not_wait_for_ever() {
    let mut robot = Robot::new("gone");
    robot.unplug(true);
    std::thread::sleep(Duration::from_millis(300));
    let ended = Instant::now();
    robot.bridge = None;
    // 0.7 s, 0.02 s for each servo, and the pause between two tries.
    assert!(ended.elapsed() < Duration::from_secs_f64(0.7 + 0.02 * N as f64 + 0.5), "{:?}", ended.elapsed());
}

#[test]
fn an_order_given_while_the_port_is_away_stands() {
    let mut robot = Robot::new("order");
    robot.unplug(true);
    robot.wait("the loss", |_| true);
    std::thread::sleep(Duration::from_millis(300));
    let told = robot.order(Command::TorqueOff).unwrap_err();
    assert!(told.contains("the order stands"), "{told}");
    robot.unplug(false);
    robot.wait("no torque", |r| r.on() == 0);
    // And over a process that is killed: the bus forgets, the servos do not.
    let (bridge, feed) = {
        let killed = robot.bridge.take();
        robot.unplug(true);
        drop(killed);
        robot.unplug(false);
        start(&robot.link)
    };
    (robot.bridge, robot.feed) = (Some(bridge), feed);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(robot.on(), 0);
    robot.torque_on();
}

#[test]
fn an_order_given_while_the_port_is_away_outlives_the_process() {
    for (command, stands) in
        [(Command::Stop, "stop"), (Command::TorqueOff, "off 1 2"), (Command::Brake, "brake 1 2")]
    {
        let mut robot = Robot::new(&format!("file_{command:?}"));
        let file = order_file(&robot.link);
        assert!(!file.path().exists(), "nothing to remember");
        robot.unplug(true);
        std::thread::sleep(Duration::from_millis(300));
        assert!(robot.order(command).unwrap_err().contains("the order stands"));
        // It is on the disk before it is answered, so a kill changes nothing.
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(text.contains(stands), "{text}");
        robot.bridge = None;
        let (bridge, feed) = start(&robot.link);
        (robot.bridge, robot.feed) = (Some(bridge), feed);
        std::thread::sleep(Duration::from_millis(200));
        robot.unplug(false);
        robot.wait("no torque", |r| r.on() == 0);
        robot.wait("nothing to remember", |_| !file.path().exists());
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(robot.on(), 0, "{command:?}");
        assert!(robot.notices().iter().any(|n| matches!(n, Notice::Restored(_))));
        if command == Command::Stop {
            assert!(robot.order(Command::TorqueOn).is_err());
            robot.insist(Command::ClearStop, |_| true);
        }
        robot.torque_on();
    }
}

#[test]
fn a_file_that_cannot_be_read_gives_nobody_torque() {
    let mut robot = Robot::new("damaged");
    robot.bridge = None;
    assert_eq!(robot.with(torque::BRAKE), N);
    std::fs::write(order_file(&robot.link).path(), b"herkulex_node orders 1\noff 3").unwrap();
    let (bridge, feed) = start(&robot.link);
    (robot.bridge, robot.feed) = (Some(bridge), feed);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(robot.on(), 0);
    assert!(
        robot
            .notices()
            .iter()
            .any(|n| matches!(n, Notice::NotRestored(e) if e.to_string() == "it has no end"))
    );
    robot.torque_on();
}

#[test]
fn nobody_else_opens_a_port_that_the_bridge_has() {
    let robot = Robot::new("lock");
    let refused = Port::open(&robot.link.to_string_lossy(), BAUD).unwrap_err();
    assert!(refused.to_string().contains("in use by another process"), "{refused}");
}

#[test]
fn goals_go_in_and_readings_come_out_without_allocation() {
    let mut robot = Robot::new("ring");
    while robot.feed.readings.pop().is_ok() {}
    let (mut n, mut readings) = (0, 0);
    let mut taken = 0;
    // On a machine that lets the bridge's thread wait, the ring fills up and goals are not taken.
    for k in 0..10_000u64 {
        n += allocations(|| {
            taken += u64::from(robot.goals(1 + k * 10_000_000));
            while let Ok(reading) = robot.feed.readings.pop() {
                let age = robot.bridge().now() - reading.measured.at;
                assert!(reading.measured.at > 0 && age < 5_000_000_000, "{age}");
                readings += 1;
            }
        });
        std::thread::sleep(Duration::from_millis(10));
        if taken >= 100 && readings > 100 {
            break;
        }
    }
    assert_eq!(n, 0);
    assert!(taken >= 100 && readings > 100, "{taken} goals, {readings} readings");
    assert!(robot.notices().iter().any(|n| matches!(n, Notice::Event(Event::Follow(_)))));
}

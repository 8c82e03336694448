//! Separate processes, where `sync` and poses come over topics of their own.
#![allow(clippy::unwrap_used)]

use robot_model_lib::Limits;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::{InverseParams, LeadParams};

const T: i64 = 10_000_000;
const START: i64 = 1_700_000_000_000_000_000;
const LIMITS: Limits = Limits { lower: -9.0, upper: 9.0, velocity: 6.0, effort: 5.0 };
/// rad per cycle: 3 rad/s.
const STEP: f64 = 0.03;
/// lead + delay, s.
const AHEAD: f64 = 0.04;

fn lead() -> ServoInverse {
    let params =
        LeadParams { lead: 0.01, delay: 0.03, playtime: 0.0112, period: 0.01, ..LeadParams::default() };
    let mut inverse = ServoInverse::ideal(Settings::from(&params)).unwrap();
    inverse.set_limits(vec![("j".into(), LIMITS)]);
    inverse
}

/// Without a robot nothing is held back: what is seen is the lead alone.
fn unbounded() -> ServoInverse {
    let params =
        LeadParams { lead: 0.01, delay: 0.03, playtime: 0.0112, period: 0.01, ..LeadParams::default() };
    ServoInverse::ideal(Settings::from(&params)).unwrap()
}

fn pose(inverse: &mut ServoInverse, cycle: i64, q: f64) -> Option<f64> {
    let name = ["j".to_owned()];
    let desired = Desired { name: &name, position: &[q], ..Desired::default() };
    inverse.step(desired, START + cycle * T).unwrap().map(|goals| goals.target[0])
}

/// The beat was away for 6 cycles, the pose of the first cycle after that comes before its `sync`.
#[test]
fn a_pose_before_its_sync_after_a_fall_out_is_led_by_its_speed() {
    let mut inverse = lead();
    let mut led = vec![];
    for k in 0..10_i64 {
        inverse.sync(k as u32 + 1, START + k * T, 0.01);
        led.push(pose(&mut inverse, k, STEP * k as f64).unwrap() - STEP * k as f64);
    }
    // Cycles 10 … 15 fell out; that of 16 has number 11.
    for k in 16..20_i64 {
        let q = STEP * (k - 6) as f64;
        let goal = pose(&mut inverse, k, q).unwrap();
        inverse.sync((k - 5) as u32, START + k * T, 0.01);
        led.push(goal - q);
    }
    // The first two are still held by the joint's speed: it begins at 3 rad/s.
    for led in &led[2..] {
        assert!((led - 3.0 * AHEAD).abs() < 1e-9, "led by {led}, right is {}", 3.0 * AHEAD);
    }
}

/// After a fall-out, one longer than `timeout` too, `sync`s come again, and the poses some cycles later.
#[test]
fn a_fall_out_is_remembered_until_the_next_pose() {
    for (again, silent) in
        [40, 140].into_iter().flat_map(|again| (0..8_i64).map(move |silent| (again, silent)))
    {
        let mut inverse = unbounded();
        for k in 0..10_i64 {
            inverse.sync(k as u32 + 1, START + k * T, 0.01);
            pose(&mut inverse, k, STEP * k as f64).unwrap();
        }
        // `sync`s without a pose (the agregator is late), then a pose that has gone on through those.
        for n in 0..=silent {
            inverse.sync(11 + n as u32, START + (again + n) * T, 0.01);
        }
        let q = STEP * (10 + silent) as f64;
        let led = pose(&mut inverse, again + silent, q).unwrap() - q;
        assert!((led - 3.0 * AHEAD).abs() < 1e-9, "again at {again}, {silent} silent: led by {led}");
    }
}

fn param() -> ServoInverse {
    let params = InverseParams {
        lead: 0.0112,
        delay: 0.0022,
        playtime: 0.0112,
        period: 0.01,
        battery_voltage: 7.4,
        ..InverseParams::default()
    };
    let model = ServoModel { kp: 480.0, kgear: 1.0, alpha: [1.0, 96.71, 7.0, 296.0] };
    let mut inverse = ServoInverse::new(Settings::from(&params), Models::new(model, vec![]).unwrap());
    inverse.set_limits(vec![("j".into(), LIMITS)]);
    inverse
}

fn state(inverse: &mut ServoInverse, stamp: i64, [q, v, a, effort]: [f64; 4]) -> f64 {
    let name = ["j".to_owned()];
    let desired =
        Desired { name: &name, position: &[q], velocity: &[v], acceleration: &[a], effort: &[effort] };
    inverse.step(desired, stamp).unwrap().unwrap().target[0]
}

/// An effort that ends while the beat is away fades in the robot's time, as it does without.
#[test]
fn an_effort_that_is_left_out_after_a_fall_out_fades_as_it_does_without() {
    let goals = |gap: i64| {
        let mut inverse = param();
        let mut all = vec![];
        for k in 0..60_i64 {
            let stamp = START + k * T + if k >= 30 { gap * T } else { 0 };
            inverse.sync(k as u32 + 1, stamp, 0.01);
            all.push(state(&mut inverse, stamp, [0.2, 0.0, 0.0, if k < 30 { 1.0 } else { f64::NAN }]));
        }
        all
    };
    let (plain, found) = (goals(0), goals(30));
    let worst = plain.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-9, "goals differ by {worst}");
}

/// The battery's steps are smoothed in the robot's time; a beat that was away for longer than `timeout` is no reason for a step.
#[test]
fn a_battery_that_sagged_is_followed_as_slowly_after_a_fall_out() {
    let goals = |gap: i64| {
        let mut inverse = param();
        let mut all = vec![];
        for k in 0..200_i64 {
            let stamp = START + k * T + if k >= 100 { gap * T } else { 0 };
            inverse.battery(if k < 99 { 8.2 } else { 6.4 }).unwrap();
            inverse.sync(k as u32 + 1, stamp, 0.01);
            all.push(state(&mut inverse, stamp, [0.2, 0.0, 0.0, 2.0]));
        }
        all
    };
    for gap in [30, 150] {
        let (plain, found) = (goals(0), goals(gap));
        let worst = plain.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "gap {gap}: goals differ by {worst}");
    }
}

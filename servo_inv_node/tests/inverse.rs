//! `servo_inv_param`: simulated servos that obey the model equation, driven by our goals, do what was wanted.
#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::InverseParams;
use std::f64::consts::TAU;

const PERIOD: f64 = 0.01;
const CYCLE: i64 = 10_000_000;
const DEAD_ZONE: f64 = 0.05;

fn settings(lead: f64, voltage: f64) -> Settings {
    let params = InverseParams {
        period: PERIOD,
        lead,
        sign_dead_zone: DEAD_ZONE,
        sign_smoothing: 0.0,
        battery_voltage: voltage,
        max_step: 1000.0,
        ..InverseParams::default()
    };
    Settings::from(&params)
}

fn joints(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("joint{i}")).collect()
}

/// 24 different servos around those of a pony.
fn model(i: usize) -> ServoModel {
    let k = i as f64 / 24.0;
    ServoModel {
        kp: 80.0 + 60.0 * k,
        kgear: 1.0 + 1.155 * k,
        alpha: [1.39 + 0.7 * k, 52.1 + 2.0 * k, 7.09 + 5.4 * k, 212.0 + 23.0 * k],
    }
}

/// A servo in discrete time, velocity and acceleration being differences: its next position is the one that solves the model
/// equation. Friction pushes against the motion except within the dead zone.
struct Simulated {
    model: ServoModel,
    position: f64,
    velocity: f64,
}

impl Simulated {
    fn step(&mut self, goal: f64, torque: f64, voltage: f64) {
        let ServoModel { kp, kgear, alpha: [a0, a1, a2, a3] } = self.model;
        let stiffness = kp * voltage;
        for (sign, fits) in [
            (1.0, (|v| v > DEAD_ZONE) as fn(f64) -> bool),
            (-1.0, |v| v < -DEAD_ZONE),
            (0.0, |v: f64| v.abs() <= DEAD_ZONE),
        ] {
            // stiffness·(r − q₀ − T·v) = a0·(v − v₀)/T + a1·v + a2·sign + a3·torque, solved for v.
            let push = stiffness * (goal / kgear - self.position) + a0 * self.velocity / PERIOD
                - a2 * sign
                - a3 * torque;
            let velocity = push / (stiffness * PERIOD + a0 / PERIOD + a1);
            if fits(velocity) {
                self.position += PERIOD * velocity;
                self.velocity = velocity;
                return;
            }
        }
        panic!("friction leaves no solution");
    }
}

/// What 24 joints should do: 2 Hz sines, with the differences of the agregator, and a torque.
struct Trajectory {
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    effort: Vec<f64>,
}

impl Trajectory {
    fn at(k: usize) -> Trajectory {
        let q = |k: f64, i: f64| 0.5 * (TAU * 2.0 * k * PERIOD + i).sin() + 0.1 * i;
        let each =
            |f: &dyn Fn(f64, f64) -> f64| (0..24).map(|i| f(k as f64, f64::from(i))).collect::<Vec<_>>();
        let v = |k: f64, i: f64| (q(k, i) - q(k - 1.0, i)) / PERIOD;
        Trajectory {
            position: each(&q),
            velocity: each(&v),
            acceleration: each(&|k, i| (v(k, i) - v(k - 1.0, i)) / PERIOD),
            effort: each(&|k, i| 0.7 * (TAU * 1.3 * k * PERIOD + 2.0 * i).cos()),
        }
    }

    fn desired<'a>(&'a self, name: &'a [String]) -> Desired<'a> {
        let Trajectory { position, velocity, acceleration, effort } = self;
        Desired { name, position, velocity, acceleration, effort }
    }
}

fn inverse(settings: Settings, n: usize) -> ServoInverse {
    let named = joints(n).into_iter().enumerate().map(|(i, name)| (name, model(i))).collect();
    ServoInverse::new(settings, Models::new(ServoModel::IDEAL, named).unwrap())
}

#[test]
fn simulated_servos_track_a_2_hz_sine_on_24_joints_at_any_voltage() {
    let names = joints(24);
    for voltage in [6.0, 7.4, 9.0, 12.0, 14.0] {
        let mut inverse = inverse(settings(0.0, 12.0), 24);
        inverse.battery(voltage).unwrap();
        let start = Trajectory::at(0);
        let mut servos: Vec<Simulated> = (0..24)
            .map(|i| Simulated { model: model(i), position: start.position[i], velocity: start.velocity[i] })
            .collect();
        for k in 1..500 {
            let wanted = Trajectory::at(k);
            let goals = inverse.step(wanted.desired(&names), k as i64 * CYCLE).unwrap().unwrap();
            for (i, servo) in servos.iter_mut().enumerate() {
                servo.step(goals.target[i], wanted.effort[i], voltage);
                let error = (servo.position - wanted.position[i]).abs();
                assert!(error < 1e-9, "cycle {k}, joint {i}, {voltage} V: {error}");
            }
        }
    }
}

#[test]
fn a_wrong_voltage_would_show() {
    let names = joints(24);
    let mut inverse = inverse(settings(0.0, 12.0), 24);
    let (before, wanted) = (Trajectory::at(9), Trajectory::at(10));
    let mut servo = Simulated { model: model(0), position: before.position[0], velocity: before.velocity[0] };
    servo.step(
        inverse.step(wanted.desired(&names), CYCLE).unwrap().unwrap().target[0],
        wanted.effort[0],
        9.0,
    );
    assert!((servo.position - wanted.position[0]).abs() > 1e-4);
}

/// Greatest deviation of servos that are late by `delay` cycles, after the start.
fn late(delay: usize, lead: f64, position: impl Fn(f64) -> f64) -> f64 {
    let name = joints(1);
    let mut inverse =
        ServoInverse::new(settings(lead, 12.0), Models::new(ServoModel::IDEAL, vec![]).unwrap());
    let goals: Vec<f64> = (0..400)
        .map(|k| {
            let desired =
                Desired { name: &name, position: &[position(k as f64 * PERIOD)], ..Desired::default() };
            inverse.step(desired, k * CYCLE).unwrap().unwrap().target[0]
        })
        .collect();
    let error = |k: usize| (goals[k - delay] - position(k as f64 * PERIOD)).abs();
    (delay + 1..400).map(error).fold(0.0, f64::max)
}

#[test]
fn the_lead_makes_up_for_a_delay() {
    // Even motion: exactly. A sine: up to its bend over the lead, (lead² + lead·period)/2·max|q̈|.
    for delay in 1..6 {
        let lead = delay as f64 * PERIOD;
        assert!(late(delay, lead, |t| 0.3 + 0.8 * t) < 1e-9);
        let sine = |t: f64| 0.5 * (TAU * 2.0 * t).sin();
        let bend = 0.5 * (lead * lead + lead * PERIOD) * 0.5 * (TAU * 2.0f64).powi(2);
        assert!(late(delay, lead, sine) <= bend, "{delay}");
        assert!(late(delay, lead, sine) < late(delay, 0.0, sine));
    }
}

#[test]
fn gears_are_left_to_the_bridge_when_asked() {
    let (names, wanted) = (joints(24), Trajectory::at(3));
    let mut geared = inverse(settings(0.0, 12.0), 24);
    let mut plain = inverse(Settings { apply_kgear: false, ..settings(0.0, 12.0) }, 24);
    let geared = geared.step(wanted.desired(&names), CYCLE).unwrap().unwrap().target.to_vec();
    let plain = plain.step(wanted.desired(&names), CYCLE).unwrap().unwrap().target.to_vec();
    assert!((0..24).all(|i| (geared[i] - plain[i] * model(i).kgear).abs() < 1e-12));
}

#[test]
fn what_a_message_leaves_out_counts_as_zero() {
    let names = joints(1);
    let mut inverse = inverse(settings(0.0, 12.0), 1);
    let goal = |inverse: &mut ServoInverse, desired| inverse.step(desired, CYCLE).unwrap().unwrap().target[0];
    let only_position = Desired { name: &names, position: &[0.4], ..Desired::default() };
    assert!((goal(&mut inverse, only_position) - 0.4 * model(0).kgear).abs() < 1e-12);
    let no_effort = Desired { velocity: &[1.0], acceleration: &[2.0], ..only_position };
    let nan_effort = Desired { effort: &[f64::NAN], ..no_effort };
    assert_eq!(goal(&mut inverse, no_effort), goal(&mut inverse, nan_effort));
}

#[test]
fn malformed_states_are_refused_whole() {
    let names = joints(2);
    let good = Desired {
        name: &names,
        position: &[0.1, 0.2],
        velocity: &[0.0, 0.0],
        acceleration: &[0.0, 0.0],
        effort: &[0.0, 0.0],
    };
    let (nan, inf, short): (&[f64], &[f64], &[f64]) = (&[0.0, f64::NAN], &[f64::NEG_INFINITY, 0.0], &[0.0]);
    let mut bad = vec![];
    for values in [nan, inf, short] {
        bad.push((Desired { position: values, ..good }, "position"));
        bad.push((Desired { velocity: values, ..good }, "velocity"));
        bad.push((Desired { acceleration: values, ..good }, "acceleration"));
    }
    bad.push((Desired { effort: inf, ..good }, "effort"));
    bad.push((Desired { effort: short, ..good }, "effort"));
    let mut inverse = inverse(settings(0.1, 12.0), 2);
    for (desired, field) in bad {
        let refusal = inverse.step(desired, CYCLE).unwrap_err().to_string();
        assert!(refusal.contains(field), "{refusal}");
    }
    // Nothing of them stayed: the first good message is the first.
    assert_eq!(inverse.step(good, CYCLE).unwrap().unwrap().target, [0.1, 0.2 * model(1).kgear]);
}

proptest! {
    /// Any model, any state: the goals solve the model equation, and the lead is on q_ref.
    #[test]
    fn goals_solve_the_model_equation(
        kp in 1.0..500.0f64, kgear in 0.5..3.0f64, alpha in prop::array::uniform4(-300.0..300.0f64),
        voltage in 6.0..14.0f64, lead in 0.0..0.2f64,
        states in prop::collection::vec(prop::array::uniform4(-3.0..3.0f64), 2..6),
    ) {
        let model = ServoModel { kp, kgear, alpha };
        let mut inverse =
            ServoInverse::new(settings(lead, voltage), Models::new(model, vec![]).unwrap());
        let name = joints(1);
        let mut previous: Option<f64> = None;
        for (k, [q, v, a, torque]) in states.into_iter().enumerate() {
            let desired = Desired { name: &name, position: &[q], velocity: &[v], acceleration: &[a], effort: &[torque] };
            let target = inverse.step(desired, k as i64 * CYCLE).unwrap().unwrap().target[0];
            let sign = if v > DEAD_ZONE { 1.0 } else if v < -DEAD_ZONE { -1.0 } else { 0.0 };
            let reference = q + (alpha[0] * a + alpha[1] * v + alpha[2] * sign + alpha[3] * torque) / (kp * voltage);
            let expected = kgear * (reference + (reference - previous.unwrap_or(reference)) * lead / PERIOD);
            prop_assert!((target - expected).abs() <= 1e-9 * (1.0 + expected.abs()));
            previous = Some(reference);
        }
    }
}

//! Whatever comes in, a goal stays within its joint's limits and no farther ahead than the joint's speed explains.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use robot_model_lib::Limits;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::notice::Notice;
use servo_inv_node::params::{InverseParams, LeadParams};
use servo_inv_node::timing::JointTiming;

const LIMITS: Limits = Limits { lower: -1.0, upper: 1.5, velocity: 6.0, effort: 2.0 };
/// As a real pony has it.
const MODEL: ServoModel = ServoModel { kp: 100.0, kgear: 1.5, alpha: [1.39, 52.1, 7.09, 212.0] };
const VOLTAGE: f64 = 7.4;
const ACCELERATION: f64 = 200.0;
const LEAD: f64 = 0.01;
const DELAY: f64 = 0.03;
/// Of the knee alone, s.
const OWN: f64 = 0.1;

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![6 => -1.0..1.5_f64, 2 => -4.0..4.0_f64, 1 => -1e9..1e9_f64]
}

/// Positions, velocities, accelerations and efforts of two joints, and cycles since the message before.
fn messages() -> impl Strategy<Value = Vec<([[f64; 2]; 4], i64)>> {
    let pair = || [number(), number()];
    let gap = prop_oneof![8 => Just(1_i64), 1 => 0..8_i64, 1 => 50..200_i64];
    prop::collection::vec(([pair(), pair(), pair(), pair()], gap), 1..80)
}

proptest! {
    #[test]
    fn no_goal_leaves_limits_or_reach(messages in messages(), by_model in any::<bool>()) {
        let mut inverse = if by_model {
            let params = InverseParams {
                lead: LEAD, delay: DELAY, battery_voltage: VOLTAGE, max_acceleration: ACCELERATION, apply_kgear: false,
                ..InverseParams::default()
            };
            ServoInverse::new(Settings::from(&params), Models::new(MODEL, vec![]).unwrap())
        } else {
            ServoInverse::ideal((&LeadParams { lead: LEAD, delay: DELAY, ..LeadParams::default() }).into()).unwrap()
        };
        let name = ["hip", "knee"].map(String::from);
        inverse.set_limits(name.iter().map(|n| (n.clone(), LIMITS)).collect());
        inverse.set_timing(vec![JointTiming { joint: "knee".into(), lead: Some(0.0), delay: Some(OWN) }]);
        let mut at = 1_000_000_000;
        // Of this cycle and the one before.
        let (mut latest, mut before) = (None, None::<[f64; 2]>);
        for ([position, velocity, acceleration, effort], gap) in &messages {
            at += gap * 10_000_000;
            inverse.sync(0, at, 0.01);
            let desired = Desired { name: &name, position, velocity, acceleration, effort };
            let Some(goals) = inverse.step(desired, at).unwrap() else { continue };
            if *gap > 0 {
                before = latest;
            }
            let sent = [goals.target[0], goals.target[1]];
            latest = Some(sent);
            for (joint, ahead) in [LEAD + DELAY, OWN].into_iter().enumerate() {
                let (goal, q) = (sent[joint], position[joint]);
                prop_assert!(LIMITS.contains(goal), "{goal}");
                // What the model asks for at the joint's speed and effort, with the highest acceleration.
                let [a, v, f, t] = MODEL.alpha;
                let load = a * ACCELERATION + v * LIMITS.velocity + f + t * LIMITS.effort;
                let model = if by_model { load / (MODEL.kp * VOLTAGE) } else { 0.0 };
                let reach = LIMITS.velocity * ahead + model;
                let from = LIMITS.clamp(q);
                // Or it is still on its way, from pose to pose nearer.
                let away = before.map_or(0.0, |before| (before[joint] - from).abs());
                prop_assert!((goal - from).abs() <= f64::max(reach * (1.0 + 1e-6), away), "{q} → {goal}, reach {reach}");
            }
        }
    }
}

/// The shipped parameters, a joint at rest at 0.1 told 0.14 by position only: the agregator makes 4 rad/s and 400 rad/s² of it.
/// It went to 6.26 and −3.64.
#[test]
fn a_step_of_the_trajectory_does_not_throw_the_joint() {
    let params = InverseParams { period: 0.01, lead: 0.01, apply_kgear: false, ..InverseParams::default() };
    let mut inverse = ServoInverse::new(Settings::from(&params), Models::new(MODEL, vec![]).unwrap());
    let name = ["knee".to_owned()];
    inverse.set_limits(vec![("knee".into(), LIMITS)]);
    let steps = [(0.1, 0.0, 0.0), (0.14, 4.0, 400.0), (0.14, 0.0, -400.0), (0.14, 0.0, 0.0)];
    let (mut noted, mut goals) = (0, vec![]);
    for (k, (q, v, a)) in (1..).zip(steps) {
        inverse.sync(0, k * 10_000_000, 0.01);
        let desired =
            Desired { name: &name, position: &[q], velocity: &[v], acceleration: &[a], effort: &[] };
        let found = inverse.step(desired, k * 10_000_000).unwrap().unwrap();
        noted += found.notices.iter().filter(|n| matches!(n, Notice::Held { joint: 0, .. })).count();
        goals.push(found.target[0]);
    }
    assert!(goals.iter().all(|goal| (-0.2..0.7).contains(goal)), "{goals:?}");
    assert!(noted > 0);
    assert_eq!(goals[0], 0.1);
}

#[test]
fn a_step_within_the_joints_speed_is_not_touched() {
    let settings = Settings::from(&LeadParams { lead: 0.04, ..LeadParams::default() });
    let (mut free, mut held) =
        (ServoInverse::ideal(settings).unwrap(), ServoInverse::ideal(settings).unwrap());
    let name = ["knee".to_owned()];
    held.set_limits(vec![("knee".into(), LIMITS)]);
    for k in 1..200 {
        // From rest, up to 5 rad/s: goals go at 5.3 rad/s.
        let q = 0.55 * (1.0 - (0.09 * k as f64).cos());
        let goal = [&mut free, &mut held].map(|inverse| {
            inverse.sync(0, k * 10_000_000, 0.01);
            let desired = Desired { name: &name, position: &[q], ..Desired::default() };
            inverse.step(desired, k * 10_000_000).unwrap().unwrap().target[0]
        });
        assert_eq!(goal[0], goal[1]);
    }
}

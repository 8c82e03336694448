//! Friction is made up for without kicks: a goal is continuous in the velocity, and a reversal moves it by no more than the
//! friction itself.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::InverseParams;

const CYCLE: i64 = 10_000_000;
const VOLTAGE: f64 = 12.0;
/// The leg servos of the shipped configuration.
const LEG: ServoModel = ServoModel { kp: 100.0, kgear: 1.0, alpha: [2.11, 54.0, 12.5, 235.0] };
/// Nothing but Coulomb friction.
const DRY: ServoModel = ServoModel { alpha: [0.0, 0.0, 12.5, 0.0], ..LEG };

fn params() -> InverseParams {
    InverseParams { period: 0.01, battery_voltage: VOLTAGE, apply_kgear: false, ..InverseParams::default() }
}

/// The goals of a joint that stands still at 0 and is said to have these velocities, one after the other.
fn goals(params: &InverseParams, model: ServoModel, velocities: &[f64]) -> Vec<f64> {
    let mut inverse = ServoInverse::new(Settings::from(params), Models::new(model, vec![]).unwrap());
    let name = ["knee".to_owned()];
    let goal = |(k, v): (i64, &f64)| {
        inverse.sync(0, k * CYCLE, 0.01);
        let desired = Desired { name: &name, position: &[0.0], velocity: &[*v], ..Desired::default() };
        inverse.step(desired, k * CYCLE).unwrap().unwrap().target[0]
    };
    (1..).zip(velocities).map(goal).collect()
}

/// It was 0.137 rad: the step of q_ref was taken for motion and led.
#[test]
fn a_reversal_moves_a_goal_by_no_more_than_the_friction() {
    let found = goals(&params(), DRY, &[-1.0, -1.0, 1.0, 1.0, -0.5, 0.0]);
    let friction = DRY.alpha[2] / (DRY.kp * VOLTAGE);
    assert!(
        found.iter().all(|goal| goal.abs() <= friction * (1.0 + 1e-12)),
        "{found:?}, friction {friction}"
    );
    // The last one stands still between a way back and a way forth: by the time of the goal it goes forth.
    assert_eq!((found[1], found[3], found[5]), (-friction, friction, friction));
}

#[test]
fn without_smoothing_the_sign_is_that_of_the_formula_and_led_with_q_ref() {
    let params = InverseParams { sign_smoothing: 0.0, lead: 0.056, ..params() };
    let found = goals(&params, DRY, &[-1.0, 1.0, 1.0, 0.005]);
    let friction = DRY.alpha[2] / (DRY.kp * VOLTAGE);
    let expected = [-1.0, 1.0 + 2.0 * 5.6, 1.0, -5.6].map(|part| part * friction);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
}

proptest! {
    /// goal = r(v) + (r(v) − r_prev)·ahead/T + F·s(v + (v − v_prev)·ahead/T), r(v) = alpha1·v/(kp·V), s with the slope
    /// 1/smoothing: the slopes add up.
    #[test]
    fn a_goal_is_continuous_in_the_velocity(
        before in -3.0..3.0_f64, v in -0.5..0.5_f64, by in -0.2..0.2_f64, fine in 0..6_i32,
        dead_zone in 0.0..0.2_f64, smoothing in 0.01..1.0_f64, lead in 0.0..0.06_f64, delay in 0.0..0.06_f64,
    ) {
        let params =
            InverseParams { sign_dead_zone: dead_zone, sign_smoothing: smoothing, lead, delay, ..params() };
        let by = by * 0.1_f64.powi(fine);
        let last = |v: f64| goals(&params, LEG, &[before, v])[1];
        let ahead = (lead + delay) / 0.01;
        let slope = (LEG.alpha[1] + LEG.alpha[2] / smoothing) / (LEG.kp * VOLTAGE) * (1.0 + ahead);
        let change = (last(v + by) - last(v)).abs();
        prop_assert!(change <= slope * by.abs() + 1e-12, "{change} by {by}, slope {slope}");
    }
}

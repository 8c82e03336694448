//! The battery's voltage: a pack that sags does not jerk the goals, and they follow it all the same.
#![allow(clippy::unwrap_used)]

use param_lib::Params as _;
use proptest::prelude::*;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::InverseParams;

const CYCLE: i64 = 10_000_000;
const T: f64 = 0.01;
/// q_ref = q̇/V.
const VISCOUS: ServoModel = ServoModel { kp: 1.0, kgear: 1.0, alpha: [0.0, 1.0, 0.0, 0.0] };

fn inverse(voltage_time_constant: f64) -> ServoInverse {
    let params = InverseParams {
        period: T,
        lead: 0.04,
        battery_voltage: 12.0,
        voltage_time_constant,
        ..InverseParams::default()
    };
    ServoInverse::new(Settings::from(&params), Models::new(VISCOUS, vec![]).unwrap())
}

/// The goal of a joint that goes at 1 rad/s, without its position: 1/V.
fn goal(inverse: &mut ServoInverse, k: i64) -> f64 {
    inverse.sync(0, k * CYCLE, T);
    let name = ["knee".to_owned()];
    let desired = Desired { name: &name, position: &[0.0], velocity: &[1.0], ..Desired::default() };
    inverse.step(desired, k * CYCLE).unwrap().unwrap().target[0]
}

proptest! {
    /// Whatever the battery says and how often: V' = (u − V)/τ, so in a cycle V moves by no more than (1 − e^(−T/τ)) of the
    /// way, and 1/V with it.
    #[test]
    fn no_goal_jumps_with_the_battery(
        voltages in prop::collection::vec((6.0..13.0_f64, 1..120_i64), 1..20), tau in 0.1..3.0_f64,
    ) {
        let mut inverse = inverse(tau);
        let (mut k, mut last) = (1, goal(&mut inverse, 1));
        for (voltage, cycles) in voltages {
            inverse.battery(voltage).unwrap();
            for _ in 0..cycles {
                k += 1;
                let next = goal(&mut inverse, k);
                let most = (1.0 / 6.0 - 1.0 / 13.0) * 13.0 / 6.0 * -(-T / tau).exp_m1();
                prop_assert!((next - last).abs() <= most + 1e-12, "cycle {k}: {last} → {next}, at the most {most}");
                last = next;
            }
        }
    }
}

#[test]
fn a_step_of_the_battery_is_followed_as_a_first_order_lag_does() {
    let tau = 0.5;
    let mut inverse = inverse(tau);
    goal(&mut inverse, 1);
    inverse.battery(8.0).unwrap();
    // The pose of the cycle in which the message came still holds the voltage before.
    goal(&mut inverse, 2);
    for k in 3..1500 {
        let expected = 8.0 + 4.0 * (-((k - 2) as f64) * T / tau).exp();
        let found = 1.0 / goal(&mut inverse, k);
        assert!((found - expected).abs() < 1e-5 * expected, "cycle {k}: {found} V instead of {expected}");
    }
    assert_eq!(inverse.voltage(), 8.0);
}

#[test]
fn where_nobody_follows_a_goal_the_battery_counts_at_once() {
    let mut inverse = inverse(0.5);
    inverse.battery(8.0).unwrap();
    assert_eq!(inverse.voltage(), 8.0);
    assert_eq!(goal(&mut inverse, 1), 1.0 / 8.0);
    // Silence of more than the timeout, then time that goes back.
    inverse.battery(10.0).unwrap();
    assert_eq!(goal(&mut inverse, 500), 1.0 / 10.0);
    inverse.battery(11.0).unwrap();
    assert_eq!(goal(&mut inverse, 2), 1.0 / 11.0);
}

#[test]
fn poses_of_one_cycle_have_one_voltage() {
    let mut inverse = inverse(0.5);
    goal(&mut inverse, 1);
    inverse.battery(8.0).unwrap();
    goal(&mut inverse, 2);
    let first = goal(&mut inverse, 3);
    inverse.battery(10.0).unwrap();
    assert_eq!(goal(&mut inverse, 3), first);
}

/// A driver that counts in millivolts, and other nonsense: the last good value stays.
#[test]
fn voltages_that_no_servo_stands_are_not_believed() {
    let mut inverse = inverse(0.0);
    inverse.battery(7.4).unwrap();
    for bad in [7400.0, 3.4e38, f64::INFINITY, f64::NAN, 0.0, -7.4, 0.0074] {
        assert_eq!(inverse.battery(bad).unwrap_err().kept, 7.4, "{bad}");
    }
    assert!((goal(&mut inverse, 1) - 1.0 / 7.4).abs() < 1e-12);
    let table =
        |least, most| InverseParams { min_voltage: least, max_voltage: most, ..InverseParams::default() };
    assert!(table(6.0, 16.0).validate().is_ok() && table(16.0, 6.0).validate().is_err());
}

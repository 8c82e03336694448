//! What users did with the filters and got wrong answers for, each with the answer that mathematics gives.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::chain::Value;
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_2;

/// The outputs for a constant input.
fn outputs(filter: &mut impl Filter<Input = f64, Output = f64>, u: f64, steps: usize) -> Vec<f64> {
    (0..steps).map(|_| filter.update(&u).unwrap()).collect()
}

fn all_near(outputs: &[f64], value: f64, tolerance: f64) -> bool {
    outputs.iter().all(|y| (y - value).abs() < tolerance)
}

#[test]
fn a_biquad_at_rest_is_retuned_without_a_bump() {
    let tuned = |frequency| BiquadParams { period: 1e-3, frequency, quality: 0.7 };
    for (from, to) in [(20.0, 40.0), (40.0, 20.0), (100.0, 5.0)] {
        let mut filter = BiquadLowPass::new(tuned(from), &1.0).unwrap();
        outputs(&mut filter, 1.0, 10);
        filter.set_params(tuned(to)).unwrap();
        assert!(all_near(&outputs(&mut filter, 1.0, 1000), 1.0, 1e-9), "{from} -> {to}");
    }
    let params = [
        ("filter1.name", Value::from("low")),
        ("filter1.type", Value::from("BiquadLowPass")),
        ("filter1.params.frequency", Value::from(20.0)),
    ];
    let mut chain = Chain::new(&params, 1e-3, &0.0).unwrap();
    outputs(&mut chain, 1.0, 10);
    chain.set_period(2e-3).unwrap();
    assert!(all_near(&outputs(&mut chain, 1.0, 500), 1.0, 1e-9));
    chain.set(&[("filter1.params.frequency", Value::from(5.0))]).unwrap();
    assert!(all_near(&outputs(&mut chain, 1.0, 500), 1.0, 1e-9));
}

#[test]
fn a_transfer_function_at_rest_is_retuned_without_a_bump() {
    let lag = |pole: f64| TransferFunctionParams { b: vec![0.0, 1.0 - pole], a: vec![1.0, -pole] };
    let mut filter = TransferFunction::new(lag(0.9), &1.0).unwrap();
    outputs(&mut filter, 1.0, 5);
    filter.set_params(lag(0.8)).unwrap();
    assert!(all_near(&outputs(&mut filter, 1.0, 100), 1.0, 1e-12));
}

#[test]
fn a_rate_limiter_starts_within_its_range() {
    let params = RateLimiterParams { max_value: 1.0, max_first_derivative: 1.0, ..Default::default() };
    let mut filter = RateLimiter::new(params, &0.0).unwrap();
    filter.reset();
    assert_eq!(filter.update(&5.0).unwrap(), 1.0, "as control_filters does");
    assert_eq!(RateLimiter::new(params, &5.0).unwrap().update(&5.0).unwrap(), 1.0);
}

#[test]
fn a_rate_limiter_follows_a_ramp_within_its_limits_without_lag() {
    for limit in [1.0, 10.0] {
        for third in [f64::INFINITY, 100.0 * limit] {
            let params = RateLimiterParams {
                max_second_derivative: limit,
                max_third_derivative: third,
                ..Default::default()
            };
            let mut filter = RateLimiter::new(params, &0.0).unwrap();
            let mut lag = f64::INFINITY;
            for k in 0..1000 {
                let u = 0.5 * 0.01 * f64::from(k);
                lag = u - filter.update(&u).unwrap();
            }
            assert!(lag.abs() < 1e-9, "limits {limit}, {third}: {lag}");
        }
    }
}

#[test]
fn every_filter_of_a_chain_is_reset() {
    for (kind, params) in [
        ("Lag", vec![("tau", Value::from(1.0))]),
        ("Median", vec![("window", Value::from(5))]),
        ("BiquadLowPass", vec![("frequency", Value::from(2.0))]),
        ("MovingAverage", vec![("window", Value::from(5))]),
        ("Butterworth", vec![("order", Value::from(3)), ("frequency", Value::from(2.0))]),
        ("RateLimiter", vec![("max_first_derivative", Value::from(1.0))]),
        ("Transient", vec![("speed", Value::from(1.0))]),
        ("TransientSecond", vec![("tau", Value::from(1.0))]),
        ("OneEuro", vec![]),
    ] {
        let mut all = vec![("filter1.name".to_string(), Value::from("a"))];
        all.push(("filter1.type".into(), Value::from(kind)));
        all.extend(params.into_iter().map(|(name, value)| (format!("filter1.params.{name}"), value)));
        let mut chain = Chain::new(&all, 0.01, &0.0).unwrap();
        outputs(&mut chain, 100.0, 50);
        chain.reset();
        assert!(all_near(&outputs(&mut chain, 0.0, 5), 0.0, 1e-12), "{kind}");
    }
}

#[test]
fn a_pole_at_one_has_no_steady_state_whatever_the_rounding() {
    for a in [vec![1.0, -1.9, 0.9], vec![1.0, -1.0], vec![1.0, -2.7, 2.4, -0.7], vec![10.0, -19.0, 9.0]] {
        let params = TransferFunctionParams { b: vec![1.0], a };
        assert_eq!(
            TransferFunction::new(params.clone(), &1.0).unwrap_err(),
            Error::NoSteadyState,
            "{params:?}"
        );
        let mut filter = TransferFunction::new(params, &0.0).unwrap();
        filter.reset();
        assert!(filter.update(&1.0).unwrap().abs() < 2.0, "it begins at zero");
    }
}

#[test]
fn savitzky_golay_measures_turns_over_more_than_half_a_revolution() {
    let (rate, period) = (Vector3::new(0.0, 0.0, 5.0), 0.1);
    let method = DiffMethod::SavitzkyGolay { window: 9, order: 2 };
    let start = UnitQuaternion::identity();
    let mut filter = Differentiator::new(DifferentiatorParams { period, method }, &start).unwrap();
    let mut measured = Vector3::zeros();
    for k in 0..20 {
        measured = filter.update(&UnitQuaternion::from_scaled_axis(rate * period * f64::from(k))).unwrap();
    }
    assert!((measured - rate).norm() < 1e-9, "4 rad in the window: {measured}");
}

#[test]
fn a_slope_is_measured_through_changes_of_the_method() {
    let period = 0.01;
    let mut filter =
        Differentiator::new(DifferentiatorParams { period, ..Default::default() }, &0.0).unwrap();
    let methods = [
        DiffMethod::Difference,
        DiffMethod::Inertial { tau: 1.0 },
        DiffMethod::SavitzkyGolay { window: 7, order: 3 },
        DiffMethod::Inertial { tau: 0.2 },
        DiffMethod::Difference,
        DiffMethod::SavitzkyGolay { window: 3, order: 1 },
        DiffMethod::SavitzkyGolay { window: 12, order: 2 },
    ];
    for k in 0..700 {
        filter.set_params(DifferentiatorParams { period, method: methods[k / 100] }).unwrap();
        let slope = filter.update(&(k as f64 * period)).unwrap();
        assert!(k < 2 || (slope - 1.0).abs() < 1e-9, "{k}: {slope}");
    }
    // A speed of long ago is forgotten, though the method that remembers was away.
    for (method, u) in [(methods[1], 7.0), (methods[0], 7.0), (methods[1], 7.0)] {
        filter.set_params(DifferentiatorParams { period, method }).unwrap();
        outputs(&mut filter, u, 1000);
    }
    filter.set_params(DifferentiatorParams { period, method: methods[0] }).unwrap();
    outputs(&mut filter, 7.0, 10);
    filter.set_params(DifferentiatorParams { period, method: methods[1] }).unwrap();
    assert_eq!(filter.update(&7.0).unwrap(), 0.0);
}

#[test]
fn an_overflow_is_refused_and_leaves_no_trace() {
    let mut lag = Lag::new(LagParams { period: 0.1, tau: 1.0 }, &0.0).unwrap();
    let method = DiffMethod::Inertial { tau: 0.1 };
    let mut slope = Differentiator::new(DifferentiatorParams { period: 0.1, method }, &0.0).unwrap();
    for u in [f64::MAX, 0.0, -f64::MAX, f64::MAX, 0.0] {
        let _ = lag.update(&u);
        let _ = slope.update(&u);
    }
    assert_eq!(slope.update(&f64::MAX), Err(Error::Overflow));
    assert!(lag.update(&0.0).unwrap().is_finite());
    slope.start(&1.0).unwrap();
    assert_eq!((slope.update(&1e308), slope.update(&1.0)), (Err(Error::Overflow), Ok(0.0)));
}

#[test]
fn a_schmitt_trigger_puts_out_one_of_its_levels() {
    let params = SchmittParams { low: 1.0, high: 2.0, output_low: 0.0, output_high: 1.0 };
    let mut trigger = Schmitt::new(params, &1.5).unwrap();
    assert_eq!(trigger.update(&1.5).unwrap(), 0.0);
    trigger.update(&2.5).unwrap();
    trigger.set_params(SchmittParams { output_high: 5.0, ..params }).unwrap();
    assert_eq!(trigger.update(&1.5).unwrap(), 5.0, "the new level");
}

#[test]
fn the_velocity_of_a_pose_means_the_same_to_every_filter() {
    // Turned by 90° and driving forward in its own axes, the body moves along y.
    let (period, yaw) = (0.01, UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2));
    let start = Isometry3::from_parts(Vector3::zeros().into(), yaw);
    let forward = BodyTwist::new(Vector3::x(), Vector3::zeros());
    let mut integrator = Integrator::new(IntegratorParams { period, ..Default::default() }, &start).unwrap();
    integrator.update(&forward).unwrap();
    let driven = *integrator.state();
    let zero = BodyTwist::default();
    let gains = SecondOrderGains::critical(0.1);
    let input = SecondOrderInput { x: start, v: forward, xr: start, vr: forward, ar: zero };
    let exp = TransientSecondExp::new(TransientSecondExpParams { period, gains }).unwrap();
    let (acceleration, velocity) = (Limit::from(1.0), Limit::NONE);
    let params = TransientSecondLimitedParams { period, gains, acceleration, velocity };
    let limited = TransientSecondLimited::new(params).unwrap();
    for y in [exp.output(&input).unwrap(), limited.output(&input).unwrap()] {
        assert!((y.x.translation.vector - driven.translation.vector).norm() < 1e-12, "{}", y.x);
        assert!((y.v.0 - forward.0).norm() < 1e-12, "{:?}", y.v);
    }
    let mut differentiator =
        Differentiator::new(DifferentiatorParams { period, ..Default::default() }, &start).unwrap();
    assert!((differentiator.update(&driven).unwrap().0 - forward.0).norm() < 1e-12);
    let there = forward.in_world(&yaw);
    assert!((there.linear() - Vector3::y()).norm() < 1e-12);
    assert!((there.in_body(&yaw).0 - forward.0).norm() < 1e-12);
}

#[test]
fn joint_state_filters_look_at_the_half_that_they_use() {
    let rest = JointState::zeros(2);
    let period = 0.5;
    let mut slope =
        DifferentiatorJointState::new(DifferentiatorParams { period, ..Default::default() }, &rest).unwrap();
    let y = slope.update(&JointState::new(&[1.0, -2.0], &[f64::NAN; 2]).unwrap()).unwrap();
    assert_eq!((y.position(), y.velocity()), (&[1.0, -2.0][..], &[2.0, -4.0][..]));
    assert!(slope.update(&JointState::new(&[f64::NAN, 0.0], &[0.0; 2]).unwrap()).is_err());
    let mut area =
        IntegratorJointState::new(IntegratorParams { period, ..Default::default() }, &rest).unwrap();
    let u = JointState::new(&[f64::NAN; 2], &[1.0, -2.0]).unwrap();
    area.update(&u).unwrap();
    let y = area.update(&u).unwrap();
    assert_eq!((y.position(), y.velocity()), (&[0.5, -1.0][..], &[1.0, -2.0][..]));
    assert!(area.update(&JointState::new(&[0.0; 2], &[0.0, f64::NAN]).unwrap()).is_err());
}

//! Second-order transients: limits, convergence at any period, exactness.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::signal::{Manifold, Signal};
use filters_lib::*;
use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-size..size, -size..size, -size..size].prop_map(Vector3::from)
}

fn gains() -> impl Strategy<Value = (SecondOrderGains, f64)> {
    (0.01..1.0_f64, 0.3..3.0_f64)
        .prop_map(|(tau, damping)| (SecondOrderGains { a0: 1.0 / (tau * tau), a1: 2.0 * damping / tau }, tau))
}

/// e^(A·t) by scaling and squaring of the Taylor series: independent of the closed form under test.
fn transition_by_series(gains: SecondOrderGains, t: f64) -> [[f64; 2]; 2] {
    let a = nalgebra::Matrix2::new(0.0, 1.0, -gains.a0, -gains.a1) * (t / 1024.0);
    let mut term = nalgebra::Matrix2::identity();
    let mut sum = term;
    for n in 1..20 {
        term = term * a / f64::from(n);
        sum += term;
    }
    for _ in 0..10 {
        sum *= sum;
    }
    [[sum[(0, 0)], sum[(0, 1)]], [sum[(1, 0)], sum[(1, 1)]]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn transition_matches_the_series((gains, tau) in gains(), ratio in 0.001..10.0_f64) {
        let (exact, series) = (gains.transition(ratio * tau), transition_by_series(gains, ratio * tau));
        for (row, expected) in exact.iter().zip(&series) {
            for (value, expected) in row.iter().zip(expected) {
                prop_assert!((value - expected).abs() < 1e-9 * (1.0 + gains.a0), "{exact:?} {series:?}");
            }
        }
    }

    #[test]
    fn limits_hold_for_any_period_start_and_target(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a_max in 0.01..100.0_f64, v_max in 0.01..10.0_f64,
        x in -10.0..10.0_f64, share in -1.0..1.0_f64, targets in prop::collection::vec(-10.0..10.0_f64, 40),
        speed in -20.0..20.0_f64,
    ) {
        let period = ratio * tau;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a_max), velocity: Limit::from(v_max),
        };
        let transient = TransientSecondLimited::new(params).unwrap();
        let mut now = Motion { x, v: share * v_max };
        for xr in targets {
            let next = transient
                .output(&SecondOrderInput { x: now.x, v: now.v, xr, vr: speed, ar: speed }).unwrap();
            prop_assert!((next.v - now.v).abs() <= (a_max + 1e-9) * period);
            prop_assert!(next.v.abs() <= v_max + 1e-9);
            prop_assert!((next.x - now.x).abs() <= (v_max + 1e-9) * period * (1.0 + 1e-12) + 1e-14);
            now = next;
        }
    }

    #[test]
    fn vector_limits_hold_in_norm(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a_max in 0.01..100.0_f64, v_max in 0.01..10.0_f64,
        x in vector(10.0), targets in prop::collection::vec((vector(10.0), vector(20.0)), 20),
    ) {
        let period = ratio * tau;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a_max), velocity: Limit::from(v_max),
        };
        let transient = TransientSecondLimited::new(params).unwrap();
        let mut now = Motion { x, v: Vector3::zeros() };
        for (xr, vr) in targets {
            let next = transient.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr, ar: vr }).unwrap();
            prop_assert!((next.v - now.v).norm() <= (a_max + 1e-9) * period);
            prop_assert!(next.v.norm() <= v_max + 1e-9);
            now = next;
        }
    }
}

/// Steps until the error is small; the number of periods it took.
fn settle<S: Manifold<Tangent: Copy> + Copy>(
    filter: &impl Filter<Input = SecondOrderInput<S>, Output = Motion<S>>,
    x: S,
    v: S::Tangent,
    xr: S,
    most: usize,
    close: f64,
) -> Option<usize> {
    let zero = x.zero_velocity();
    let mut now = Motion { x, v };
    for k in 0..most {
        now = filter.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr: zero, ar: zero }).unwrap();
        let gap = now.x.gap(&xr);
        if gap[0].max(gap[1]) < close && now.v.gap(&zero)[0] < close {
            return Some(k);
        }
    }
    None
}

/// Time-optimal travel, a generous allowance for the planned braking share, and the linear tail.
fn allowance(distance: f64, v0: f64, a: f64, v: f64, gains: SecondOrderGains, period: f64) -> usize {
    let slow = {
        let h = 0.5 * gains.a1;
        let d = h * h - gains.a0;
        if d > 0.0 { gains.a0 / (h + d.sqrt()) } else { h }
    };
    let reach = distance + v0 * v0 / a;
    let time = 10.0 * ((reach / a).sqrt() + v0 / a + reach / v) + 60.0 / slow;
    (time / period).ceil() as usize + 60
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn exp_converges_up_to_ten_tau((gains, tau) in gains(), ratio in 0.01..10.0_f64, x in -10.0..10.0_f64, v in -10.0..10.0_f64) {
        let filter = TransientSecondExp::new(TransientSecondExpParams { period: ratio * tau, gains }).unwrap();
        prop_assert!(settle(&filter, x, v, 1.0, allowance(11.0, 10.0, 1e9, 1e9, gains, ratio * tau), 1e-9).is_some());
    }

    #[test]
    fn limited_converges_up_to_ten_tau(
        (gains, tau) in gains(), ratio in 0.02..10.0_f64, a in 0.5..50.0_f64, v in 0.5..10.0_f64, bounded in any::<bool>(),
        x in -5.0..5.0_f64, v0 in -1.0..1.0_f64,
    ) {
        let velocity = if bounded { Limit::from(v) } else { Limit::NONE };
        let params = TransientSecondLimitedParams { period: ratio * tau, gains, acceleration: Limit::from(a), velocity };
        let filter = TransientSecondLimited::new(params).unwrap();
        let most = allowance(6.0, 1.0, a, if bounded { v } else { 1e9 }, gains, ratio * tau);
        prop_assert!(settle(&filter, x, v0, 1.0, most, 1e-9).is_some());
    }

    #[test]
    fn vectors_converge(
        (gains, tau) in gains(), ratio in 0.05..10.0_f64, a in 0.5..50.0_f64, v in 0.5..10.0_f64, x in vector(5.0), v0 in vector(1.0),
    ) {
        let params = TransientSecondLimitedParams {
            period: ratio * tau, gains, acceleration: Limit::from(a), velocity: Limit::from(v) };
        let filter = TransientSecondLimited::new(params).unwrap();
        let most = allowance(10.0, 2.0, a, v, gains, ratio * tau);
        prop_assert!(settle(&filter, x, v0, Vector3::new(1.0, 2.0, 3.0), most, 1e-9).is_some());
    }

    #[test]
    fn orientations_converge(
        (gains, tau) in gains(), ratio in 0.05..10.0_f64, a in 0.5..50.0_f64, v in 0.5..10.0_f64, q in vector(3.0), w0 in vector(1.0),
    ) {
        let (period, q) = (ratio * tau, UnitQuaternion::from_scaled_axis(q));
        let goal = UnitQuaternion::from_euler_angles(0.3, -0.4, 1.0);
        let most = 2 * allowance(4.0, 2.0, a, v, gains, period);
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a), velocity: Limit::from(v) };
        prop_assert!(settle(&TransientSecondLimited::new(params).unwrap(), q, w0, goal, most, 1e-9).is_some(), "limited");
        let exp = TransientSecondExp::new(TransientSecondExpParams { period, gains }).unwrap();
        prop_assert!(settle(&exp, q, w0, goal, most, 1e-9).is_some(), "exp");
    }

    #[test]
    fn exp_step_equals_the_exponential_law(
        (gains, tau) in gains(), ratio in 0.01..10.0_f64, x in -5.0..5.0_f64, v in -5.0..5.0_f64,
        xr in -5.0..5.0_f64, vr in -5.0..5.0_f64, ar in -5.0..5.0_f64,
    ) {
        let t = ratio * tau;
        let filter = TransientSecondExp::new(TransientSecondExpParams { period: t, gains }).unwrap();
        let y = filter.output(&SecondOrderInput { x, v, xr, vr, ar }).unwrap();
        let e = transition_by_series(gains, t);
        let (xe, ve) = (xr - x, vr - v);
        let expected_x = xr + vr * t + 0.5 * ar * t * t - (e[0][0] * xe + e[0][1] * ve);
        let expected_v = vr + ar * t - (e[1][0] * xe + e[1][1] * ve);
        prop_assert!((y.x - expected_x).abs() < 1e-8 * (1.0 + t * t) && (y.v - expected_v).abs() < 1e-8 * (1.0 + gains.a0));
    }

    #[test]
    fn small_rotations_move_like_vectors((gains, tau) in gains(), ratio in 0.01..2.0_f64, e in vector(1e-4), w in vector(1e-4)) {
        // Near the identity SO(3) is flat to first order, so both must agree to second order.
        let params = TransientSecondExpParams { period: ratio * tau, gains };
        let turned = TransientSecondExp::new(params).unwrap().output(&SecondOrderInput {
            x: UnitQuaternion::identity(), v: w, xr: UnitQuaternion::from_scaled_axis(e), vr: Vector3::zeros(), ar: Vector3::zeros(),
        }).unwrap();
        let moved = TransientSecondExp::new(params).unwrap().output(&SecondOrderInput {
            x: Vector3::zeros(), v: w, xr: e, vr: Vector3::zeros(), ar: Vector3::zeros(),
        }).unwrap();
        prop_assert!((turned.x.scaled_axis() - moved.x).norm() < 1e-7);
        prop_assert!((turned.v - moved.v).norm() < 1e-7 * (1.0 + gains.a0));
    }
}

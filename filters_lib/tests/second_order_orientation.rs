//! Second-order transients on SO(3): what is held exactly, and what the curvature adds.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    [-size..size, -size..size, -size..size].prop_map(Vector3::from)
}

fn orientation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    vector(3.0).prop_map(UnitQuaternion::from_scaled_axis)
}

fn gains() -> impl Strategy<Value = (SecondOrderGains, f64)> {
    (0.01..1.0_f64, 0.3..3.0_f64)
        .prop_map(|(tau, damping)| (SecondOrderGains { a0: 1.0 / (tau * tau), a1: 2.0 * damping / tau }, tau))
}

/// Rotation vector of a⁻¹·b, accurate near 0; no code of the library.
fn turn(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> Vector3<f64> {
    let q = a.conjugate().into_inner() * b.into_inner();
    let sine = q.imag().norm();
    if sine == 0.0 {
        return Vector3::zeros();
    }
    q.imag() * (2.0 * sine.atan2(q.w.abs()) * q.w.signum() / sine)
}

type Targets = Vec<(UnitQuaternion<f64>, Vector3<f64>, Vector3<f64>)>;

fn targets(count: usize) -> impl Strategy<Value = Targets> {
    prop::collection::vec((orientation(), vector(20.0), vector(20.0)), count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn body_rates_and_their_changes_keep_the_limits(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a in 0.01..100.0_f64, v in 0.01..10.0_f64,
        x in orientation(), direction in vector(1.0), targets in targets(20),
    ) {
        let period = ratio * tau;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a), velocity: Limit::from(v) };
        let transient = TransientSecondLimited::new(params).unwrap();
        let mut now = Motion { x, v: direction * (v / 3.0_f64.sqrt()) };
        for (xr, vr, ar) in targets {
            let next = transient.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr, ar }).unwrap();
            prop_assert!((next.v - now.v).norm() <= (a + 1e-9) * period);
            prop_assert!(next.v.norm() <= v + 1e-9);
            prop_assert!(turn(&now.x, &next.x).norm() <= v * period + 1e-9, "turned faster than the limit");
            // The orientation moves with those rates and no others: half a period with each.
            let moved = now.x
                * UnitQuaternion::from_scaled_axis(now.v * (0.5 * period))
                * UnitQuaternion::from_scaled_axis(next.v * (0.5 * period));
            prop_assert!(turn(&moved, &next.x).norm() < 1e-9);
            now = next;
        }
    }

    #[test]
    fn mean_rates_differ_by_the_limit_and_the_curvature(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a in 0.01..100.0_f64, angle in 0.001..1.0_f64,
        x in orientation(), targets in targets(20),
    ) {
        let period = ratio * tau;
        let v = angle / period;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a), velocity: Limit::from(v) };
        let transient = TransientSecondLimited::new(params).unwrap();
        let (mut now, mut rate_before) = (Motion { x, v: Vector3::zeros() }, None);
        for (xr, vr, ar) in targets {
            let next = transient.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr, ar }).unwrap();
            let rate = turn(&now.x, &next.x) / period;
            if let Some(before) = rate_before {
                let change: f64 = (rate - before as Vector3<f64>).norm();
                let most = a * period * (1.0 + 0.25 * angle + 0.05 * angle * angle);
                prop_assert!(change <= most + 1e-9 * (1.0 + 1.0 / period), "{change} above {most}, V·T = {angle}");
            }
            rate_before = Some(rate);
            now = next;
        }
    }

    #[test]
    fn poses_keep_the_limits_of_each_part(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a in 0.01..100.0_f64, b in 0.01..100.0_f64,
        v in 0.01..10.0_f64, w in 0.01..10.0_f64, x in orientation(), places in prop::collection::vec(vector(9.0), 20),
        targets in targets(20),
    ) {
        let period = ratio * tau;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::parts(a, b), velocity: Limit::parts(v, w) };
        let transient = TransientSecondLimited::new(params).unwrap();
        let start = Isometry3::from_parts(Translation3::identity(), x);
        let mut now = Motion { x: start, v: BodyTwist::default() };
        for ((q, vr, ar), place) in targets.into_iter().zip(places) {
            let xr = Isometry3::from_parts(Translation3::from(place), q);
            let (vr, ar) = (BodyTwist::new(vr, ar), BodyTwist::new(ar, vr));
            let next = transient.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr, ar }).unwrap();
            let shift = (next.x.translation.vector - now.x.translation.vector).norm();
            prop_assert!(shift <= v * period + 1e-9);
            prop_assert!(turn(&now.x.rotation, &next.x.rotation).norm() <= w * period + 1e-9);
            // The acceleration of the origin, in axes that do not turn.
            let (after, before) = (next.v.in_world(&next.x.rotation), now.v.in_world(&now.x.rotation));
            prop_assert!((after.linear() - before.linear()).norm() <= (a + 1e-9) * period);
            prop_assert!((next.v.angular() - now.v.angular()).norm() <= (b + 1e-9) * period);
            prop_assert!(next.v.linear().norm() <= v + 1e-9 && next.v.angular().norm() <= w + 1e-9);
            now = next;
        }
    }

    #[test]
    fn a_reference_that_turns_steadily_is_tracked_exactly(
        (gains, tau) in gains(), ratio in 0.02..10.0_f64, x in orientation(), v in vector(1.0), x0 in orientation(),
        axis in vector(1.0), rate in 0.0..3.0_f64, acceleration in -0.5..0.5_f64,
    ) {
        // The reference turns about one axis, so its angle is an integral of its rate.
        prop_assume!(axis.norm() > 0.1);
        let (axis, period) = (axis.normalize(), ratio * tau);
        let filter = TransientSecondExp::new(TransientSecondExpParams { period, gains }).unwrap();
        let at = |k: f64| {
            let t = k * period;
            let angle = rate * t + 0.5 * acceleration * t * t;
            (x0 * UnitQuaternion::from_scaled_axis(axis * angle), axis * (rate + acceleration * t))
        };
        let h = 0.5 * gains.a1;
        let d = h * h - gains.a0;
        let slow = if d > 0.0 { gains.a0 / (h + d.sqrt()) } else { h };
        let most = (60.0 / (slow * period)).ceil() + 60.0;
        let mut free = Motion { x, v };
        let (start, start_rate) = at(0.0);
        let mut on_it = Motion { x: start, v: start_rate };
        let mut k = 0.0;
        while k < most {
            let (xr, vr) = at(k);
            let ar = axis * acceleration;
            free = filter.output(&SecondOrderInput { x: free.x, v: free.v, xr, vr, ar }).unwrap();
            on_it = filter.output(&SecondOrderInput { x: on_it.x, v: on_it.v, xr, vr, ar }).unwrap();
            k += 1.0;
            // The angle of the reference itself is only known to its rounding error.
            let size = 1.0 + (rate + acceleration.abs() * k * period) * k * period;
            prop_assert!(turn(&on_it.x, &at(k).0).norm() < 1e-9 * size, "left the reference at {k}");
        }
        let (xr, vr) = at(k);
        let size = 1.0 + (rate + acceleration.abs() * k * period) * k * period;
        prop_assert!(turn(&free.x, &xr).norm() < 1e-8 * size, "{} at {k}", turn(&free.x, &xr).norm());
        prop_assert!((free.v - vr).norm() < 1e-8 * size * (1.0 + 1.0 / tau));
    }
}

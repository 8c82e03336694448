//! Second-order transients behind moving references, above their velocity limit and from far away.
#![allow(clippy::unwrap_used, missing_docs)]

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

/// Decay rate of the slower pole, 1/s.
fn slow(gains: SecondOrderGains) -> f64 {
    let h = 0.5 * gains.a1;
    let d = h * h - gains.a0;
    if d > 0.0 { gains.a0 / (h + d.sqrt()) } else { h }
}

/// Periods that the linear tail needs to lose 26 decimal digits, and the travel before it.
fn steps(gains: SecondOrderGains, period: f64, travel: f64) -> usize {
    ((60.0 / slow(gains) + travel) / period).ceil() as usize + 60
}

/// Follows xr = p + v·t + a·t²/2 for `count` periods; the last error of position and velocity.
fn follow(
    filter: &impl Filter<Input = SecondOrderInput<f64>, Output = Motion<f64>>,
    period: f64,
    mut now: Motion<f64>,
    reference: [f64; 3],
    count: usize,
) -> [f64; 2] {
    let [mut xr, mut vr, ar] = reference;
    for _ in 0..count {
        now = filter.output(&SecondOrderInput { x: now.x, v: now.v, xr, vr, ar }).unwrap();
        // The reference moves by its own recurrence, so that both round alike however far it goes.
        xr += (vr + 0.5 * ar * period) * period;
        vr += ar * period;
    }
    [(xr - now.x).abs() / (1.0 + xr.abs()), (vr - now.v).abs() / (1.0 + vr.abs())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn exp_tracks_a_consistent_reference_exactly(
        (gains, tau) in gains(), ratio in 0.01..10.0_f64, x in -9.0..9.0_f64, v in -9.0..9.0_f64,
        p in -9.0..9.0_f64, vr in -5.0..5.0_f64, ar in -5.0..5.0_f64,
    ) {
        let period = ratio * tau;
        let filter = TransientSecondExp::new(TransientSecondExpParams { period, gains }).unwrap();
        let error = follow(&filter, period, Motion { x, v }, [p, vr, ar], steps(gains, period, 0.0));
        prop_assert!(error[0] < 1e-9 && error[1] < 1e-8 * (1.0 + 1.0 / tau), "{error:?}");
        let error = follow(&filter, period, Motion { x: p, v: vr }, [p, vr, ar], 100);
        prop_assert!(error[0] < 1e-10 && error[1] < 1e-10 * (1.0 + 1.0 / tau), "left the reference: {error:?}");
    }

    #[test]
    fn limited_catches_and_tracks_a_reference_within_its_limits(
        (gains, tau) in gains(), ratio in 0.01..10.0_f64, a in 0.5..50.0_f64, v in 0.5..9.0_f64,
        x in -5.0..5.0_f64, speed in -0.7..0.7_f64, bend in -0.2..0.2_f64, bounded in any::<bool>(),
    ) {
        let period = ratio * tau;
        // A steady reference below the velocity limit, or an accelerated one below the acceleration limit.
        let (velocity, ar) = if bounded { (Limit::from(v), 0.0) } else { (Limit::NONE, bend * a) };
        let vr = speed * v;
        let params = TransientSecondLimitedParams { period, gains, acceleration: Limit::from(a), velocity };
        let filter = TransientSecondLimited::new(params).unwrap();
        let reach = 6.0 + v * v / a;
        let travel = 10.0 * ((reach / a).sqrt() + 2.0 * v / a + reach / (0.3 * v));
        let count = steps(gains, period, travel);
        let error = follow(&filter, period, Motion { x, v: 0.0 }, [1.0, vr, ar], count);
        prop_assert!(error[0] < 1e-9 && error[1] < 1e-8 * (1.0 + 1.0 / tau), "{error:?}");
    }

    #[test]
    fn starts_above_the_velocity_limit_come_down_at_the_acceleration_limit(
        (gains, tau) in gains(), ratio in 0.001..10.0_f64, a in 0.01..100.0_f64, v in 0.01..5.0_f64,
        direction in vector(1.0), excess in 1.0..20.0_f64,
        targets in prop::collection::vec((vector(10.0), vector(20.0)), 60),
    ) {
        prop_assume!(direction.norm() > 0.01);
        let period = ratio * tau;
        let params = TransientSecondLimitedParams {
            period, gains, acceleration: Limit::from(a), velocity: Limit::from(v) };
        let (line, space, turn) = (
            TransientSecondLimited::<f64>::new(params).unwrap(),
            TransientSecondLimited::<Vector3<f64>>::new(params).unwrap(),
            TransientSecondLimited::<UnitQuaternion<f64>>::new(params).unwrap(),
        );
        let start = direction.normalize() * (v * excess);
        let mut on_line = Motion { x: 0.0, v: v * excess * direction.x.signum() };
        let mut in_space = Motion { x: Vector3::zeros(), v: start };
        let mut turning = Motion { x: UnitQuaternion::identity(), v: start };
        let mut most = v * excess;
        for (xr, vr) in targets {
            most = (most - a * period).max(v);
            let next = line.output(&SecondOrderInput {
                x: on_line.x, v: on_line.v, xr: xr.x, vr: vr.x, ar: vr.y }).unwrap();
            prop_assert!((next.v - on_line.v).abs() <= (a + 1e-9) * period);
            prop_assert!(next.v.abs() <= most + 1e-9, "{} above {most}", next.v);
            on_line = next;
            let next = space.output(&SecondOrderInput { x: in_space.x, v: in_space.v, xr, vr, ar: vr }).unwrap();
            prop_assert!((next.v - in_space.v).norm() <= (a + 1e-9) * period);
            prop_assert!(next.v.norm() <= most + 1e-9, "{} above {most}", next.v.norm());
            in_space = next;
            let xr = UnitQuaternion::from_scaled_axis(xr);
            let next = turn.output(&SecondOrderInput { x: turning.x, v: turning.v, xr, vr, ar: vr }).unwrap();
            prop_assert!((next.v - turning.v).norm() <= (a + 1e-9) * period);
            prop_assert!(next.v.norm() <= most + 1e-9, "{} above {most}", next.v.norm());
            turning = next;
        }
    }

    #[test]
    fn far_targets_are_overshot_by_no_more_than_the_stated_bound(
        tau in (-2.0..0.0_f64).prop_map(|e| 10.0_f64.powf(e)), ratio in (-2.0..1.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        a in (-1.0..2.0_f64).prop_map(|e| 10.0_f64.powf(e)), distance in (-3.0..3.0_f64).prop_map(|e| 10.0_f64.powf(e)),
        damping in 1.0..3.0_f64, critical in any::<bool>(), v in 0.1..10.0_f64, bounded in any::<bool>(),
    ) {
        let damping = if critical { 1.0 } else { damping };
        let gains = SecondOrderGains { a0: 1.0 / (tau * tau), a1: 2.0 * damping / tau };
        let velocity = if bounded { Limit::from(v) } else { Limit::NONE };
        let params = TransientSecondLimitedParams { period: ratio * tau, gains, acceleration: Limit::from(a), velocity };
        let filter = TransientSecondLimited::new(params).unwrap();
        // The velocity follows the braking curve of 0.75·A with the rate a1, so it comes above it by 0.75·A/a1, and full
        // braking from there needs (0.75·A/a1)²/(2A). Constant acceleration in a period adds up to A·T²/8.
        let bound = (0.75 / gains.a1).powi(2) * a / 2.0 + a * (ratio * tau).powi(2) / 8.0 + 1e-12 * distance;
        let mut now = Motion { x: 0.0, v: 0.0 };
        for _ in 0..20_000 {
            now = filter.output(&SecondOrderInput { x: now.x, v: now.v, xr: distance, vr: 0.0, ar: 0.0 }).unwrap();
            prop_assert!(now.x - distance <= bound, "{} beyond {distance}, bound {bound}", now.x - distance);
            if (now.x - distance).abs() < 1e-9 * distance && now.v.abs() * tau < 1e-9 * distance {
                break;
            }
        }
    }
}

//! Fusions and first-order transients: continuous at the start, within their speed, at their target.
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

fn pose() -> impl Strategy<Value = Isometry3<f64>> {
    (vector(10.0), orientation()).prop_map(|(p, q)| Isometry3::from_parts(Translation3::from(p), q))
}

/// The angle between two orientations, accurate near 0 where an arc cosine is not; no code of the library.
fn angle(a: &UnitQuaternion<f64>, b: &UnitQuaternion<f64>) -> f64 {
    let turn = a.conjugate().into_inner() * b.into_inner();
    2.0 * turn.imag().norm().atan2(turn.w.abs())
}

/// Distances that share no code with the library.
fn distances(a: &Isometry3<f64>, b: &Isometry3<f64>) -> [f64; 2] {
    [(a.translation.vector - b.translation.vector).norm(), angle(&a.rotation, &b.rotation)]
}

fn fuses(
    params: FusionParams,
    u1: &Isometry3<f64>,
    u2: &Isometry3<f64>,
    steps: usize,
) -> Vec<Isometry3<f64>> {
    let mut filter = Fusion::new(params).unwrap();
    (0..steps).map(|_| filter.update(&Pair { u1: *u1, u2: *u2 }).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn fusion_starts_on_the_first_and_ends_on_the_second(u1 in pose(), u2 in pose(), period in 0.001..1.0_f64, ratio in 0.2..20.0_f64) {
        let tau = period * ratio;
        let steps = (ratio.ceil() as usize + 2) * 40;
        let linear = fuses(FusionParams { period, method: FusionMethod::Linear { tau } }, &u1, &u2, steps);
        let exp = fuses(FusionParams { period, method: FusionMethod::Exp { tau } }, &u1, &u2, steps);
        let limited = fuses(FusionParams { period, method: FusionMethod::ExpLimited { tau, speed: Limit::parts(50.0 / tau, 50.0 / tau) } }, &u1, &u2, steps);
        for path in [&linear, &exp, &limited] {
            prop_assert_eq!(path[0], u1);
            let left = distances(&path[steps - 1], &u2);
            prop_assert!(left[0] < 1e-6 && left[1] < 1e-6, "{left:?}");
        }
        prop_assert!(distances(&linear[ratio.ceil() as usize + 1], &u2)[0] < 1e-9);
    }

    #[test]
    fn fusion_weights_follow_the_formulas(u1 in -9.0..9.0_f64, u2 in -9.0..9.0_f64, period in 0.001..0.1_f64, ratio in 1.0..20.0_f64) {
        let tau = period * ratio;
        let mut linear = Fusion::new(FusionParams { period, method: FusionMethod::Linear { tau } }).unwrap();
        let mut exp = Fusion::new(FusionParams { period, method: FusionMethod::Exp { tau } }).unwrap();
        for k in 0..30 {
            let x = (1.0 - f64::from(k) / ratio).max(0.0);
            let y = linear.update(&Pair { u1, u2 }).unwrap();
            prop_assert!((y - (x * u1 + (1.0 - x) * u2)).abs() < 1e-12);
            let x = (1.0 - 1.0 / ratio).powi(k);
            let y = exp.update(&Pair { u1, u2 }).unwrap();
            prop_assert!((y - (x * u1 + (1.0 - x) * u2)).abs() < 1e-12);
        }
    }

    #[test]
    fn limited_fusion_keeps_its_speed(u1 in pose(), u2 in pose(), period in 0.001..1.0_f64, ratio in 0.2..20.0_f64, v in 0.1..9.0_f64, w in 0.1..9.0_f64) {
        let params = FusionParams { period, method: FusionMethod::ExpLimited { tau: period * ratio, speed: Limit::parts(v, w) } };
        for pair in fuses(params, &u1, &u2, 50).windows(2) {
            let moved = distances(&pair[0], &pair[1]);
            prop_assert!(moved[0] <= v * period + 1e-9 && moved[1] <= w * period + 1e-9, "{moved:?}");
        }
    }

    #[test]
    fn transients_keep_their_speed_and_arrive(u in pose(), ur in pose(), period in 0.001..1.0_f64, ratio in 0.2..20.0_f64, v in 0.5..9.0_f64, w in 0.5..9.0_f64) {
        let (tau, speed) = (period * ratio, Limit::parts(v, w));
        let gap = distances(&u, &ur);
        let travel = (gap[0] / v).max(gap[1] / w) / period;
        let mut linear = Follower::new(TransientParams { period, method: TransientMethod::Linear { speed } }, &u).unwrap();
        let mut limited = Follower::new(TransientParams { period, method: TransientMethod::ExpLimited { tau, speed } }, &u).unwrap();
        let (mut at, mut at_limited) = (u, u);
        for _ in 0..travel.ceil() as usize + 1 {
            let next = linear.update(&ur).unwrap();
            let moved = distances(&at, &next);
            prop_assert!(moved[0] <= v * period + 1e-9 && moved[1] <= w * period + 1e-9, "{moved:?}");
            at = next;
        }
        let left = distances(&at, &ur);
        prop_assert!(left[0] < 1e-9 && left[1] < 1e-9);
        for _ in 0..(travel + 40.0 * (ratio + 1.0)) as usize {
            let next = limited.update(&ur).unwrap();
            let moved = distances(&at_limited, &next);
            prop_assert!(moved[0] <= v * period + 1e-9 && moved[1] <= w * period + 1e-9);
            at_limited = next;
        }
        let left = distances(&at_limited, &ur);
        prop_assert!(left[0] < 1e-6 && left[1] < 1e-6, "{left:?}");
    }

    #[test]
    fn transients_keep_their_speed_behind_targets_that_jump(
        u in pose(), targets in prop::collection::vec(pose(), 30), period in 0.001..10.0_f64, ratio in 0.05..20.0_f64,
        v in 0.01..9.0_f64, w in 0.01..9.0_f64,
    ) {
        let (tau, speed) = (period * ratio, Limit::parts(v, w));
        let mut linear = Follower::new(TransientParams { period, method: TransientMethod::Linear { speed } }, &u).unwrap();
        let mut limited = Follower::new(TransientParams { period, method: TransientMethod::ExpLimited { tau, speed } }, &u).unwrap();
        let mut turning = Follower::new(TransientParams { period, method: TransientMethod::Linear { speed: Limit::from(w) } }, &u.rotation).unwrap();
        let mut easing = Follower::new(TransientParams { period, method: TransientMethod::ExpLimited { tau, speed: Limit::from(w) } }, &u.rotation).unwrap();
        let (mut poses, mut turns) = ([u; 2], [u.rotation; 2]);
        for ur in targets {
            let next = [linear.update(&ur).unwrap(), limited.update(&ur).unwrap()];
            for (next, before) in next.iter().zip(&poses) {
                let moved = distances(before, next);
                prop_assert!(moved[0] <= v * period + 1e-9 && moved[1] <= w * period + 1e-9, "{moved:?}");
            }
            let next_turns = [turning.update(&ur.rotation).unwrap(), easing.update(&ur.rotation).unwrap()];
            for (next, before) in next_turns.iter().zip(&turns) {
                let moved = angle(before, next);
                prop_assert!(moved <= w * period + 1e-9, "{moved}");
            }
            (poses, turns) = (next, next_turns);
        }
    }

    #[test]
    fn exponential_transient_follows_its_formula(u in vector(9.0), ur in vector(9.0), period in 0.001..1.0_f64, ratio in 1.0..50.0_f64) {
        let filter = Transient::new(TransientParams { period, method: TransientMethod::Exp { tau: period * ratio } }).unwrap();
        let y = filter.output(&TransientInput { u, ur }).unwrap();
        prop_assert!((y - (u * (1.0 - 1.0 / ratio) + ur / ratio)).norm() < 1e-12);
    }

    #[test]
    fn orientation_takes_the_shortest_arc(q1 in orientation(), q2 in orientation(), k in 1..10_i32) {
        let mut fusion = Fusion::new(FusionParams { period: 0.1, method: FusionMethod::Linear { tau: 1.0 } }).unwrap();
        fusion.start(&(1.0 - 0.1 * f64::from(k))).unwrap();
        let y = fusion.output(&Pair { u1: q1, u2: q2 }).unwrap();
        // The other sign of q2 is the same orientation and must not change the way.
        let other = UnitQuaternion::new_unchecked(-q2.into_inner());
        let same = fusion.output(&Pair { u1: q1, u2: other }).unwrap();
        let whole = angle(&q1, &q2);
        prop_assume!(whole < 3.1);
        prop_assert!(angle(&y, &same) < 1e-9);
        prop_assert!((angle(&q1, &y) - whole * 0.1 * f64::from(k)).abs() < 1e-9);
    }

    #[test]
    fn a_limb_swings_around_its_shoulder(direction in vector(1.0), other in vector(1.0), radius in 0.1..2.0_f64, k in 0..11_i32) {
        prop_assume!(direction.norm() > 0.1 && other.norm() > 0.1 && direction.angle(&other) < 3.0);
        let (a, b) = (direction.normalize() * radius, other.normalize() * radius);
        let mut fusion = Fusion::new(FusionParams { period: 0.1, method: FusionMethod::Linear { tau: 1.0 } }).unwrap();
        let x = 1.0 - 0.1 * f64::from(k);
        fusion.start(&x.clamp(0.0, 1.0)).unwrap();
        let y = fusion.output(&Pair { u1: Spherical(a), u2: Spherical(b) }).unwrap().0;
        prop_assert!((y.norm() - radius).abs() < 1e-12, "a straight line would come nearer to the shoulder");
        prop_assert!((a.angle(&y) + y.angle(&b) - a.angle(&b)).abs() < 1e-6);
    }
}

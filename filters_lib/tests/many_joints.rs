//! The same filter on different types of one signal gives the same numbers; poses move as their translation and rotation do.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::signal::VectorSpace;
use filters_lib::*;
use nalgebra::{Isometry3, SVector, Translation3, UnitQuaternion, Vector3};
use zoo::{Dice, Draw, Near};

fn params(r: &mut Dice) -> (TransientSecondExpParams, TransientSecondLimitedParams) {
    let (period, gains) = (r.within(0.001, 0.1), SecondOrderGains::critical(r.within(0.01, 0.3)));
    let (acceleration, velocity) = (Limit::from(r.within(0.5, 50.0)), Limit::from(r.within(0.5, 9.0)));
    (
        TransientSecondExpParams { period, gains },
        TransientSecondLimitedParams { period, gains, acceleration, velocity },
    )
}

/// A joint array of run-time length, one of fixed length, and (one joint) a number.
#[test]
fn second_order_transients_agree_on_arrays_of_any_kind() {
    let mut r = Dice(61);
    for _ in 0..2000 {
        let (exp, limited) = params(&mut r);
        let fixed = SecondOrderInput::<SVector<f64, 7>>::draw(&mut r);
        let list = |v: &SVector<f64, 7>| v.as_slice().to_vec();
        let (x, v, xr) = (list(&fixed.x), list(&fixed.v), list(&fixed.xr));
        let array = SecondOrderInput { x, v, xr, vr: list(&fixed.vr), ar: list(&fixed.ar) };
        let a = TransientSecondLimited::new(limited).unwrap().output(&fixed).unwrap();
        let b = TransientSecondLimited::new(limited).unwrap().output(&array).unwrap();
        assert!(b.x == a.x.as_slice() && b.v == a.v.as_slice());
        let a = TransientSecondExp::new(exp).unwrap().output(&fixed).unwrap();
        let b = TransientSecondExp::new(exp).unwrap().output(&array).unwrap();
        assert!(b.x == a.x.as_slice() && b.v == a.v.as_slice());
        let one = SecondOrderInput {
            x: fixed.x[0],
            v: fixed.v[0],
            xr: fixed.xr[0],
            vr: fixed.vr[0],
            ar: fixed.ar[0],
        };
        let c = TransientSecondExp::new(exp).unwrap().output(&one).unwrap();
        assert!(a.x[0].near(&c.x, 1e-15) && a.v[0].near(&c.v, 1e-15));
    }
}

/// The parts of a twist, a joint state and a pose keep their limits apart: each part is a vector of its own.
#[test]
fn parts_are_limited_apart() {
    let mut r = Dice(62);
    for _ in 0..2000 {
        let (_, mut limited) = params(&mut r);
        let (a, b) = (Limit::from(r.within(0.5, 50.0)), Limit::from(r.within(0.5, 50.0)));
        limited.acceleration = Limit::parts(a.values()[0], b.values()[0]);
        let u = SecondOrderInput::<BodyTwist>::draw(&mut r);
        let y = TransientSecondLimited::new(limited).unwrap().output(&u).unwrap();
        for (part, acceleration) in [a, b].into_iter().enumerate() {
            let of = |v: &BodyTwist| if part == 0 { v.linear() } else { v.angular() };
            let half =
                SecondOrderInput { x: of(&u.x), v: of(&u.v), xr: of(&u.xr), vr: of(&u.vr), ar: of(&u.ar) };
            let alone = TransientSecondLimitedParams { acceleration, ..limited };
            let expected = TransientSecondLimited::new(alone).unwrap().output(&half).unwrap();
            assert!(of(&y.x).near(&expected.x, 1e-12) && of(&y.v).near(&expected.v, 1e-12));
        }
        let state = SecondOrderInput::<JointState>::draw(&mut r);
        let y = TransientSecondLimited::new(limited).unwrap().output(&state).unwrap();
        let half = |s: &JointState| s.position().to_vec();
        let (x, v, xr) = (half(&state.x), half(&state.v), half(&state.xr));
        let half_input = SecondOrderInput { x, v, xr, vr: half(&state.vr), ar: half(&state.ar) };
        let alone = TransientSecondLimitedParams { acceleration: a, ..limited };
        let expected = TransientSecondLimited::new(alone).unwrap().output(&half_input).unwrap();
        assert!(half(&y.x).near(&expected.x, 1e-12));
        assert_eq!(y.x.elements().len(), 14);
    }
}

/// A body on a helix that turns about two axes at once: p = (cos t, sin t, t/2), q = Rz(at)·Rx(bt).
fn helix(t: f64) -> (Isometry3<f64>, BodyTwist) {
    let (a, b) = (1.3, 0.9);
    let z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), a * t);
    let x = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), b * t);
    let pose = Isometry3::from_parts(Translation3::new(t.cos(), t.sin(), 0.5 * t), z * x);
    let linear = pose.rotation.inverse() * Vector3::new(-t.sin(), t.cos(), 0.5);
    (pose, BodyTwist::new(linear, Vector3::new(b, a * (b * t).sin(), a * (b * t).cos())))
}

fn pose_error(method: Quadrature, steps: usize) -> f64 {
    let period = 2.0 / steps as f64;
    let mut filter = Integrator::new(IntegratorParams { period, method }, &helix(0.0).0).unwrap();
    let mut worst = 0.0_f64;
    for k in 0..steps {
        let (pose, twist) = helix(k as f64 * period);
        let y = filter.update(&twist).unwrap();
        if k > 1 {
            worst = worst.max((y.translation.vector - pose.translation.vector).norm());
            worst = worst.max(so3::log(&(y.rotation.inverse() * pose.rotation)).norm());
        }
    }
    worst
}

#[test]
fn pose_integrators_have_their_order() {
    for (method, order) in
        [(Quadrature::Euler, 1.0), (Quadrature::Trapezoid, 2.0), (Quadrature::Simpson, 3.0)]
    {
        let measured = (pose_error(method, 400) / pose_error(method, 3200)).log2() / 3.0;
        println!("{method:?}: order {measured:.3} on SE(3)");
        assert!(measured > order - 0.1, "{method:?}: order {measured}");
    }
}

#[test]
fn pose_differentiators_have_their_order() {
    for (method, order) in [
        (DiffMethod::Difference, 1.0),
        (DiffMethod::SavitzkyGolay { window: 3, order: 2 }, 2.0),
        (DiffMethod::SavitzkyGolay { window: 6, order: 2 }, 2.0),
    ] {
        let error = |steps: usize| {
            let period = 2.0 / steps as f64;
            let mut filter =
                Differentiator::new(DifferentiatorParams { period, method }, &helix(0.0).0).unwrap();
            (0..=steps).fold(0.0, |_, k| {
                let (pose, twist) = helix(k as f64 * period);
                (filter.update(&pose).unwrap().0 - twist.0).norm()
            })
        };
        let measured = (error(400) / error(3200)).log2() / 3.0;
        println!("{method:?}: order {measured:.3} on SE(3)");
        assert!(measured > order - 0.1, "{method:?}: order {measured}");
    }
}

/// The parts of one: what a joint state's filters give is what those of its halves give.
#[test]
fn joint_state_filters_equal_those_of_their_halves() {
    let mut r = Dice(63);
    let period = 0.1;
    let start = JointState::draw(&mut r);
    let method = DiffMethod::Inertial { tau: 0.3 };
    let mut both = DifferentiatorJointState::new(DifferentiatorParams { period, method }, &start).unwrap();
    let mut half =
        Differentiator::new(DifferentiatorParams { period, method }, &start.position().to_vec()).unwrap();
    let method = Quadrature::Simpson;
    let mut area = IntegratorJointState::new(IntegratorParams { period, method }, &start).unwrap();
    let mut half_area =
        Integrator::new(IntegratorParams { period, method }, &start.position().to_vec()).unwrap();
    for _ in 0..50 {
        let u = JointState::draw(&mut r);
        let y = both.update(&u).unwrap();
        assert_eq!(y.velocity(), half.update(&u.position().to_vec()).unwrap());
        assert_eq!(y.position(), u.position());
        let y = area.update(&u).unwrap();
        assert_eq!(y.position(), half_area.update(&u.velocity().to_vec()).unwrap());
        assert_eq!(y.velocity(), u.velocity());
    }
}

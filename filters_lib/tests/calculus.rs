//! Integrators and differentiators: order of convergence, inverse of each other, unit for ever.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use proptest::prelude::*;

/// u(t) = Σ cᵢ·cos(wᵢ·t + pᵢ) and its integral from 0, in closed form.
#[derive(Debug, Clone)]
struct Wave(Vec<(f64, f64, f64)>);

impl Wave {
    fn value(&self, t: f64) -> f64 {
        self.0.iter().map(|(c, w, p)| c * (w * t + p).cos()).sum()
    }
    fn integral(&self, t: f64) -> f64 {
        self.0.iter().map(|(c, w, p)| c / w * ((w * t + p).sin() - p.sin())).sum()
    }
    /// A bound of the derivative of an order.
    fn steepest(&self, order: i32) -> f64 {
        self.0.iter().map(|(c, w, _)| c * w.powi(order)).sum()
    }
}

fn wave() -> impl Strategy<Value = Wave> {
    prop::collection::vec((0.5..2.0_f64, 0.5..3.0_f64, -3.0..3.0_f64), 1..4).prop_map(Wave)
}

fn worst_error(wave: &Wave, method: Quadrature, steps: usize) -> f64 {
    let period = 4.0 / steps as f64;
    let mut filter = Integrator::new(IntegratorParams { period, method }, &0.0).unwrap();
    let error = |k: usize, y: f64| (y - wave.integral(k as f64 * period)).abs();
    // With one sample known nothing beats Euler, so y[1] is second order for every method; y[2] mends it.
    let outputs = (0..steps).map(|k| error(k, filter.update(&wave.value(k as f64 * period)).unwrap()));
    outputs.skip(2).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn integrators_have_their_order(wave in wave()) {
        for (method, order) in [(Quadrature::Euler, 1), (Quadrature::Trapezoid, 2), (Quadrature::Simpson, 3)] {
            // A multiple of h^p·∫max|u⁽ᵖ⁾|; the ratio of two errors would be no order where the leading terms cancel by chance.
            for steps in [400, 1600] {
                let bound = 4.0 * wave.steepest(order) * (4.0 / steps as f64).powi(order) + 1e-12;
                let worst = worst_error(&wave, method, steps);
                prop_assert!(worst < bound, "{method:?}: {worst} of {bound}");
            }
        }
    }

    #[test]
    fn integrating_then_differentiating_gives_the_signal_back_at_the_order(wave in wave()) {
        for (method, order, window) in [(Quadrature::Euler, 1, 2), (Quadrature::Trapezoid, 2, 3), (Quadrature::Simpson, 3, 4)] {
            let worst = |steps: usize| {
                let period = 4.0 / steps as f64;
                let mut integrator = Integrator::new(IntegratorParams { period, method }, &0.0).unwrap();
                let savgol = DiffMethod::SavitzkyGolay { window, order: window - 1 };
                let mut differentiator = Differentiator::new(DifferentiatorParams { period, method: savgol }, &0.0).unwrap();
                let mut worst = 0.0_f64;
                for k in 0..steps {
                    let u = wave.value(k as f64 * period);
                    let back = differentiator.update(&integrator.update(&u).unwrap()).unwrap();
                    if k > 8 {
                        worst = worst.max((back - u).abs());
                    }
                }
                worst
            };
            for steps in [400, 1600] {
                let bound = 4.0 * wave.steepest(order) * (4.0 / steps as f64).powi(order) + 1e-10;
                prop_assert!(worst(steps) < bound, "{method:?}: {} of {bound}", worst(steps));
            }
        }
    }

    #[test]
    fn euler_and_difference_undo_each_other(u in prop::collection::vec(-10.0..10.0_f64, 2..50), period in 0.001..1.0_f64) {
        let mut integrator = Integrator::new(IntegratorParams { period, method: Quadrature::Euler }, &0.0).unwrap();
        let mut differentiator = Differentiator::new(DifferentiatorParams { period, ..Default::default() }, &0.0).unwrap();
        let mut before = 0.0;
        for u in u {
            let back = differentiator.update(&integrator.update(&u).unwrap()).unwrap();
            prop_assert!((back - before).abs() < 1e-9, "one period late, and otherwise the same");
            before = u;
        }
    }

    #[test]
    fn savitzky_golay_is_exact_for_its_polynomials(
        order in 1..7_usize, extra in 1..10_usize, c in prop::collection::vec(-2.0..2.0_f64, 8), period in 0.01..0.5_f64,
    ) {
        let window = order + extra;
        let weights = savitzky_golay(window, order, 1, period).unwrap();
        let poly = |t: f64| (0..=order).rev().fold(0.0, |y, i| y * t + c[i]);
        let slope: f64 = weights.iter().enumerate().map(|(i, w)| w * poly(-(i as f64) * period)).sum();
        let size: f64 = weights.iter().enumerate().map(|(i, w)| (w * poly(-(i as f64) * period)).abs()).sum();
        prop_assert!((slope - c[1]).abs() < 1e-10 * (1.0 + size), "{slope} {}", c[1]);
    }

    #[test]
    fn a_constant_turn_is_integrated_and_measured_exactly(w in [-3.0..3.0_f64, -3.0..3.0_f64, -3.0..3.0_f64], steps in 1..50_usize) {
        let (w, period) = (Vector3::from(w), 0.01);
        let methods = [DiffMethod::Difference, DiffMethod::SavitzkyGolay { window: 5, order: 2 }];
        let start = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
        for (method, diff) in [(Quadrature::Euler, methods[0]), (Quadrature::Simpson, methods[1])] {
            let mut integrator = Integrator::new(IntegratorParams { period, method }, &start).unwrap();
            let mut differentiator = Differentiator::new(DifferentiatorParams { period, method: diff }, &start).unwrap();
            differentiator.start_moving(&start, &w).unwrap();
            let mut q = integrator.update(&w).unwrap();
            for _ in 0..steps {
                q = integrator.update(&w).unwrap();
                let rate = differentiator.update(&q).unwrap();
                prop_assert!((rate - w).norm() < 1e-9 * (1.0 + w.norm()));
            }
            let expected = start * UnitQuaternion::from_scaled_axis(w * (steps as f64 * period));
            prop_assert!(q.angle_to(&expected) < 1e-7);
        }
    }

    #[test]
    fn a_pose_with_a_constant_body_twist_runs_on_its_screw(v in [-3.0..3.0_f64, -3.0..3.0_f64], turn in 0.1..3.0_f64) {
        // Planar arc: radius v/w, closed form (R. Murray, Z. Li, S. Sastry 1994, example 2.4).
        let (period, steps) = (0.01, 100);
        let params = IntegratorParams { period, method: Quadrature::Euler };
        let mut filter = Integrator::new(params, &Isometry3::identity()).unwrap();
        let twist = BodyTwist::new(Vector3::new(v[0], v[1], 0.5), Vector3::new(0.0, 0.0, turn));
        for _ in 0..steps {
            filter.update(&twist).unwrap();
        }
        let (sin, cos) = turn.sin_cos();
        let x = (v[0] * sin - v[1] * (1.0 - cos)) / turn;
        let y = (v[0] * (1.0 - cos) + v[1] * sin) / turn;
        prop_assert!((filter.state().translation.vector - Vector3::new(x, y, 0.5)).norm() < 1e-10);
    }
}

/// A turn about two axes at once whose body rate is known: q(t) = Rz(at)·Rx(bt), w = (b, a·sin bt, a·cos bt).
fn turn_error(method: Quadrature, steps: usize) -> f64 {
    let (a, b, period) = (1.3, 0.9, 2.0 / steps as f64);
    let mut filter =
        Integrator::new(IntegratorParams { period, method }, &UnitQuaternion::identity()).unwrap();
    let mut worst = 0.0_f64;
    for k in 0..steps {
        let t = k as f64 * period;
        let q = filter.update(&Vector3::new(b, a * (b * t).sin(), a * (b * t).cos())).unwrap();
        let z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), a * t);
        let x = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), b * t);
        if k > 1 {
            worst = worst.max(so3::log(&((z * x).inverse() * q)).norm());
        }
    }
    worst
}

#[test]
fn orientation_integrators_have_their_order() {
    for (method, order) in
        [(Quadrature::Euler, 1.0), (Quadrature::Trapezoid, 2.0), (Quadrature::Simpson, 3.0)]
    {
        let measured = (turn_error(method, 400) / turn_error(method, 3200)).log2() / 3.0;
        println!("{method:?}: order {measured:.3} on SO(3)");
        assert!(measured > order - 0.1, "{method:?}: order {measured}");
    }
}

#[test]
fn a_quaternion_stays_unit_after_a_million_steps() {
    for method in [Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson] {
        let params = IntegratorParams { period: 0.01, method };
        let mut filter = Integrator::new(params, &UnitQuaternion::identity()).unwrap();
        let mut pose = Integrator::new(params, &Isometry3::identity()).unwrap();
        let mut worst = 0.0_f64;
        for k in 0..1_000_000 {
            let t = f64::from(k) * 0.37;
            let rate = Vector3::new(t.sin() * 3.0, t.cos() * 20.0, 1.0);
            filter.update(&rate).unwrap();
            pose.update(&BodyTwist::new(rate, rate)).unwrap();
            let norms = [filter.state().coords.norm(), pose.state().rotation.coords.norm()];
            worst = norms.iter().map(|n| (n - 1.0).abs()).fold(worst, f64::max);
        }
        println!("{method:?}: worst |norm - 1| in 10^6 steps = {worst:.2e}");
        assert!(worst < 1e-12);
    }
}

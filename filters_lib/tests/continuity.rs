//! No jump at the start: a fusion begins on its first trajectory, a transient at the present state, and the first
//! step is as long as the formula says.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use zoo::{Draw, Random};

/// Distances, part by part, that share no code with the library.
trait Measure: Signal + Draw {
    fn parts(&self, to: &Self) -> [f64; 2];
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    // An empty sum is −0.
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt().abs()
}

macro_rules! measure_elements {
    ($($signal:ty),*) => {$(
        impl Measure for $signal {
            fn parts(&self, to: &Self) -> [f64; 2] {
                let (a, b, split) = (self.elements(), to.elements(), self.split());
                [distance(&a[..split], &b[..split]), distance(&a[split..], &b[split..])]
            }
        }
    )*};
}

measure_elements!(f64, Vector3<f64>, JointArray, JointState, Twist, Wrench);

impl Measure for UnitQuaternion<f64> {
    fn parts(&self, to: &Self) -> [f64; 2] {
        let turn = self.conjugate().into_inner() * to.into_inner();
        [2.0 * turn.imag().norm().atan2(turn.w.abs()), 0.0]
    }
}

impl Measure for Isometry3<f64> {
    fn parts(&self, to: &Self) -> [f64; 2] {
        let shift = (self.translation.vector - to.translation.vector).norm();
        [shift, self.rotation.parts(&to.rotation)[0]]
    }
}

impl Measure for Spherical {
    fn parts(&self, to: &Self) -> [f64; 2] {
        let turn = self.0.cross(&to.0).norm().atan2(self.0.dot(&to.0));
        [(self.0.norm() - to.0.norm()).abs(), turn]
    }
}

/// The first output is `u1`; the second is the share 1 − x\[1\] of the way to `u2`.
fn fusion_starts<S: Measure, L: WeightLaw>(law: L, share: impl Fn([f64; 2]) -> f64, r: &mut Random) {
    let (u1, u2) = (S::draw(r), S::draw(r));
    let mut fusion = Fusion::<S, L>::new(law).unwrap();
    let pair = Pair { u1: u1.clone(), u2: u2.clone() };
    assert_eq!(fusion.update(&pair).unwrap(), u1);
    let gap = u1.parts(&u2);
    let second = u1.parts(&fusion.update(&pair).unwrap());
    for part in [0, 1] {
        let expected = share(gap) * gap[part];
        assert!((second[part] - expected).abs() < 1e-9, "{second:?}, expected {expected} of {gap:?}");
    }
}

/// The first output is as far from the present state as `length` says, and so is the rest from the target.
fn transient_starts<S: Measure, L: StepLaw>(law: L, length: impl Fn(f64, usize) -> f64, r: &mut Random) {
    let (u, ur) = (S::draw(r), S::draw(r));
    let y = Transient::<S, L>::new(law).unwrap().output(&TransientInput { u: u.clone(), ur: ur.clone() });
    let y = y.unwrap();
    let (gap, moved, left) = (u.parts(&ur), u.parts(&y), y.parts(&ur));
    for part in [0, 1] {
        let expected = length(gap[part], part);
        assert!((moved[part] - expected).abs() < 1e-9, "{moved:?}, expected {expected} of {gap:?}");
        assert!((left[part] - (gap[part] - expected)).abs() < 1e-9, "{left:?}: not on the shortest way");
    }
    // No gap, no motion.
    let y = Transient::<S, L>::new(law).unwrap().output(&TransientInput { u: u.clone(), ur: u.clone() });
    let moved = u.parts(&y.unwrap());
    assert!(moved[0] < 1e-14 && moved[1] < 1e-14, "{moved:?}");
}

fn every_law<S: Measure>(r: &mut Random) {
    let (period, ratio) = (10.0_f64.powf(r.within(-4.0, 0.5)), r.within(0.1, 20.0));
    let tau = period * ratio;
    let share = (1.0 / ratio).min(1.0);
    let limits = [r.within(0.01, 9.0), r.within(0.01, 9.0)];
    let speed = Limit::parts(limits[0], limits[1]);
    let most = limits.map(|limit| limit * period);
    fusion_starts::<S, _>(LinearWeight { period, tau }, |_| share, r);
    fusion_starts::<S, _>(ExpWeight { period, tau }, |_| share, r);
    let slowest = |gap: [f64; 2]| share.min(most[0] / gap[0]).min(most[1] / gap[1]);
    fusion_starts::<S, _>(LimitedExpWeight { period, tau, speed }, slowest, r);
    transient_starts::<S, _>(LinearStep { period, speed }, |gap, part| gap.min(most[part]), r);
    transient_starts::<S, _>(ExpStep { period, tau }, |gap, _| gap * share, r);
    let limited = LimitedExpStep { period, tau, speed };
    transient_starts::<S, _>(limited, |gap, part| (gap * share).min(most[part]), r);
}

#[test]
fn first_order_outputs_start_at_the_present_state_for_every_type() {
    let mut r = Random(21);
    for _ in 0..4000 {
        every_law::<f64>(&mut r);
        every_law::<Vector3<f64>>(&mut r);
        every_law::<JointArray>(&mut r);
        every_law::<JointState>(&mut r);
        every_law::<Twist>(&mut r);
        every_law::<Wrench>(&mut r);
        every_law::<UnitQuaternion<f64>>(&mut r);
        every_law::<Isometry3<f64>>(&mut r);
        every_law::<Spherical>(&mut r);
    }
}

#[test]
fn second_order_outputs_leave_the_present_motion_by_no_more_than_the_law_accelerates() {
    let mut r = Random(22);
    for _ in 0..20_000 {
        let (tau, damping, ratio) =
            (r.within(0.01, 1.0), r.within(0.3, 3.0), 10.0_f64.powf(r.within(-4.0, 1.0)));
        let period = ratio * tau;
        let gains = SecondOrderGains { a0: 1.0 / (tau * tau), a1: 2.0 * damping / tau };
        let u: SecondOrderInput<Vector3<f64>> = Draw::draw(&mut r);
        // The energy xe² + τ²·ve² of the error never grows, so it bounds the law's acceleration over the period.
        let energy = ((u.xr - u.x).norm_squared() + tau * tau * (u.vr - u.v).norm_squared()).sqrt();
        let most = u.ar.norm() + gains.a0 * energy + gains.a1 * energy / tau;
        let y =
            TransientSecondExp::new(TransientSecondExpParams { period, gains }).unwrap().output(&u).unwrap();
        assert!((y.v - u.v).norm() <= period * most * (1.0 + 1e-9) + 1e-9);
        assert!((y.x - u.x - u.v * period).norm() <= 0.5 * period * period * most * (1.0 + 1e-9) + 1e-9);

        let limit = r.within(0.1, 50.0);
        let acceleration = Limit::from(limit);
        let params = TransientSecondLimitedParams { period, gains, acceleration, velocity: Limit::NONE };
        let y = TransientSecondLimited::new(params).unwrap().output(&u).unwrap();
        assert!((y.v - u.v).norm() <= limit * period + 1e-9);
        assert!((y.x - u.x - u.v * period).norm() <= 0.5 * limit * period * period + 1e-9);
    }
}

#[test]
fn second_order_orientations_start_at_the_present_motion() {
    let mut r = Random(23);
    for _ in 0..20_000 {
        let u: SecondOrderInput<UnitQuaternion<f64>> = Draw::draw(&mut r);
        let (tau, limit) = (r.within(0.01, 1.0), r.within(0.1, 50.0));
        let period = tau * 10.0_f64.powf(r.within(-4.0, 1.0));
        let gains = SecondOrderGains::critical(tau);
        let acceleration = Limit::from(limit);
        let params = TransientSecondLimitedParams { period, gains, acceleration, velocity: Limit::NONE };
        let y = TransientSecondLimited::new(params).unwrap().output(&u).unwrap();
        let coasting = u.x * UnitQuaternion::from_scaled_axis(u.v * period);
        assert!(coasting.parts(&y.x)[0] <= 0.5 * limit * period * period + 1e-9);
        // The exponential law has no limit: a vanishing period moves nothing.
        let params = TransientSecondExpParams { period: 1e-9 * tau, gains };
        let y = TransientSecondExp::new(params).unwrap().output(&u).unwrap();
        assert!(u.x.parts(&y.x)[0] < 1e-7 && (y.v - u.v).norm() < 1e-5 / tau, "{y:?} from {u:?}");
    }
}

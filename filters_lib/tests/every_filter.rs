//! The contract, for one of every filter on every type it works on: `output` changes nothing and says what `update` says;
//! what is refused leaves no trace; a reset forgets everything; huge numbers end in an error, not in NaN; no step
//! allocates.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::chain::{ChainSignal, Value, known_types};
use filters_lib::signal::{Signal, VectorSpace};
use filters_lib::*;
use nalgebra::{Isometry3, SVector, UnitQuaternion, Vector3};
use std::fmt::Debug;
use zoo::{Around, Dice, Draw};

/// A filter that can be copied, whatever its type.
trait Probe<X, U, Y>: Filter<State = X, Input = U, Output = Y> {
    fn copy(&self) -> Box<dyn Probe<X, U, Y>>;
}

impl<F: Filter + Clone + 'static> Probe<F::State, F::Input, F::Output> for F {
    fn copy(&self) -> Box<dyn Probe<F::State, F::Input, F::Output>> {
        Box::new(self.clone())
    }
}

type Specimen<X, U, Y> = (String, Box<dyn Probe<X, U, Y>>);

/// All outputs are finite numbers.
fn finite<Y: Debug>(y: &Y) -> bool {
    let text = format!("{y:?}");
    !text.contains("NaN") && !text.contains("inf")
}

/// The whole contract for one filter.
fn holds<X: Draw, U: Draw, Y: PartialEq + Debug + Clone + Draw>(
    (name, mut filter): Specimen<X, U, Y>,
    r: &mut Dice,
) {
    let inputs: Vec<U> = (0..12).map(|_| U::draw(r)).collect();
    let mut y = filter.blank(&inputs[0]);
    for u in &inputs {
        let twice = (filter.output(u).unwrap(), filter.output(u).unwrap());
        assert_eq!(twice.0, twice.1, "{name}: output changes the state");
        assert_eq!(filter.update(u).unwrap(), twice.0, "{name}: update says otherwise than output");
    }
    let allocated = test_lib::allocations(|| {
        for u in &inputs {
            filter.output_into(u, &mut y).unwrap();
            filter.update_into(u, &mut y).unwrap();
        }
    });
    assert_eq!(allocated, 0, "{name} allocates in a step");
    refuses(&name, &mut *filter, &inputs, r);
    // Two copies with different pasts agree after a reset.
    let mut other = filter.copy();
    inputs.iter().for_each(|u| drop(other.update(u).unwrap()));
    filter.reset();
    other.reset();
    for u in inputs.iter().rev() {
        assert_eq!(
            filter.output(u).unwrap(),
            other.output(u).unwrap(),
            "{name}: the past shows after a reset"
        );
        assert_eq!(
            filter.update(u).unwrap(),
            other.update(u).unwrap(),
            "{name}: the past shows after a reset"
        );
    }
    // Whatever comes, every output is finite, and the filter can go on.
    for _ in 0..40 {
        let mut u = U::draw(r);
        let huge = [f64::MAX, -f64::MAX, 1e308, -1e300, 1e155, 0.0][r.count(0, 5)];
        (0..3).for_each(|_| u.spoil(huge, r));
        if let Ok(y) = filter.update(&u) {
            assert!(finite(&y), "{name}: {y:?}");
        }
    }
    filter.reset();
    assert!(finite(&filter.update(&inputs[0]).unwrap()), "{name}");
}

fn refuses<X: Draw, U: Draw, Y: PartialEq + Debug + Clone + Draw>(
    name: &str,
    filter: &mut dyn Probe<X, U, Y>,
    inputs: &[U],
    r: &mut Dice,
) {
    let mut untouched = filter.copy();
    let mut y = filter.blank(&inputs[0]);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut u = U::draw(r);
        u.spoil(bad, r);
        assert!(filter.output_into(&u, &mut y).is_err(), "{name}: {bad} accepted");
        assert!(filter.update_into(&u, &mut y).is_err(), "{name}: {bad} accepted");
    }
    let (mut u, mut short_y, mut x0) = (U::draw(r), y.clone(), X::draw(r));
    if u.shorten() {
        assert!(filter.update_into(&u, &mut y).is_err(), "{name}: a short input accepted");
        assert!(filter.output_into(&u, &mut y).is_err(), "{name}: a short input accepted");
    }
    if short_y.shorten() {
        assert!(filter.update_into(&inputs[0], &mut short_y).is_err(), "{name}: a short output accepted");
        assert!(filter.output_into(&inputs[0], &mut short_y).is_err(), "{name}: a short output accepted");
    }
    if x0.shorten() && !name.contains("static") {
        assert!(filter.start(&x0).is_err(), "{name}: a short start accepted");
    }
    for u in inputs {
        assert_eq!(
            filter.update(u).unwrap(),
            untouched.update(u).unwrap(),
            "{name}: a refused call left a trace"
        );
    }
}

fn period(r: &mut Dice) -> f64 {
    10.0_f64.powf(r.within(-3.0, 0.5))
}

/// One chain for each type of filter that chains know, all its required parameters drawn, and a chain of three.
fn chains<S: ChainSignal + Draw>(r: &mut Dice) -> Vec<Specimen<S, S, S>> {
    let mut found: Vec<Specimen<S, S, S>> = vec![];
    for info in known_types().iter().filter(|info| info.fits(S::KIND)) {
        if info.name.contains("Gravity") {
            continue;
        }
        let period = period(r);
        let mut params = vec![
            ("filter1.name".to_string(), Value::from("a")),
            ("filter1.type".to_string(), Value::from(info.name)),
        ];
        for spec in info.params.iter().filter(|spec| spec.is_required()) {
            let value = match spec.name {
                "window" | "number_of_observations" | "order" => Value::Integer(r.count(1, 7) as i64),
                "b" => Value::from(vec![0.3, 0.1, r.unit()]),
                "a" => Value::from(vec![2.0, 0.5, -0.3 * r.unit()]),
                "frequency" | "damping_frequency" => Value::from(r.within(0.05, 0.4) / period),
                "sampling_frequency" => Value::from(period.recip()),
                "low" => Value::from(-r.unit()),
                _ => Value::from(r.within(0.1, 0.9)),
            };
            params.push((format!("filter1.params.{}", spec.name), value));
        }
        let chain = Chain::new(&params, period, &S::draw(r)).unwrap();
        // Static maps have no size to compare a start with; a chain has.
        found.push((format!("chain of {}", info.name), Box::new(chain)));
    }
    found
}

fn vectors<S: ChainSignal + VectorSpace + Draw>(r: &mut Dice, t: &str) {
    for specimen in chains::<S>(r) {
        holds(specimen, r);
    }
    let x0 = S::draw(r);
    let clip = Saturation::<S>::new(SaturationParams { low: -1.0, high: 1.0 }).unwrap();
    holds::<S, S, S>((format!("static Saturation<{t}>"), Box::new(clip)), r);
    let limits = RateLimiterParams {
        period: period(r),
        max_value: 4.0,
        max_first_derivative: 3.0,
        min_first_derivative_pos: -1.0,
        max_second_derivative: if r.unit() < 0.5 { 2.0 } else { f64::INFINITY },
        max_third_derivative: if r.unit() < 0.5 { 30.0 } else { f64::INFINITY },
        ..Default::default()
    };
    holds::<S, S, S>((format!("RateLimiter<{t}>"), Box::new(RateLimiter::new(limits, &x0).unwrap())), r);
    let pid = PidParams { p: 2.0, i: 1.0, d: 0.1, derivative_tau: 0.05, u_max: 5.0, ..Default::default() };
    holds::<S, S, S>((format!("Pid<{t}>"), Box::new(Pid::new(pid, &x0).unwrap())), r);
    let (low, high) = (0.05 / limits.period, 0.3 / limits.period);
    let band = FrequencyBand::BandPass { low, high };
    let design = ButterworthParams { period: limits.period, order: r.count(1, 5), band };
    let sections = SecondOrderSections::butterworth(&design, &x0).unwrap();
    holds::<S, S, S>((format!("SecondOrderSections<{t}>"), Box::new(sections)), r);
}

fn blends<S: Signal + Draw + 'static>(r: &mut Dice, t: &str) {
    let (period, tau, speed) = (period(r), period(r), Limit::parts(period(r), period(r)));
    for method in
        [FusionMethod::Linear { tau }, FusionMethod::Exp { tau }, FusionMethod::ExpLimited { tau, speed }]
    {
        let fusion = Fusion::<S>::new(FusionParams { period, method }).unwrap();
        holds::<f64, Pair<S>, S>((format!("Fusion<{t}>"), Box::new(fusion)), r);
    }
    for method in [
        TransientMethod::Linear { speed },
        TransientMethod::Exp { tau },
        TransientMethod::ExpLimited { tau, speed },
    ] {
        let params = TransientParams { period, method };
        let transient = Transient::<S>::new(params).unwrap();
        holds::<(), TransientInput<S>, S>((format!("Transient<{t}>"), Box::new(transient)), r);
        let follower = Follower::new(params, &S::draw(r)).unwrap();
        holds::<S, S, S>((format!("Follower<{t}>"), Box::new(follower)), r);
    }
}

fn calculus<S: Around + 'static>(r: &mut Dice, t: &str)
where
    S::Tangent: 'static,
{
    let x0 = S::draw(r);
    for method in [Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson] {
        let integrator = Integrator::new(IntegratorParams { period: period(r), method }, &x0).unwrap();
        holds::<S, S::Tangent, S>((format!("Integrator<{t}>"), Box::new(integrator)), r);
    }
    let window = r.count(2, 9);
    for method in [
        DiffMethod::Difference,
        DiffMethod::Inertial { tau: period(r) },
        DiffMethod::SavitzkyGolay { window, order: r.count(1, window - 1) },
    ] {
        let slope = Differentiator::new(DifferentiatorParams { period: period(r), method }, &x0).unwrap();
        holds::<S, S, S::Tangent>((format!("Differentiator<{t}>"), Box::new(slope)), r);
    }
    let params = ComplementaryParams { period: period(r), tau: period(r) };
    let both = Complementary::new(params, &x0).unwrap();
    holds::<S, ValueAndRate<S>, S>((format!("Complementary<{t}>"), Box::new(both)), r);
    let (period, gains) = (period(r), SecondOrderGains { a0: period(r), a1: period(r) });
    let exp = TransientSecondExp::<S>::new(TransientSecondExpParams { period, gains }).unwrap();
    holds::<(), SecondOrderInput<S>, Motion<S>>((format!("TransientSecondExp<{t}>"), Box::new(exp)), r);
    let (acceleration, velocity) = (Limit::parts(1.0, 2.0), Limit::parts(3.0, 4.0));
    let params = TransientSecondLimitedParams { period, gains, acceleration, velocity };
    let limited = TransientSecondLimited::<S>::new(params).unwrap();
    holds::<(), SecondOrderInput<S>, Motion<S>>(
        (format!("TransientSecondLimited<{t}>"), Box::new(limited)),
        r,
    );
    let follower = SecondOrderFollower::new(params, &Motion::draw(r)).unwrap();
    holds::<Motion<S>, Motion<S>, Motion<S>>((format!("SecondOrderFollower<{t}>"), Box::new(follower)), r);
}

fn others(r: &mut Dice) {
    let gravity = GravityParams { cog: Draw::draw(r), force: Draw::draw(r) };
    let mut gravity = GravityCompensation::new(gravity).unwrap();
    let (sensor_from_input, sensor_from_world) = (Draw::draw(r), Draw::draw(r));
    gravity
        .set_frames(GravityFrames { sensor_from_input, sensor_from_world, output_from_sensor: Draw::draw(r) })
        .unwrap();
    holds::<Wrench, Wrench, Wrench>(("GravityCompensation".into(), Box::new(gravity)), r);
}

#[test]
fn the_contract_holds_for_every_filter() {
    let mut r = Dice(5);
    for _ in 0..40 {
        let r = &mut r;
        vectors::<f64>(r, "f64");
        vectors::<JointArray>(r, "JointArray");
        vectors::<JointState>(r, "JointState");
        vectors::<Wrench>(r, "Wrench");
        vectors::<BodyTwist>(r, "BodyTwist");
        calculus::<f64>(r, "f64");
        calculus::<Vector3<f64>>(r, "Vector3");
        calculus::<SVector<f64, 7>>(r, "SVector<7>");
        calculus::<JointArray>(r, "JointArray");
        calculus::<JointState>(r, "JointState");
        calculus::<UnitQuaternion<f64>>(r, "UnitQuaternion");
        calculus::<Isometry3<f64>>(r, "Isometry3");
        blends::<f64>(r, "f64");
        blends::<JointState>(r, "JointState");
        blends::<UnitQuaternion<f64>>(r, "UnitQuaternion");
        blends::<Isometry3<f64>>(r, "Isometry3");
        blends::<Spherical>(r, "Spherical");
        chains::<UnitQuaternion<f64>>(r).into_iter().for_each(|specimen| holds(specimen, r));
        chains::<Isometry3<f64>>(r).into_iter().for_each(|specimen| holds(specimen, r));
        others(r);
    }
}

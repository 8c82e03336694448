//! Every filter: parameters that change and change back leave the state as it was; refused ones change nothing.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::chain::Value;
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use zoo::{Draw, Random, Shorten, Specimen};

/// Runs two copies in step; one of them gets `other`, refuses `bad`, and gets `own` back.
fn keeps<F: Specimen, P: Clone>(
    name: &str,
    mut filter: F,
    set: impl Fn(&mut F, P) -> bool,
    [own, other, bad]: [P; 3],
    r: &mut Random,
) {
    assert!(set(&mut filter, own.clone()), "{name}");
    for _ in 0..12 {
        filter.update(&F::Input::draw(r)).unwrap();
    }
    let mut untouched = filter.clone();
    assert!(set(&mut filter, other), "{name}: good parameters refused");
    assert!(!set(&mut filter, bad.clone()), "{name}: bad parameters accepted");
    assert!(set(&mut filter, own), "{name}");
    assert!(!set(&mut filter, bad), "{name}: bad parameters accepted");
    for _ in 0..12 {
        let u = F::Input::draw(r);
        assert_eq!(filter.update(&u).unwrap(), untouched.update(&u).unwrap(), "{name} lost its state");
    }
}

macro_rules! keeps {
    ($r:expr, $filter:expr, $own:expr, $other:expr, $bad:expr) => {
        keeps(stringify!($filter), $filter, |f, p| f.set_params(p).is_ok(), [$own, $other, $bad], $r)
    };
}

fn blends<S: Signal + Draw + Shorten>(r: &mut Random) {
    let (period, tau, speed) = (0.1, 1.5, Limit::from(2.0));
    let law = |tau| LinearWeight { period, tau };
    keeps!(r, FusionLinear::<S>::new(law(tau)).unwrap(), law(tau), law(0.3), law(0.0));
    let law = |tau| ExpWeight { period, tau };
    keeps!(r, FusionExp::<S>::new(law(tau)).unwrap(), law(tau), law(0.3), law(-1.0));
    let law = |tau| LimitedExpWeight { period, tau, speed };
    keeps!(r, FusionExpLimited::<S>::new(law(tau)).unwrap(), law(tau), law(0.3), law(f64::NAN));
    let law = |speed: f64| LinearStep { period, speed: Limit::from(speed) };
    keeps!(r, TransientLinear::<S>::new(law(1.0)).unwrap(), law(1.0), law(2.0), law(0.0));
    keeps!(r, Follower::new(law(1.0), &S::draw(r)).unwrap(), law(1.0), law(2.0), law(0.0));
    let law = |tau| ExpStep { period, tau };
    keeps!(r, TransientExp::<S>::new(law(tau)).unwrap(), law(tau), law(0.3), law(0.0));
    keeps!(r, Follower::new(law(tau), &S::draw(r)).unwrap(), law(tau), law(0.3), law(0.0));
    let law = |tau| LimitedExpStep { period, tau, speed };
    keeps!(r, TransientExpLimited::<S>::new(law(tau)).unwrap(), law(tau), law(0.3), law(0.0));
    keeps!(r, Follower::new(law(tau), &S::draw(r)).unwrap(), law(tau), law(0.3), law(0.0));
}

const QUADRATURES: [Quadrature; 3] = [Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson];

fn integrators(r: &mut Random) -> [IntegratorParams; 3] {
    let method = QUADRATURES[r.count(0, 2)];
    let other = QUADRATURES[r.count(0, 2)];
    let params = |period, method| IntegratorParams { period, method };
    [params(0.1, method), params(0.2, other), params(0.0, method)]
}

fn differentiators(r: &mut Random) -> [DifferentiatorParams; 3] {
    let window = r.count(2, 9);
    let longer = DiffMethod::SavitzkyGolay { window: window + r.count(0, 5), order: 1 };
    let params = |period, method| DifferentiatorParams { period, method };
    // A method with a shorter memory forgets; it is the way back from one that is tested here.
    let (own, other) = match r.count(0, 2) {
        0 => (DiffMethod::Difference, longer),
        1 => (DiffMethod::Inertial { tau: 0.3 }, longer),
        _ => (DiffMethod::SavitzkyGolay { window, order: 1 }, longer),
    };
    [params(0.1, own), params(0.2, other), params(-1.0, own)]
}

fn calculus<S: Manifold<Tangent: Draw + Shorten> + Draw + Shorten>(r: &mut Random) {
    blends::<S>(r);
    let [own, other, bad] = integrators(r);
    keeps!(r, Integrator::new(own, &S::draw(r)).unwrap(), own, other, bad);
    let [own, other, bad] = differentiators(r);
    keeps!(r, Differentiator::new(own, &S::draw(r)).unwrap(), own, other, bad);
}

fn second_order<S: Trackable<Tangent: Draw> + Draw + Shorten>(r: &mut Random) {
    let gains = SecondOrderGains::critical(0.2);
    let params = |period| TransientSecondExpParams { period, gains };
    keeps!(r, TransientSecondExp::<S>::new(params(0.1)).unwrap(), params(0.1), params(0.3), params(0.0));
    let (acceleration, velocity) = (Limit::from(1.0), Limit::from(2.0));
    let params = |period| TransientSecondLimitedParams { period, gains, acceleration, velocity };
    keeps!(r, TransientSecondLimited::<S>::new(params(0.1)).unwrap(), params(0.1), params(0.3), params(0.0));
}

fn links<S: chain::ChainSignal + Draw + Shorten>(r: &mut Random) {
    calculus::<S>(r);
    let x0 = S::draw(r);
    let list = |b: &[f64], a: &[f64]| TransferFunctionParams { b: b.to_vec(), a: a.to_vec() };
    let (own, longer) = (list(&[0.5, 0.2, 0.1], &[1.0, 0.1]), list(&[0.1, 0.2, 0.1, 0.3], &[2.0]));
    keeps!(r, TransferFunction::new(own.clone(), &x0).unwrap(), own.clone(), longer, list(&[], &[1.0]));
    let lag = |tau| LagParams { period: 0.1, tau };
    keeps!(r, Lag::new(lag(0.5), &x0).unwrap(), lag(0.5), lag(0.1), lag(0.0));
    let lead = |tau_lag| LeadLagParams { period: 0.1, gain: 2.0, tau_lead: 0.2, tau_lag };
    keeps!(r, LeadLag::new(lead(0.5), &x0).unwrap(), lead(0.5), lead(0.1), lead(0.0));
    let biquad = |frequency| BiquadLowPassParams { period: 0.1, frequency, quality: 0.7 };
    keeps!(r, BiquadLowPass::new(biquad(1.0), &x0).unwrap(), biquad(1.0), biquad(2.0), biquad(5.0));
    let schmitt = |high| SchmittParams { low: 0.0, high, output_low: 0.0, output_high: 1.0 };
    keeps!(r, Schmitt::new(schmitt(1.0), &x0).unwrap(), schmitt(1.0), schmitt(9.0), schmitt(-1.0));
    let play = |width| BacklashParams { width };
    keeps!(r, Backlash::new(play(1.0), &x0).unwrap(), play(1.0), play(2.0), play(-1.0));
    let zone = |high| DeadZoneParams { low: 0.0, high };
    keeps!(r, DeadZone::<S>::new(zone(1.0)).unwrap(), zone(1.0), zone(2.0), zone(-1.0));
    let clip = |high| SaturationParams { low: 0.0, high };
    keeps!(r, Saturation::<S>::new(clip(1.0)).unwrap(), clip(1.0), clip(2.0), clip(-1.0));
    let bend = if r.unit() < 0.5 { 3.0 } else { f64::INFINITY };
    let rate = |rise| RateLimiterParams {
        period: 0.1,
        max_first_derivative: rise,
        max_second_derivative: bend,
        ..Default::default()
    };
    keeps!(r, RateLimiter::new(rate(1.0), &x0).unwrap(), rate(1.0), rate(2.0), rate(0.0));
    let (short, long) = (r.count(1, 6), r.count(6, 9));
    let window = |window| WindowParams { window };
    keeps!(r, MovingAverage::new(window(short), &x0).unwrap(), window(short), window(long), window(0));
    keeps!(r, Median::new(window(short), &x0).unwrap(), window(short), window(long), window(0));
    let damping = |damping_frequency| LowPassParams {
        sampling_frequency: 100.0,
        damping_frequency,
        damping_intensity: 1.0,
    };
    keeps!(r, LowPassFilter::new(damping(5.0), &x0).unwrap(), damping(5.0), damping(9.0), damping(0.0));
    let share = |alpha| ExponentialParams { alpha };
    keeps!(r, ExponentialFilter::new(share(0.2), &x0).unwrap(), share(0.2), share(0.5), share(2.0));
    let params = [
        ("filter1.name", Value::from("a")),
        ("filter1.type", Value::from("Lag")),
        ("filter1.params.tau", Value::from(0.3)),
        ("filter2.name", Value::from("b")),
        ("filter2.type", Value::from("ExponentialFilter")),
        ("filter2.params.alpha", Value::from(0.3)),
    ];
    let chain = Chain::new(&params, 0.1, &x0).unwrap();
    let set = |chain: &mut Chain<S>, tau: f64| chain.set(&[("filter1.params.tau", Value::from(tau))]).is_ok();
    keeps("Chain::set", chain.clone(), set, [0.3, 0.1, -1.0], r);
    let set = |chain: &mut Chain<S>, period: f64| chain.set_period(period).is_ok();
    keeps("Chain::set_period", chain, set, [0.1, 0.2, 0.0], r);
}

#[test]
fn parameters_change_without_loss_of_state_for_every_filter_and_type() {
    let mut random = Random(31);
    let r = &mut random;
    for _ in 0..100 {
        links::<f64>(r);
        links::<Vector3<f64>>(r);
        links::<JointArray>(r);
        links::<JointState>(r);
        links::<Twist>(r);
        links::<Wrench>(r);
        calculus::<UnitQuaternion<f64>>(r);
        calculus::<Isometry3<f64>>(r);
        blends::<Spherical>(r);
        second_order::<f64>(r);
        second_order::<Vector3<f64>>(r);
        second_order::<UnitQuaternion<f64>>(r);
        second_order::<Isometry3<f64>>(r);
        let gravity = |force: f64| GravityParams { cog: Vector3::x(), force: Vector3::z() * force };
        let mut filter = GravityCompensation::new(gravity(1.0)).unwrap();
        filter.set_frames(zoo::frames(r)).unwrap();
        keeps!(r, filter, gravity(1.0), gravity(2.0), gravity(f64::NAN));
        let state = JointState::draw(r);
        let [own, other, bad] = integrators(r);
        keeps!(r, IntegratorJointState::new(own, &state).unwrap(), own, other, bad);
        let [own, other, bad] = differentiators(r);
        keeps!(r, DifferentiatorJointState::new(own, &state).unwrap(), own, other, bad);
    }
}

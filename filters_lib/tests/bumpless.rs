//! One property of every filter, kind and parameter: at rest under a constant input, any accepted change of parameters
//! leads at once to the rest of the new parameters. Where the output at rest does not depend on them, nothing moves.
#![allow(clippy::unwrap_used, missing_docs)]

mod zoo;

use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use zoo::{Dice, Draw};

/// Begins at rest with the first parameters, changes them again and again, and looks at every output.
/// `rest` says what the output must be, from the parameters.
fn stays<F, P: Copy + std::fmt::Debug>(
    name: &str,
    mut filter: F,
    u: &F::Input,
    mut draw: impl FnMut(&mut Dice) -> P,
    set: impl Fn(&mut F, P) -> Result<()>,
    rest: impl Fn(P) -> F::Output,
    r: &mut Dice,
) where
    F: Filter<Output: zoo::Near + Clone + std::fmt::Debug>,
{
    for _ in 0..6 {
        let params = draw(r);
        set(&mut filter, params).unwrap();
        let expected = rest(params);
        for k in 0..12 {
            let y = filter.update(u).unwrap();
            assert!(
                zoo::Near::near(&y, &expected, 1e-8),
                "{name}, {params:?}, step {k}: {y:?}, not {expected:?}"
            );
        }
    }
}

/// Filters whose start is at rest at an input.
macro_rules! at_rest {
    ($r:ident, $u:ident, $($filter:ident: $draw:expr;)*) => {$(
        let first = $draw($r);
        let filter = $filter::new(first, &$u).unwrap();
        let rest = |params| $filter::new(params, &$u).unwrap().output(&$u).unwrap();
        stays(stringify!($filter), filter, &$u, $draw, |f, params| f.set_params(params), rest, $r);
    )*};
}

fn time(r: &mut Dice) -> f64 {
    10.0_f64.powf(r.within(-3.0, 0.5))
}

fn biquad(r: &mut Dice) -> BiquadParams {
    let period = time(r);
    BiquadParams { period, frequency: r.within(0.02, 0.48) / period, quality: r.within(0.3, 5.0) }
}

fn maybe(r: &mut Dice, value: f64) -> f64 {
    if r.unit() < 0.5 { value } else { f64::INFINITY * value.signum() }
}

fn rate_limiter(r: &mut Dice) -> RateLimiterParams {
    RateLimiterParams {
        period: time(r),
        max_first_derivative: maybe(r, 2.0),
        min_first_derivative: maybe(r, -3.0),
        min_first_derivative_pos: if r.unit() < 0.5 { -1.0 } else { f64::NAN },
        max_second_derivative: maybe(r, 4.0),
        min_second_derivative: if r.unit() < 0.5 { -9.0 } else { f64::NAN },
        max_third_derivative: maybe(r, 50.0),
        ..Default::default()
    }
}

fn limit(r: &mut Dice) -> Limit {
    Limit::parts(time(r), time(r))
}

fn transient(r: &mut Dice) -> TransientParams {
    let methods = [
        TransientMethod::Linear { speed: limit(r) },
        TransientMethod::Exp { tau: time(r) },
        TransientMethod::ExpLimited { tau: time(r), speed: limit(r) },
    ];
    TransientParams { period: time(r), method: methods[r.count(0, 2)] }
}

fn fusion(r: &mut Dice) -> FusionParams {
    let methods = [
        FusionMethod::Linear { tau: time(r) },
        FusionMethod::Exp { tau: time(r) },
        FusionMethod::ExpLimited { tau: time(r), speed: limit(r) },
    ];
    FusionParams { period: time(r), method: methods[r.count(0, 2)] }
}

fn second(r: &mut Dice) -> TransientSecondLimitedParams {
    let gains = SecondOrderGains { a0: time(r), a1: time(r) };
    TransientSecondLimitedParams { period: time(r), gains, acceleration: limit(r), velocity: limit(r) }
}

fn elementwise(r: &mut Dice) {
    let u = f64::draw(r);
    at_rest!(r, u,
        Lag: |r: &mut Dice| LagParams { period: time(r), tau: time(r) };
        LeadLag: |r: &mut Dice| LeadLagParams { period: time(r), gain: r.within(-2.0, 2.0), tau_lead: time(r), tau_lag: time(r) };
        BiquadLowPass: biquad;
        BiquadHighPass: biquad;
        BiquadBandPass: biquad;
        Notch: biquad;
        Schmitt: |r: &mut Dice| {
            let low = r.within(-6.0, 0.0);
            SchmittParams { low: low - 9.0, high: if u > 0.0 { -low - 9.0 } else { 9.0 }, output_low: low, output_high: r.within(0.0, 6.0) }
        };
        Backlash: |r: &mut Dice| BacklashParams { width: time(r) };
        RateLimiter: rate_limiter;
        LowPassFilter: |r: &mut Dice| LowPassParams {
            sampling_frequency: time(r), damping_frequency: time(r), damping_intensity: r.within(-9.0, 9.0),
        };
        ExponentialFilter: |r: &mut Dice| ExponentialParams { alpha: r.unit() };
        OneEuro: |r: &mut Dice| OneEuroParams { period: time(r), min_cutoff: time(r), beta: time(r), derivative_cutoff: time(r) };
        MovingAverage: |r: &mut Dice| WindowParams { window: r.count(1, 9) };
        Median: |r: &mut Dice| WindowParams { window: r.count(1, 9) };
        Follower: transient;
    );
    let zone = |r: &mut Dice| DeadZoneParams { low: -r.unit(), high: r.unit() };
    let rest = |params| DeadZone::new(params).unwrap().output(&u).unwrap();
    stays("DeadZone", DeadZone::new(zone(r)).unwrap(), &u, zone, |f, p| f.set_params(p), rest, r);
    let clip = |r: &mut Dice| SaturationParams { low: -time(r), high: time(r) };
    let rest = |p: SaturationParams| u.clamp(p.low, p.high);
    stays("Saturation", Saturation::new(clip(r)).unwrap(), &u, clip, |f, p| f.set_params(p), rest, r);
    let increment = |r: &mut Dice| IncrementParams { increment: r.unit() };
    let rest = |p: IncrementParams| u + p.increment;
    stays("Increment", Increment::new(increment(r)).unwrap(), &u, increment, |f, p| f.set_params(p), rest, r);
}

/// Poles and gains of any order whose gain at rest is 2; with another gain it moves on its own, as its documentation says.
fn polynomials(r: &mut Dice) {
    let u = f64::draw(r);
    let lists = |seed: u64| {
        let r = &mut Dice(seed);
        let a: Vec<f64> =
            (0..=r.count(0, 6)).map(|i| if i == 0 { 1.0 } else { r.within(-0.15, 0.15) }).collect();
        let mut b: Vec<f64> = (0..=r.count(0, 6)).map(|_| r.within(-1.0, 1.0)).collect();
        b[0] += 2.0 * a.iter().sum::<f64>() - b.iter().sum::<f64>();
        TransferFunctionParams { b, a }
    };
    let seed = |r: &mut Dice| (r.unit() * 1e9) as u64 + 1;
    let filter = TransferFunction::new(lists(seed(r)), &u).unwrap();
    stays("TransferFunction", filter, &u, seed, |f, seed| f.set_params(lists(seed)), |_| 2.0 * u, r);
    for kind in 0..4 {
        let design = |r: &mut Dice| {
            let (period, order) = (time(r), r.count(1, 9));
            let (low, high) = (r.within(0.02, 0.2) / period, r.within(0.25, 0.48) / period);
            let frequency = low;
            let bands = [
                FrequencyBand::LowPass { frequency },
                FrequencyBand::HighPass { frequency },
                FrequencyBand::BandPass { low, high },
                FrequencyBand::BandStop { low, high },
            ];
            ButterworthParams { period, order, band: bands[kind] }
        };
        let filter = SecondOrderSections::butterworth(&design(r), &u).unwrap();
        let rest = [u, 0.0, 0.0, u][kind];
        let set = |f: &mut SecondOrderSections<f64>, p: ButterworthParams| f.set_params(p.design()?);
        stays("SecondOrderSections", filter, &u, design, set, |_| rest, r);
    }
}

/// At rest is: without a velocity; the output is where it is.
fn calculus<S: zoo::Around>(r: &mut Dice)
where
    S::Tangent: zoo::Near,
{
    let x0 = S::draw(r);
    let zero = x0.zero_velocity();
    let methods = [Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson];
    let draw = |r: &mut Dice| IntegratorParams { period: time(r), method: methods[r.count(0, 2)] };
    let filter = Integrator::new(draw(r), &x0).unwrap();
    stays("Integrator", filter, &zero, draw, |f, p| f.set_params(p), |_| x0.clone(), r);
    let draw = |r: &mut Dice| {
        let window = r.count(2, 9);
        let methods = [
            DiffMethod::Difference,
            DiffMethod::Inertial { tau: time(r) },
            DiffMethod::SavitzkyGolay { window, order: r.count(1, window - 1) },
        ];
        DifferentiatorParams { period: time(r), method: methods[r.count(0, 2)] }
    };
    let filter = Differentiator::new(draw(r), &x0).unwrap();
    stays("Differentiator", filter, &x0, draw, |f, p| f.set_params(p), |_| x0.zero_velocity(), r);
    let draw = |r: &mut Dice| ComplementaryParams { period: time(r), tau: time(r) };
    let input = ValueAndRate { value: x0.clone(), rate: x0.zero_velocity() };
    let filter = Complementary::new(draw(r), &x0).unwrap();
    stays("Complementary", filter, &input, draw, |f, p| f.set_params(p), |_| x0.clone(), r);
    let rest = Motion { x: x0.clone(), v: x0.zero_velocity() };
    let filter = SecondOrderFollower::new(second(r), &rest).unwrap();
    stays("SecondOrderFollower", filter, &rest, second, |f, p| f.set_params(p), |_| rest.clone(), r);
    let filter = Follower::new(transient(r), &x0).unwrap();
    stays("Follower", filter, &x0, transient, |f, p| f.set_params(p), |_| x0.clone(), r);
    // A passage that is over.
    let mut filter = Fusion::new(fusion(r)).unwrap();
    filter.start(&0.0).unwrap();
    let pair = Pair { u1: S::draw(r), u2: x0.clone() };
    stays("Fusion", filter, &pair, fusion, |f, p| f.set_params(p), |_| x0.clone(), r);
}

#[test]
fn a_filter_at_rest_stays_there_through_any_change_of_parameters() {
    let mut r = Dice(41);
    for _ in 0..300 {
        elementwise(&mut r);
        polynomials(&mut r);
        calculus::<f64>(&mut r);
        calculus::<JointArray>(&mut r);
        calculus::<UnitQuaternion<f64>>(&mut r);
        calculus::<Isometry3<f64>>(&mut r);
    }
}

#[test]
fn a_loop_at_rest_keeps_its_integral_through_any_change_of_gains() {
    let mut r = Dice(42);
    for _ in 0..300 {
        let gains = |r: &mut Dice| PidParams {
            period: time(r),
            p: r.within(-5.0, 5.0),
            i: r.within(0.1, 5.0),
            d: r.within(-1.0, 1.0),
            derivative_tau: if r.unit() < 0.5 { 0.0 } else { time(r) },
            antiwindup: [
                AntiWindup::None,
                AntiWindup::ConditionalIntegration,
                AntiWindup::BackCalculation { tracking_time_constant: time(r) },
            ][r.count(0, 2)],
            ..Default::default()
        };
        let mut pid = Pid::new(gains(&mut r), &0.0).unwrap();
        for _ in 0..9 {
            pid.update(&0.7).unwrap();
        }
        // The loop comes to rest: no error, and the derivative's filter has forgotten.
        pid.set_params(PidParams { derivative_tau: 0.0, ..*pid.params() }).unwrap();
        pid.update(&0.0).unwrap();
        let held = pid.update(&0.0).unwrap();
        stays("Pid", pid, &0.0, gains, |f, p| f.set_params(p), |_| held, &mut r);
    }
}

#[test]
fn a_steady_turn_is_measured_through_any_change() {
    let mut r = Dice(43);
    for _ in 0..300 {
        let rate = Vector3::draw(&mut r) * 0.2;
        let (mut q, period) = (UnitQuaternion::identity(), 0.05);
        let mut filter =
            Differentiator::new(DifferentiatorParams { period, ..Default::default() }, &q).unwrap();
        filter.start_moving(&q, &rate).unwrap();
        for _ in 0..40 {
            let window = r.count(2, 30);
            let method = match r.count(0, 2) {
                0 => DiffMethod::Difference,
                1 => DiffMethod::Inertial { tau: time(&mut r) },
                _ => DiffMethod::SavitzkyGolay { window, order: r.count(1, 3.min(window - 1)) },
            };
            let period = r.within(0.01, 0.1);
            filter.set_params(DifferentiatorParams { period, method }).unwrap();
            q *= UnitQuaternion::from_scaled_axis(rate * period);
            let measured = filter.update(&q).unwrap();
            assert!((measured - rate).norm() < 1e-9, "{method:?}: {measured} of {rate}");
        }
    }
}

//! PID, one-euro, complementary, Butterworth, jerk limit, timed filters, parameters as text: against their definitions.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;
use nalgebra::{Complex, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::f64::consts::TAU;

/// |H| of sections at a frequency.
fn response(sections: &[[f64; 6]], turn: f64) -> f64 {
    let z = Complex::new(turn.cos(), -turn.sin());
    let at = |c: &[f64]| Complex::from(c[0]) + z * c[1] + z * z * c[2];
    sections.iter().map(|s| (at(&s[..3]) / at(&s[3..])).norm_sqr().sqrt()).product()
}

/// `control_toolbox::Pid::compute_command`, with the derivative's filter in front.
struct Reference {
    i_term: f64,
    before: f64,
    slope: f64,
}

impl Reference {
    fn command(&mut self, p: &PidParams, error: f64) -> f64 {
        let a = if p.derivative_tau > 0.0 { (-p.period / p.derivative_tau).exp() } else { 0.0 };
        self.slope = a * self.slope + (1.0 - a) * (error - self.before) / p.period;
        self.before = error;
        let unsaturated = p.p * error + self.i_term + p.d * self.slope;
        let command = unsaturated.clamp(p.u_min, p.u_max);
        if error.abs() > p.error_deadband {
            match p.antiwindup {
                AntiWindup::None => self.i_term += p.period * p.i * error,
                AntiWindup::BackCalculation { tracking_time_constant: t } => {
                    self.i_term += p.period * (p.i * error + (command - unsaturated) / t);
                }
                AntiWindup::ConditionalIntegration => {
                    if command == unsaturated || error * unsaturated <= 0.0 {
                        self.i_term += p.period * p.i * error;
                    }
                }
            }
        }
        self.i_term = self.i_term.clamp(p.i_min, p.i_max);
        command
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn butterworth_has_its_gains(order in 1..13_usize, low in 0.02..0.2_f64, high in 0.25..0.48_f64, period in 0.001..1.0_f64) {
        let design = |band| ButterworthParams { period, order, band }.design().unwrap().sections;
        let (f, g) = (low / period, high / period);
        let corner = 0.5_f64.sqrt();
        let near = |sections: &[[f64; 6]], at: f64, gain: f64| (response(sections, TAU * at) - gain).abs() < 1e-6;
        let sections = design(FrequencyBand::LowPass { frequency: f });
        prop_assert!(near(&sections, 0.0, 1.0) && near(&sections, low, corner) && near(&sections, 0.5, 0.0));
        let sections = design(FrequencyBand::HighPass { frequency: f });
        prop_assert!(near(&sections, 0.0, 0.0) && near(&sections, low, corner) && near(&sections, 0.5, 1.0));
        let sections = design(FrequencyBand::BandPass { low: f, high: g });
        prop_assert!(near(&sections, 0.0, 0.0) && near(&sections, low, corner) && near(&sections, high, corner));
        let sections = design(FrequencyBand::BandStop { low: f, high: g });
        prop_assert!(near(&sections, 0.0, 1.0) && near(&sections, low, corner) && near(&sections, high, corner));
        prop_assert!(sections.len() == order);
    }

    #[test]
    fn biquads_have_their_gains(f in 0.02..0.45_f64, quality in 0.3..5.0_f64) {
        let params = BiquadParams { period: 1.0, frequency: f, quality };
        // The output of a long wave, by its largest value once the transient has gone.
        let gain = |filter: &mut dyn Filter<State = f64, Input = f64, Output = f64>, at: f64| {
            let outputs: Vec<f64> = (0..4000).map(|k| filter.update(&(TAU * at * f64::from(k)).sin()).unwrap()).collect();
            outputs[2000..].iter().fold(0.0_f64, |most, y| most.max(y.abs()))
        };
        prop_assert!(gain(&mut Notch::new(params, &0.0).unwrap(), f) < 1e-6);
        prop_assert!(gain(&mut BiquadBandPass::new(params, &0.0).unwrap(), f) <= 1.0 + 1e-6);
        prop_assert!(gain(&mut BiquadHighPass::new(params, &0.0).unwrap(), f) <= quality + 1e-6);
        prop_assert!(gain(&mut BiquadLowPass::new(params, &0.0).unwrap(), f) <= quality + 1e-6);
    }

    #[test]
    fn pid_commands_as_control_toolbox_does(
        errors in prop::collection::vec(-2.0..2.0_f64, 1..60), gains in prop::array::uniform3(0.0..5.0_f64),
        tau in prop::sample::select(&[0.0, 0.03][..]), kind in 0..3, limit in 0.5..5.0_f64, deadband in 0.0..0.3_f64,
    ) {
        let antiwindup = [
            AntiWindup::None, AntiWindup::ConditionalIntegration, AntiWindup::BackCalculation { tracking_time_constant: 0.2 },
        ][kind as usize];
        let params = PidParams {
            period: 0.01, p: gains[0], i: gains[1] + 0.1, d: 0.1 * gains[2], derivative_tau: tau, u_max: limit, u_min: -0.7 * limit,
            i_max: 1.0, i_min: -0.5, error_deadband: deadband, antiwindup,
        };
        let mut pid = Pid::new(params, &errors[0]).unwrap();
        let mut reference = Reference { i_term: 0.0, before: errors[0], slope: 0.0 };
        for error in errors {
            prop_assert!((pid.update(&error).unwrap() - reference.command(&params, error)).abs() < 1e-12);
        }
    }

    #[test]
    fn one_euro_follows_its_paper(u in prop::collection::vec(-3.0..3.0_f64, 1..60), beta in 0.0..2.0_f64, cutoff in 0.1..9.0_f64) {
        let (period, derivative_cutoff) = (0.02, 1.5);
        let params = OneEuroParams { period, min_cutoff: cutoff, beta, derivative_cutoff };
        let alpha = |f: f64| { let tau = 1.0 / (TAU * f); 1.0 / (1.0 + tau / period) };
        let mut filter = OneEuro::new(params, &0.0).unwrap();
        filter.reset();
        let (mut x, mut dx) = (u[0], 0.0);
        for (k, u) in u.iter().enumerate() {
            if k > 0 {
                dx = alpha(derivative_cutoff) * (u - x) / period + (1.0 - alpha(derivative_cutoff)) * dx;
                let share = alpha(cutoff + beta * f64::abs(dx));
                x = share * u + (1.0 - share) * x;
            }
            prop_assert!((filter.update(u).unwrap() - x).abs() < 1e-12);
        }
    }

    /// A value and its own rate: exact for a signal that moves evenly, on the line and on the sphere.
    #[test]
    fn complementary_is_exact_when_both_agree(rate in prop::array::uniform3(-2.0..2.0_f64), tau in 0.01..9.0_f64) {
        let (rate, period) = (Vector3::from(rate), 0.01);
        let params = ComplementaryParams { period, tau };
        let at = |k: f64| UnitQuaternion::from_scaled_axis(rate * period * k);
        let mut tilt = Complementary::new(params, &at(-1.0)).unwrap();
        let mut line = Complementary::new(params, &(-rate * period)).unwrap();
        for k in 0..100 {
            let k = f64::from(k);
            let y = tilt.update(&ValueAndRate { value: at(k), rate }).unwrap();
            prop_assert!(so3::log(&(y.inverse() * at(k))).norm() < 1e-9);
            let y = line.update(&ValueAndRate { value: rate * period * k, rate }).unwrap();
            prop_assert!((y - rate * period * k).norm() < 1e-12);
        }
    }

    /// The range of values holds whatever the input does, with all other limits, and its ends are reached. Periods are coarse:
    /// the full acceleration may come within one or two.
    #[test]
    fn the_jerk_limit_keeps_the_range_of_values(
        u in prop::collection::vec((-2.0..2.0_f64, -1.0..1.0_f64, 1..60_usize), 1..12), period in 0.002..0.05_f64, v in 0.1..5.0_f64,
        a in 1.0..100.0_f64, ramp in 1.0..12.0_f64, high in 0.0..1.5_f64, end in prop::bool::ANY,
    ) {
        let jerk = a / (ramp * period);
        let params = RateLimiterParams {
            period, max_first_derivative: v, min_first_derivative: -v, max_second_derivative: a, max_third_derivative: jerk,
            min_value: -0.5, max_value: high, ..Default::default()
        };
        let mut filter = RateLimiter::new(params, &0.0).unwrap();
        let (mut y, rounding) = ([0.0; 4], 1e-9);
        let last = if end { high } else { -0.5 };
        // Rest to rest as below, after coming to rest from full speed.
        let way = high + 0.5;
        let steps = ((way / v + 3.0 * v / a + 4.0 * a / jerk + 2.0 * (8.0 * way / jerk).cbrt()) / period) as usize + 30;
        let moves = u.iter().flat_map(|(from, rate, count)| (0..*count).map(move |k| from + rate * period * k as f64));
        for u in moves.chain(std::iter::repeat_n(last, steps)) {
            y = [y[1], y[2], y[3], filter.update(&u).unwrap()];
            let [y3, y2, y1, y0] = y;
            prop_assert!((-0.5 - rounding..=high + rounding).contains(&y0), "{y0} of -0.5…{high}");
            prop_assert!((y0 - y1).abs() <= v * period * (1.0 + 1e-9) + rounding, "speed");
            prop_assert!((y0 - 2.0 * y1 + y2).abs() <= a * period * period * (1.0 + 1e-9) + rounding, "acceleration");
            prop_assert!((y0 - 3.0 * y1 + 3.0 * y2 - y3).abs() <= jerk * period.powi(3) * (1.0 + 1e-9) + rounding, "jerk");
        }
        prop_assert!((y[3] - last).abs() < 1e-6, "{} in place of {last}", y[3]);
    }

    /// Each period keeps the speed limits of the sign that it begins with, and those on the derivatives above.
    #[test]
    fn speed_limits_by_sign_hold_with_a_jerk_limit(
        u in prop::collection::vec(-2.0..2.0_f64, 1..5), period in 0.005..0.05_f64, speeds in prop::array::uniform4(0.3..10.0_f64),
        a in 2.0..100.0_f64, ramp in 1.0..12.0_f64,
    ) {
        let (jerk, [rise, rise_neg, fall, fall_pos]) = (a / (ramp * period), speeds);
        let params = RateLimiterParams {
            period, max_first_derivative: rise, max_first_derivative_neg: rise_neg, min_first_derivative: -fall,
            min_first_derivative_pos: -fall_pos, max_second_derivative: a, max_third_derivative: jerk, ..Default::default()
        };
        let mut filter = RateLimiter::new(params, &0.0).unwrap();
        let (mut y, rounding) = ([0.0; 4], 1e-9);
        let slowest = speeds.iter().copied().fold(f64::MAX, f64::min);
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        // All of the way at the lowest speed, up to the highest and down again, with the full S at each corner.
        let steps = ((4.0 / slowest + 4.0 * fastest / a + 8.0 * a / jerk + 4.0 * (32.0 / jerk).cbrt()) / period) as usize + 60;
        for u in u {
            for _ in 0..steps {
                y = [y[1], y[2], y[3], filter.update(&u).unwrap()];
                let [y3, y2, y1, y0] = y;
                let (down, up) = (if y1 > 0.0 { fall_pos } else { fall }, if y1 < 0.0 { rise_neg } else { rise });
                let step = y0 - y1;
                prop_assert!(-down * period - rounding <= step && step <= up * period + rounding, "{} at {y1}", step / period);
                prop_assert!((y0 - 2.0 * y1 + y2).abs() <= a * period * period * (1.0 + 1e-9) + rounding, "acceleration");
                prop_assert!((y0 - 3.0 * y1 + 3.0 * y2 - y3).abs() <= jerk * period.powi(3) * (1.0 + 1e-9) + rounding, "jerk");
            }
            prop_assert!((y[3] - u).abs() < 1e-6, "{} in place of {u}", y[3]);
        }
    }

    /// Third differences of a motion whose jerk is limited are limited too; so are the others. A target at rest is not
    /// passed by more than one period of jerk explains, and is reached.
    #[test]
    fn the_jerk_limit_keeps_every_limit_and_arrives(
        targets in prop::collection::vec(-3.0..3.0_f64, 1..5), period in 0.002..0.05_f64, v in 0.2..5.0_f64, a in 0.5..20.0_f64,
        j in 2.0..200.0_f64,
    ) {
        let params = RateLimiterParams {
            period, max_first_derivative: v, min_first_derivative: -v, max_second_derivative: a, max_third_derivative: j,
            min_value: -3.0, max_value: 3.0, ..Default::default()
        };
        let mut filter = RateLimiter::new(params, &0.0).unwrap();
        let mut y = vec![0.0; 4];
        let rounding = 1e-9;
        for target in &targets {
            let start = y[y.len() - 1];
            // Rest to rest: at most the time of the trapezoid with the full S at its corners, and the fine correction.
            let slack = 6.0 * period;
            let steps = (((target - start).abs() / v + 1.06 * v / a + 2.0 * a / j + 2.0 * (8.0 * (target - start).abs() / j).cbrt() + slack) / period) as usize + 8;
            for _ in 0..steps {
                y.push(filter.update(target).unwrap());
                let [y3, y2, y1, y0] = y[y.len() - 4..] else { unreachable!() };
                prop_assert!((y0 - y1).abs() <= v * period * (1.0 + 1e-9) + rounding, "speed {} of {v}", (y0 - y1) / period);
                prop_assert!((y0 - 2.0 * y1 + y2).abs() <= a * period * period * (1.0 + 1e-9) + rounding, "acceleration");
                prop_assert!((y0 - 3.0 * y1 + 3.0 * y2 - y3).abs() <= j * period.powi(3) * (1.0 + 1e-9) + rounding, "jerk");
                let past = (y0 - target) * (target - start).signum();
                // Braking that begins in the middle of a period lacks up to J·T²/2 of speed, for which there are 5 % of A.
                let jerk = j.min(a / period);
                let lacks = 0.5 * jerk * period * period;
                let bound = jerk * period.powi(3) + lacks * lacks / (2.0 * 0.05 * a) + rounding;
                prop_assert!(past <= bound, "{past} too far, bound {bound}");
            }
            prop_assert!((y[y.len() - 1] - target).abs() < 1e-6, "{} instead of {target}", y[y.len() - 1]);
        }
    }
}

/// Corners of all sizes: a filter that is taken has its gain at rest and, below the corner, rests there; one whose poles
/// rounding would move is refused by the name of what is wrong.
#[test]
fn a_corner_that_rounding_would_move_is_refused() {
    let (period, mut taken, mut refused) = (1e-3, 0, 0);
    for corner in (-80..=-5).map(|e| 10.0_f64.powf(0.1 * f64::from(e)) / period) {
        for order in 1..6 {
            let band = FrequencyBand::LowPass { frequency: corner };
            let Ok(design) = (ButterworthParams { period, order, band }).design() else {
                refused += 1;
                continue;
            };
            taken += 1;
            let gain = response(&design.sections, 0.0);
            // The gain is at most a millionth off in each section.
            assert!((gain - 1.0).abs() < 3e-6, "{corner} Hz, order {order}: gain {gain} at rest");
            let turn = TAU * corner * period;
            let corner_gain = response(&design.sections, turn);
            assert!(
                (corner_gain - 0.5_f64.sqrt()).abs() < 1e-5,
                "{corner} Hz, order {order}: {corner_gain} at it"
            );
        }
        let params = BiquadParams { period, frequency: corner, quality: 0.5_f64.sqrt() };
        match BiquadLowPass::new(params, &1.0) {
            Ok(mut rests) => {
                let y = (0..20_000).map(|_| rests.update(&1.0).unwrap()).last().unwrap();
                // It goes to its gain, which is at most a millionth off.
                assert!((y - 1.0).abs() < 1e-6, "{corner} Hz: {y} after 20 s at rest at 1");
            }
            Err(error) => assert!(error.to_string().contains("`frequency`"), "{error}"),
        }
    }
    assert!(taken > 100 && refused > 50, "{taken} taken, {refused} refused");
    let low = |frequency| ButterworthParams { period, order: 2, band: FrequencyBand::LowPass { frequency } };
    assert!(low(0.01).design().is_ok() && low(1e-6).design().is_err());
    let band = FrequencyBand::BandPass { low: 100.0, high: 100.0 + 1e-9 };
    assert!(ButterworthParams { period, order: 2, band }.design().is_err(), "a band of no width");
}

/// Parameters that are taken let an ordinary sample through, whatever the quality.
#[test]
fn a_quality_that_rounding_would_lose_is_refused() {
    let mut refused = 0;
    for (exponent, frequency) in (-307..=307).flat_map(|e| [0.5, 20.0, 250.0, 480.0, 499.0].map(|f| (e, f))) {
        let params = BiquadParams { period: 1e-3, frequency, quality: 10.0_f64.powi(exponent) };
        let all = [
            BiquadLowPass::new(params, &0.0).map(|mut f| f.update(&1.0)),
            BiquadHighPass::new(params, &0.0).map(|mut f| f.update(&1.0)),
            BiquadBandPass::new(params, &0.0).map(|mut f| f.update(&1.0)),
            Notch::new(params, &0.0).map(|mut f| f.update(&1.0)),
        ];
        for outcome in all {
            match outcome {
                Ok(y) => assert!(y.is_ok(), "{frequency} Hz, Q 1e{exponent}: taken, then {y:?}"),
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("`quality`"), "{frequency} Hz: {error}");
                }
            }
        }
        assert!(
            exponent.abs() > 3 || BiquadLowPass::new(params, &0.0).is_ok(),
            "{frequency} Hz, Q 1e{exponent}"
        );
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_jerk_limit_stops_at_the_end_of_the_range_though_the_input_runs_on() {
    let params = RateLimiterParams {
        period: 0.01,
        max_value: 1.0,
        max_second_derivative: 5.0,
        max_third_derivative: 50.0,
        ..Default::default()
    };
    for third in [50.0, f64::INFINITY] {
        let mut filter =
            RateLimiter::new(RateLimiterParams { max_third_derivative: third, ..params }, &0.0).unwrap();
        let most = (0..400).map(|k| filter.update(&(0.01 * f64::from(k))).unwrap()).fold(0.0, f64::max);
        assert!(most <= 1.0 + 1e-12 && most > 0.999, "{most}");
    }
}

/// Distances of samples from 2 to 40 ms, and where they lead to.
fn stamps() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.002..0.04_f64, 2..80).prop_map(|steps| {
        let after = |at: &mut f64, step: f64| {
            *at += step;
            Some(*at)
        };
        steps.into_iter().scan(5.0, after).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// A limiter keeps its speed over the time that really passed, and takes all of it.
    #[test]
    fn a_timed_limiter_keeps_its_speed(stamps in stamps(), speed in 0.1..10.0_f64) {
        let params = RateLimiterParams { max_first_derivative: speed, ..Default::default() };
        let mut limiter = Timed::new(RateLimiter::new(params, &0.0).unwrap(), 1.0, &0.0).unwrap();
        let follow = TransientParams { period: 0.01, method: TransientMethod::Linear { speed: Limit::from(speed) } };
        let mut follower = Timed::new(Follower::new(follow, &0.0).unwrap(), 1.0, &0.0).unwrap();
        let first = [limiter.update(stamps[0], &100.0).unwrap(), follower.update(stamps[0], &100.0).unwrap()];
        for stamp in &stamps[1..] {
            let went = speed * (stamp - stamps[0]);
            let y = [limiter.update(*stamp, &100.0).unwrap(), follower.update(*stamp, &100.0).unwrap()];
            for (y, first) in y.iter().zip(first) {
                prop_assert!((y - first - went).abs() < 1e-9, "{} in place of {went}", y - first);
            }
        }
    }

    /// A ramp has one slope, and a value that agrees with its rate is right, whatever the times of the samples.
    #[test]
    fn timed_filters_measure_a_ramp_exactly(stamps in stamps(), slope in -5.0..5.0_f64, kind in 0..3_usize) {
        let method =
            [DiffMethod::Difference, DiffMethod::Inertial { tau: 0.05 }, DiffMethod::SavitzkyGolay { window: 5, order: 1 }][kind];
        let mut rate = Differentiator::new(DifferentiatorParams { period: 0.01, method }, &0.0).unwrap();
        rate.start_moving(&(slope * stamps[0]), &slope).unwrap();
        let mut rate = Timed::new(rate, 1.0, &0.0).unwrap();
        let both = |stamp: f64| ValueAndRate { value: slope * stamp, rate: slope };
        let tilt = Complementary::new(ComplementaryParams { period: 0.01, tau: 1.0 }, &0.0).unwrap();
        let mut tilt = Timed::new(tilt, 1.0, &both(0.0)).unwrap();
        tilt.reset();
        for (k, stamp) in stamps.iter().enumerate() {
            let y = tilt.update(*stamp, &both(*stamp)).unwrap();
            prop_assert!((y - slope * stamp).abs() < 1e-9, "complementary: {y} in place of {}", slope * stamp);
            let y = rate.update(*stamp, &(slope * stamp)).unwrap();
            // The first sample came where the motion began, and says that it stood still.
            if k == 0 { rate.inner_mut().start_moving(&(slope * stamp), &slope).unwrap(); continue; }
            prop_assert!((y - slope).abs() < 1e-8, "{method:?}: {y} in place of {slope}");
        }
    }

    /// Held samples, exactly: the integral of a staircase, and the lag's answer to it.
    #[test]
    fn timed_filters_that_hold_are_exact_for_a_staircase(stamps in stamps(), u in prop::array::uniform8(-5.0..5.0_f64)) {
        let integrator = Integrator::new(IntegratorParams::default(), &0.0).unwrap();
        let mut integrator = Timed::new(integrator, 1.0, &0.0).unwrap();
        let mut lag = Timed::new(Lag::new(LagParams { period: 0.01, tau: 0.1 }, &0.0).unwrap(), 1.0, &0.0).unwrap();
        let (mut area, mut answer) = (0.0, 0.0);
        for (k, stamp) in stamps.iter().enumerate() {
            if k > 0 {
                let (step, held) = (stamp - stamps[k - 1], u[(k - 1) % 8]);
                area += step * held;
                answer = held + (answer - held) * (-step / 0.1).exp();
            }
            prop_assert!((integrator.update(*stamp, &u[k % 8]).unwrap() - area).abs() < 1e-12);
            prop_assert!((lag.update(*stamp, &u[k % 8]).unwrap() - answer).abs() < 1e-12);
        }
    }
}

/// Every parameter struct, there and back.
#[test]
fn parameters_are_text() {
    fn back<P: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(params: P) {
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<P>(&text).unwrap(), params, "{text}");
        let wrong = text.replacen('{', "{\"colour\":1,", 1);
        assert!(serde_json::from_str::<P>(&wrong).is_err(), "{wrong} is taken");
    }
    let (period, tau, frequency, speed) = (0.01, 0.1, 5.0, Limit::parts(1.0, 2.0));
    let gains = SecondOrderGains { a0: 100.0, a1: 20.0 };
    back(LagParams { period, tau });
    back(LeadLagParams { period, gain: 1.0, tau_lead: 0.2, tau_lag: tau });
    back(BiquadParams { period, frequency, quality: 0.7 });
    back(ButterworthParams { period, order: 3, band: FrequencyBand::BandPass { low: 1.0, high: 2.0 } });
    back(SectionsParams { sections: vec![[1.0, 0.0, 0.0, 1.0, 0.5, 0.0]] });
    back(TransferFunctionParams { b: vec![1.0], a: vec![1.0, 0.5] });
    back(IntegratorParams { period, method: Quadrature::Simpson });
    back(DifferentiatorParams { period, method: DiffMethod::SavitzkyGolay { window: 5, order: 2 } });
    back(FusionParams { period, method: FusionMethod::ExpLimited { tau, speed } });
    back(TransientParams { period, method: TransientMethod::Linear { speed } });
    back(TransientSecondExpParams { period, gains });
    back(TransientSecondLimitedParams { period, gains, acceleration: speed, velocity: speed });
    back(SchmittParams { low: 0.0, high: 1.0, output_low: 0.0, output_high: 1.0 });
    back(BacklashParams { width: 1.0 });
    back(SaturationParams { low: -1.0, high: 1.0 });
    back(DeadZoneParams { low: -1.0, high: 1.0 });
    back(IncrementParams { increment: 1.0 });
    back(WindowParams { window: 5 });
    back(LowPassParams { sampling_frequency: 100.0, damping_frequency: 5.0, damping_intensity: 1.0 });
    back(ExponentialParams { alpha: 0.5 });
    back(OneEuroParams { period, min_cutoff: 1.0, beta: 0.1, derivative_cutoff: 1.0 });
    back(ComplementaryParams { period, tau });
    back(GravityParams { cog: Vector3::x(), force: Vector3::z() });
    let limits: RateLimiterParams =
        serde_json::from_str(r#"{"period": 0.02, "max_first_derivative": 3.0}"#).unwrap();
    assert_eq!(
        (limits.max_first_derivative, limits.max_value),
        (3.0, f64::INFINITY),
        "what is not said is no limit"
    );
    let pid: PidParams =
        serde_json::from_str(r#"{"p": 2.0, "antiwindup": "conditional_integration"}"#).unwrap();
    assert_eq!(
        pid,
        PidParams { p: 2.0, antiwindup: AntiWindup::ConditionalIntegration, ..Default::default() }
    );
}

/// A loop whose error does not go stays at the limit that the error drives it to, however short τ is against T.
#[test]
fn back_calculation_stays_at_the_limit_for_any_time_constant() {
    for (i, given) in [(500.0, 0.0), (500.0, 1e-6), (20.0, 0.004), (0.1, 0.003), (3.0, 1.0)] {
        let antiwindup = AntiWindup::BackCalculation { tracking_time_constant: given };
        let params =
            PidParams { period: 0.01, p: 1.0, i, u_max: 5.0, u_min: -5.0, antiwindup, ..Default::default() };
        let mut pid = Pid::new(params, &0.0).unwrap();
        for k in 0..100 {
            assert_eq!(pid.update(&9.0).unwrap(), 5.0, "i {i}, tau {given}, step {k}");
        }
    }
}

/// Once the error is gone the command leaves its limit: the integral did not go on beyond it, for gains of either sign and
/// for limits that do not lie around zero.
#[test]
fn conditional_integration_does_not_wind_up() {
    let antiwindup = AntiWindup::ConditionalIntegration;
    for (sign, [u_min, u_max], error) in [
        (1.0, [-5.0, 5.0], 9.0),
        (1.0, [-5.0, 5.0], -9.0),
        (-1.0, [-5.0, 5.0], 9.0),
        (-1.0, [-5.0, 5.0], -9.0),
        (1.0, [1.0, 5.0], -9.0),
        (-1.0, [-5.0, -1.0], -9.0),
    ] {
        let params = PidParams {
            period: 0.01,
            p: sign,
            i: 10.0 * sign,
            u_max,
            u_min,
            antiwindup,
            ..Default::default()
        };
        let mut pid = Pid::new(params, &0.0).unwrap();
        for _ in 0..1000 {
            pid.update(&error).unwrap();
        }
        // Of p·error, which is beyond the limit alone, nothing is left; the integral never moved.
        let free = 0.0_f64.clamp(u_min, u_max);
        assert_eq!(pid.update(&0.0).unwrap(), free, "gains {sign}, limits {u_min}…{u_max}, error {error}");
    }
    // Limits beside zero: from below, the error drives the command towards them, and the integral takes it there.
    let params =
        PidParams { period: 0.01, p: 1.0, i: 10.0, u_max: 5.0, u_min: 1.0, antiwindup, ..Default::default() };
    let mut pid = Pid::new(params, &0.0).unwrap();
    let last = (0..1000).map(|_| pid.update(&0.5).unwrap()).last();
    assert_eq!(last, Some(5.0), "0.5·10/s for 10 s is far beyond it");
}

#[test]
fn a_smaller_integral_limit_holds_at_once() {
    let params = PidParams { period: 0.01, i: 10.0, ..Default::default() };
    for (error, limited) in [(1.0, 1.0), (-1.0, -0.5)] {
        let mut pid = Pid::new(params, &0.0).unwrap();
        for _ in 0..100 {
            pid.update(&error).unwrap();
        }
        pid.set_params(PidParams { i_max: 1.0, i_min: -0.5, ..params }).unwrap();
        assert_eq!(pid.output(&0.0).unwrap(), limited, "the integral alone, which was {}", 10.0 * error);
    }
}

/// A notch of 20 Hz cannot step over 25 ms or more: samples that are so far apart are a gap to it, and what comes after
/// is filtered again.
#[test]
fn a_time_too_long_for_a_filter_is_a_gap() {
    let params = BiquadParams { period: 0.01, frequency: 20.0, quality: 1.0 };
    let mut timed = Timed::new(Notch::new(params, &0.0).unwrap(), 1.0, &0.0).unwrap();
    let mut untimed = Notch::new(params, &0.0).unwrap();
    for k in (0..200).filter(|k| ![50, 51, 120, 121, 122].contains(k)) {
        let u = (0.7 * f64::from(k)).sin();
        if [52, 123].contains(&k) {
            untimed.reset();
        }
        let (y, expected) = (timed.update(0.01 * f64::from(k), &u).unwrap(), untimed.update(&u).unwrap());
        // The stamps' distances are 0.01 s but for rounding.
        assert!((y - expected).abs() < 1e-9, "sample {k}: {y} in place of {expected}");
    }
    assert!(timed.update(1.99 + 1e-9, &1.0).is_err(), "too short to tell the poles");
    assert!(timed.update(2.0, &1.0).is_ok(), "and no trace of it");
}

/// Samples at times of their own give what the continuous lag has at those times.
#[test]
fn a_timed_lag_is_right_at_any_time() {
    let lag = Lag::new(LagParams { period: 1.0, tau: 0.7 }, &0.0).unwrap();
    let mut timed = Timed::new(lag, 2.0, &0.0).unwrap();
    timed.update(10.0, &1.0).unwrap();
    for stamp in [10.01, 10.3, 10.31, 11.9, 12.0] {
        let y = timed.update(stamp, &1.0).unwrap();
        assert!((y - (1.0 - ((10.0 - stamp) / 0.7).exp())).abs() < 1e-12, "{stamp}: {y}");
    }
    assert!(timed.update(12.5, &f64::NAN).is_err());
    assert!(timed.update(11.0, &1.0).is_err());
    assert!((timed.update(13.0, &1.0).unwrap() - (1.0 - (-3.0_f64 / 0.7).exp())).abs() < 1e-12, "no trace");
    let mut slope =
        Timed::new(Differentiator::new(DifferentiatorParams::default(), &0.0).unwrap(), 2.0, &0.0).unwrap();
    slope.update(0.0, &0.0).unwrap();
    assert_eq!(slope.update(0.5, &1.0).unwrap(), 2.0);
    assert_eq!(slope.update(0.75, &1.25).unwrap(), 1.0);
}

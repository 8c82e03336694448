//! Filters for other programs: one request per line on standard input, one line of numbers on standard output.
//!
//!     lfilter B… ; A… ; U…            transfer function, y
//!     savgol WINDOW ORDER DERIV T     Savitzky–Golay weights, newest sample first
//!     lag T TAU ; U…                  first-order lag, y
//!     leadlag T K TAU1 TAU2 ; U…      lead–lag, y
//!     inertial T TAU ; U…             inertial differentiator, y
//!     biquad T F Q ; U…               biquad low-pass, y
//!     highpass, bandpass, notch       the same of the others of their kind
//!     butter T ORDER KIND F [F] ; U…  Butterworth; KIND 0 low, 1 high, 2 band, 3 stop
//!     jerk T V A J ; U…               rate limiter with three derivatives, y
//!     pid T P I D TAU UMAX KIND TT ; U…   PID; KIND 0 none, 1 back-calculation, 2 conditional
//!     second T A0 A1 ; X V            error (x, v) after one period of the second-order transient

use filters_lib::*;
use std::io::{BufRead, Write};

type Answer = std::result::Result<Vec<f64>, Box<dyn std::error::Error>>;

fn run<F: Filter<Input = f64, Output = f64>>(mut filter: F, u: &[f64]) -> Answer {
    Ok(u.iter().map(|u| filter.update(u)).collect::<Result<_>>()?)
}

fn answer(line: &str) -> Answer {
    let (word, rest) = line.trim().split_once(' ').ok_or("expected: WORD NUMBERS…")?;
    let lists: Vec<Vec<f64>> = rest
        .split(';')
        .map(|part| part.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>())
        .collect::<std::result::Result<_, _>>()?;
    let lists: Vec<&[f64]> = lists.iter().map(Vec::as_slice).collect();
    match (word, lists.as_slice()) {
        ("lfilter", [b, a, u]) => {
            run(TransferFunction::new(TransferFunctionParams { b: b.to_vec(), a: a.to_vec() }, &0.0)?, u)
        }
        ("savgol", [[window, order, derivative, period]]) => {
            Ok(savitzky_golay(*window as usize, *order as usize, *derivative as usize, *period)?)
        }
        ("lag", [[period, tau], u]) => run(Lag::new(LagParams { period: *period, tau: *tau }, &0.0)?, u),
        ("leadlag", [[period, gain, lead, lag], u]) => {
            let params = LeadLagParams { period: *period, gain: *gain, tau_lead: *lead, tau_lag: *lag };
            run(LeadLag::new(params, &0.0)?, u)
        }
        ("inertial", [[period, tau], u]) => {
            let method = DiffMethod::Inertial { tau: *tau };
            run(Differentiator::new(DifferentiatorParams { period: *period, method }, &0.0)?, u)
        }
        ("biquad", [[period, frequency, quality], u]) => {
            let params = BiquadParams { period: *period, frequency: *frequency, quality: *quality };
            run(BiquadLowPass::new(params, &0.0)?, u)
        }
        ("highpass", [[period, frequency, quality], u]) => {
            let params = BiquadParams { period: *period, frequency: *frequency, quality: *quality };
            run(BiquadHighPass::new(params, &0.0)?, u)
        }
        ("bandpass", [[period, frequency, quality], u]) => {
            let params = BiquadParams { period: *period, frequency: *frequency, quality: *quality };
            run(BiquadBandPass::new(params, &0.0)?, u)
        }
        ("notch", [[period, frequency, quality], u]) => {
            let params = BiquadParams { period: *period, frequency: *frequency, quality: *quality };
            run(Notch::new(params, &0.0)?, u)
        }
        ("butter", [[period, order, kind, frequencies @ ..], u]) => {
            let band = match (*kind as u8, frequencies) {
                (0, [frequency]) => FrequencyBand::LowPass { frequency: *frequency },
                (1, [frequency]) => FrequencyBand::HighPass { frequency: *frequency },
                (2, [low, high]) => FrequencyBand::BandPass { low: *low, high: *high },
                (3, [low, high]) => FrequencyBand::BandStop { low: *low, high: *high },
                _ => return Err("butter T ORDER KIND F [F]".into()),
            };
            let design = ButterworthParams { period: *period, order: *order as usize, band };
            run(SecondOrderSections::butterworth(&design, &0.0)?, u)
        }
        ("jerk", [[period, speed, acceleration, jerk], u]) => {
            let params = RateLimiterParams {
                period: *period,
                max_first_derivative: *speed,
                min_first_derivative: -speed,
                max_second_derivative: *acceleration,
                max_third_derivative: *jerk,
                ..Default::default()
            };
            run(RateLimiter::new(params, &0.0)?, u)
        }
        ("pid", [[period, p, i, d, tau, u_max, kind, tracking], u]) => {
            let antiwindup = match *kind as u8 {
                1 => AntiWindup::BackCalculation { tracking_time_constant: *tracking },
                2 => AntiWindup::ConditionalIntegration,
                _ => AntiWindup::None,
            };
            let (p, i, d, u_min) = (*p, *i, *d, -u_max);
            let params = PidParams {
                period: *period,
                p,
                i,
                d,
                derivative_tau: *tau,
                u_max: *u_max,
                u_min,
                antiwindup,
                ..Default::default()
            };
            run(Pid::new(params, &0.0)?, u)
        }
        ("second", [[period, a0, a1], [x, v]]) => {
            let gains = SecondOrderGains { a0: *a0, a1: *a1 };
            let filter = TransientSecondExp::new(TransientSecondExpParams { period: *period, gains })?;
            let y = filter.output(&SecondOrderInput { x: -x, v: -v, xr: 0.0, vr: 0.0, ar: 0.0 })?;
            Ok(vec![-y.x, -y.v])
        }
        _ => Err("unknown request".into()),
    }
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        match answer(&line?) {
            Ok(numbers) => {
                let text: Vec<String> = numbers.iter().map(|n| format!("{n:e}")).collect();
                writeln!(out, "{}", text.join(" "))?;
            }
            Err(error) => writeln!(out, "error: {error}")?,
        }
    }
    Ok(())
}

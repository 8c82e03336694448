//! The signals that go into each filter, and what comes out.

use filters_lib::*;
use nalgebra::{UnitQuaternion, Vector3, Vector6};

/// One picture.
pub struct Curve {
    /// File name without its end.
    pub file: &'static str,
    /// Headline.
    pub title: &'static str,
    /// Period, s.
    pub period: f64,
    /// Input samples.
    pub input: Vec<f64>,
    /// Output samples.
    pub output: Vec<f64>,
}

const T: f64 = 0.02;

fn time(k: usize) -> f64 {
    k as f64 * T
}

/// 0, then 1 after five periods.
fn step_input() -> Vec<f64> {
    (0..100).map(|k| if k < 5 { 0.0 } else { 1.0 }).collect()
}

/// A step with three spikes.
fn spiky() -> Vec<f64> {
    step_input()
        .iter()
        .enumerate()
        .map(|(k, u)| if matches!(k, 30 | 50 | 51) { u + 1.0 } else { *u })
        .collect()
}

/// A wave from 0.5 Hz to 5 Hz.
fn chirp() -> Vec<f64> {
    (0..100).map(|k| (std::f64::consts::TAU * (0.5 + 1.125 * time(k)) * time(k)).sin()).collect()
}

/// A slow wave.
fn wave() -> Vec<f64> {
    (0..100).map(|k| (time(k) * 5.0).sin()).collect()
}

fn through<F: Filter<Input = f64, Output = f64>>(
    file: &'static str,
    title: &'static str,
    mut filter: F,
    input: Vec<f64>,
) -> Result<Curve> {
    let output = input.iter().map(|u| filter.update(u)).collect::<Result<_>>()?;
    Ok(Curve { file, title, period: T, input, output })
}

fn fusion(file: &'static str, title: &'static str, method: FusionMethod) -> Result<Curve> {
    let mut filter = Fusion::<f64>::new(FusionParams { period: T, method })?;
    let input: Vec<f64> = wave().iter().map(|u| 0.3 * u).collect();
    let output = input.iter().map(|u| filter.update(&Pair { u1: 1.0, u2: *u })).collect::<Result<_>>()?;
    Ok(Curve { file, title, period: T, input, output })
}

fn second<F: Filter<Input = SecondOrderInput<f64>, Output = Motion<f64>>>(
    file: &'static str,
    title: &'static str,
    filter: F,
) -> Result<Curve> {
    let (input, mut now, mut output) = (step_input(), Motion { x: 0.0, v: 0.0 }, Vec::new());
    for xr in &input {
        output.push(now.x);
        now = filter.output(&SecondOrderInput { x: now.x, v: now.v, xr: *xr, vr: 0.0, ar: 0.0 })?;
    }
    Ok(Curve { file, title, period: T, input, output })
}

/// Every curve; the parameters are valid, so an error can only be a bug of the library, and leaves the picture out.
pub fn all() -> Vec<Curve> {
    let uneven = timed().map(|curve| vec![curve]);
    let curves = [
        integrals(),
        joint_states(),
        blends(),
        seconds(),
        links(),
        estimates(),
        windows(),
        control(),
        uneven,
    ];
    curves.into_iter().flatten().flatten().collect()
}

fn integrals() -> Result<Vec<Curve>> {
    let quadrature = |method| Integrator::new(IntegratorParams { period: T, method }, &0.0);
    let slope = |method| Differentiator::new(DifferentiatorParams { period: T, method }, &0.0);
    let ramp: Vec<f64> = (0..100).map(|k| (time(k) - 0.1).clamp(0.0, 1.0)).collect();
    let mut orientation =
        Integrator::new(IntegratorParams { period: T, ..Default::default() }, &UnitQuaternion::identity())?;
    let turn: Vec<f64> = step_input();
    let output = turn
        .iter()
        .map(|w| Ok(orientation.update(&Vector3::new(0.0, 0.0, *w))?.angle()))
        .collect::<Result<_>>()?;
    Ok(vec![
        through("integrator_euler", "Integrator, euler", quadrature(Quadrature::Euler)?, step_input())?,
        through(
            "integrator_trapezoid",
            "Integrator, trapezoid",
            quadrature(Quadrature::Trapezoid)?,
            step_input(),
        )?,
        through("integrator_simpson", "Integrator, simpson", quadrature(Quadrature::Simpson)?, step_input())?,
        Curve {
            file: "integrator_orientation",
            title: "Integrator, orientation (rate in, angle out)",
            period: T,
            input: turn,
            output,
        },
        through(
            "differentiator_difference",
            "Differentiator, difference (ramp)",
            slope(DiffMethod::Difference)?,
            ramp.clone(),
        )?,
        through(
            "differentiator_inertial",
            "Differentiator, inertial, τ = 0.1 s (ramp)",
            slope(DiffMethod::Inertial { tau: 0.1 })?,
            ramp.clone(),
        )?,
        through(
            "differentiator_savgol",
            "Differentiator, Savitzky–Golay, 9 samples, degree 2 (ramp)",
            slope(DiffMethod::SavitzkyGolay { window: 9, order: 2 })?,
            ramp,
        )?,
    ])
}

fn blends() -> Result<Vec<Curve>> {
    let (tau, speed) = (0.2, Limit::from(1.5));
    let follower = |method| Follower::new(TransientParams { period: T, method }, &0.0);
    let follow = |file, title, method| through(file, title, follower(method)?, step_input());
    Ok(vec![
        fusion(
            "fusion_linear",
            "Fusion, linear, τ = 1 s, from 1 to a wave",
            FusionMethod::Linear { tau: 1.0 },
        )?,
        fusion("fusion_exp", "Fusion, exp, τ = 0.2 s, from 1 to a wave", FusionMethod::Exp { tau })?,
        fusion(
            "fusion_exp_limited",
            "Fusion, exp, τ = 0.2 s, v = 1.5 /s",
            FusionMethod::ExpLimited { tau, speed },
        )?,
        follow("transient_linear", "Transient, linear, v = 1.5 /s", TransientMethod::Linear { speed })?,
        follow("transient_exp", "Transient, exp, τ = 0.2 s", TransientMethod::Exp { tau })?,
        follow(
            "transient_exp_limited",
            "Transient, exp, τ = 0.2 s, v = 1.5 /s",
            TransientMethod::ExpLimited { tau, speed },
        )?,
    ])
}

fn seconds() -> Result<Vec<Curve>> {
    let gains = SecondOrderGains::critical(0.12);
    let limited = |velocity| {
        let acceleration = Limit::from(8.0);
        TransientSecondLimited::new(TransientSecondLimitedParams { period: T, gains, acceleration, velocity })
    };
    let exp = TransientSecondExp::new(TransientSecondExpParams { period: T, gains })?;
    Ok(vec![
        second("transient_second_exp", "TransientSecondExp, τ = 0.12 s", exp)?,
        second("transient_second_acceleration", "TransientSecondLimited, a ≤ 8 /s²", limited(Limit::NONE)?)?,
        second(
            "transient_second_velocity",
            "TransientSecondLimited, a ≤ 8 /s², v ≤ 1 /s",
            limited(Limit::from(1.0))?,
        )?,
        joining(gains)?,
    ])
}

/// A trajectory that comes and goes: a wave that jumps to another one; position and velocity join it each time.
fn joining(gains: SecondOrderGains) -> Result<Curve> {
    let (acceleration, velocity) = (Limit::from(20.0), Limit::from(4.0));
    let params = TransientSecondLimitedParams { period: T, gains, acceleration, velocity };
    let mut follower = SecondOrderFollower::new(params, &Motion { x: 0.0, v: 0.0 })?;
    let (mut input, mut output) = (vec![], vec![]);
    for k in 0..100 {
        let (size, phase) = if k < 40 { (0.6, 0.5) } else { (-0.4, 2.0) };
        let angle = 5.0 * time(k) + phase;
        let wanted = Motion { x: size * angle.sin(), v: 5.0 * size * angle.cos() };
        input.push(wanted.x);
        output.push(follower.update(&wanted)?.x);
    }
    let (file, title) = ("second_order_follower", "SecondOrderFollower joins two waves, a ≤ 20 /s²");
    Ok(Curve { file, title, period: T, input, output })
}

/// Joint states: the half that a filter makes of the other one.
fn joint_states() -> Result<Vec<Curve>> {
    let rest = JointState::zeros(1);
    let mut integrator =
        IntegratorJointState::new(IntegratorParams { period: T, ..Default::default() }, &rest)?;
    let mut differentiator =
        DifferentiatorJointState::new(DifferentiatorParams { period: T, ..Default::default() }, &rest)?;
    let (input, mut areas, mut slopes) = (wave(), vec![], vec![]);
    for u in &input {
        areas.push(integrator.update(&JointState::new(&[f64::NAN], &[*u])?)?.position()[0]);
        slopes.push(differentiator.update(&JointState::new(&[*u], &[f64::NAN])?)?.velocity()[0]);
    }
    let curve = |file, title, output| Curve { file, title, period: T, input: input.clone(), output };
    Ok(vec![
        curve("integrator_joint_state", "IntegratorJointState: velocity in, position out", areas),
        curve("differentiator_joint_state", "DifferentiatorJointState: position in, velocity out", slopes),
    ])
}

/// Every third sample is late, and half a second has none.
fn timed() -> Result<Curve> {
    let mut lag = Timed::new(Lag::new(LagParams { period: T, tau: 0.2 }, &0.0)?, 0.3, &0.0)?;
    let (mut input, mut output) = (vec![], vec![]);
    let mut held = (0.0, 0.0);
    for (k, u) in wave().into_iter().enumerate() {
        if !(40..65).contains(&k) && k % 3 != 1 {
            held = (u, lag.update(time(k), &u)?);
        }
        input.push(held.0);
        output.push(held.1);
    }
    let (file, title) = ("timed", "Timed: uneven samples, a gap begins anew");
    Ok(Curve { file, title, period: T, input, output })
}

fn links() -> Result<Vec<Curve>> {
    let (period, tau) = (T, 0.2);
    // Two lags in series: poles at 0.9 and 0.8.
    let transfer = TransferFunctionParams { b: vec![0.0, 0.02], a: vec![1.0, -1.7, 0.72] };
    let lead = LeadLagParams { period, gain: 1.0, tau_lead: 0.3, tau_lag: tau };
    let corner = BiquadParams { period, frequency: 2.0, quality: 1.5 };
    let band = FrequencyBand::LowPass { frequency: 2.0 };
    let butterworth = ButterworthParams { period, order: 5, band };
    let schmitt = SchmittParams { low: -0.5, high: 0.5, output_low: 0.0, output_high: 0.8 };
    let limits = RateLimiterParams {
        period,
        max_first_derivative: 1.5,
        max_second_derivative: 10.0,
        ..Default::default()
    };
    Ok(vec![
        through(
            "transfer_function",
            "TransferFunction, poles 0.9 and 0.8",
            TransferFunction::new(transfer, &0.0)?,
            step_input(),
        )?,
        through("lag", "Lag, τ = 0.2 s", Lag::new(LagParams { period, tau }, &0.0)?, step_input())?,
        through("lead_lag", "LeadLag, τ1 = 0.3 s, τ2 = 0.2 s", LeadLag::new(lead, &0.0)?, step_input())?,
        through(
            "biquad_low_pass",
            "BiquadLowPass, 2 Hz, Q = 1.5",
            BiquadLowPass::new(corner, &0.0)?,
            step_input(),
        )?,
        through(
            "biquad_high_pass",
            "BiquadHighPass, 2 Hz, Q = 1.5",
            BiquadHighPass::new(corner, &0.0)?,
            step_input(),
        )?,
        through(
            "biquad_band_pass",
            "BiquadBandPass, 2 Hz, Q = 1.5 (chirp)",
            BiquadBandPass::new(corner, &0.0)?,
            chirp(),
        )?,
        through("notch", "Notch, 2 Hz, Q = 1.5 (chirp)", Notch::new(corner, &0.0)?, chirp())?,
        through(
            "butterworth",
            "SecondOrderSections: Butterworth, order 5, 2 Hz",
            SecondOrderSections::butterworth(&butterworth, &0.0)?,
            step_input(),
        )?,
        through("schmitt", "Schmitt, −0.5 and 0.5 (wave)", Schmitt::new(schmitt, &0.0)?, wave())?,
        through(
            "backlash",
            "Backlash, width 0.6 (wave)",
            Backlash::new(BacklashParams { width: 0.6 }, &0.0)?,
            wave(),
        )?,
        through(
            "dead_zone",
            "DeadZone, −0.4 … 0.4 (wave)",
            DeadZone::new(DeadZoneParams { low: -0.4, high: 0.4 })?,
            wave(),
        )?,
        through(
            "saturation",
            "Saturation, −0.6 … 0.6 (wave)",
            Saturation::new(SaturationParams { low: -0.6, high: 0.6 })?,
            wave(),
        )?,
        through(
            "rate_limiter",
            "RateLimiter, 1.5 /s and 10 /s²",
            RateLimiter::new(limits, &0.0)?,
            step_input(),
        )?,
        through(
            "rate_limiter_jerk",
            "RateLimiter, 1.5 /s, 10 /s² and 60 /s³",
            RateLimiter::new(RateLimiterParams { max_third_derivative: 60.0, ..limits }, &0.0)?,
            step_input(),
        )?,
        through(
            "increment",
            "Increment, 0.3 (wave)",
            Increment::new(IncrementParams { increment: 0.3 })?,
            wave(),
        )?,
    ])
}

/// Noise that comes with every sample, always the same.
fn noisy(size: f64, input: Vec<f64>) -> Vec<f64> {
    let noise = |k: usize| ((k as f64 * 12.9898).sin() * 43758.5453).fract();
    input.into_iter().enumerate().map(|(k, u)| u + size * noise(k)).collect()
}

fn estimates() -> Result<Vec<Curve>> {
    let quick = OneEuroParams { period: T, min_cutoff: 0.5, beta: 3.0, derivative_cutoff: 2.0 };
    let gains = PidParams { period: T, p: 6.0, i: 4.0, u_max: 2.0, u_min: -2.0, ..Default::default() };
    let antiwindup = AntiWindup::ConditionalIntegration;
    let mut pid = Pid::new(PidParams { antiwindup, ..gains }, &0.0)?;
    // The plant is an integrator.
    let (target, mut at, mut output) = (step_input(), 0.0, vec![]);
    for wanted in &target {
        output.push(at);
        at += T * pid.update(&(wanted - at))?;
    }
    let loop_title = "Pid around an integrator, |u| ≤ 2";
    let mut both = Complementary::new(ComplementaryParams { period: T, tau: 0.3 }, &0.0)?;
    let seen = noisy(0.3, wave());
    let rate = |k: usize| 5.0 * (5.0 * time(k)).cos() + 0.2;
    let fused = seen
        .iter()
        .enumerate()
        .map(|(k, value)| both.update(&ValueAndRate { value: *value, rate: rate(k) }))
        .collect::<Result<_>>()?;
    let both_title = "Complementary: noisy value, biased rate";
    Ok(vec![
        through(
            "one_euro",
            "OneEuro, 0.5 Hz, β = 3 (noisy step)",
            OneEuro::new(quick, &0.0)?,
            noisy(0.1, step_input()),
        )?,
        Curve { file: "pid", title: loop_title, period: T, input: target, output },
        Curve { file: "complementary", title: both_title, period: T, input: seen, output: fused },
    ])
}

fn windows() -> Result<Vec<Curve>> {
    let window = WindowParams { window: 9 };
    Ok(vec![
        through(
            "moving_average",
            "MovingAverage, 9 samples (spikes)",
            MovingAverage::new(window, &0.0)?,
            spiky(),
        )?,
        through("median", "Median, 9 samples (spikes)", Median::new(window, &0.0)?, spiky())?,
    ])
}

fn control() -> Result<Vec<Curve>> {
    let low_pass =
        LowPassParams { sampling_frequency: 1.0 / T, damping_frequency: 1.0, damping_intensity: 0.0 };
    let force = Vector3::new(0.0, 0.0, -1.0);
    let mut gravity = GravityCompensation::new(GravityParams { cog: Vector3::zeros(), force })?;
    let (mut input, mut output) = (Vec::new(), Vec::new());
    for push in step_input() {
        // The sensor turns slowly; the weight it feels turns with it and is taken out.
        let mut frames = GravityFrames {
            sensor_from_input: nalgebra::Isometry3::identity(),
            sensor_from_world: nalgebra::Isometry3::identity(),
            output_from_sensor: nalgebra::Isometry3::identity(),
        };
        frames.sensor_from_world.rotation =
            UnitQuaternion::from_euler_angles(0.05 * output.len() as f64, 0.0, 0.0);
        gravity.set_frames(frames)?;
        let weight = frames.sensor_from_world.rotation * force;
        let measured = Wrench(Vector6::new(weight.x, weight.y, weight.z + push, 0.0, 0.0, 0.0));
        input.push(measured.force().z);
        output.push(((gravity.update(&measured)?.force().z) * 1e9).round() * 1e-9);
    }
    Ok(vec![
        through(
            "low_pass_filter",
            "LowPassFilter, sf = 50 Hz, df = 1 Hz, di = 0 dB",
            LowPassFilter::new(low_pass, &0.0)?,
            step_input(),
        )?,
        through(
            "exponential_filter",
            "ExponentialFilter, α = 0.1",
            ExponentialFilter::new(ExponentialParams { alpha: 0.1 }, &0.0)?,
            step_input(),
        )?,
        Curve {
            file: "gravity_compensation",
            title: "GravityCompensation: push of 1 N, turning sensor",
            period: T,
            input,
            output,
        },
    ])
}

//! The parameters of each filter type, read from a chain's values.

use super::adapters::FadeInParams;
use super::spec::Settings;
use crate::check::{positive, within};
use crate::error::{Error, Result};
use crate::*;
use nalgebra::Vector3;

pub(super) fn integrator(s: &Settings, period: f64) -> Result<IntegratorParams> {
    let method = match s.text("method") {
        "trapezoid" => Quadrature::Trapezoid,
        "simpson" => Quadrature::Simpson,
        _ => Quadrature::Euler,
    };
    Ok(IntegratorParams { period, method })
}

pub(super) fn differentiator(s: &Settings, period: f64) -> Result<DifferentiatorParams> {
    let method = match s.text("method") {
        "inertial" => DiffMethod::Inertial { tau: s.number("tau") },
        "savgol" => DiffMethod::SavitzkyGolay { window: s.count("window"), order: s.count("order") },
        _ => DiffMethod::Difference,
    };
    Ok(DifferentiatorParams { period, method })
}

pub(super) fn transfer_function(s: &Settings, _period: f64) -> Result<TransferFunctionParams> {
    Ok(TransferFunctionParams { b: s.list("b").to_vec(), a: s.list("a").to_vec() })
}

pub(super) fn lag(s: &Settings, period: f64) -> Result<LagParams> {
    Ok(LagParams { period, tau: s.number("tau") })
}

pub(super) fn lead_lag(s: &Settings, period: f64) -> Result<LeadLagParams> {
    let (gain, tau_lead, tau_lag) = (s.number("gain"), s.number("tau_lead"), s.number("tau_lag"));
    Ok(LeadLagParams { period, gain, tau_lead, tau_lag })
}

pub(super) fn biquad(s: &Settings, period: f64) -> Result<BiquadParams> {
    Ok(BiquadParams { period, frequency: s.number("frequency"), quality: s.number("quality") })
}

pub(super) fn schmitt(s: &Settings, _period: f64) -> Result<SchmittParams> {
    Ok(SchmittParams {
        low: s.number("low"),
        high: s.number("high"),
        output_low: s.number("output_low"),
        output_high: s.number("output_high"),
    })
}

pub(super) fn backlash(s: &Settings, _period: f64) -> Result<BacklashParams> {
    Ok(BacklashParams { width: s.number("width") })
}

pub(super) fn dead_zone(s: &Settings, _period: f64) -> Result<DeadZoneParams> {
    Ok(DeadZoneParams { low: s.number("low"), high: s.number("high") })
}

pub(super) fn saturation(s: &Settings, _period: f64) -> Result<SaturationParams> {
    Ok(SaturationParams { low: s.number("low"), high: s.number("high") })
}

/// A limit that is not set is infinite; a lower one that is not set mirrors the upper, as in `control_filters`. Both
/// layouts of the parameters are read: a name that a layout lacks is "not set".
pub(super) fn rate_limiter(s: &Settings, period: f64) -> Result<RateLimiterParams> {
    let max_value = s.number_or("max_value", f64::INFINITY);
    let rise = s.number_or("max_first_derivative", s.number_or("max_first_derivative_pos", f64::INFINITY));
    Ok(RateLimiterParams {
        period: s.number_or("sampling_interval", period),
        min_value: s.number_or("min_value", -max_value),
        max_value,
        min_first_derivative: s
            .number_or("min_first_derivative", s.number_or("min_first_derivative_neg", -rise)),
        max_first_derivative: rise,
        min_first_derivative_pos: s.number("min_first_derivative_pos"),
        max_first_derivative_neg: s.number("max_first_derivative_neg"),
        min_second_derivative: s.number("min_second_derivative"),
        max_second_derivative: s.number_or("max_second_derivative", f64::INFINITY),
        max_third_derivative: s.number_or("max_third_derivative", f64::INFINITY),
    })
}

/// The ROS package `filters` calls it `number_of_observations`.
pub(super) fn window(s: &Settings, _period: f64) -> Result<WindowParams> {
    Ok(WindowParams { window: s.count("window").max(s.count("number_of_observations")) })
}

pub(super) fn low_pass(s: &Settings, _period: f64) -> Result<LowPassParams> {
    Ok(LowPassParams {
        sampling_frequency: s.number("sampling_frequency"),
        damping_frequency: s.number("damping_frequency"),
        damping_intensity: s.number("damping_intensity"),
    })
}

pub(super) fn exponential(s: &Settings, _period: f64) -> Result<ExponentialParams> {
    Ok(ExponentialParams { alpha: s.number("alpha") })
}

pub(super) fn butterworth(s: &Settings, period: f64) -> Result<SectionsParams> {
    let (frequency, low, high) = (s.number("frequency"), s.number("frequency"), s.number("frequency_high"));
    let band = match s.text("band") {
        "high_pass" => FrequencyBand::HighPass { frequency },
        "band_pass" => FrequencyBand::BandPass { low, high },
        "band_stop" => FrequencyBand::BandStop { low, high },
        _ => FrequencyBand::LowPass { frequency },
    };
    ButterworthParams { period, order: s.count("order"), band }.design()
}

pub(super) fn increment(s: &Settings, _period: f64) -> Result<IncrementParams> {
    Ok(IncrementParams { increment: s.number_or("increment", 1.0) })
}

pub(super) fn one_euro(s: &Settings, period: f64) -> Result<OneEuroParams> {
    let (min_cutoff, beta) = (s.number("min_cutoff"), s.number("beta"));
    Ok(OneEuroParams { period, min_cutoff, beta, derivative_cutoff: s.number("derivative_cutoff") })
}

pub(super) fn pid(s: &Settings, period: f64) -> Result<PidParams> {
    let antiwindup = match s.text("antiwindup_strategy") {
        "back_calculation" => {
            AntiWindup::BackCalculation { tracking_time_constant: s.number("tracking_time_constant") }
        }
        "conditional_integration" => AntiWindup::ConditionalIntegration,
        _ => AntiWindup::None,
    };
    let (u_max, i_max) =
        (s.number_or("u_clamp_max", f64::INFINITY), s.number_or("i_clamp_max", f64::INFINITY));
    Ok(PidParams {
        period,
        p: s.number("p"),
        i: s.number("i"),
        d: s.number("d"),
        derivative_tau: s.number("derivative_tau"),
        u_max,
        u_min: s.number_or("u_clamp_min", -u_max),
        i_max,
        i_min: s.number_or("i_clamp_min", -i_max),
        error_deadband: s.number("error_deadband"),
        antiwindup,
    })
}

pub(super) fn fade_in(s: &Settings, period: f64) -> Result<FadeInParams> {
    let (tau, speed) = (s.number("tau"), Limit::from(s.number_or("speed", f64::INFINITY)));
    let method = match s.text("method") {
        "exp" if speed == Limit::NONE => FusionMethod::Exp { tau },
        "exp" => FusionMethod::ExpLimited { tau, speed },
        _ => FusionMethod::Linear { tau },
    };
    // What does not act must not stand there as if it did.
    let ignored = matches!(method, FusionMethod::Linear { .. }) && speed != Limit::NONE;
    within("speed", s.number("speed"), !ignored, "not set with `linear`, which ends after tau: use `exp`")?;
    Ok(FadeInParams { fusion: FusionParams { period, method }, from: s.number("from") })
}

pub(super) fn transient(s: &Settings, period: f64) -> Result<TransientParams> {
    let (tau, speed) = (s.number("tau"), Limit::from(s.number_or("speed", f64::INFINITY)));
    let method = match s.text("method") {
        "exp" if speed == Limit::NONE => TransientMethod::Exp { tau },
        "exp" => TransientMethod::ExpLimited { tau, speed },
        _ => TransientMethod::Linear { speed },
    };
    Ok(TransientParams { period, method })
}

pub(super) fn transient_second(s: &Settings, period: f64) -> Result<TransientSecondLimitedParams> {
    positive("tau", s.number("tau"))?;
    Ok(TransientSecondLimitedParams {
        period,
        gains: SecondOrderGains::critical(s.number("tau")),
        acceleration: Limit::from(s.number_or("acceleration", f64::INFINITY)),
        velocity: Limit::from(s.number_or("speed", f64::INFINITY)),
    })
}

pub(super) fn gravity(settings: &Settings, _period: f64) -> Result<GravityParams> {
    let vector = |list: &[f64], name| match list {
        [x, y, z] => Ok(Vector3::new(*x, *y, *z)),
        [] => Err(Error::Empty { name }),
        other => Err(Error::Length { what: name, expected: 3, found: other.len() }),
    };
    for name in ["world_frame", "sensor_frame"] {
        if settings.text(name).is_empty() {
            return Err(Error::Empty { name });
        }
    }
    let places = ["CoG.pos", "tool.CoG", "tool.pos"];
    let given = places.into_iter().find(|name| !settings.list(name).is_empty()).unwrap_or(places[0]);
    let cog = vector(settings.list(given), given)?;
    let mass = settings.number("tool.mass");
    if mass.is_nan() {
        return Ok(GravityParams { cog, force: vector(settings.list("CoG.force"), "CoG.force")? });
    }
    if !settings.list("CoG.force").is_empty() {
        let bounds = "absent when CoG.force is given";
        return Err(Error::OutOfBounds { name: "tool.mass", value: mass, bounds });
    }
    let field = vector(settings.list("tool.gravity_field"), "tool.gravity_field")?;
    Ok(GravityParams::from_mass(cog, mass, field))
}

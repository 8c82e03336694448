//! The table of filter types and their parameters.

use super::links::Make;
use super::spec::ParamSpec;
use super::spec::Preset::{List, Number, Required, Whole, Word};
use super::stage::SignalKind;
use super::value::Kind;

/// A filter type that chains know.
#[derive(Debug, Clone, Copy)]
pub struct TypeInfo {
    /// The value of `filterN.type`.
    pub name: &'static str,
    /// The only signal it works on, if it does not work on all.
    pub only: Option<SignalKind>,
    /// Its parameters.
    pub params: &'static [ParamSpec],
    pub(crate) make: Make,
}

impl TypeInfo {
    /// The type of this name, with or without the prefix `filters_lib/`.
    pub fn find(name: &str) -> Option<&'static TypeInfo> {
        let short = name.strip_prefix("filters_lib/").unwrap_or(name);
        CATALOG.iter().find(|entry| entry.name == short)
    }

    /// Whether it works with the chain's period; the others have a parameter for it, or no use.
    pub const fn needs_period(&self) -> bool {
        self.make.needs_period()
    }
}

/// Every type there is.
pub fn known_types() -> &'static [TypeInfo] {
    CATALOG
}

const INF: f64 = f64::INFINITY;
const NONE: f64 = f64::NAN;
const TINY: f64 = f64::MIN_POSITIVE;

const TAU: ParamSpec = ParamSpec::number("tau", Required, TINY, 1e6, "s", "time constant");
const WINDOW: ParamSpec =
    ParamSpec::number("window", Required, 1.0, 10_000.0, "", "samples, the newest included")
        .of(Kind::Integer);
const LOW: ParamSpec = ParamSpec::number("low", Required, -INF, INF, "units", "lower edge");
const HIGH: ParamSpec = ParamSpec::number("high", Required, -INF, INF, "units", "upper edge");
const MAX_VALUE: ParamSpec =
    ParamSpec::number("max_value", Number(NONE), -INF, INF, "units", "largest value");
const MIN_VALUE: ParamSpec =
    ParamSpec::number("min_value", Number(NONE), -INF, INF, "units", "smallest value; not set = -max_value");
const MAX_SECOND: ParamSpec = ParamSpec::number(
    "max_second_derivative",
    Number(NONE),
    0.0,
    INF,
    "units/s²",
    "largest second derivative",
);

const INTEGRATOR: &[ParamSpec] =
    &[ParamSpec::text("method", Word("euler"), &["euler", "trapezoid", "simpson"], "quadrature")];
const DIFFERENTIATOR: &[ParamSpec] = &[
    ParamSpec::text(
        "method",
        Word("difference"),
        &["difference", "inertial", "savgol"],
        "how the slope is found",
    ),
    ParamSpec::number("tau", Number(0.05), TINY, 1e6, "s", "time constant of `inertial`"),
    ParamSpec::number("window", Whole(5), 2.0, 10_000.0, "", "samples of `savgol`").of(Kind::Integer),
    ParamSpec::number("order", Whole(2), 1.0, 9_999.0, "", "degree of `savgol`").of(Kind::Integer),
];
const TRANSFER_FUNCTION: &[ParamSpec] = &[
    ParamSpec::number("b", Required, -INF, INF, "", "numerator, powers of 1/z from 0").of(Kind::Doubles),
    ParamSpec::number("a", Required, -INF, INF, "", "denominator, powers of 1/z from 0").of(Kind::Doubles),
];
const LEAD_LAG: &[ParamSpec] = &[
    ParamSpec::number("gain", Number(1.0), -INF, INF, "", "gain at rest"),
    ParamSpec::number("tau_lead", Required, 0.0, 1e6, "s", "time constant of the zero"),
    ParamSpec::number("tau_lag", Required, TINY, 1e6, "s", "time constant of the pole"),
];
const BIQUAD: &[ParamSpec] = &[
    ParamSpec::number("frequency", Required, TINY, 1e9, "Hz", "corner frequency"),
    ParamSpec::number("quality", Number(std::f64::consts::FRAC_1_SQRT_2), TINY, 1e6, "", "quality"),
];
const SCHMITT: &[ParamSpec] = &[
    LOW,
    HIGH,
    ParamSpec::number("output_low", Number(0.0), -INF, INF, "units", "output when low"),
    ParamSpec::number("output_high", Number(1.0), -INF, INF, "units", "output when high"),
];
const BACKLASH: &[ParamSpec] =
    &[ParamSpec::number("width", Required, 0.0, INF, "units", "full width of the play")];
const RATE_LIMITER: &[ParamSpec] = &[
    MAX_VALUE,
    MIN_VALUE,
    ParamSpec::number("max_first_derivative", Number(NONE), 0.0, INF, "units/s", "fastest rise"),
    ParamSpec::number("min_first_derivative", Number(NONE), -INF, 0.0, "units/s", "fastest fall"),
    MAX_SECOND,
];
const CONTROL_RATE_LIMITER: &[ParamSpec] = &[
    ParamSpec::number("sampling_interval", Required, TINY, 1e6, "s", "period"),
    MAX_VALUE,
    MIN_VALUE,
    ParamSpec::number("max_first_derivative_pos", Number(NONE), 0.0, INF, "units/s", "fastest rise"),
    ParamSpec::number("min_first_derivative_neg", Number(NONE), -INF, 0.0, "units/s", "fastest fall"),
    ParamSpec::number("min_first_derivative_pos", Number(NONE), -INF, 0.0, "units/s", "the same again"),
    ParamSpec::number("max_first_derivative_neg", Number(NONE), 0.0, INF, "units/s", "fastest rise again"),
    MAX_SECOND,
    ParamSpec::number(
        "min_second_derivative",
        Number(NONE),
        -INF,
        0.0,
        "units/s²",
        "-max_second_derivative again",
    ),
];
const LOW_PASS: &[ParamSpec] = &[
    ParamSpec::number("sampling_frequency", Required, TINY, 1e9, "Hz", "sampling frequency"),
    ParamSpec::number("damping_frequency", Required, TINY, 1e9, "Hz", "damping frequency"),
    ParamSpec::number("damping_intensity", Required, -300.0, 300.0, "dB", "damping intensity"),
];
const EXPONENTIAL: &[ParamSpec] =
    &[ParamSpec::number("alpha", Required, 0.0, 1.0, "", "share of the newest sample")];
const GRAVITY: &[ParamSpec] = &[
    ParamSpec::text("world_frame", Required, &[], "frame of the force's axes").fixed(),
    ParamSpec::text("sensor_frame", Required, &[], "frame of the centre of gravity").fixed(),
    ParamSpec::text("output_frame", Word(""), &[], "frame of the result; empty = the input's").fixed(),
    ParamSpec::number("CoG.pos", List(&[]), -INF, INF, "m", "centre of gravity").of(Kind::Doubles),
    ParamSpec::number("CoG.force", List(&[]), -INF, INF, "N", "force of gravity").of(Kind::Doubles),
    ParamSpec::number("tool.CoG", List(&[]), -INF, INF, "m", "the same by another name").of(Kind::Doubles),
    ParamSpec::number("tool.pos", List(&[]), -INF, INF, "m", "the same by another name").of(Kind::Doubles),
    ParamSpec::number("tool.mass", Number(NONE), 0.0, INF, "kg", "mass, in place of CoG.force"),
    ParamSpec::number("tool.gravity_field", List(&[0.0, 0.0, -9.81]), -INF, INF, "m/s²", "gravity field")
        .of(Kind::Doubles),
];

const fn any(name: &'static str, make: Make, params: &'static [ParamSpec]) -> TypeInfo {
    TypeInfo { name, only: None, params, make }
}

const fn only(name: &'static str, kind: SignalKind, make: Make, params: &'static [ParamSpec]) -> TypeInfo {
    TypeInfo { name, only: Some(kind), params, make }
}

const CATALOG: &[TypeInfo] = &[
    any("Integrator", Make::Integrator, INTEGRATOR),
    any("Differentiator", Make::Differentiator, DIFFERENTIATOR),
    any("TransferFunction", Make::TransferFunction, TRANSFER_FUNCTION),
    any("Lag", Make::Lag, &[TAU]),
    any("LeadLag", Make::LeadLag, LEAD_LAG),
    any("BiquadLowPass", Make::BiquadLowPass, BIQUAD),
    any("Schmitt", Make::Schmitt, SCHMITT),
    any("Backlash", Make::Backlash, BACKLASH),
    any("DeadZone", Make::DeadZone, &[LOW, HIGH]),
    any("Saturation", Make::Saturation, &[LOW, HIGH]),
    any("RateLimiter", Make::RateLimiter, RATE_LIMITER),
    any("MovingAverage", Make::MovingAverage, &[WINDOW]),
    any("Median", Make::Median, &[WINDOW]),
    any("LowPassFilter", Make::LowPass, LOW_PASS),
    any("ExponentialFilter", Make::Exponential, EXPONENTIAL),
    only("GravityCompensation", SignalKind::Wrench, Make::Gravity, GRAVITY),
    only("control_filters/LowPassFilterDouble", SignalKind::Numbers, Make::LowPass, LOW_PASS),
    only("control_filters/LowPassFilterWrench", SignalKind::Wrench, Make::LowPass, LOW_PASS),
    only("control_filters/ExponentialFilterDouble", SignalKind::Numbers, Make::Exponential, EXPONENTIAL),
    only(
        "control_filters/RateLimiterDouble",
        SignalKind::Numbers,
        Make::ControlRateLimiter,
        CONTROL_RATE_LIMITER,
    ),
    only("control_filters/GravityCompensationWrench", SignalKind::Wrench, Make::Gravity, GRAVITY),
];

//! The table of filter types and their parameters.

use super::build::Make;
use super::spec::ParamSpec;
use super::spec::Preset::{List, Number, Required, Whole, Word};
use super::stage::SignalKind;
use super::value::Kind;

/// A filter type that chains know.
#[derive(Debug, Clone, Copy)]
pub struct TypeInfo {
    /// The value of `filterN.type`.
    pub name: &'static str,
    /// The only signal it works on, if it works on one only.
    pub only: Option<SignalKind>,
    /// The parameters that it takes, as its file names them.
    pub params: &'static [ParamSpec],
    pub(crate) make: Make,
    pub(crate) has_period: bool,
}

impl TypeInfo {
    /// The type of this name, with or without the prefix `filters_lib/`.
    pub fn find(name: &str) -> Option<&'static TypeInfo> {
        let short = name.strip_prefix("filters_lib/").unwrap_or(name);
        CATALOG.iter().find(|entry| entry.name == short)
    }

    /// Whether it works on a signal of this kind.
    pub fn fits(&self, kind: SignalKind) -> bool {
        self.only.is_none_or(|only| only == kind) && (!kind.is_curved() || self.make.fits_curved())
    }

    /// Whether it works with the chain's period; the others have a parameter for it, or no use.
    pub const fn needs_period(&self) -> bool {
        self.has_period
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
const MAX_THIRD: ParamSpec = ParamSpec::number(
    "max_third_derivative",
    Number(NONE),
    0.0,
    INF,
    "units/s³",
    "largest third derivative (jerk)",
);
const MIN_SECOND: ParamSpec = ParamSpec::number(
    "min_second_derivative",
    Number(NONE),
    -INF,
    0.0,
    "units/s²",
    "smallest second derivative; not set = -max_second_derivative",
);
const MIN_FIRST_POS: ParamSpec = ParamSpec::number(
    "min_first_derivative_pos",
    Number(NONE),
    -INF,
    0.0,
    "units/s",
    "fastest fall of a value above zero; not set = that below zero",
);
const MAX_FIRST_NEG: ParamSpec = ParamSpec::number(
    "max_first_derivative_neg",
    Number(NONE),
    0.0,
    INF,
    "units/s",
    "fastest rise of a value below zero; not set = that above zero",
);
const RATE_LIMITER: &[ParamSpec] = &[
    MAX_VALUE,
    MIN_VALUE,
    ParamSpec::number("max_first_derivative", Number(NONE), 0.0, INF, "units/s", "fastest rise"),
    ParamSpec::number("min_first_derivative", Number(NONE), -INF, 0.0, "units/s", "fastest fall"),
    MIN_FIRST_POS,
    MAX_FIRST_NEG,
    MAX_SECOND,
    MIN_SECOND,
    MAX_THIRD,
];
const CONTROL_RATE_LIMITER: &[ParamSpec] = &[
    ParamSpec::number("sampling_interval", Required, TINY, 1e6, "s", "period"),
    MAX_VALUE,
    MIN_VALUE,
    ParamSpec::number("max_first_derivative_pos", Number(NONE), 0.0, INF, "units/s", "fastest rise"),
    ParamSpec::number("min_first_derivative_neg", Number(NONE), -INF, 0.0, "units/s", "fastest fall"),
    MIN_FIRST_POS,
    MAX_FIRST_NEG,
    MAX_SECOND,
    MIN_SECOND,
];
const BUTTERWORTH: &[ParamSpec] = &[
    ParamSpec::number("order", Required, 1.0, 50.0, "", "order of the low-pass").of(Kind::Integer),
    ParamSpec::text(
        "band",
        Word("low_pass"),
        &["low_pass", "high_pass", "band_pass", "band_stop"],
        "what it lets through",
    ),
    ParamSpec::number("frequency", Required, TINY, 1e9, "Hz", "corner frequency, or the lower one of a band"),
    ParamSpec::number("frequency_high", Number(NONE), TINY, 1e9, "Hz", "upper corner frequency of a band"),
];
const INCREMENT: &[ParamSpec] =
    &[ParamSpec::number("increment", Number(1.0), -INF, INF, "units", "what is added")];
const ONE_EURO: &[ParamSpec] = &[
    ParamSpec::number("min_cutoff", Number(1.0), TINY, 1e6, "Hz", "corner frequency at rest"),
    ParamSpec::number("beta", Number(0.0), 0.0, 1e9, "Hz/(units/s)", "rise of the corner with the speed"),
    ParamSpec::number("derivative_cutoff", Number(1.0), TINY, 1e6, "Hz", "corner frequency of the speed"),
];
const PID: &[ParamSpec] = &[
    ParamSpec::number("p", Number(0.0), -INF, INF, "", "proportional gain"),
    ParamSpec::number("i", Number(0.0), -INF, INF, "1/s", "integral gain"),
    ParamSpec::number("d", Number(0.0), -INF, INF, "s", "derivative gain"),
    ParamSpec::number(
        "derivative_tau",
        Number(0.0),
        0.0,
        1e6,
        "s",
        "time constant of the derivative's filter",
    ),
    ParamSpec::number("u_clamp_max", Number(NONE), -INF, INF, "units", "largest output"),
    ParamSpec::number(
        "u_clamp_min",
        Number(NONE),
        -INF,
        INF,
        "units",
        "smallest output; not set = -u_clamp_max",
    ),
    ParamSpec::number("i_clamp_max", Number(NONE), -INF, INF, "units", "largest integral term"),
    ParamSpec::number(
        "i_clamp_min",
        Number(NONE),
        -INF,
        INF,
        "units",
        "smallest integral term; not set = -i_clamp_max",
    ),
    ParamSpec::text(
        "antiwindup_strategy",
        Word("none"),
        &["none", "back_calculation", "conditional_integration"],
        "what keeps the integral from winding up",
    ),
    ParamSpec::number(
        "tracking_time_constant",
        Number(0.0),
        0.0,
        1e6,
        "s",
        "of back_calculation; 0 = from the gains",
    ),
    ParamSpec::number("error_deadband", Number(0.0), 0.0, INF, "units", "the integral rests within it"),
];
const SPEED: ParamSpec = ParamSpec::number("speed", Number(NONE), TINY, INF, "units/s", "largest speed");
const FUSION: &[ParamSpec] = &[
    ParamSpec::text("method", Word("linear"), &["linear", "exp"], "how the weight of `from` falls"),
    TAU,
    ParamSpec::number("speed", Number(NONE), TINY, INF, "units/s", "largest speed, with `exp`"),
    ParamSpec::number("from", Number(0.0), -INF, INF, "units", "where every start fades in from"),
];
const TRANSIENT: &[ParamSpec] = &[
    ParamSpec::text("method", Word("linear"), &["linear", "exp"], "how the output goes to the input"),
    ParamSpec::number("tau", Number(0.1), TINY, 1e6, "s", "time constant of `exp`"),
    SPEED,
];
const TRANSIENT_SECOND: &[ParamSpec] = &[
    TAU,
    ParamSpec::number("acceleration", Number(NONE), TINY, INF, "units/s²", "largest acceleration"),
    SPEED,
];
const OBSERVATIONS: &[ParamSpec] = &[ParamSpec::number(
    "number_of_observations",
    Required,
    1.0,
    10_000.0,
    "",
    "samples, the newest included",
)
.of(Kind::Integer)];
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
    TypeInfo { name, only: None, params, make, has_period: false }
}

const fn timed(name: &'static str, make: Make, params: &'static [ParamSpec]) -> TypeInfo {
    TypeInfo { name, only: None, params, make, has_period: true }
}

const fn only(name: &'static str, kind: SignalKind, make: Make, params: &'static [ParamSpec]) -> TypeInfo {
    TypeInfo { name, only: Some(kind), params, make, has_period: false }
}

const fn numbers(name: &'static str, make: Make, params: &'static [ParamSpec]) -> TypeInfo {
    only(name, SignalKind::Numbers, make, params)
}

const CATALOG: &[TypeInfo] = &[
    timed("Integrator", Make::Integrator, INTEGRATOR),
    timed("Differentiator", Make::Differentiator, DIFFERENTIATOR),
    any("TransferFunction", Make::TransferFunction, TRANSFER_FUNCTION),
    timed("Lag", Make::Lag, &[TAU]),
    timed("LeadLag", Make::LeadLag, LEAD_LAG),
    timed("BiquadLowPass", Make::BiquadLowPass, BIQUAD),
    timed("BiquadHighPass", Make::BiquadHighPass, BIQUAD),
    timed("BiquadBandPass", Make::BiquadBandPass, BIQUAD),
    timed("Notch", Make::Notch, BIQUAD),
    timed("Butterworth", Make::SecondOrderSections, BUTTERWORTH),
    any("Schmitt", Make::Schmitt, SCHMITT),
    any("Backlash", Make::Backlash, BACKLASH),
    any("DeadZone", Make::DeadZone, &[LOW, HIGH]),
    any("Saturation", Make::Saturation, &[LOW, HIGH]),
    any("Increment", Make::Increment, INCREMENT),
    timed("RateLimiter", Make::RateLimiter, RATE_LIMITER),
    any("MovingAverage", Make::MovingAverage, &[WINDOW]),
    any("Median", Make::Median, &[WINDOW]),
    timed("OneEuro", Make::OneEuro, ONE_EURO),
    timed("Pid", Make::Pid, PID),
    timed("Fusion", Make::FadeIn, FUSION),
    timed("Transient", Make::Follower, TRANSIENT),
    timed("TransientSecond", Make::PositionFollower, TRANSIENT_SECOND),
    any("LowPassFilter", Make::LowPassFilter, LOW_PASS),
    any("ExponentialFilter", Make::ExponentialFilter, EXPONENTIAL),
    only("GravityCompensation", SignalKind::Wrench, Make::GravityStage, GRAVITY),
    numbers("control_filters/LowPassFilterDouble", Make::LowPassFilter, LOW_PASS),
    only("control_filters/LowPassFilterWrench", SignalKind::Wrench, Make::LowPassFilter, LOW_PASS),
    numbers("control_filters/ExponentialFilterDouble", Make::ExponentialFilter, EXPONENTIAL),
    numbers("control_filters/RateLimiterDouble", Make::RateLimiter, CONTROL_RATE_LIMITER),
    only("control_filters/GravityCompensationWrench", SignalKind::Wrench, Make::GravityStage, GRAVITY),
    numbers("filters/MeanFilterDouble", Make::MovingAverage, OBSERVATIONS),
    numbers("filters/MeanFilterFloat", Make::MovingAverage, OBSERVATIONS),
    numbers("filters/MultiChannelMeanFilterDouble", Make::MovingAverage, OBSERVATIONS),
    numbers("filters/MultiChannelMeanFilterFloat", Make::MovingAverage, OBSERVATIONS),
    numbers("filters/MedianFilterDouble", Make::Median, OBSERVATIONS),
    numbers("filters/MedianFilterFloat", Make::Median, OBSERVATIONS),
    numbers("filters/MultiChannelMedianFilterDouble", Make::Median, OBSERVATIONS),
    numbers("filters/MultiChannelMedianFilterFloat", Make::Median, OBSERVATIONS),
    numbers("filters/TransferFunctionFilterDouble", Make::TransferFunction, TRANSFER_FUNCTION),
    numbers("filters/MultiChannelTransferFunctionFilterDouble", Make::TransferFunction, TRANSFER_FUNCTION),
    numbers("filters/IncrementFilterInt", Make::Increment, &[]),
    numbers("filters/MultiChannelIncrementFilterInt", Make::Increment, &[]),
];

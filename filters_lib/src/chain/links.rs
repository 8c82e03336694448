//! Which parameters of a chain build which filter.

use super::spec::Settings;
use super::stage::{ChainSignal, GravityStage, Stage, gravity_params};
use crate::check::within;
use crate::control::*;
use crate::differentiator::{DiffMethod, Differentiator, DifferentiatorParams};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::integrator::{Integrator, IntegratorParams, Quadrature};
use crate::link::*;

/// The filters a chain can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Make {
    Integrator,
    Differentiator,
    TransferFunction,
    Lag,
    LeadLag,
    BiquadLowPass,
    Schmitt,
    Backlash,
    DeadZone,
    Saturation,
    RateLimiter,
    ControlRateLimiter,
    MovingAverage,
    Median,
    LowPass,
    Exponential,
    Gravity,
}

impl Make {
    /// Whether it takes its period from the chain.
    pub(crate) const fn needs_period(self) -> bool {
        use Make::*;
        matches!(self, Integrator | Differentiator | Lag | LeadLag | BiquadLowPass | RateLimiter)
    }

    /// Builds the filter.
    pub(crate) fn build<S: ChainSignal>(
        self,
        s: &Settings,
        period: f64,
        x0: &S,
    ) -> Result<Box<dyn Stage<S>>> {
        Ok(match self {
            Make::Integrator => Box::new(Integrator::new(integrator(s, period)?, x0)?),
            Make::Differentiator => Box::new(Differentiator::new(differentiator(s, period)?, x0)?),
            Make::TransferFunction => Box::new(TransferFunction::new(transfer_function(s, period)?, x0)?),
            Make::Lag => Box::new(Lag::new(lag(s, period)?, x0)?),
            Make::LeadLag => Box::new(LeadLag::new(lead_lag(s, period)?, x0)?),
            Make::BiquadLowPass => Box::new(BiquadLowPass::new(biquad(s, period)?, x0)?),
            Make::Schmitt => Box::new(Schmitt::new(schmitt(s, period)?, x0)?),
            Make::Backlash => Box::new(Backlash::new(backlash(s, period)?, x0)?),
            Make::DeadZone => Box::new(DeadZone::new(dead_zone(s, period)?)?),
            Make::Saturation => Box::new(Saturation::new(saturation(s, period)?)?),
            Make::RateLimiter | Make::ControlRateLimiter => {
                Box::new(RateLimiter::new(rate_limiter(s, period)?, x0)?)
            }
            Make::MovingAverage => Box::new(MovingAverage::new(window(s, period)?, x0)?),
            Make::Median => Box::new(Median::new(window(s, period)?, x0)?),
            Make::LowPass => Box::new(LowPassFilter::new(low_pass(s, period)?, x0)?),
            Make::Exponential => Box::new(ExponentialFilter::new(exponential(s, period)?, x0)?),
            Make::Gravity => Box::new(GravityStage(GravityCompensation::new(gravity_params(s)?)?)),
        })
    }
}

fn integrator(s: &Settings, period: f64) -> Result<IntegratorParams> {
    let method = match s.text("method") {
        "trapezoid" => Quadrature::Trapezoid,
        "simpson" => Quadrature::Simpson,
        _ => Quadrature::Euler,
    };
    Ok(IntegratorParams { period, method })
}

fn differentiator(s: &Settings, period: f64) -> Result<DifferentiatorParams> {
    let method = match s.text("method") {
        "inertial" => DiffMethod::Inertial { tau: s.number("tau") },
        "savgol" => DiffMethod::SavitzkyGolay { window: s.count("window"), order: s.count("order") },
        _ => DiffMethod::Difference,
    };
    Ok(DifferentiatorParams { period, method })
}

fn transfer_function(s: &Settings, _period: f64) -> Result<TransferFunctionParams> {
    Ok(TransferFunctionParams { b: s.list("b").to_vec(), a: s.list("a").to_vec() })
}

fn lag(s: &Settings, period: f64) -> Result<LagParams> {
    Ok(LagParams { period, tau: s.number("tau") })
}

fn lead_lag(s: &Settings, period: f64) -> Result<LeadLagParams> {
    let (gain, tau_lead, tau_lag) = (s.number("gain"), s.number("tau_lead"), s.number("tau_lag"));
    Ok(LeadLagParams { period, gain, tau_lead, tau_lag })
}

fn biquad(s: &Settings, period: f64) -> Result<BiquadLowPassParams> {
    Ok(BiquadLowPassParams { period, frequency: s.number("frequency"), quality: s.number("quality") })
}

fn schmitt(s: &Settings, _period: f64) -> Result<SchmittParams> {
    Ok(SchmittParams {
        low: s.number("low"),
        high: s.number("high"),
        output_low: s.number("output_low"),
        output_high: s.number("output_high"),
    })
}

fn backlash(s: &Settings, _period: f64) -> Result<BacklashParams> {
    Ok(BacklashParams { width: s.number("width") })
}

fn dead_zone(s: &Settings, _period: f64) -> Result<DeadZoneParams> {
    Ok(DeadZoneParams { low: s.number("low"), high: s.number("high") })
}

fn saturation(s: &Settings, _period: f64) -> Result<SaturationParams> {
    Ok(SaturationParams { low: s.number("low"), high: s.number("high") })
}

/// A limit that is not set is infinite; a lower one that is not set mirrors the upper, as in `control_filters`. Both
/// layouts of the parameters are read: a name that a layout lacks is "not set".
fn rate_limiter(s: &Settings, period: f64) -> Result<RateLimiterParams> {
    let max_value = s.number_or("max_value", f64::INFINITY);
    let rise = s.number_or("max_first_derivative", s.number_or("max_first_derivative_pos", f64::INFINITY));
    let fall = s.number_or("min_first_derivative", s.number_or("min_first_derivative_neg", -rise));
    let bend = s.number_or("max_second_derivative", f64::INFINITY);
    // `control_filters` can tell rising from falling by the sign of the value; here both signs have the same limits.
    let same =
        |name, wanted: f64, bounds| within(name, s.number(name), s.number_or(name, wanted) == wanted, bounds);
    same("min_first_derivative_pos", fall, "not set or equal to min_first_derivative_neg")?;
    same("max_first_derivative_neg", rise, "not set or equal to max_first_derivative_pos")?;
    same("min_second_derivative", -bend, "not set or equal to -max_second_derivative")?;
    Ok(RateLimiterParams {
        period: s.number_or("sampling_interval", period),
        min_value: s.number_or("min_value", -max_value),
        max_value,
        min_first_derivative: fall,
        max_first_derivative: rise,
        max_second_derivative: bend,
    })
}

fn window(s: &Settings, _period: f64) -> Result<WindowParams> {
    Ok(WindowParams { window: s.count("window") })
}

fn low_pass(s: &Settings, _period: f64) -> Result<LowPassParams> {
    Ok(LowPassParams {
        sampling_frequency: s.number("sampling_frequency"),
        damping_frequency: s.number("damping_frequency"),
        damping_intensity: s.number("damping_intensity"),
    })
}

fn exponential(s: &Settings, _period: f64) -> Result<ExponentialParams> {
    Ok(ExponentialParams { alpha: s.number("alpha") })
}

/// A filter whose input, output and state are the chain's signal: `$x0` says how it starts, `$reset` how it waits.
macro_rules! stage {
    ($filter:ident, $params:ident, |$f:ident, $x:ident| $start:expr, |$r:ident| $reset:expr $(, |$b:ident, $u:ident| $begin:expr)?) => {
        impl<S: ChainSignal> Stage<S> for $filter<S> {
            fn configure(&mut self, settings: &Settings, period: f64) -> Result<()> {
                self.set_params($params(settings, period)?)
            }

            fn start(&mut self, $x: &S) -> Result<()> {
                let $f = self;
                $start
            }

            $(fn begin(&mut self, $u: &S) -> Result<()> {
                let $b = self;
                $begin
            })?

            fn output(&self, u: &S, y: &mut S) -> Result<()> {
                self.output_into(u, y)
            }

            fn step(&mut self, u: &S) -> Result<()> {
                Filter::step(self, u)
            }

            fn copy(&self) -> Box<dyn Stage<S>> {
                Box::new(self.clone())
            }

            fn reset(&mut self) {
                let $r = self;
                $reset
            }

            fn at_rest(&self, u: &S) -> Result<S> {
                Filter::output(self, u)
            }
        }
    };
    ($filter:ident, $params:ident) => {
        stage!($filter, $params, |f, x0| Filter::start(f, x0), |_f| ());
    };
    ($filter:ident, $params:ident, begin |$b:ident, $u:ident| $begin:expr) => {
        stage!($filter, $params, |f, x0| Filter::start(f, x0), |_f| (), |$b, $u| $begin);
    };
}

/// A signal like `like` with the same number everywhere.
fn filled<S: ChainSignal>(like: &S, number: f64) -> S {
    let mut signal = like.clone();
    signal.elements_mut().fill(number);
    signal
}

stage!(Integrator, integrator, begin | f, u | Filter::start(f, &filled(u, 0.0)));
stage!(Differentiator, differentiator);
stage!(
    TransferFunction,
    transfer_function,
    begin | f,
    u | match Filter::start(f, u) {
        // It integrates: there is no rest but at zero.
        Err(Error::NoSteadyState) => Filter::start(f, &filled(u, 0.0)),
        other => other,
    }
);
stage!(Lag, lag);
stage!(LeadLag, lead_lag);
stage!(BiquadLowPass, biquad);
stage!(
    Schmitt,
    schmitt,
    begin | f,
    u | {
        let low = f.params().output_low;
        Filter::start(f, &filled(u, low))
    }
);
stage!(Backlash, backlash);
stage!(RateLimiter, rate_limiter);
stage!(MovingAverage, window);
stage!(Median, window);
stage!(DeadZone, dead_zone, |f, _x0| Filter::start(f, &()), |_f| ());
stage!(Saturation, saturation, |f, _x0| Filter::start(f, &()), |_f| ());
stage!(LowPassFilter, low_pass, |f, x0| Filter::start(f, x0), |f| f.reset());
stage!(ExponentialFilter, exponential, |f, x0| Filter::start(f, x0), |f| f.reset());

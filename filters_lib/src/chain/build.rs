//! From parameters to filters.

use super::adapters::{FadeIn, GravityStage, PositionFollower};
use super::params;
use super::spec::Settings;
use super::stage::{ChainSignal, Stage};
use crate::error::Result;
use crate::filter::Filter;
use crate::*;

/// Which filter a type of the catalog builds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Make {
    Integrator,
    Differentiator,
    TransferFunction,
    Lag,
    LeadLag,
    BiquadLowPass,
    BiquadHighPass,
    BiquadBandPass,
    Notch,
    Butterworth,
    Schmitt,
    Backlash,
    RateLimiter,
    MovingAverage,
    Median,
    LowPass,
    Exponential,
    OneEuro,
    Pid,
    Transient,
    TransientSecond,
    DeadZone,
    Saturation,
    Increment,
    Gravity,
    Fusion,
}

impl Make {
    /// Builds the filter.
    pub(crate) fn build<S: ChainSignal>(
        self,
        s: &Settings,
        period: f64,
        x0: &S,
    ) -> Result<Box<dyn Stage<S>>> {
        Ok(match self {
            Make::Integrator => Box::new(Integrator::new(params::integrator(s, period)?, x0)?),
            Make::Differentiator => Box::new(Differentiator::new(params::differentiator(s, period)?, x0)?),
            Make::TransferFunction => {
                Box::new(TransferFunction::new(params::transfer_function(s, period)?, x0)?)
            }
            Make::Lag => Box::new(Lag::new(params::lag(s, period)?, x0)?),
            Make::LeadLag => Box::new(LeadLag::new(params::lead_lag(s, period)?, x0)?),
            Make::BiquadLowPass => Box::new(BiquadLowPass::new(params::biquad(s, period)?, x0)?),
            Make::BiquadHighPass => Box::new(BiquadHighPass::new(params::biquad(s, period)?, x0)?),
            Make::BiquadBandPass => Box::new(BiquadBandPass::new(params::biquad(s, period)?, x0)?),
            Make::Notch => Box::new(Notch::new(params::biquad(s, period)?, x0)?),
            Make::Butterworth => Box::new(SecondOrderSections::new(params::butterworth(s, period)?, x0)?),
            Make::Schmitt => Box::new(Schmitt::new(params::schmitt(s, period)?, x0)?),
            Make::Backlash => Box::new(Backlash::new(params::backlash(s, period)?, x0)?),
            Make::RateLimiter => Box::new(RateLimiter::new(params::rate_limiter(s, period)?, x0)?),
            Make::MovingAverage => Box::new(MovingAverage::new(params::window(s, period)?, x0)?),
            Make::Median => Box::new(Median::new(params::window(s, period)?, x0)?),
            Make::LowPass => Box::new(LowPassFilter::new(params::low_pass(s, period)?, x0)?),
            Make::Exponential => Box::new(ExponentialFilter::new(params::exponential(s, period)?, x0)?),
            Make::OneEuro => Box::new(OneEuro::new(params::one_euro(s, period)?, x0)?),
            Make::Pid => Box::new(Pid::new(params::pid(s, period)?, x0)?),
            Make::Transient => Box::new(Follower::new(params::transient(s, period)?, x0)?),
            Make::TransientSecond => {
                Box::new(PositionFollower::new(params::transient_second(s, period)?, x0)?)
            }
            Make::DeadZone => Box::new(DeadZone::new(params::dead_zone(s, period)?)?),
            Make::Saturation => Box::new(Saturation::new(params::saturation(s, period)?)?),
            Make::Increment => Box::new(Increment::new(params::increment(s, period)?)?),
            Make::Gravity => Box::new(GravityStage::new(params::gravity(s, period)?)?),
            Make::Fusion => Box::new(FadeIn::new(params::fusion(s, period)?, s.number("from"), x0)?),
        })
    }
}

/// A filter that takes the parameters that `$params` reads, and what else it does differently.
macro_rules! stage {
    ($filter:ident, $params:ident $(, $other:item)*) => {
        impl<S: ChainSignal> Stage<S> for $filter<S> {
            fn configure(&mut self, settings: &Settings, period: f64) -> Result<()> {
                self.set_params(params::$params(settings, period)?)
            }

            fn copy(&self) -> Box<dyn Stage<S>> {
                Box::new(self.clone())
            }

            $($other)*
        }
    };
}

stage!(
    Integrator,
    integrator,
    fn rest(&mut self, _u: &S) -> Result<()> {
        // Under a constant input it does not rest: it begins empty.
        self.reset();
        Ok(())
    }
);
stage!(Differentiator, differentiator);
stage!(TransferFunction, transfer_function);
stage!(Lag, lag);
stage!(LeadLag, lead_lag);
stage!(BiquadLowPass, biquad);
stage!(BiquadHighPass, biquad);
stage!(BiquadBandPass, biquad);
stage!(Notch, biquad);
stage!(SecondOrderSections, butterworth);
stage!(Schmitt, schmitt);
stage!(Backlash, backlash);
stage!(RateLimiter, rate_limiter);
stage!(MovingAverage, window);
stage!(Median, window);
stage!(LowPassFilter, low_pass);
stage!(ExponentialFilter, exponential);
stage!(OneEuro, one_euro);
stage!(Pid, pid);
stage!(Follower, transient);
stage!(PositionFollower, transient_second);
stage!(DeadZone, dead_zone);
stage!(Saturation, saturation);
stage!(Increment, increment);
stage!(
    GravityStage,
    gravity,
    fn set_frames(&mut self, frames: &GravityFrames) -> Result<()> {
        self.inner.set_frames(*frames)
    }
);

impl<S: ChainSignal> Stage<S> for FadeIn<S> {
    fn configure(&mut self, settings: &Settings, period: f64) -> Result<()> {
        self.set_params(params::fusion(settings, period)?, settings.number("from"))
    }

    fn copy(&self) -> Box<dyn Stage<S>> {
        Box::new(self.clone())
    }
}

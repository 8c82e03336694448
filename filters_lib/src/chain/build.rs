//! From parameters to filters.

use super::adapters::{FadeIn, GravityStage, PositionFollower};
use super::params;
use super::spec::Settings;
use super::stage::{Stage, Stages};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::signal::VectorSpace;
use crate::*;

/// The filters of chains: each with what reads its parameters, whether it is made at a value x0, and what else it does
/// differently. Those of `blends` work on every signal, those of `numbers` on lists of numbers.
macro_rules! filters {
    (
        |$s:ident, $period:ident, $x0:ident|
        blends { $($blend:ident($blend_params:ident);)* }
        numbers { $($filter:ident($params:ident $(, $at:ident)?) $({ $($other:item)* })?;)* }
    ) => {
        /// Which filter a type of the catalog builds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Make {
            $($blend,)*
            $($filter,)*
        }

        impl Make {
            /// Whether it works on orientations and poses too.
            pub(crate) const fn fits_curved(self) -> bool {
                matches!(self, $(Make::$blend)|*)
            }

            /// A filter that works on every signal.
            pub(super) fn blend<S: Stages>(
                self, $s: &Settings, $period: f64, $x0: &S,
            ) -> Result<Box<dyn Stage<S>>> {
                Ok(match self {
                    $(Make::$blend => Box::new($blend::new(params::$blend_params($s, $period)?, $x0)?),)*
                    _ => return Err(Error::WrongSignal),
                })
            }

            /// Any filter, for a list of numbers.
            pub(super) fn build<S: VectorSpace + Send + 'static>(
                self, $s: &Settings, $period: f64, $x0: &S,
            ) -> Result<Box<dyn Stage<S>>> {
                Ok(match self {
                    $(Make::$filter => Box::new($filter::new(params::$params($s, $period)? $(, $at)?)?),)*
                    _ => return self.blend($s, $period, $x0),
                })
            }
        }

        $(filters!(stage Stages, $blend, $blend_params);)*
        $(filters!(stage VectorSpace, $filter, $params $(, $($other)*)?);)*
    };
    (stage $signal:ident, $filter:ident, $params:ident $(, $($other:item)*)?) => {
        impl<S: $signal + Send + 'static> Stage<S> for $filter<S> {
            fn configure(&mut self, settings: &Settings, period: f64) -> Result<()> {
                self.set_params(params::$params(settings, period)?)
            }

            fn copy(&self) -> Box<dyn Stage<S>> {
                Box::new(self.clone())
            }

            $($($other)*)?
        }
    };
}

filters!(
    |s, period, x0|
    blends {
        FadeIn(fade_in);
        Follower(transient);
        PositionFollower(transient_second);
    }
    numbers {
        Integrator(integrator, x0) {
            fn rest(&mut self, _u: &S) -> Result<()> {
                // Under a constant input it does not rest: it begins empty.
                self.reset();
                Ok(())
            }
        };
        Differentiator(differentiator, x0);
        TransferFunction(transfer_function, x0);
        Lag(lag, x0);
        LeadLag(lead_lag, x0);
        BiquadLowPass(biquad, x0);
        BiquadHighPass(biquad, x0);
        BiquadBandPass(biquad, x0);
        Notch(biquad, x0);
        SecondOrderSections(butterworth, x0);
        Schmitt(schmitt, x0);
        Backlash(backlash, x0);
        DeadZone(dead_zone);
        Saturation(saturation);
        Increment(increment);
        RateLimiter(rate_limiter, x0);
        MovingAverage(window, x0);
        Median(window, x0);
        LowPassFilter(low_pass, x0);
        ExponentialFilter(exponential, x0);
        OneEuro(one_euro, x0);
        Pid(pid, x0);
        GravityStage(gravity) {
            fn set_frames(&mut self, frames: &GravityFrames) -> Result<()> {
                self.inner.set_frames(*frames)
            }
        };
    }
);

//! Standard links: each works element by element on any vector space.

mod backlash;
mod biquad;
mod dead_zone;
mod lag;
mod lead_lag;
mod median;
mod moving_average;
mod rate_limiter;
mod saturation;
mod schmitt;
mod transfer_function;

pub use backlash::{Backlash, BacklashParams};
pub use biquad::{BiquadLowPass, BiquadLowPassParams};
pub use dead_zone::{DeadZone, DeadZoneParams};
pub use lag::{Lag, LagParams};
pub use lead_lag::{LeadLag, LeadLagParams};
pub use median::Median;
pub use moving_average::{MovingAverage, WindowParams};
pub use rate_limiter::{RateLimiter, RateLimiterParams};
pub use saturation::{Saturation, SaturationParams};
pub use schmitt::{Schmitt, SchmittParams};
pub use transfer_function::{TransferFunction, TransferFunctionParams};

use crate::check::same_length;
use crate::error::Result;
use crate::signal::{Signal, VectorSpace};

/// Checks an input against the filter's size.
#[inline]
pub(crate) fn check_like<V: VectorSpace>(what: &'static str, size: usize, u: &V) -> Result<()> {
    same_length(what, size, u.size())?;
    u.check(what)
}

/// y = f(u, x), element by element.
#[inline]
pub(crate) fn map_into<V: VectorSpace>(u: &V, x: &V, y: &mut V, f: impl Fn(f64, f64) -> f64) -> Result<()> {
    check_like("u", x.size(), u)?;
    same_length("y", x.size(), y.size())?;
    for (y, (u, x)) in y.elements_mut().iter_mut().zip(u.elements().iter().zip(x.elements())) {
        *y = f(*u, *x);
    }
    Ok(())
}

/// x = f(u, x), element by element.
#[inline]
pub(crate) fn map_state<V: VectorSpace>(u: &V, x: &mut V, f: impl Fn(f64, f64) -> f64) -> Result<()> {
    check_like("u", x.size(), u)?;
    for (x, u) in x.elements_mut().iter_mut().zip(u.elements()) {
        *x = f(*u, *x);
    }
    Ok(())
}

/// (y, x) = f(u, x), element by element: `output` and state step in one pass.
#[inline]
pub(crate) fn map_update<V: VectorSpace>(
    u: &V,
    x: &mut V,
    y: &mut V,
    f: impl Fn(f64, f64) -> (f64, f64),
) -> Result<()> {
    check_like("u", x.size(), u)?;
    same_length("y", x.size(), y.size())?;
    for ((y, x), u) in y.elements_mut().iter_mut().zip(x.elements_mut()).zip(u.elements()) {
        (*y, *x) = f(*u, *x);
    }
    Ok(())
}

/// Sets a state of the same size.
pub(crate) fn set_state<V: VectorSpace>(x: &mut V, x0: &V) -> Result<()> {
    check_like("x0", x.size(), x0)?;
    x.clone_from(x0);
    Ok(())
}

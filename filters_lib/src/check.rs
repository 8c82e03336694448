//! Checks of parameters, each with its bounds in words.

use crate::error::{Error, Result};

/// `value` must be a finite number above zero.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<()> {
    within(name, value, value.is_finite() && value > 0.0, "finite and > 0")
}

/// `value` must be a finite number, zero or more.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<()> {
    within(name, value, value.is_finite() && value >= 0.0, "finite and >= 0")
}

/// `value` must be above zero; infinity means "no limit".
pub(crate) fn positive_or_infinite(name: &'static str, value: f64) -> Result<()> {
    within(name, value, value > 0.0, "> 0 (infinity: no limit)")
}

/// `value` must be a number that is not NaN or infinite.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<()> {
    within(name, value, value.is_finite(), "finite")
}

/// `low` must not exceed `high`; neither may be NaN.
pub(crate) fn ordered(low_name: &'static str, low: f64, high_name: &'static str, high: f64) -> Result<()> {
    if low <= high { Ok(()) } else { Err(Error::Order { low_name, low, high_name, high }) }
}

/// Two limits with at least one number between them; infinite ones mean "no limit".
pub(crate) fn range(low_name: &'static str, low: f64, high_name: &'static str, high: f64) -> Result<()> {
    ordered(low_name, low, high_name, high)?;
    within(low_name, low, low < f64::INFINITY, "below infinity")?;
    within(high_name, high, high > f64::NEG_INFINITY, "above -infinity")
}

/// `Ok` when `ok`, else the parameter with its bounds.
pub(crate) fn within(name: &'static str, value: f64, ok: bool, bounds: &'static str) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::OutOfBounds { name, value, bounds }) }
}

/// The poles of 1 + a1·z⁻¹ + a2·z⁻² lie within the unit circle while 1 + a1 + a2, 1 − a1 + a2 and 1 − a2 are above zero
/// (Jury). Designed coefficients are each some roundings off, together at most 8·ε; where that is more than a millionth of
/// one of the three, gain and poles are no longer those that were asked for.
pub(crate) fn resolved([a1, a2]: [f64; 2]) -> bool {
    const LEAST: f64 = 8.0 * f64::EPSILON / 1e-6;
    [1.0 + a1 + a2, 1.0 - a1 + a2, 1.0 - a2].iter().all(|margin| *margin >= LEAST)
}

/// Two arrays of one filter must have the same number of elements.
#[inline]
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

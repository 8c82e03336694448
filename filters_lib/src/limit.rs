//! A speed or acceleration limit for signals of one or two parts.

use crate::check;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// A limit on the norm of a signal's change. A signal of two parts with different units (pose and twist: linear and
/// angular; wrench: force and torque; joint state: position and velocity; spherical: radius and angle) has one limit
/// for each; a signal of one part uses the first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    parts: [f64; 2],
}

impl Limit {
    /// No limit at all.
    pub const NONE: Limit = Limit { parts: [f64::INFINITY; 2] };

    /// One limit for the first part (linear, force, position, radius), one for the second (angular, torque, velocity,
    /// angle).
    pub fn parts(first: f64, second: f64) -> Self {
        Self { parts: [first, second] }
    }

    /// The two limits.
    pub fn values(&self) -> [f64; 2] {
        self.parts
    }

    /// Refuses zero, negative and NaN limits.
    pub(crate) fn check(&self, name: &'static str) -> Result<()> {
        check::positive_or_infinite(name, self.parts[0])?;
        check::positive_or_infinite(name, self.parts[1])
    }

    /// The share of a step of the sizes `gap` that the limit, times `scale`, lets through, part by part.
    #[inline]
    pub(crate) fn share(&self, gap: [f64; 2], scale: f64) -> [f64; 2] {
        [allowed(gap[0], self.parts[0] * scale), allowed(gap[1], self.parts[1] * scale)]
    }
}

#[inline]
fn allowed(size: f64, limit: f64) -> f64 {
    if size > limit { limit / size } else { 1.0 }
}

impl Default for Limit {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<f64> for Limit {
    /// The same number for both parts.
    fn from(value: f64) -> Self {
        Self { parts: [value; 2] }
    }
}

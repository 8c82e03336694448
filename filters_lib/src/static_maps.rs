//! Filters without a state: saturation, dead zone, increment. New parameters take effect at once.

use crate::check::{finite, ordered, range};
use crate::elementwise::{clip, static_map};
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Parameters of a [`Saturation`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaturationParams {
    /// Smallest output; −∞ = none.
    pub low: f64,
    /// Largest output; ∞ = none.
    pub high: f64,
}

impl SaturationParams {
    /// Refuses bounds in the wrong order; NaN is no bound.
    pub fn check(&self) -> Result<()> {
        range("low", self.low, "high", self.high)
    }
}

static_map!(
    /// y = min(max(u, low), high).
    ///
    /// ```
    /// # use filters_lib::{Filter, Saturation, SaturationParams};
    /// let clip = Saturation::new(SaturationParams { low: -1.0, high: 1.0 })?;
    /// assert_eq!((clip.output(&0.5)?, clip.output(&1.5)?), (0.5, 1.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    Saturation, SaturationParams, |p: &SaturationParams, u: f64| clip(u, p.low, p.high)
);

/// Parameters of a [`DeadZone`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeadZoneParams {
    /// Lower edge, units of the signal.
    pub low: f64,
    /// Upper edge, units of the signal.
    pub high: f64,
}

impl DeadZoneParams {
    /// Refuses bounds in the wrong order and edges that are not finite.
    pub fn check(&self) -> Result<()> {
        finite("low", self.low)?;
        finite("high", self.high)?;
        ordered("low", self.low, "high", self.high)
    }
}

static_map!(
    /// y = u − min(max(u, low), high): nothing inside the zone, the distance to its edge outside.
    ///
    /// ```
    /// # use filters_lib::{Filter, DeadZone, DeadZoneParams};
    /// let zone = DeadZone::new(DeadZoneParams { low: -1.0, high: 1.0 })?;
    /// assert_eq!((zone.output(&0.5)?, zone.output(&1.5)?, zone.output(&-3.0)?), (0.0, 0.5, -2.0));
    /// # Ok::<(), filters_lib::Error>(())
    /// ```
    DeadZone, DeadZoneParams, |p: &DeadZoneParams, u: f64| u - clip(u, p.low, p.high)
);

/// Parameters of an [`Increment`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncrementParams {
    /// What is added, units of the signal; 1 in the ROS package `filters`.
    pub increment: f64,
}

impl IncrementParams {
    /// Refuses an increment that is not finite.
    pub fn check(&self) -> Result<()> {
        finite("increment", self.increment)
    }
}

static_map!(
    /// y = u + increment, the `IncrementFilter` of the ROS package `filters`.
    Increment, IncrementParams, |p: &IncrementParams, u: f64| u + p.increment
);

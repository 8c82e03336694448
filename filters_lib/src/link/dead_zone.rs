//! Dead zone.

use super::{clip, map_into};
use crate::check::{finite, ordered};
use crate::error::Result;
use crate::filter::Params;
use crate::memoryless::{Memoryless, MemorylessLaw};
use crate::signal::VectorSpace;

/// Parameters of a [`DeadZone`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeadZoneParams {
    /// Lower edge, units of the signal.
    pub low: f64,
    /// Upper edge, units of the signal.
    pub high: f64,
}

impl Params for DeadZoneParams {
    type Ready = ();

    /// Refuses bounds in the wrong order and edges that are not finite.
    fn check(&self) -> Result<()> {
        finite("low", self.low)?;
        finite("high", self.high)?;
        ordered("low", self.low, "high", self.high)
    }
}

/// y = u − min(max(u, low), high): nothing inside the zone, the distance to its edge outside. It has no state.
///
/// ```
/// # use filters_lib::{Filter, DeadZone, DeadZoneParams};
/// let zone = DeadZone::new(DeadZoneParams { low: -1.0, high: 1.0 })?;
/// assert_eq!((zone.output(&0.5)?, zone.output(&1.5)?, zone.output(&-3.0)?), (0.0, 0.5, -2.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type DeadZone<S> = Memoryless<S, DeadZoneParams>;

impl<S: VectorSpace> MemorylessLaw<S> for DeadZoneParams {
    type Input = S;

    #[inline]
    fn output_into(&self, _ready: &(), u: &S, y: &mut S) -> Result<()> {
        let Self { low, high } = *self;
        map_into(u, y, |u| u - clip(u, low, high))
    }
}

//! Saturation.

use super::{clip, map_into};
use crate::check::ordered;
use crate::error::Result;
use crate::filter::Params;
use crate::memoryless::{Memoryless, MemorylessLaw};
use crate::signal::VectorSpace;

/// Parameters of a [`Saturation`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturationParams {
    /// Smallest output; −∞ = none.
    pub low: f64,
    /// Largest output; ∞ = none.
    pub high: f64,
}

impl Params for SaturationParams {
    type Ready = ();

    /// Refuses bounds in the wrong order; NaN is no bound.
    fn check(&self) -> Result<()> {
        ordered("low", self.low, "high", self.high)
    }
}

/// y = min(max(u, low), high). It has no state.
///
/// ```
/// # use filters_lib::{Filter, Saturation, SaturationParams};
/// let clip = Saturation::new(SaturationParams { low: -1.0, high: 1.0 })?;
/// assert_eq!((clip.output(&0.5)?, clip.output(&1.5)?), (0.5, 1.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type Saturation<S> = Memoryless<S, SaturationParams>;

impl<S: VectorSpace> MemorylessLaw<S> for SaturationParams {
    type Input = S;

    #[inline]
    fn output_into(&self, _ready: &(), u: &S, y: &mut S) -> Result<()> {
        let Self { low, high } = *self;
        map_into(u, y, |u| clip(u, low, high))
    }
}

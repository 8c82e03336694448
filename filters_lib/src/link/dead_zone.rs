//! Dead zone.

use crate::check::{finite, ordered, same_length};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};
use std::marker::PhantomData;

/// Parameters of a [`DeadZone`].
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// y = u − min(max(u, low), high): nothing inside the zone, the distance to its edge outside. It has no state.
///
/// ```
/// # use filters_lib::{Filter, DeadZone, DeadZoneParams};
/// let zone = DeadZone::new(DeadZoneParams { low: -1.0, high: 1.0 })?;
/// assert_eq!((zone.output(&0.5)?, zone.output(&1.5)?, zone.output(&-3.0)?), (0.0, 0.5, -2.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DeadZone<S> {
    params: DeadZoneParams,
    signal: PhantomData<S>,
}

impl<S: VectorSpace> DeadZone<S> {
    /// With validated parameters.
    pub fn new(params: DeadZoneParams) -> Result<Self> {
        params.check()?;
        Ok(Self { params, signal: PhantomData })
    }

    /// Replaces the parameters.
    pub fn set_params(&mut self, params: DeadZoneParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &DeadZoneParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for DeadZone<S> {
    type State = ();
    type Input = S;
    type Output = S;

    fn start(&mut self, _x0: &()) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        same_length("y", u.size(), y.size())?;
        u.check("u")?;
        let DeadZoneParams { low, high } = self.params;
        for (y, u) in y.elements_mut().iter_mut().zip(u.elements()) {
            *y = u - u.max(low).min(high);
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        u.check("u")
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

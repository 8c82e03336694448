//! Saturation.

use crate::check::{ordered, same_length};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};
use std::marker::PhantomData;

/// Parameters of a [`Saturation`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturationParams {
    /// Smallest output; −∞ = none.
    pub low: f64,
    /// Largest output; ∞ = none.
    pub high: f64,
}

impl SaturationParams {
    /// Refuses bounds in the wrong order; NaN is no bound.
    pub fn check(&self) -> Result<()> {
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
#[derive(Debug, Clone)]
pub struct Saturation<S> {
    params: SaturationParams,
    signal: PhantomData<S>,
}

impl<S: VectorSpace> Saturation<S> {
    /// With validated parameters.
    pub fn new(params: SaturationParams) -> Result<Self> {
        params.check()?;
        Ok(Self { params, signal: PhantomData })
    }

    /// Replaces the parameters.
    pub fn set_params(&mut self, params: SaturationParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &SaturationParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for Saturation<S> {
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
        let SaturationParams { low, high } = self.params;
        for (y, u) in y.elements_mut().iter_mut().zip(u.elements()) {
            *y = u.max(low).min(high);
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

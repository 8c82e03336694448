//! Schmitt trigger.

use super::{map_into, map_state, map_update, set_state};
use crate::check::{finite, ordered};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};

/// Parameters of a [`Schmitt`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SchmittParams {
    /// At or below this input the output goes low.
    pub low: f64,
    /// At or above this input the output goes high.
    pub high: f64,
    /// Output when low.
    pub output_low: f64,
    /// Output when high.
    pub output_high: f64,
}

impl SchmittParams {
    /// Refuses thresholds in the wrong order and numbers that are not finite.
    pub fn check(&self) -> Result<()> {
        let Self { low, high, output_low, output_high } = *self;
        for (name, value) in
            [("low", low), ("high", high), ("output_low", output_low), ("output_high", output_high)]
        {
            finite(name, value)?;
        }
        ordered("low", low, "high", high)
    }

    #[inline]
    fn switch(&self, u: f64, x: f64) -> f64 {
        if u >= self.high {
            self.output_high
        } else if u <= self.low {
            self.output_low
        } else {
            x
        }
    }
}

/// Hysteresis: y\[k\] is high for u\[k\] ≥ high, low for u\[k\] ≤ low, and x\[k\] in between; x\[k+1\] = y\[k\].
///
/// ```
/// # use filters_lib::{Filter, Schmitt, SchmittParams};
/// let params = SchmittParams { low: 1.0, high: 2.0, output_low: 0.0, output_high: 1.0 };
/// let mut trigger = Schmitt::new(params, &0.0)?;
/// assert_eq!((trigger.update(&1.5)?, trigger.update(&2.5)?, trigger.update(&1.5)?), (0.0, 1.0, 1.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Schmitt<S> {
    params: SchmittParams,
    x: S,
}

impl<S: VectorSpace> Schmitt<S> {
    /// Starts with the output `x0`, low or high.
    pub fn new(params: SchmittParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, x: x0.clone() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: SchmittParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &SchmittParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for Schmitt<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        set_state(&mut self.x, x0)
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        let params = self.params;
        map_into(u, &self.x, y, |u, x| params.switch(u, x))
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        let params = self.params;
        map_state(u, &mut self.x, |u, x| params.switch(u, x))
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        let params = self.params;
        map_update(u, &mut self.x, y, |u, x| {
            let y = params.switch(u, x);
            (y, y)
        })
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }
}

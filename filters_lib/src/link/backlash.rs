//! Backlash (play).

use super::{map_into, map_state, map_update, set_state};
use crate::check::not_negative;
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Signal, VectorSpace};

/// Parameters of a [`Backlash`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BacklashParams {
    /// Full width of the play, units of the signal.
    pub width: f64,
}

impl BacklashParams {
    /// Refuses a negative width.
    pub fn check(&self) -> Result<()> {
        not_negative("width", self.width)
    }
}

/// Play between a driving and a driven part: y\[k\] = min(max(x\[k\], u\[k\] − w/2), u\[k\] + w/2), x\[k+1\] = y\[k\].
///
/// ```
/// # use filters_lib::{Filter, Backlash, BacklashParams};
/// let mut play = Backlash::new(BacklashParams { width: 1.0 }, &0.0)?;
/// assert_eq!((play.update(&0.4)?, play.update(&2.0)?, play.update(&1.5)?), (0.0, 1.5, 1.5));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Backlash<S> {
    params: BacklashParams,
    x: S,
}

impl<S: VectorSpace> Backlash<S> {
    /// Starts with the driven part at `x0`.
    pub fn new(params: BacklashParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, x: x0.clone() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: BacklashParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &BacklashParams {
        &self.params
    }
}

impl<S: VectorSpace> Filter for Backlash<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        set_state(&mut self.x, x0)
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        let half = 0.5 * self.params.width;
        map_into(u, &self.x, y, |u, x| x.max(u - half).min(u + half))
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        let half = 0.5 * self.params.width;
        map_state(u, &mut self.x, |u, x| x.max(u - half).min(u + half))
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        let half = 0.5 * self.params.width;
        map_update(u, &mut self.x, y, |u, x| {
            let y = x.max(u - half).min(u + half);
            (y, y)
        })
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }
}

//! Backlash (play).

use super::{Link, LinkLaw, clip};
use crate::check::not_negative;
use crate::error::Result;
use crate::filter::Params;

/// Parameters of a [`Backlash`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BacklashParams {
    /// Full width of the play, units of the signal.
    pub width: f64,
}

impl Params for BacklashParams {
    type Ready = ();

    /// Refuses a negative width.
    fn check(&self) -> Result<()> {
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
pub type Backlash<S> = Link<S, BacklashParams, 1>;

impl LinkLaw<1> for BacklashParams {
    #[inline]
    fn step(&self, _ready: &(), u: f64, [x]: [f64; 1]) -> (f64, [f64; 1]) {
        let half = 0.5 * self.width;
        let y = clip(x, u - half, u + half);
        (y, [y])
    }
}

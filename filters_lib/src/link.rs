//! Standard links: each works element by element on any vector space.

mod backlash;
mod biquad;
mod dead_zone;
mod lag;
mod lead_lag;
mod median;
mod moving_average;
mod rate_limiter;
mod saturation;
mod schmitt;
mod transfer_function;

pub use backlash::{Backlash, BacklashParams};
pub use biquad::{BiquadLowPass, BiquadLowPassParams};
pub use dead_zone::{DeadZone, DeadZoneParams};
pub use lag::{Lag, LagParams};
pub use lead_lag::{LeadLag, LeadLagParams};
pub use median::Median;
pub use moving_average::{MovingAverage, WindowParams};
pub use rate_limiter::{RateLimiter, RateLimiterParams};
pub use saturation::{Saturation, SaturationParams};
pub use schmitt::{Schmitt, SchmittParams};
pub use transfer_function::{TransferFunction, TransferFunctionParams};

use crate::check::same_length;
use crate::error::Result;
use crate::filter::{Filter, Params};
use crate::signal::{Signal, VectorSpace};
use crate::sweep::{refuse_flaws, sweep};

/// What a [`Link`] with a memory of `N` numbers does with each element.
pub trait LinkLaw<const N: usize>: Params {
    /// The memory that a start at `x0` leaves.
    #[inline]
    fn memory(_ready: &Self::Ready, x0: f64) -> [f64; N] {
        [x0; N]
    }

    /// y\[k\] and x\[k+1\] from u\[k\] and x\[k\].
    fn step(&self, ready: &Self::Ready, u: f64, x: [f64; N]) -> (f64, [f64; N]);
}

/// A filter that works on each element alone, by the law `L` with a memory of `N` numbers.
#[derive(Debug, Clone)]
pub struct Link<S, L: Params, const N: usize> {
    params: L,
    ready: L::Ready,
    x: [S; N],
    // x[k+1] is built here and takes its place once the whole input is known to be finite.
    next: [S; N],
    // The output of a state step alone.
    unseen: S,
}

impl<S: VectorSpace, L: LinkLaw<N>, const N: usize> Link<S, L, N> {
    /// Starts at `x0`; a link with a gain starts as if the input had been `x0` for ever.
    pub fn new(params: L, x0: &S) -> Result<Self> {
        let x = [(); N].map(|()| x0.clone());
        let mut link = Self { params, ready: params.check()?, next: x.clone(), x, unseen: x0.clone() };
        link.start(x0)?;
        Ok(link)
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: L) -> Result<()> {
        self.ready = params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &L {
        &self.params
    }

    /// How many elements.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.x[0].size()
    }
}

impl<S: VectorSpace, L: LinkLaw<N>, const N: usize> Filter for Link<S, L, N> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.size(), x0)?;
        for (e, x0) in x0.elements().iter().enumerate() {
            let memory = L::memory(&self.ready, *x0);
            self.x.iter_mut().zip(memory).for_each(|(x, memory)| x.elements_mut()[e] = memory);
        }
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        same_length("u", self.size(), u.size())?;
        same_length("y", self.size(), y.size())?;
        let (params, ready, u) = (self.params, self.ready, u.elements());
        let flaws = sweep(u, self.x.each_ref().map(S::elements), y.elements_mut(), [], |u, x| {
            (params.step(&ready, u, x).0, [], u)
        });
        refuse_flaws(flaws, "u", u)
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        let Self { params, ready, x, next, unseen } = self;
        advance((*params, *ready), u, x, next, unseen)
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        advance((self.params, self.ready), u, &mut self.x, &mut self.next, y)
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

/// Output and state step of a [`Link`].
#[inline]
fn advance<S: VectorSpace, L: LinkLaw<N>, const N: usize>(
    (params, ready): (L, L::Ready),
    u: &S,
    x: &mut [S; N],
    next: &mut [S; N],
    y: &mut S,
) -> Result<()> {
    same_length("u", x[0].size(), u.size())?;
    same_length("y", x[0].size(), y.size())?;
    let (u, after) = (u.elements(), next.each_mut().map(S::elements_mut));
    let flaws = sweep(u, x.each_ref().map(S::elements), y.elements_mut(), after, |u, x| {
        let (y, after) = params.step(&ready, u, x);
        (y, after, u)
    });
    refuse_flaws(flaws, "u", u)?;
    std::mem::swap(x, next);
    Ok(())
}

/// Checks an input against the filter's size.
#[inline]
pub(crate) fn check_like<V: VectorSpace>(what: &'static str, size: usize, u: &V) -> Result<()> {
    same_length(what, size, u.size())?;
    u.check(what)
}

/// min(max(u, low), high) for numbers: plain selects, where those of `f64` look for NaN too.
#[inline]
pub(crate) fn clip(u: f64, low: f64, high: f64) -> f64 {
    let above = if u > low { u } else { low };
    if above < high { above } else { high }
}

/// y = f(u), element by element.
#[inline]
pub(crate) fn map_into<V: VectorSpace>(u: &V, y: &mut V, f: impl Fn(f64) -> f64) -> Result<()> {
    same_length("y", u.size(), y.size())?;
    let flaws = sweep(u.elements(), [], y.elements_mut(), [], |u, []| (f(u), [], u));
    refuse_flaws(flaws, "u", u.elements())
}

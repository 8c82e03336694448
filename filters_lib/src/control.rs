//! The filters of the ROS package `control_filters`.

mod exponential;
mod gravity;
mod low_pass;

pub use exponential::{ExponentialFilter, ExponentialParams};
pub use gravity::{GravityCompensation, GravityFrames, GravityParams};
pub use low_pass::{LowPassFilter, LowPassParams};

use crate::check::same_length;
use crate::error::Result;
use crate::filter::{Filter, Params};
use crate::link::{Link, LinkLaw, check_like};
use crate::signal::{Manifold, Signal, VectorSpace};

/// A [`Link`] that starts with its first sample.
#[derive(Debug, Clone)]
pub struct FirstSample<S, L: Params, const N: usize> {
    link: Link<S, L, N>,
    started: bool,
}

impl<S: VectorSpace, L: LinkLaw<N>, const N: usize> FirstSample<S, L, N> {
    /// Waits for its first sample; `like` is any value of the right size.
    pub fn new(params: L, like: &S) -> Result<Self> {
        Ok(Self { link: Link::new(params, &like.zero_velocity())?, started: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: L) -> Result<()> {
        self.link.set_params(params)
    }

    /// The parameters in use.
    pub fn params(&self) -> &L {
        self.link.params()
    }

    /// Waits for a first sample again.
    pub fn reset(&mut self) {
        self.started = false;
    }
}

impl<S: VectorSpace, L: LinkLaw<N>, const N: usize> Filter for FirstSample<S, L, N> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        self.link.start(x0)?;
        self.started = true;
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        if self.started {
            return self.link.output_into(u, y);
        }
        check_like("u", self.link.size(), u)?;
        same_length("y", u.size(), y.size())?;
        y.clone_from(u);
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        if self.started {
            return self.link.step(u);
        }
        check_like("u", self.link.size(), u)?;
        self.start(u)
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        if self.started {
            return self.link.update_into(u, y);
        }
        self.output_into(u, y)?;
        self.start(u)
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

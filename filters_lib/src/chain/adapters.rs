//! Filters of other shapes as filters from a signal to the same signal, for chains.

use super::stage::Stages;
use crate::error::Result;
use crate::filter::{Filter, Interval};
use crate::follower::SecondOrderFollower;
use crate::fusion::{Fusion, FusionParams};
use crate::gravity::{GravityCompensation, GravityParams};
use crate::second_order::Motion;
use crate::second_order_limited::TransientSecondLimitedParams;
use crate::signal::{Manifold, Signal, VectorSpace, Wrench, accept};
use nalgebra::Vector6;
use std::marker::PhantomData;

/// A [`Fusion`] from a constant to the input.
#[derive(Debug, Clone)]
pub(crate) struct FadeIn<S> {
    fusion: Fusion<S>,
    from: S,
}

/// Parameters of a [`FadeIn`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct FadeInParams {
    pub(crate) fusion: FusionParams,
    /// Where it begins, all numbers of the signal alike.
    pub(crate) from: f64,
}

impl<S: Stages> FadeIn<S> {
    pub(crate) fn new(params: FadeInParams, like: &S) -> Result<Self> {
        Ok(Self { fusion: Fusion::new(params.fusion)?, from: like.constant(params.from)? })
    }

    pub(crate) fn set_params(&mut self, params: FadeInParams) -> Result<()> {
        let from = self.from.constant(params.from)?;
        self.fusion.set_params(params.fusion)?;
        self.from = from;
        Ok(())
    }
}

impl<S: Stages> Filter for FadeIn<S> {
    type State = S;
    type Input = S;
    type Output = S;

    /// The input has been there for ever: the passage is over.
    fn start(&mut self, x0: &S) -> Result<()> {
        x0.check("x0")?;
        self.fusion.start(&0.0)
    }

    fn reset(&mut self) {
        self.fusion.reset();
    }

    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.from.size(), u, u.size(), y.size())?;
        self.from.blend_into(u, [1.0 - self.fusion.weight(); 2], y);
        Ok(())
    }

    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.fusion.prepare_between(&self.from, u);
        Ok(())
    }

    fn commit(&mut self) {
        self.fusion.commit();
    }

    fn interval(&self) -> Interval {
        self.fusion.interval()
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

/// A [`SecondOrderFollower`] of positions alone.
#[derive(Debug, Clone)]
pub(crate) struct PositionFollower<S: Manifold> {
    follower: SecondOrderFollower<S>,
    input: Motion<S>,
    output: Motion<S>,
}

impl<S: Manifold> PositionFollower<S> {
    pub(crate) fn new(params: TransientSecondLimitedParams, x0: &S) -> Result<Self> {
        let at = Motion { x: x0.clone(), v: x0.zero_velocity() };
        Ok(Self { follower: SecondOrderFollower::new(params, &at)?, input: at.clone(), output: at })
    }

    pub(crate) fn set_params(&mut self, params: TransientSecondLimitedParams) -> Result<()> {
        self.follower.set_params(params)
    }
}

impl<S: Manifold> Filter for PositionFollower<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        self.input.x.clone_from(x0);
        self.follower.start(&self.input)
    }

    fn reset(&mut self) {
        self.follower.reset();
    }

    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.input.x.size(), u, u.size(), y.size())?;
        y.clone_from(if self.follower.is_empty() { u } else { self.follower.state().0 });
        Ok(())
    }

    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.input.x.clone_from(u);
        self.follower.prepare(&self.input, &mut self.output)
    }

    fn commit(&mut self) {
        self.follower.commit();
    }

    fn interval(&self) -> Interval {
        self.follower.interval()
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

/// Gravity compensation in a chain; the chain builds it for wrenches only.
#[derive(Debug, Clone)]
pub(crate) struct GravityStage<S> {
    pub(crate) inner: GravityCompensation,
    signal: PhantomData<S>,
}

impl<S: VectorSpace> GravityStage<S> {
    pub(crate) fn new(params: GravityParams) -> Result<Self> {
        Ok(Self { inner: GravityCompensation::new(params)?, signal: PhantomData })
    }

    pub(crate) fn set_params(&mut self, params: GravityParams) -> Result<()> {
        self.inner.set_params(params)
    }
}

impl<S: VectorSpace> Filter for GravityStage<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        x0.check("x0")
    }

    fn reset(&mut self) {}

    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(6, u, 6, y.size())?;
        let wrench = Wrench(Vector6::from_iterator(u.elements().iter().copied()));
        y.elements_mut().copy_from_slice(self.inner.output(&wrench)?.0.as_slice());
        Ok(())
    }

    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)
    }

    fn commit(&mut self) {}

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Filters without a state.

use crate::error::Result;
use crate::filter::{Filter, Params};
use crate::signal::{Signal, VectorSpace};
use std::marker::PhantomData;

/// An input of a filter without a state.
pub trait Sample {
    /// What the filter makes of it.
    type Output;

    /// Refuses numbers that are not finite and lengths that differ.
    fn accept(&self) -> Result<()>;

    /// An output of the right size.
    fn blank(&self) -> Self::Output;
}

impl<V: VectorSpace> Sample for V {
    type Output = V;

    #[inline]
    fn accept(&self) -> Result<()> {
        self.check("u")
    }

    fn blank(&self) -> V {
        self.clone()
    }
}

/// What a [`Memoryless`] filter of the signal `S` does with its input.
pub trait MemorylessLaw<S>: Params {
    /// The input u.
    type Input: Sample;

    /// y = g(u), or a refusal of `u` or of the size of `y`.
    fn output_into(
        &self,
        ready: &Self::Ready,
        u: &Self::Input,
        y: &mut <Self::Input as Sample>::Output,
    ) -> Result<()>;
}

/// y = g(u) by the law `L`: the output depends on the present input alone.
#[derive(Debug, Clone)]
pub struct Memoryless<S, L: Params> {
    params: L,
    ready: L::Ready,
    signal: PhantomData<S>,
}

impl<S, L: MemorylessLaw<S>> Memoryless<S, L> {
    /// With validated parameters.
    pub fn new(params: L) -> Result<Self> {
        Ok(Self { params, ready: params.check()?, signal: PhantomData })
    }

    /// Replaces the parameters.
    pub fn set_params(&mut self, params: L) -> Result<()> {
        *self = Self::new(params)?;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &L {
        &self.params
    }
}

impl<S, L: MemorylessLaw<S>> Filter for Memoryless<S, L> {
    type State = ();
    type Input = L::Input;
    type Output = <L::Input as Sample>::Output;

    fn start(&mut self, _x0: &()) -> Result<()> {
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &Self::Input, y: &mut Self::Output) -> Result<()> {
        self.params.output_into(&self.ready, u, y)
    }

    #[inline]
    fn step(&mut self, u: &Self::Input) -> Result<()> {
        u.accept()
    }

    #[inline]
    fn update_into(&mut self, u: &Self::Input, y: &mut Self::Output) -> Result<()> {
        self.output_into(u, y)
    }

    fn blank(&self, u: &Self::Input) -> Self::Output {
        u.blank()
    }
}

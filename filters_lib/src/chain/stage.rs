//! A filter in a chain, whatever its type.

use super::spec::Settings;
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::gravity::GravityFrames;
use crate::signal::{BodyTwist, JointArray, JointState, VectorSpace, WorldTwist, Wrench};
use nalgebra::SVector;
use std::fmt::{self, Debug};

/// What a chain can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind {
    /// A number, or an array of them filtered one by one.
    Numbers,
    /// A wrench.
    Wrench,
    /// A twist.
    Twist,
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SignalKind::Numbers => "double",
            SignalKind::Wrench => "wrench",
            SignalKind::Twist => "twist",
        })
    }
}

/// A signal for chains.
pub trait ChainSignal: VectorSpace + Send + 'static {
    /// What it is.
    const KIND: SignalKind = SignalKind::Numbers;
}

impl ChainSignal for f64 {}
impl ChainSignal for JointArray {}
impl ChainSignal for JointState {}
impl<const N: usize> ChainSignal for SVector<f64, N> {}
impl ChainSignal for Wrench {
    const KIND: SignalKind = SignalKind::Wrench;
}
impl ChainSignal for BodyTwist {
    const KIND: SignalKind = SignalKind::Twist;
}
impl ChainSignal for WorldTwist {
    const KIND: SignalKind = SignalKind::Twist;
}

/// The frames that a gravity compensation asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameNames<'a> {
    /// Frame whose axes give the direction of gravity.
    pub world: &'a str,
    /// Frame in which the centre of gravity is given.
    pub sensor: &'a str,
    /// Frame of the result; empty = that of the input.
    pub output: &'a str,
}

/// A filter in a chain.
pub(crate) trait Stage<S>: Filter<State = S, Input = S, Output = S> + Debug + Send {
    fn configure(&mut self, settings: &Settings, period: f64) -> Result<()>;
    fn copy(&self) -> Box<dyn Stage<S>>;

    fn set_frames(&mut self, _frames: &GravityFrames) -> Result<()> {
        Ok(())
    }

    /// Starts at rest at the input `u`, or empty where there is no such rest.
    fn rest(&mut self, u: &S) -> Result<()> {
        match self.start(u) {
            Err(Error::NoSteadyState) => {
                self.reset();
                Ok(())
            }
            other => other,
        }
    }
}

impl<S> Clone for Box<dyn Stage<S>> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

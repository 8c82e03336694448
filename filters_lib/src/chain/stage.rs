//! A filter in a chain, whatever its type.

use super::build::Make;
use super::spec::Settings;
use crate::check::{finite, within};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::gravity::GravityFrames;
use crate::signal::{BodyTwist, JointArray, JointState, Manifold, VectorSpace, WorldTwist, Wrench};
use nalgebra::{Isometry3, SVector, UnitQuaternion};
use std::fmt::{self, Debug};

/// What a chain can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind {
    /// A number, or an array of them filtered one by one.
    Numbers,
    /// Force and torque in one frame.
    Wrench,
    /// Linear and angular velocity in one frame.
    Twist,
    /// A rotation in space.
    Orientation,
    /// A place and a rotation in space.
    Pose,
}

impl SignalKind {
    /// Whether it is no list of numbers: only filters that blend and follow work on it.
    pub const fn is_curved(self) -> bool {
        matches!(self, SignalKind::Orientation | SignalKind::Pose)
    }
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SignalKind::Numbers => "double",
            SignalKind::Wrench => "wrench",
            SignalKind::Twist => "twist",
            SignalKind::Orientation => "orientation",
            SignalKind::Pose => "pose",
        })
    }
}

/// A signal for chains.
pub trait ChainSignal: Stages {
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
impl ChainSignal for UnitQuaternion<f64> {
    const KIND: SignalKind = SignalKind::Orientation;
}
impl ChainSignal for Isometry3<f64> {
    const KIND: SignalKind = SignalKind::Pose;
}

/// A signal that filters can be built for. Not to be named outside of the crate.
pub trait Stages: Manifold<Tangent: Send> + Send + 'static {
    /// The filter of a type.
    fn stage(make: Make, settings: &Settings, period: f64, x0: &Self) -> Result<Box<dyn Stage<Self>>>;

    /// The value all of whose numbers are `number`; on a curved signal there is none but the origin, of zero.
    fn constant(&self, number: f64) -> Result<Self>;
}

impl<S: VectorSpace + Send + 'static> Stages for S {
    fn stage(make: Make, settings: &Settings, period: f64, x0: &S) -> Result<Box<dyn Stage<S>>> {
        make.build(settings, period, x0)
    }

    fn constant(&self, number: f64) -> Result<S> {
        finite("from", number)?;
        let mut all = self.clone();
        all.elements_mut().fill(number);
        Ok(all)
    }
}

macro_rules! curved {
    ($signal:ty) => {
        impl Stages for $signal {
            fn stage(
                make: Make,
                settings: &Settings,
                period: f64,
                x0: &Self,
            ) -> Result<Box<dyn Stage<Self>>> {
                make.blend(settings, period, x0)
            }

            fn constant(&self, number: f64) -> Result<Self> {
                within("from", number, number == 0.0, "0, the identity")?;
                Ok(self.origin())
            }
        }
    };
}
curved!(UnitQuaternion<f64>);
curved!(Isometry3<f64>);

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
pub trait Stage<S>: Filter<State = S, Input = S, Output = S> + Debug + Send {
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

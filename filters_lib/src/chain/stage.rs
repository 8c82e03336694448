//! A filter in a chain, whatever its type.

use super::spec::Settings;
use crate::control::{GravityCompensation, GravityFrames, GravityParams};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::signal::{JointArray, JointState, Signal, Twist, VectorSpace, Wrench};
use nalgebra::{SVector, Vector3, Vector6};
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
    const KIND: SignalKind;
}

impl ChainSignal for f64 {
    const KIND: SignalKind = SignalKind::Numbers;
}

impl ChainSignal for JointArray {
    const KIND: SignalKind = SignalKind::Numbers;
}

impl ChainSignal for JointState {
    const KIND: SignalKind = SignalKind::Numbers;
}

impl<const N: usize> ChainSignal for SVector<f64, N> {
    const KIND: SignalKind = SignalKind::Numbers;
}

impl ChainSignal for Wrench {
    const KIND: SignalKind = SignalKind::Wrench;
}

impl ChainSignal for Twist {
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
pub(crate) trait Stage<S>: Debug + Send {
    fn configure(&mut self, settings: &Settings, period: f64) -> Result<()>;
    fn start(&mut self, x0: &S) -> Result<()>;

    /// Starts before a first sample `u`; see [`Chain::begin`](super::Chain::begin).
    fn begin(&mut self, u: &S) -> Result<()> {
        self.start(u)
    }

    fn output(&self, u: &S, y: &mut S) -> Result<()>;
    fn step(&mut self, u: &S) -> Result<()>;
    fn copy(&self) -> Box<dyn Stage<S>>;

    /// Waits for a first sample again, where that makes a difference.
    fn reset(&mut self) {}

    fn set_frames(&mut self, _frames: &GravityFrames) -> Result<()> {
        Ok(())
    }

    /// The output for the constant input `u`, with which the next filter starts.
    fn at_rest(&self, u: &S) -> Result<S>;
}

impl<S> Clone for Box<dyn Stage<S>> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// Gravity compensation in a chain of wrenches.
#[derive(Debug, Clone)]
pub(crate) struct GravityStage(pub(crate) GravityCompensation);

pub(crate) fn gravity_params(settings: &Settings) -> Result<GravityParams> {
    let vector = |list: &[f64], name| match list {
        [x, y, z] => Ok(Vector3::new(*x, *y, *z)),
        [] => Err(Error::Empty { name }),
        other => Err(Error::Length { what: name, expected: 3, found: other.len() }),
    };
    for name in ["world_frame", "sensor_frame"] {
        if settings.text(name).is_empty() {
            return Err(Error::Empty { name });
        }
    }
    let places = ["CoG.pos", "tool.CoG", "tool.pos"];
    let given = places.into_iter().find(|name| !settings.list(name).is_empty()).unwrap_or(places[0]);
    let cog = vector(settings.list(given), given)?;
    let mass = settings.number("tool.mass");
    if mass.is_nan() {
        return Ok(GravityParams { cog, force: vector(settings.list("CoG.force"), "CoG.force")? });
    }
    if !settings.list("CoG.force").is_empty() {
        let bounds = "absent when CoG.force is given";
        return Err(Error::OutOfBounds { name: "tool.mass", value: mass, bounds });
    }
    let field = vector(settings.list("tool.gravity_field"), "tool.gravity_field")?;
    Ok(GravityParams::from_mass(cog, mass, field))
}

impl<S: ChainSignal> Stage<S> for GravityStage {
    fn configure(&mut self, settings: &Settings, _period: f64) -> Result<()> {
        self.0.set_params(gravity_params(settings)?)
    }

    fn start(&mut self, _x0: &S) -> Result<()> {
        Ok(())
    }

    fn output(&self, u: &S, y: &mut S) -> Result<()> {
        let mut wrench = Wrench::default();
        self.0.output_into(&Wrench(Vector6::from_iterator(u.elements().iter().copied())), &mut wrench)?;
        y.elements_mut().copy_from_slice(wrench.elements());
        Ok(())
    }

    fn step(&mut self, u: &S) -> Result<()> {
        u.check("u")
    }

    fn copy(&self) -> Box<dyn Stage<S>> {
        Box::new(self.clone())
    }

    fn set_frames(&mut self, frames: &GravityFrames) -> Result<()> {
        self.0.set_frames(*frames)
    }

    fn at_rest(&self, u: &S) -> Result<S> {
        // Without frames there is no output yet; the input is as good a start as any.
        let mut y = u.clone();
        match self.output(u, &mut y) {
            Ok(()) | Err(Error::NoFrames) => Ok(y),
            Err(error) => Err(error),
        }
    }
}

//! Complementary filter.

use crate::check::{positive, same_length};
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};
use crate::signal::{Manifold, Signal, accept_start};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Parameters of a [`Complementary`] filter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComplementaryParams {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s: what is faster comes from the rate, what is slower from the value.
    pub tau: f64,
}

impl ComplementaryParams {
    /// Refuses times that are not above zero.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("tau", self.tau)
    }
}

/// A value that is right in the long run (accelerometer, encoder) and a rate that is right at once (gyroscope).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValueAndRate<S: Manifold> {
    /// The measured value, right in the long run.
    pub value: S,
    /// Its rate (body axes for orientation and pose).
    pub rate: S::Tangent,
}

/// y\[k\] = a·(y₁ + T·rate) + (1 − a)·value with a = τ/(τ + T): the integral of the rate above 1/τ, the value below. A bias b
/// of the rate leaves τ·b instead of growing. For orientation and pose it goes along the group.
///
/// ```
/// # use filters_lib::{Complementary, ComplementaryParams, Filter, ValueAndRate};
/// let mut tilt = Complementary::new(ComplementaryParams { period: 0.01, tau: 1.0 }, &0.0)?;
/// for _ in 0..2000 {
///     tilt.update(&ValueAndRate { value: 0.5, rate: 0.1 })?;
/// }
/// assert!((tilt.state() - (0.5 + 0.1)).abs() < 1e-6, "the biased rate leaves 0.1 rad/s · 1 s");
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Complementary<S: Manifold> {
    params: ComplementaryParams,
    y: S,
    next: S,
    // Storage for the prediction; `output` needs it too, and it changes no state.
    predicted: RefCell<S>,
    velocity: usize,
    is_empty: bool,
}

impl<S: Manifold> Complementary<S> {
    /// Begins at `x0`.
    pub fn new(params: ComplementaryParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let velocity = x0.zero_velocity().size();
        let predicted = RefCell::new(x0.clone());
        Ok(Self { params, y: x0.clone(), next: x0.clone(), predicted, velocity, is_empty: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: ComplementaryParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &ComplementaryParams {
        &self.params
    }

    /// The last output.
    pub fn state(&self) -> &S {
        &self.y
    }

    /// y\[k\] into `y`, by way of `predicted`.
    fn fuse(&self, u: &ValueAndRate<S>, predicted: &mut S, y: &mut S) -> Result<()> {
        let ComplementaryParams { period, tau } = self.params;
        if self.is_empty {
            y.clone_from(&u.value);
            return Ok(());
        }
        predicted.clone_from(&self.y);
        predicted.advance(period, &u.rate);
        predicted.blend_into(&u.value, [period / (tau + period); 2], y);
        y.check("y").map_err(|_| Error::Overflow)
    }

    fn accept(&self, u: &ValueAndRate<S>, y: &S) -> Result<()> {
        same_length("value", self.y.size(), u.value.size())?;
        same_length("rate", self.velocity, u.rate.size())?;
        same_length("y", self.y.size(), y.size())?;
        u.value.check("value")?;
        u.rate.check("rate")
    }
}

impl<S: Manifold> Filter for Complementary<S> {
    type State = S;
    type Input = ValueAndRate<S>;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.y.size(), x0)?;
        self.y.clone_from(x0);
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.is_empty = true;
    }

    fn output_into(&self, u: &ValueAndRate<S>, y: &mut S) -> Result<()> {
        self.accept(u, y)?;
        self.fuse(u, &mut self.predicted.borrow_mut(), y)
    }

    fn prepare(&mut self, u: &ValueAndRate<S>, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.next.clone_from(y);
        Ok(())
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.y, &mut self.next);
        self.is_empty = false;
    }

    fn blank(&self, u: &ValueAndRate<S>) -> S {
        u.value.clone()
    }

    fn interval(&self) -> Interval {
        Interval::Before
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(ComplementaryParams { period, ..self.params })
    }
}

//! Transient: a smooth passage from the present state to a trajectory, first order.

use crate::check::{positive, same_length};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::limit::Limit;
use crate::signal::{Signal, accept_two};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// The present state and the trajectory at one instant. The caller feeds the state back: u\[k+1\] = y\[k\].
#[derive(Debug, Clone, PartialEq)]
pub struct TransientInput<S> {
    /// Present state.
    pub u: S,
    /// Wanted value.
    pub ur: S,
}

/// How far towards the trajectory one period leads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TransientMethod {
    /// y = u + ort(ur − u)·min(v·T, |ur − u|): straight to the trajectory at a constant speed.
    Linear {
        /// Speed v, units of the signal per second.
        speed: Limit,
    },
    /// y = u·(1 − T/τ) + ur·T/τ; a τ below T arrives in one step.
    Exp {
        /// Time constant τ, s.
        tau: f64,
    },
    /// y = u + ort(ur − u)·min(v·T, |ur − u|·T/τ).
    ExpLimited {
        /// Time constant τ, s.
        tau: f64,
        /// Largest speed v, units of the signal per second.
        speed: Limit,
    },
}

/// Parameters of a [`Transient`] or a [`Follower`](crate::Follower).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransientParams {
    /// Period T, s.
    pub period: f64,
    /// How far one period leads.
    pub method: TransientMethod,
}

impl TransientParams {
    /// Refuses times and speeds that are not above zero.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        match self.method {
            TransientMethod::Linear { speed } => speed.check("speed"),
            TransientMethod::Exp { tau } => positive("tau", tau),
            TransientMethod::ExpLimited { tau, speed } => {
                positive("tau", tau)?;
                speed.check("speed")
            }
        }
    }

    /// One period from `u` towards `ur`.
    #[inline]
    pub(crate) fn approach_into<S: Signal>(&self, u: &S, ur: &S, y: &mut S) -> Result<()> {
        accept_two(["u", "ur"], u, ur)?;
        same_length("y", u.size(), y.size())?;
        let share = match self.method {
            TransientMethod::Linear { speed } => speed.share(u.gap(ur), self.period),
            TransientMethod::Exp { tau } => [(self.period / tau).min(1.0); 2],
            TransientMethod::ExpLimited { tau, speed } => {
                let free = (self.period / tau).min(1.0);
                speed.share(u.gap(ur).map(|gap| gap * free), self.period).map(|share| share * free)
            }
        };
        u.blend_into(ur, share, y);
        y.check("y").map_err(|_| Error::Overflow)
    }
}

/// One step from the present state towards a trajectory. It has no state of its own: the caller feeds y\[k\] back as
/// u\[k+1\], or lets a [`Follower`](crate::Follower) do it.
///
/// ```
/// # use filters_lib::{Filter, Limit, Transient, TransientInput, TransientMethod, TransientParams};
/// let method = TransientMethod::Linear { speed: Limit::from(5.0) };
/// let transient = Transient::new(TransientParams { period: 0.1, method })?;
/// assert_eq!(transient.output(&TransientInput { u: 1.0, ur: 3.0 })?, 1.5);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Transient<S> {
    params: TransientParams,
    signal: PhantomData<S>,
}

impl<S: Signal> Transient<S> {
    /// With validated parameters.
    pub fn new(params: TransientParams) -> Result<Self> {
        params.check()?;
        Ok(Self { params, signal: PhantomData })
    }

    /// Replaces the parameters.
    pub fn set_params(&mut self, params: TransientParams) -> Result<()> {
        *self = Self::new(params)?;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &TransientParams {
        &self.params
    }

    /// [`output_into`](Filter::output_into) without packing state and trajectory.
    #[inline]
    pub fn approach_into(&self, u: &S, ur: &S, y: &mut S) -> Result<()> {
        self.params.approach_into(u, ur, y)
    }
}

impl<S: Signal> Filter for Transient<S> {
    type State = ();
    type Input = TransientInput<S>;
    type Output = S;

    fn start(&mut self, _x0: &()) -> Result<()> {
        Ok(())
    }

    fn reset(&mut self) {}

    #[inline]
    fn output_into(&self, u: &TransientInput<S>, y: &mut S) -> Result<()> {
        self.approach_into(&u.u, &u.ur, y)
    }

    #[inline]
    fn prepare(&mut self, u: &TransientInput<S>, y: &mut S) -> Result<()> {
        self.output_into(u, y)
    }

    fn commit(&mut self) {}

    fn blank(&self, u: &TransientInput<S>) -> S {
        u.u.clone()
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(TransientParams { period, ..self.params })
    }
}

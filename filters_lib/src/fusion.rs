//! Fusion: a smooth passage from one trajectory to another, first order.

use crate::check::{positive, same_length, within};
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};
use crate::limit::Limit;
use crate::signal::{Signal, accept_two};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// The two trajectories of a fusion at one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<S> {
    /// Where the motion comes from (weight x).
    pub u1: S,
    /// Where it goes to (weight 1 − x).
    pub u2: S,
}

/// How the weight x of the first trajectory falls from 1 to 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FusionMethod {
    /// x\[k+1\] = max(0, x\[k\] − T/τ): over after τ.
    Linear {
        /// Duration of the passage τ, s.
        tau: f64,
    },
    /// x\[k+1\] = x\[k\]·(1 − T/τ); a τ below T ends the passage in one step.
    Exp {
        /// Time constant τ, s.
        tau: f64,
    },
    /// x\[k+1\] = x\[k\] − min(x\[k\]·T/τ, v·T/|u1 − u2|): the passage itself moves no faster than v.
    ExpLimited {
        /// Time constant τ, s.
        tau: f64,
        /// Largest speed v of the passage, units of the signal per second.
        speed: Limit,
    },
}

/// Parameters of a [`Fusion`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FusionParams {
    /// Period T, s.
    pub period: f64,
    /// How the weight falls.
    pub method: FusionMethod,
}

impl FusionParams {
    /// Refuses times and speeds that are not above zero.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        match self.method {
            FusionMethod::Linear { tau } | FusionMethod::Exp { tau } => positive("tau", tau),
            FusionMethod::ExpLimited { tau, speed } => {
                positive("tau", tau)?;
                speed.check("speed")
            }
        }
    }

    /// x\[k+1\] from x\[k\] and the distance of the two trajectories.
    #[inline]
    fn next(&self, weight: f64, gap: impl FnOnce() -> [f64; 2]) -> f64 {
        match self.method {
            FusionMethod::Linear { tau } => (weight - self.period / tau).max(0.0),
            FusionMethod::Exp { tau } => weight * (1.0 - self.period / tau).max(0.0),
            FusionMethod::ExpLimited { tau, speed } => {
                let wanted = weight * (self.period / tau).min(1.0);
                let share = speed.share(gap().map(|gap| gap * wanted), self.period);
                weight - wanted * share[0].min(share[1])
            }
        }
    }
}

/// y\[k\] = x\[k\]·u1\[k\] + (1 − x\[k\])·u2\[k\] with the weight x from 1 to 0. Orientation goes along the shortest arc, a
/// pose is a translation and an orientation, [`Spherical`](crate::Spherical) swings around a shoulder. The state is the
/// weight; a reset makes it 1.
///
/// ```
/// # use filters_lib::{Filter, Fusion, FusionMethod, FusionParams, Pair};
/// let mut fusion = Fusion::new(FusionParams { period: 0.1, method: FusionMethod::Linear { tau: 0.2 } })?;
/// let u = Pair { u1: 1.0, u2: 3.0 };
/// assert_eq!((fusion.update(&u)?, fusion.update(&u)?, fusion.update(&u)?), (1.0, 2.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fusion<S> {
    params: FusionParams,
    weight: f64,
    next: f64,
    signal: PhantomData<S>,
}

impl<S: Signal> Fusion<S> {
    /// Begins wholly on the first trajectory.
    pub fn new(params: FusionParams) -> Result<Self> {
        params.check()?;
        Ok(Self { params, weight: 1.0, next: 1.0, signal: PhantomData })
    }

    /// Replaces the parameters; the weight stays.
    pub fn set_params(&mut self, params: FusionParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &FusionParams {
        &self.params
    }

    /// x\[k\], the weight of the first trajectory.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// [`update_into`](Filter::update_into) without packing the two trajectories.
    #[inline]
    pub fn blend_into(&mut self, u1: &S, u2: &S, y: &mut S) -> Result<()> {
        self.blend(u1, u2, y)?;
        self.weight = self.params.next(self.weight, || u1.gap(u2));
        Ok(())
    }

    /// The weight's step alone, for finite trajectories of one size.
    pub(crate) fn prepare_between(&mut self, u1: &S, u2: &S) {
        self.next = self.params.next(self.weight, || u1.gap(u2));
    }

    #[inline]
    fn blend(&self, u1: &S, u2: &S, y: &mut S) -> Result<()> {
        accept_two(["u1", "u2"], u1, u2)?;
        same_length("y", u1.size(), y.size())?;
        u1.blend_into(u2, [1.0 - self.weight; 2], y);
        y.check("y").map_err(|_| Error::Overflow)
    }
}

impl<S: Signal> Filter for Fusion<S> {
    type State = f64;
    type Input = Pair<S>;
    type Output = S;

    fn start(&mut self, x0: &f64) -> Result<()> {
        within("x0", *x0, (0.0..=1.0).contains(x0), "0…1")?;
        self.weight = *x0;
        Ok(())
    }

    fn reset(&mut self) {
        self.weight = 1.0;
    }

    #[inline]
    fn output_into(&self, u: &Pair<S>, y: &mut S) -> Result<()> {
        self.blend(&u.u1, &u.u2, y)
    }

    #[inline]
    fn prepare(&mut self, u: &Pair<S>, y: &mut S) -> Result<()> {
        self.blend(&u.u1, &u.u2, y)?;
        self.prepare_between(&u.u1, &u.u2);
        Ok(())
    }

    fn commit(&mut self) {
        self.weight = self.next;
    }

    fn blank(&self, u: &Pair<S>) -> S {
        u.u1.clone()
    }

    fn interval(&self) -> Interval {
        Interval::After
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(FusionParams { period, ..self.params })
    }
}

//! Fusion: a smooth passage from one trajectory to another, first order.

use crate::check::{positive, within};
use crate::error::Result;
use crate::filter::{Filter, Params};
use crate::signal::{Signal, check_two, clone_keeping_storage};
use crate::transient::{ExpStep, LimitedExpStep};
use std::marker::PhantomData;

/// The two trajectories of a fusion at one instant.
#[derive(Debug, PartialEq)]
pub struct Pair<S> {
    /// Where the motion comes from (weight x).
    pub u1: S,
    /// Where it goes to (weight 1 − x).
    pub u2: S,
}

clone_keeping_storage!(Pair<S> { u1, u2 });

/// How the weight of the first trajectory falls from 1 to 0.
pub trait WeightLaw: Params<Ready = ()> {
    /// x\[k+1\] from x\[k\] and the distance of the two trajectories.
    fn next(&self, weight: f64, gap: impl FnOnce() -> [f64; 2]) -> f64;
}

/// x\[k+1\] = max(0, x\[k\] − T/τ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearWeight {
    /// Period T, s.
    pub period: f64,
    /// Duration of the passage τ, s.
    pub tau: f64,
}

impl Params for LinearWeight {
    type Ready = ();

    fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("tau", self.tau)
    }
}

impl WeightLaw for LinearWeight {
    #[inline]
    fn next(&self, weight: f64, _gap: impl FnOnce() -> [f64; 2]) -> f64 {
        (weight - self.period / self.tau).max(0.0)
    }
}

/// x\[k+1\] = x\[k\]·(1 − T/τ); a τ below T ends the passage in one step.
pub type ExpWeight = ExpStep;

impl WeightLaw for ExpWeight {
    #[inline]
    fn next(&self, weight: f64, _gap: impl FnOnce() -> [f64; 2]) -> f64 {
        weight * (1.0 - self.period / self.tau).max(0.0)
    }
}

/// x\[k+1\] = x\[k\] − min(x\[k\]·T/τ, v·T/|u1 − u2|): the passage itself moves no faster than v.
pub type LimitedExpWeight = LimitedExpStep;

impl WeightLaw for LimitedExpWeight {
    #[inline]
    fn next(&self, weight: f64, gap: impl FnOnce() -> [f64; 2]) -> f64 {
        let wanted = weight * (self.period / self.tau).min(1.0);
        let [first, second] = gap();
        let share = self.speed.share([first * wanted, second * wanted], self.period);
        weight - wanted * share[0].min(share[1])
    }
}

/// y\[k\] = x\[k\]·u1\[k\] + (1 − x\[k\])·u2\[k\] with the weight x from 1 to 0 by the law `L`. Orientation goes along
/// the shortest arc, a pose is a translation and an orientation, [`Spherical`](crate::Spherical) swings around a
/// shoulder. The state is the weight.
///
/// ```
/// # use filters_lib::{Filter, FusionLinear, LinearWeight, Pair};
/// let mut fusion = FusionLinear::new(LinearWeight { period: 0.1, tau: 0.2 })?;
/// let u = Pair { u1: 1.0, u2: 3.0 };
/// assert_eq!((fusion.update(&u)?, fusion.update(&u)?, fusion.update(&u)?), (1.0, 2.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Fusion<S, L> {
    law: L,
    weight: f64,
    signal: PhantomData<S>,
}

/// Linear passage that ends after τ.
pub type FusionLinear<S> = Fusion<S, LinearWeight>;
/// Exponential passage with the time constant τ.
pub type FusionExp<S> = Fusion<S, ExpWeight>;
/// Exponential passage with a speed limit.
pub type FusionExpLimited<S> = Fusion<S, LimitedExpWeight>;

impl<S: Signal, L: WeightLaw> Fusion<S, L> {
    /// Starts wholly on the first trajectory.
    pub fn new(law: L) -> Result<Self> {
        law.check()?;
        Ok(Self { law, weight: 1.0, signal: PhantomData })
    }

    /// Replaces the parameters; the weight stays.
    pub fn set_params(&mut self, law: L) -> Result<()> {
        law.check()?;
        self.law = law;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &L {
        &self.law
    }

    /// x\[k\], the weight of the first trajectory.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// [`output_into`](Filter::output_into) without packing the two trajectories.
    #[inline]
    pub fn blend_into(&self, u1: &S, u2: &S, y: &mut S) -> Result<()> {
        u1.blend_checked(u2, || [1.0 - self.weight; 2], y, ["u1", "u2"])
    }

    /// [`step`](Filter::step) without packing the two trajectories.
    #[inline]
    pub fn advance(&mut self, u1: &S, u2: &S) -> Result<()> {
        check_two(["u1", "u2"], u1, u2)?;
        self.weight = self.law.next(self.weight, || u1.gap(u2));
        Ok(())
    }
}

impl<S: Signal, L: WeightLaw> Filter for Fusion<S, L> {
    type State = f64;
    type Input = Pair<S>;
    type Output = S;

    fn start(&mut self, x0: &f64) -> Result<()> {
        within("x0", *x0, (0.0..=1.0).contains(x0), "0…1")?;
        self.weight = *x0;
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &Pair<S>, y: &mut S) -> Result<()> {
        self.blend_into(&u.u1, &u.u2, y)
    }

    #[inline]
    fn step(&mut self, u: &Pair<S>) -> Result<()> {
        self.advance(&u.u1, &u.u2)
    }

    #[inline]
    fn update_into(&mut self, u: &Pair<S>, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.weight = self.law.next(self.weight, || u.u1.gap(&u.u2));
        Ok(())
    }

    fn blank(&self, u: &Pair<S>) -> S {
        u.u1.clone()
    }
}

//! Transient: a smooth passage from the present state to a trajectory, first order.

use crate::check::{positive, same_length};
use crate::error::Result;
use crate::filter::{Filter, Params};
use crate::limit::Limit;
use crate::memoryless::{Memoryless, MemorylessLaw, Sample};
use crate::signal::{Signal, check_two, clone_keeping_storage};

/// The present state and the trajectory at one instant. The caller feeds the state back: u\[k+1\] = y\[k\].
#[derive(Debug, PartialEq)]
pub struct TransientInput<S> {
    /// Present state.
    pub u: S,
    /// Wanted value.
    pub ur: S,
}

clone_keeping_storage!(TransientInput<S> { u, ur });

/// Which share of the way to the trajectory one period covers.
pub trait StepLaw: Params<Ready = ()> {
    /// The share for each part, from the distance `gap` to the trajectory.
    fn share(&self, gap: impl FnOnce() -> [f64; 2]) -> [f64; 2];
}

/// y = u + ort(ur − u)·min(v·T, |ur − u|).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearStep {
    /// Period T, s.
    pub period: f64,
    /// Speed v, units of the signal per second.
    pub speed: Limit,
}

impl Params for LinearStep {
    type Ready = ();

    fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        self.speed.check("speed")
    }
}

impl StepLaw for LinearStep {
    #[inline]
    fn share(&self, gap: impl FnOnce() -> [f64; 2]) -> [f64; 2] {
        self.speed.share(gap(), self.period)
    }
}

/// y = u·(1 − T/τ) + ur·T/τ; a τ below T arrives in one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpStep {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s.
    pub tau: f64,
}

impl Params for ExpStep {
    type Ready = ();

    fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("tau", self.tau)
    }
}

impl StepLaw for ExpStep {
    #[inline]
    fn share(&self, _gap: impl FnOnce() -> [f64; 2]) -> [f64; 2] {
        [(self.period / self.tau).min(1.0); 2]
    }
}

/// y = u + ort(ur − u)·min(v·T, |ur − u|·T/τ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitedExpStep {
    /// Period T, s.
    pub period: f64,
    /// Time constant τ, s.
    pub tau: f64,
    /// Largest speed v, units of the signal per second.
    pub speed: Limit,
}

impl Params for LimitedExpStep {
    type Ready = ();

    fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        positive("tau", self.tau)?;
        self.speed.check("speed")
    }
}

impl StepLaw for LimitedExpStep {
    #[inline]
    fn share(&self, gap: impl FnOnce() -> [f64; 2]) -> [f64; 2] {
        let free = (self.period / self.tau).min(1.0);
        let [first, second] = gap();
        self.speed.share([first * free, second * free], self.period).map(|share| share * free)
    }
}

/// One step from the present state towards a trajectory by the law `L`. It has no state of its own: the caller feeds
/// y\[k\] back as u\[k+1\], or lets a [`Follower`] do it.
///
/// ```
/// # use filters_lib::{Filter, Limit, LinearStep, TransientInput, TransientLinear};
/// let law = LinearStep { period: 0.1, speed: Limit::from(5.0) };
/// let transient = TransientLinear::new(law)?;
/// assert_eq!(transient.output(&TransientInput { u: 1.0, ur: 3.0 })?, 1.5);
/// # Ok::<(), filters_lib::Error>(())
/// ```
pub type Transient<S, L> = Memoryless<S, L>;
/// Straight to the trajectory at a constant speed.
pub type TransientLinear<S> = Transient<S, LinearStep>;
/// Exponential approach.
pub type TransientExp<S> = Transient<S, ExpStep>;
/// Exponential approach with a speed limit.
pub type TransientExpLimited<S> = Transient<S, LimitedExpStep>;

impl<S: Signal, L: StepLaw> Transient<S, L> {
    /// [`output_into`](Filter::output_into) without packing state and trajectory.
    #[inline]
    pub fn approach_into(&self, u: &S, ur: &S, y: &mut S) -> Result<()> {
        approach_into(self.params(), u, ur, y)
    }
}

#[inline]
fn approach_into<S: Signal>(law: &impl StepLaw, u: &S, ur: &S, y: &mut S) -> Result<()> {
    u.blend_checked(ur, || law.share(|| u.gap(ur)), y, ["u", "ur"])
}

impl<S: Signal> Sample for TransientInput<S> {
    type Output = S;

    #[inline]
    fn accept(&self) -> Result<()> {
        check_two(["u", "ur"], &self.u, &self.ur)
    }

    fn blank(&self) -> S {
        self.u.clone()
    }
}

impl<S: Signal, L: StepLaw> MemorylessLaw<S> for L {
    type Input = TransientInput<S>;

    #[inline]
    fn output_into(&self, _ready: &(), u: &TransientInput<S>, y: &mut S) -> Result<()> {
        approach_into(self, &u.u, &u.ur, y)
    }
}

/// A [`Transient`] that feeds its own state back: the input is the trajectory, the state the last output.
#[derive(Debug, Clone)]
pub struct Follower<S, L: Params> {
    transient: Transient<S, L>,
    x: S,
    next: S,
}

impl<S: Signal, L: StepLaw> Follower<S, L> {
    /// Starts at `x0`.
    pub fn new(law: L, x0: &S) -> Result<Self> {
        x0.check("x0")?;
        Ok(Self { transient: Transient::new(law)?, x: x0.clone(), next: x0.clone() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, law: L) -> Result<()> {
        self.transient.set_params(law)
    }
}

impl<S: Signal, L: StepLaw> Filter for Follower<S, L> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        same_length("x0", self.x.size(), x0.size())?;
        x0.check("x0")?;
        self.x.clone_from(x0);
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        self.transient.approach_into(&self.x, u, y)
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        self.transient.approach_into(&self.x, u, &mut self.next)?;
        std::mem::swap(&mut self.x, &mut self.next);
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.x.clone_from(y);
        Ok(())
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }
}

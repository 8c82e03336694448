//! Transients that feed their own state back: they join whatever trajectory they are given.

use crate::check::same_length;
use crate::error::Result;
use crate::filter::{Filter, Interval};
use crate::second_order::{Motion, SecondOrderInput};
use crate::second_order_limited::{TransientSecondLimited, TransientSecondLimitedParams};
use crate::signal::{Manifold, Signal, accept_start};
use crate::transient::TransientParams;

/// A [`Transient`](crate::Transient) that feeds its own state back: the input is the trajectory, the state the last
/// output. After a reset it begins on the trajectory.
///
/// ```
/// # use filters_lib::{Filter, Follower, Limit, TransientMethod, TransientParams};
/// let method = TransientMethod::Linear { speed: Limit::from(5.0) };
/// let mut follower = Follower::new(TransientParams { period: 0.1, method }, &0.0)?;
/// assert_eq!((follower.update(&0.8)?, follower.update(&0.8)?), (0.5, 0.8));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Follower<S> {
    params: TransientParams,
    x: S,
    next: S,
    is_empty: bool,
}

impl<S: Signal> Follower<S> {
    /// Begins at `x0`.
    pub fn new(params: TransientParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        Ok(Self { params, x: x0.clone(), next: x0.clone(), is_empty: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: TransientParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &TransientParams {
        &self.params
    }
}

impl<S: Signal> Filter for Follower<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.x.size(), x0)?;
        self.x.clone_from(x0);
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.is_empty = true;
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        same_length("u", self.x.size(), u.size())?;
        self.params.approach_into(if self.is_empty { u } else { &self.x }, u, y)
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.next.clone_from(y);
        Ok(())
    }

    #[inline]
    fn commit(&mut self) {
        std::mem::swap(&mut self.x, &mut self.next);
        self.is_empty = false;
    }

    fn blank(&self, _u: &S) -> S {
        self.x.clone()
    }

    fn interval(&self) -> Interval {
        Interval::Before
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(TransientParams { period, ..self.params })
    }
}

/// A [`TransientSecondLimited`] that feeds its own state back: it joins a trajectory (position and velocity) from
/// wherever it is, within limits on acceleration and velocity, and stays on it. After a reset it begins on the
/// trajectory.
///
/// y\[k\] = x\[k\]: the input shows one period later, with the velocity that it has then.
///
/// ```
/// # use filters_lib::*;
/// let params = TransientSecondLimitedParams {
///     period: 0.01, gains: SecondOrderGains::critical(0.05), acceleration: Limit::from(20.0), velocity: Limit::from(2.0),
/// };
/// let mut joints = SecondOrderFollower::new(params, &Motion { x: vec![0.0; 12], v: vec![0.0; 12] })?;
/// let wanted = Motion { x: vec![1.0; 12], v: vec![0.0; 12] };
/// for _ in 0..400 {
///     joints.update(&wanted)?;
/// }
/// assert!((joints.state().0[3] - 1.0).abs() < 1e-6);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SecondOrderFollower<S: Manifold> {
    transient: TransientSecondLimited<S>,
    // Present motion and the reference, in the form that the transient takes.
    at: SecondOrderInput<S>,
    next: Motion<S>,
    is_empty: bool,
}

impl<S: Manifold> SecondOrderFollower<S> {
    /// Begins with the motion `x0`.
    pub fn new(params: TransientSecondLimitedParams, x0: &Motion<S>) -> Result<Self> {
        let zero = x0.x.zero_velocity();
        let (at, v) = (x0.x.clone(), x0.v.clone());
        let at = SecondOrderInput { xr: at.clone(), x: at, vr: v.clone(), v, ar: zero };
        at.accept(x0)?;
        Ok(Self { transient: TransientSecondLimited::new(params)?, at, next: x0.clone(), is_empty: false })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: TransientSecondLimitedParams) -> Result<()> {
        self.transient.set_params(params)
    }

    /// The parameters in use.
    pub fn params(&self) -> &TransientSecondLimitedParams {
        self.transient.params()
    }

    /// Whether the next input is the first.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The present position and velocity, y\[k\].
    pub fn state(&self) -> (&S, &S::Tangent) {
        (&self.at.x, &self.at.v)
    }
}

impl<S: Manifold> Filter for SecondOrderFollower<S> {
    type State = Motion<S>;
    type Input = Motion<S>;
    type Output = Motion<S>;

    fn start(&mut self, x0: &Motion<S>) -> Result<()> {
        accept_start(self.at.x.size(), &x0.x)?;
        accept_start(self.at.v.size(), &x0.v)?;
        self.at.x.clone_from(&x0.x);
        self.at.v.clone_from(&x0.v);
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.is_empty = true;
    }

    fn output_into(&self, u: &Motion<S>, y: &mut Motion<S>) -> Result<()> {
        for (what, motion) in [("u", u), ("y", &*y)] {
            same_length(what, self.at.x.size(), motion.x.size())?;
            same_length(what, self.at.v.size(), motion.v.size())?;
        }
        u.x.check("u")?;
        u.v.check("u")?;
        let (x, v) = if self.is_empty { (&u.x, &u.v) } else { (&self.at.x, &self.at.v) };
        y.x.clone_from(x);
        y.v.clone_from(v);
        Ok(())
    }

    fn prepare(&mut self, u: &Motion<S>, y: &mut Motion<S>) -> Result<()> {
        self.output_into(u, y)?;
        self.at.xr.clone_from(&u.x);
        self.at.vr.clone_from(&u.v);
        if self.is_empty {
            self.at.x.clone_from(&u.x);
            self.at.v.clone_from(&u.v);
        }
        self.transient.output_into(&self.at, &mut self.next)
    }

    fn commit(&mut self) {
        std::mem::swap(&mut self.at.x, &mut self.next.x);
        std::mem::swap(&mut self.at.v, &mut self.next.v);
        self.is_empty = false;
    }

    fn blank(&self, u: &Motion<S>) -> Motion<S> {
        u.clone()
    }

    fn interval(&self) -> Interval {
        Interval::After
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.transient.set_period(period)
    }
}

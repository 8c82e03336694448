//! The integrator: velocity in, position out.

use crate::check::positive;
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};
use crate::signal::{Manifold, Signal, VectorSpace, accept, accept_start};
use serde::{Deserialize, Serialize};

/// How an [`Integrator`] weighs its inputs: Adams–Bashforth of order 1, 2 or 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quadrature {
    /// Adams–Bashforth 1: x\[k+1\] = x\[k\] + T·u\[k\].
    #[default]
    Euler,
    /// Adams–Bashforth 2, the trapezoid's explicit form: x\[k+1\] = x\[k\] + T·(3u\[k\] − u\[k−1\])/2.
    #[serde(alias = "adams_bashforth_2")]
    Trapezoid,
    /// Adams–Bashforth 3, Simpson's explicit form: x\[k+1\] = x\[k\] + T·(23u\[k\] − 16u\[k−1\] + 5u\[k−2\])/12.
    #[serde(alias = "adams_bashforth_3")]
    Simpson,
}

impl Quadrature {
    /// Weights of u\[k\], u\[k−1\], u\[k−2\] when `known` of them were seen since the start.
    ///
    /// y\[k\] = x\[k\] may not use u\[k\], so the state runs one period ahead of the samples. It is the integral of the
    /// known samples by the trapezoid (or the parabola through three samples, Simpson's), plus a prediction of the
    /// running period that is one order lower, which the next sample replaces. The differences of that sum are the
    /// Adams–Bashforth weights, and its first terms start them without loss of order.
    #[inline]
    fn weights(self, known: usize) -> [f64; 3] {
        match (self, known) {
            (Quadrature::Euler, _) | (_, 0 | 1) => [1.0, 0.0, 0.0],
            (Quadrature::Trapezoid, _) => [1.5, -0.5, 0.0],
            (Quadrature::Simpson, 2) => [2.0, -1.0, 0.0],
            (Quadrature::Simpson, _) => [23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0],
        }
    }
}

/// Parameters of an [`Integrator`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IntegratorParams {
    /// Period T, s.
    pub period: f64,
    /// How the area between two samples is taken.
    pub method: Quadrature,
}

impl Default for IntegratorParams {
    fn default() -> Self {
        Self { period: 0.01, method: Quadrature::Euler }
    }
}

impl IntegratorParams {
    /// Refuses a period that is not above zero.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)
    }
}

/// Integrates a velocity: y\[k\] = x\[k\], x\[k+1\] = x\[k\] + T·(weighted u). A reset puts it at zero (the identity).
///
/// For orientation it solves Poisson's equation with the rate in body axes, q' = q ∘ exp(T·ω/2), and stays unit; for a
/// pose the input is a [`BodyTwist`](crate::BodyTwist).
///
/// ```
/// # use filters_lib::{Filter, Integrator, IntegratorParams};
/// let mut position = Integrator::new(IntegratorParams { period: 0.1, ..Default::default() }, &1.0)?;
/// assert_eq!((position.update(&2.0)?, position.update(&2.0)?), (1.0, 1.2));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Integrator<S: Manifold> {
    params: IntegratorParams,
    x: S,
    next: S,
    origin: S,
    // u[k−1], u[k−2] and, between `prepare` and `commit`, u[k].
    past: [S::Tangent; 3],
    known: usize,
    weighted: S::Tangent,
}

impl<S: Manifold> Integrator<S> {
    /// Begins at the position `x0`.
    pub fn new(params: IntegratorParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let zero = x0.zero_velocity();
        Ok(Self {
            params,
            x: x0.clone(),
            next: x0.clone(),
            origin: x0.origin(),
            past: [zero.clone(), zero.clone(), zero.clone()],
            known: 0,
            weighted: zero,
        })
    }

    /// Replaces the parameters; position and past inputs stay.
    pub fn set_params(&mut self, params: IntegratorParams) -> Result<()> {
        params.check()?;
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &IntegratorParams {
        &self.params
    }

    /// x\[k\], which is also y\[k\].
    pub fn state(&self) -> &S {
        &self.x
    }

    /// The stateless form: moves `x` by one Euler step with the velocity `u`.
    pub fn advance(period: f64, x: &mut S, u: &S::Tangent) -> Result<()> {
        positive("period", period)?;
        x.check("x")?;
        accept(x.zero_velocity().size(), u, 0, 0)?;
        x.advance(period, u);
        Ok(())
    }

    /// The stateless form: x' from `x` and the velocity `u` by one Euler step.
    pub fn step(period: f64, x: &S, u: &S::Tangent) -> Result<S> {
        let mut next = x.clone();
        Self::advance(period, &mut next, u)?;
        Ok(next)
    }
}

impl<S: Manifold> Filter for Integrator<S> {
    type State = S;
    type Input = S::Tangent;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.x.size(), x0)?;
        self.x.clone_from(x0);
        self.known = 0;
        Ok(())
    }

    fn reset(&mut self) {
        self.x.clone_from(&self.origin);
        self.known = 0;
    }

    #[inline]
    fn output_into(&self, u: &S::Tangent, y: &mut S) -> Result<()> {
        accept(self.weighted.size(), u, self.x.size(), y.size())?;
        y.clone_from(&self.x);
        Ok(())
    }

    #[inline]
    fn prepare(&mut self, u: &S::Tangent, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        let IntegratorParams { period, method } = self.params;
        self.past[2].clone_from(u);
        self.next.clone_from(&self.x);
        if method == Quadrature::Euler {
            self.next.advance(period, u);
            return self.next.check("x").map_err(|_| Error::Overflow);
        }
        let known = (self.known + 1).min(3);
        let [w0, w1, w2] = method.weights(known);
        let past = self.past[0].elements().iter().zip(self.past[1].elements());
        for ((w, u), (u1, u2)) in self.weighted.elements_mut().iter_mut().zip(u.elements()).zip(past) {
            *w = w0 * u + w1 * u1 + w2 * u2;
        }
        if method == Quadrature::Simpson && known > 1 {
            // Second Magnus term for a rate that changes linearly: T²/12·[u[k−1], u[k]] beside ∫u (Iserles 2000).
            S::add_commutator(&self.past[0], u, period / 12.0, &mut self.weighted);
        }
        self.next.advance(period, &self.weighted);
        self.next.check("x").map_err(|_| Error::Overflow)
    }

    #[inline]
    fn commit(&mut self) {
        std::mem::swap(&mut self.x, &mut self.next);
        self.past.swap(0, 2);
        self.past.swap(1, 2);
        self.known = (self.known + 1).min(3);
    }

    fn blank(&self, _u: &S::Tangent) -> S {
        self.x.clone()
    }

    fn interval(&self) -> Interval {
        Interval::After
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(IntegratorParams { period, ..self.params })
    }
}

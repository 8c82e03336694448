//! The integrator: velocity in, position out.

use crate::check::{positive, same_length};
use crate::error::Result;
use crate::filter::Filter;
use crate::signal::{Manifold, Signal, VectorSpace};
use crate::sweep::{refuse_flaws, sweep};

/// How an [`Integrator`] weighs its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quadrature {
    /// x\[k+1\] = x\[k\] + T·u\[k\]; order 1.
    #[default]
    Euler,
    /// x\[k+1\] = x\[k\] + T·(3u\[k\] − u\[k−1\])/2; order 2.
    Trapezoid,
    /// x\[k+1\] = x\[k\] + T·(23u\[k\] − 16u\[k−1\] + 5u\[k−2\])/12; order 3.
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntegratorParams {
    /// Period T, s.
    pub period: f64,
    /// Quadrature method.
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

/// Integrates a velocity: y\[k\] = x\[k\], x\[k+1\] = x\[k\] + T·(weighted u).
///
/// For orientation it solves Poisson's equation with the rate in body axes, q' = q ∘ exp(T·ω/2), and stays unit; for a
/// pose the twist is in body axes.
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
    // u[k−1] and u[k−2].
    past: [S::Tangent; 2],
    known: usize,
    blend: S::Tangent,
}

impl<S: Manifold> Integrator<S> {
    /// Starts at `x0`.
    pub fn new(params: IntegratorParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let zero = x0.zero_velocity();
        Ok(Self { params, x: x0.clone(), past: [zero.clone(), zero.clone()], known: 0, blend: zero })
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
        u.check("u")?;
        same_length("u", x.velocity_size(), u.size())?;
        x.advance(period, u);
        Ok(())
    }

    /// The state step; `y` gets x\[k\], where somebody wants it.
    #[inline]
    fn accept(&mut self, u: &S::Tangent, y: Option<&mut S>) -> Result<()> {
        same_length("u", self.blend.size(), u.size())?;
        let IntegratorParams { period, method } = self.params;
        if method == Quadrature::Euler {
            u.check("u")?;
            if let Some(y) = y {
                y.clone_from(&self.x);
            }
            self.x.advance(period, u);
            self.past[0].clone_from(u);
            self.known = 1;
            return Ok(());
        }
        let known = (self.known + 1).min(3);
        let past = self.past.each_ref().map(|past| past.elements());
        let weights = method.weights(known);
        let flaws = sweep(u.elements(), past, self.blend.elements_mut(), [], |u, [u1, u2]| {
            (weights[0] * u + weights[1] * u1 + weights[2] * u2, [], u)
        });
        refuse_flaws(flaws, "u", u.elements())?;
        if let Some(y) = y {
            y.clone_from(&self.x);
        }
        if method == Quadrature::Simpson && known > 1 {
            // Second Magnus term for a rate that changes linearly: T²/12·[u[k−1], u[k]] beside ∫u (Iserles 2000).
            S::add_commutator(&self.past[0], u, period / 12.0, &mut self.blend);
        }
        self.x.advance(period, &self.blend);
        self.past.swap(0, 1);
        self.past[0].clone_from(u);
        self.known = known;
        Ok(())
    }
}

impl<S: Manifold + Copy> Integrator<S> {
    /// The stateless form: x' from `x` and the velocity `u` by one Euler step.
    pub fn step_from(period: f64, x: &S, u: &S::Tangent) -> Result<S> {
        let mut next = *x;
        Self::advance(period, &mut next, u)?;
        Ok(next)
    }
}

impl<S: Manifold> Filter for Integrator<S> {
    type State = S;
    type Input = S::Tangent;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        same_length("x0", self.x.size(), x0.size())?;
        x0.check("x0")?;
        self.x.clone_from(x0);
        self.known = 0;
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S::Tangent, y: &mut S) -> Result<()> {
        same_length("u", self.blend.size(), u.size())?;
        same_length("y", self.x.size(), y.size())?;
        u.check("u")?;
        y.clone_from(&self.x);
        Ok(())
    }

    #[inline]
    fn step(&mut self, u: &S::Tangent) -> Result<()> {
        self.accept(u, None)
    }

    #[inline]
    fn update_into(&mut self, u: &S::Tangent, y: &mut S) -> Result<()> {
        same_length("y", self.x.size(), y.size())?;
        self.accept(u, Some(y))
    }

    fn blank(&self, _u: &S::Tangent) -> S {
        self.x.clone()
    }
}

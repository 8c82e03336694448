//! The differentiator: position in, velocity out.

use crate::check::{positive, same_length, within};
use crate::error::Result;
use crate::filter::Filter;
use crate::savitzky_golay::{MAX_WINDOW, savitzky_golay};
use crate::signal::{Manifold, Signal, VectorSpace};

/// How a [`Differentiator`] differentiates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum DiffMethod {
    /// y\[k\] = (u\[k\] − u\[k−1\])/T.
    #[default]
    Difference,
    /// s/(τs + 1), exact for an input that is linear between samples (first-order hold):
    /// y\[k\] = a·y\[k−1\] + (1 − a)·(u\[k\] − u\[k−1\])/T with a = exp(−T/τ).
    Inertial {
        /// Time constant τ, s.
        tau: f64,
    },
    /// Slope, at the newest sample, of the best polynomial through the last samples.
    SavitzkyGolay {
        /// How many samples, the newest included; at least 2.
        window: usize,
        /// Degree of the polynomial; 1 … window − 1.
        order: usize,
    },
}

/// Parameters of a [`Differentiator`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DifferentiatorParams {
    /// Period T, s.
    pub period: f64,
    /// Method.
    pub method: DiffMethod,
}

impl Default for DifferentiatorParams {
    fn default() -> Self {
        Self { period: 0.01, method: DiffMethod::Difference }
    }
}

impl DifferentiatorParams {
    /// Refuses periods and time constants that are not above zero, and windows too short for their order.
    pub fn check(&self) -> Result<()> {
        positive("period", self.period)?;
        match self.method {
            DiffMethod::Difference => Ok(()),
            DiffMethod::Inertial { tau } => positive("tau", tau),
            DiffMethod::SavitzkyGolay { window, order } => {
                within("window", window as f64, (2..=MAX_WINDOW).contains(&window), "2…10000")?;
                within("order", order as f64, (1..window).contains(&order), "at least 1 and below the window")
            }
        }
    }

    /// How many past inputs the method needs.
    fn memory(&self) -> usize {
        if let DiffMethod::SavitzkyGolay { window, .. } = self.method { window - 1 } else { 1 }
    }
}

/// Velocity of a signal; for orientation the angular velocity in body axes, for a pose the twist in body axes.
///
/// ```
/// # use filters_lib::{Differentiator, DifferentiatorParams, Filter};
/// let mut speed = Differentiator::new(DifferentiatorParams { period: 0.5, ..Default::default() }, &1.0)?;
/// assert_eq!((speed.update(&2.0)?, speed.update(&2.0)?), (2.0, 0.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Differentiator<S: Manifold> {
    params: DifferentiatorParams,
    // Past inputs in a ring; `newest` is u[k−1].
    past: Vec<S>,
    newest: usize,
    // y[k−1].
    y: S::Tangent,
    // Gain of the running input, and of y[k−1].
    decay: f64,
    weights: Vec<f64>,
}

impl<S: Manifold> Differentiator<S> {
    /// Starts at rest at `x0`.
    pub fn new(params: DifferentiatorParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let y = x0.zero_velocity();
        let past = vec![x0.clone(); params.memory()];
        let mut filter = Self { params, past, newest: 0, y, decay: 0.0, weights: Vec::new() };
        filter.prepare()?;
        Ok(filter)
    }

    /// Replaces the parameters. Past inputs stay; a longer window is filled up with the oldest one.
    pub fn set_params(&mut self, params: DifferentiatorParams) -> Result<()> {
        params.check()?;
        self.params = params;
        // Oldest last, so that a changed length drops or repeats the oldest.
        self.past.rotate_left(self.newest);
        self.newest = 0;
        let oldest = self.past[self.past.len() - 1].clone();
        self.past.resize(params.memory(), oldest);
        self.prepare()
    }

    /// The parameters in use.
    pub fn params(&self) -> &DifferentiatorParams {
        &self.params
    }

    /// Starts as if the signal had come to `x0` with the constant velocity `v0`.
    pub fn start_moving(&mut self, x0: &S, v0: &S::Tangent) -> Result<()> {
        same_length("x0", self.past[0].size(), x0.size())?;
        same_length("v0", self.y.size(), v0.size())?;
        x0.check("x0")?;
        v0.check("v0")?;
        self.newest = 0;
        for (age, past) in self.past.iter_mut().enumerate() {
            past.clone_from(x0);
            past.advance(-(age as f64) * self.params.period, v0);
        }
        self.y.clone_from(v0);
        Ok(())
    }

    fn prepare(&mut self) -> Result<()> {
        let period = self.params.period;
        match self.params.method {
            DiffMethod::Difference => self.decay = 0.0,
            DiffMethod::Inertial { tau } => self.decay = (-period / tau).exp(),
            DiffMethod::SavitzkyGolay { window, order } => {
                self.decay = 0.0;
                self.weights = savitzky_golay(window, order, 1, period)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn check_input(&self, u: &S) -> Result<()> {
        same_length("u", self.past[0].size(), u.size())?;
        u.check("u")
    }

    /// Takes the place of the oldest input.
    #[inline]
    fn remember(&mut self, u: &S) {
        self.newest = if self.newest == 0 { self.past.len() - 1 } else { self.newest - 1 };
        self.past[self.newest].clone_from(u);
    }

    /// y[k] of a method, with its refusals of `u`.
    #[inline]
    fn slope(&self, u: &S, y: &mut S::Tangent) -> Result<()> {
        let (base, scale) = (&self.past[self.newest], (1.0 - self.decay) / self.params.period);
        match self.params.method {
            DiffMethod::Difference => u.slope_into(base, scale, None, y),
            DiffMethod::Inertial { .. } => u.slope_into(base, scale, Some((self.decay, &self.y)), y),
            DiffMethod::SavitzkyGolay { .. } => {
                u.check("u")?;
                y.elements_mut().fill(0.0);
                // The weights sum to zero, so the differences to the newest sample do, and they exist on manifolds too.
                let (late, early) = self.past.split_at(self.newest);
                for (past, weight) in early.iter().chain(late).zip(&self.weights[1..]) {
                    past.add_difference(u, *weight, y);
                }
                Ok(())
            }
        }
    }
}

impl<S: Manifold> Filter for Differentiator<S> {
    type State = S;
    type Input = S;
    type Output = S::Tangent;

    fn start(&mut self, x0: &S) -> Result<()> {
        self.check_input(x0)?;
        self.past.iter_mut().for_each(|past| past.clone_from(x0));
        self.y.elements_mut().fill(0.0);
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S::Tangent) -> Result<()> {
        same_length("u", self.past[0].size(), u.size())?;
        same_length("y", self.y.size(), y.size())?;
        self.slope(u, y)
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        self.check_input(u)?;
        if let DiffMethod::Inertial { .. } = self.params.method {
            let decay = self.decay;
            self.y.elements_mut().iter_mut().for_each(|y| *y *= decay);
            u.add_difference(&self.past[self.newest], (1.0 - decay) / self.params.period, &mut self.y);
        }
        self.remember(u);
        Ok(())
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S::Tangent) -> Result<()> {
        self.output_into(u, y)?;
        if let DiffMethod::Inertial { .. } = self.params.method {
            self.y.clone_from(y);
        }
        self.remember(u);
        Ok(())
    }

    fn blank(&self, _u: &S) -> S::Tangent {
        self.y.clone()
    }
}

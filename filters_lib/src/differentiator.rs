//! The differentiator: position in, velocity out.

use crate::check::{positive, within};
use crate::error::Result;
use crate::filter::{Filter, Interval};
use crate::ring::Ring;
use crate::savitzky_golay::savitzky_golay;
use crate::signal::{Manifold, Signal, VectorSpace, accept, accept_start, no_overflow};
use crate::window::MAX_WINDOW;
use serde::{Deserialize, Serialize};

/// How a [`Differentiator`] differentiates.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DifferentiatorParams {
    /// Period T, s.
    pub period: f64,
    /// How the slope is taken from the samples.
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

    /// The weights of the velocities between the last samples, newest first.
    ///
    /// Savitzky–Golay's Σ wᵢ·u\[k−i\] with Σ wᵢ = 0 is Σ gⱼ·rⱼ of the velocities rⱼ from sample j to sample j − 1, with
    /// gⱼ = −T·Σᵢ≥ⱼ wᵢ, which do not depend on T.
    fn weights(&self) -> Result<Vec<f64>> {
        self.check()?;
        let DiffMethod::SavitzkyGolay { window, order } = self.method else { return Ok(vec![1.0]) };
        let mut weights = savitzky_golay(window, order, 1, 1.0)?;
        let mut sum = 0.0;
        for weight in weights.iter_mut().rev() {
            sum -= *weight;
            *weight = sum;
        }
        weights.remove(0);
        Ok(weights)
    }

    /// The share of y\[k−1\] in y\[k\].
    fn decay(&self) -> f64 {
        if let DiffMethod::Inertial { tau } = self.method { (-self.period / tau).exp() } else { 0.0 }
    }
}

/// Velocity of a signal; for orientation the angular velocity in body axes, for a pose the
/// [`BodyTwist`](crate::BodyTwist). Turns of less than half a revolution per period are told apart, however long the
/// window.
///
/// The state is the last sample and velocities: so a signal that moves steadily is measured without a bump through any
/// change of method, window or period.
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
    weights: Vec<f64>,
    decay: f64,
    // u[k−1], and u[k] between `prepare` and `commit`.
    last: [S; 2],
    // Velocities between earlier samples, and y[k−1].
    past: Ring<S::Tangent>,
    y: [S::Tangent; 2],
    is_empty: bool,
}

impl<S: Manifold> Differentiator<S> {
    /// Begins at rest at `x0`.
    pub fn new(params: DifferentiatorParams, x0: &S) -> Result<Self> {
        let (weights, zero) = (params.weights()?, x0.zero_velocity());
        x0.check("x0")?;
        Ok(Self {
            params,
            decay: params.decay(),
            last: [x0.clone(), x0.clone()],
            past: Ring::filled(weights.len() - 1, &zero),
            weights,
            y: [zero.clone(), zero],
            is_empty: false,
        })
    }

    /// Replaces the parameters. The last sample and the velocities stay; a longer window goes on with the oldest
    /// one.
    pub fn set_params(&mut self, params: DifferentiatorParams) -> Result<()> {
        if params.method != self.params.method {
            let had_none = self.weights.len() == 1;
            self.weights = params.weights()?;
            self.past.resize(self.weights.len() - 1);
            if had_none {
                self.past.fill(&self.y[0]);
            }
        }
        positive("period", params.period)?;
        self.params = params;
        self.decay = params.decay();
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &DifferentiatorParams {
        &self.params
    }

    /// Starts as if the signal had come to `x0` with the constant velocity `v0`.
    pub fn start_moving(&mut self, x0: &S, v0: &S::Tangent) -> Result<()> {
        accept_start(self.last[0].size(), x0)?;
        accept_start(self.y[0].size(), v0)?;
        self.last[0].clone_from(x0);
        self.y[0].clone_from(v0);
        self.past.fill(v0);
        self.is_empty = false;
        Ok(())
    }

    /// y\[k\] from the velocity since the last sample, which is in `y`.
    #[inline]
    fn weigh(&self, y: &mut S::Tangent) {
        if self.params.method == DiffMethod::Difference {
            return;
        }
        let (newest, before) = ((1.0 - self.decay) * self.weights[0], self.y[0].elements());
        y.elements_mut().iter_mut().zip(before).for_each(|(y, y1)| *y = newest * *y + self.decay * y1);
        for (weight, past) in self.weights[1..].iter().zip(self.past.iter()) {
            y.elements_mut().iter_mut().zip(past.elements()).for_each(|(y, past)| *y += weight * past);
        }
    }
}

impl<S: Manifold> Filter for Differentiator<S> {
    type State = S;
    type Input = S;
    type Output = S::Tangent;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.last[0].size(), x0)?;
        self.reset();
        self.last[0].clone_from(x0);
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.y[0].elements_mut().fill(0.0);
        self.past.fill(&self.y[0]);
        self.is_empty = true;
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S::Tangent) -> Result<()> {
        accept(self.last[0].size(), u, self.y[0].size(), y.size())?;
        if self.is_empty {
            y.elements_mut().fill(0.0);
            return Ok(());
        }
        u.difference_into(&self.last[0], self.params.period.recip(), y);
        self.weigh(y);
        no_overflow(y.elements())
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S::Tangent) -> Result<()> {
        accept(self.last[0].size(), u, self.y[0].size(), y.size())?;
        if self.is_empty {
            y.elements_mut().fill(0.0);
        } else {
            u.difference_into(&self.last[0], self.params.period.recip(), y);
        }
        if !self.weights[1..].is_empty() {
            self.past.prepare(y);
        }
        self.weigh(y);
        no_overflow(y.elements())?;
        self.last[1].clone_from(u);
        self.y[1].elements_mut().copy_from_slice(y.elements());
        Ok(())
    }

    #[inline]
    fn commit(&mut self) {
        self.last.swap(0, 1);
        self.y.swap(0, 1);
        if !self.weights[1..].is_empty() {
            self.past.commit();
        }
        self.is_empty = false;
    }

    fn blank(&self, _u: &S) -> S::Tangent {
        self.y[0].clone()
    }

    fn interval(&self) -> Interval {
        Interval::Before
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
        self.set_params(DifferentiatorParams { period, ..self.params })
    }
}

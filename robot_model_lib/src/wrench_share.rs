//! One wrench shared by many pushes that each have a direction, a weight and bounds.
//!
//! Regularised least squares with bounds: of all pushes f_k within their bounds whose wrench Σ g_k f_k is nearest to the
//! wanted one, those with the least Σ f_k²/w_k. In the dual there are six unknowns λ, however many pushes there are:
//! f_k = clamp(w_k g_k·λ). They are found by a semismooth Newton method (an active set that changes by many members at
//! once) inside the proximal method of multipliers (Rockafellar 1976), which needs no case of its own where the
//! wrench is out of reach or directions are missing. It starts from zero, so the same inputs give the same answer.

use nalgebra::{Matrix6, Vector6};

/// Damping of the multipliers. A direction of the wrench that the pushes hold with stiffness σ is met up to
/// (DAMPING/σ)^ROUNDS.
const DAMPING: f64 = 1e-6;
const ROUNDS: usize = 4;
/// Newton steps of a round; three to eight are used.
const STEPS: usize = 30;
/// Halvings of an interval in which the end of a step lies.
const SEARCHES: usize = 30;
/// The balance of a round, as a part of the wanted wrench.
const BALANCED: f64 = 1e-13;

/// A push at a contact point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Push {
    /// Wrench per unit of force.
    pub column: Vector6<f64>,
    /// A push of twice the weight carries twice as much, as far as both may.
    pub weight: f64,
    pub least: f64,
    pub most: f64,
    /// How hard it pushes, N: what is solved for.
    pub force: f64,
    /// column · λ and column · step.
    along: f64,
    change: f64,
}

impl Push {
    pub fn new(column: Vector6<f64>, weight: f64, least: f64, most: f64) -> Self {
        Self { column, weight, least, most, force: 0.0, along: 0.0, change: 0.0 }
    }

    fn at(&self, step: f64) -> f64 {
        (self.weight * (self.along + step * self.change)).max(self.least).min(self.most)
    }

    fn is_free(&self) -> bool {
        let force = self.weight * self.along;
        force > self.least && force < self.most
    }
}

/// Sets the force of each push. The wanted wrench is to be of the order of one.
pub(crate) fn share(pushes: &mut [Push], wanted: &Vector6<f64>) {
    let mut lambda = Vector6::zeros();
    let enough = BALANCED * (1.0 + wanted.amax());
    for push in &mut *pushes {
        push.along = 0.0;
    }
    for _ in 0..ROUNDS {
        let centre = lambda;
        for _ in 0..STEPS {
            let (gradient, curvature) = derivatives(pushes, &lambda, &centre, wanted);
            if gradient.amax() <= enough {
                break;
            }
            let Some(factors) = curvature.cholesky() else { break };
            let step = -factors.solve(&gradient);
            for push in &mut *pushes {
                push.change = push.column.dot(&step);
            }
            let constant = DAMPING * step.dot(&(lambda - centre)) - step.dot(wanted);
            let growth = DAMPING * step.norm_squared();
            let slope = |at: f64| {
                let sum: f64 = pushes.iter().map(|push| push.change * push.at(at)).sum();
                sum + constant + at * growth
            };
            let length = step_length(slope, gradient.dot(&step));
            lambda += step * length;
            for push in &mut *pushes {
                push.along = push.column.dot(&lambda);
            }
        }
    }
    for push in pushes {
        push.force = push.at(0.0);
        push.change = 0.0;
    }
}

/// Gradient and curvature of the dual.
fn derivatives(
    pushes: &mut [Push],
    lambda: &Vector6<f64>,
    centre: &Vector6<f64>,
    wanted: &Vector6<f64>,
) -> (Vector6<f64>, Matrix6<f64>) {
    let mut gradient = (lambda - centre) * DAMPING - wanted;
    let mut curvature = Matrix6::identity() * DAMPING;
    for push in pushes {
        push.change = 0.0;
        gradient += push.column * push.at(0.0);
        if push.is_free() {
            curvature.syger(push.weight, &push.column, &push.column, 1.0);
        }
    }
    curvature.fill_upper_triangle_with_lower_triangle();
    (gradient, curvature)
}

/// How much of a step is taken: all of it unless the dual, which is convex, rises before its end.
fn step_length(slope: impl Fn(f64) -> f64, first: f64) -> f64 {
    let small = 1e-3 * first.abs();
    if slope(1.0) <= small {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..SEARCHES {
        let middle = 0.5 * (low + high);
        let found = slope(middle);
        if found.abs() <= small {
            return middle;
        }
        if found > 0.0 { high = middle } else { low = middle }
    }
    low
}

//! Transfer function of any order.

use super::check_like;
use crate::check::{finite, same_length, within};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::signal::{Manifold, Signal, VectorSpace};
use crate::sweep::{flawless, sweep};

/// Parameters of a [`TransferFunction`]: coefficients of z⁻ⁱ, lowest power first.
#[derive(Debug, Clone, PartialEq)]
pub struct TransferFunctionParams {
    /// Numerator b0, b1, …
    pub b: Vec<f64>,
    /// Denominator a0, a1, …; a0 must not be 0.
    pub a: Vec<f64>,
}

impl TransferFunctionParams {
    /// Refuses empty lists, numbers that are not finite and a0 = 0.
    pub fn check(&self) -> Result<()> {
        for (name, list) in [("b", &self.b), ("a", &self.a)] {
            if list.is_empty() {
                return Err(Error::Empty { name });
            }
            list.iter().try_for_each(|value| finite(name, *value))?;
        }
        within("a0", self.a[0], self.a[0] != 0.0, "other than 0")?;
        let scaled = self.b.iter().chain(&self.a).map(|value| value / self.a[0]);
        scaled
            .clone()
            .try_for_each(|value| within("a0", self.a[0], value.is_finite(), "large enough to divide by"))
    }

    /// Highest power of z⁻¹.
    fn order(&self) -> usize {
        self.b.len().max(self.a.len()) - 1
    }

    /// Both lists divided by a0 and filled up to the order, as (bᵢ, aᵢ).
    fn normalised(&self) -> Vec<(f64, f64)> {
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0) / self.a[0];
        (0..=self.order()).map(|i| (at(&self.b, i), at(&self.a, i))).collect()
    }
}

/// b(z)/a(z) of any order in direct form II transposed (A. Oppenheim, R. Schafer, "Discrete-Time Signal Processing"):
/// y\[k\] = b0·u\[k\] + z1\[k\], zᵢ\[k+1\] = zᵢ₊₁\[k\] + bᵢ·u\[k\] − aᵢ·y\[k\].
///
/// ```
/// # use filters_lib::{Filter, TransferFunction, TransferFunctionParams};
/// let params = TransferFunctionParams { b: vec![0.5, 0.5], a: vec![1.0] };
/// let mut mean_of_two = TransferFunction::new(params, &0.0)?;
/// assert_eq!((mean_of_two.update(&2.0)?, mean_of_two.update(&4.0)?), (1.0, 3.0));
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TransferFunction<S> {
    params: TransferFunctionParams,
    coefficients: Vec<(f64, f64)>,
    // z1, z2, …, and one zero behind the last so that every state steps alike.
    z: Vec<S>,
    // The output of a state step alone.
    unseen: S,
}

impl<S: VectorSpace> TransferFunction<S> {
    /// Starts as if the input had been `x0` for ever; a zero `x0` is an empty memory.
    pub fn new(params: TransferFunctionParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let z = vec![x0.zero_velocity(); params.order() + 1];
        let mut filter = Self { coefficients: params.normalised(), params, z, unseen: x0.clone() };
        filter.start(x0)?;
        Ok(filter)
    }

    /// Replaces the coefficients. The memory stays; a longer one is filled up with zeros.
    pub fn set_params(&mut self, params: TransferFunctionParams) -> Result<()> {
        params.check()?;
        self.z.resize(params.order() + 1, self.z[0].zero_velocity());
        if let Some(last) = self.z.last_mut() {
            last.elements_mut().fill(0.0);
        }
        self.coefficients = params.normalised();
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &TransferFunctionParams {
        &self.params
    }
}

/// y\[k\] of the coefficient b0 and the state z1. Nothing but an input that is not finite or an overflow spoils it.
#[inline]
fn output<S: VectorSpace>(direct: f64, z: &S, input: &S, y: &mut S) -> Result<()> {
    same_length("u", z.size(), input.size())?;
    same_length("y", z.size(), y.size())?;
    let flaws = sweep(input.elements(), [z.elements()], y.elements_mut(), [], |u, [z]| {
        let y = direct * u + z;
        (y, [], y)
    });
    if flawless(flaws) { Ok(()) } else { input.check("u").and(Err(Error::Overflow)) }
}

/// The state step, state by state, and y\[k\] on the way.
#[inline]
fn advance<S: VectorSpace>(coefficients: &[(f64, f64)], z: &mut [S], input: &S, y: &mut S) -> Result<()> {
    output(coefficients[0].0, &z[0], input, y)?;
    for (i, (b, a)) in coefficients.iter().enumerate().skip(1) {
        let (before, behind) = z.split_at_mut(i);
        let (from, to) = ([behind[0].elements(), y.elements()], before[i - 1].elements_mut());
        sweep(input.elements(), from, to, [], |u, [z, y]| (z + b * u - a * y, [], 0.0));
    }
    Ok(())
}

impl<S: VectorSpace> Filter for TransferFunction<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        check_like("x0", self.z[0].size(), x0)?;
        let (b_sum, a_sum) = self.coefficients.iter().fold((0.0, 0.0), |(b, a), c| (b + c.0, a + c.1));
        let at_rest = x0.elements().iter().all(|x| *x == 0.0);
        let gain = if at_rest { 0.0 } else { b_sum / a_sum };
        if !gain.is_finite() {
            return Err(Error::NoSteadyState);
        }
        self.z.iter_mut().for_each(|z| z.elements_mut().fill(0.0));
        for i in (1..self.coefficients.len()).rev() {
            let (b, a) = self.coefficients[i];
            for e in 0..x0.size() {
                let behind = self.z[i].elements()[e];
                self.z[i - 1].elements_mut()[e] = behind + (b - a * gain) * x0.elements()[e];
            }
        }
        Ok(())
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        output(self.coefficients[0].0, &self.z[0], u, y)
    }

    #[inline]
    fn step(&mut self, u: &S) -> Result<()> {
        advance(&self.coefficients, &mut self.z, u, &mut self.unseen)
    }

    #[inline]
    fn update_into(&mut self, u: &S, y: &mut S) -> Result<()> {
        advance(&self.coefficients, &mut self.z, u, y)
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

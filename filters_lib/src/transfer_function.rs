//! Transfer function of any order.

use crate::check::{finite, within};
use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::ring::Ring;
use crate::signal::{Manifold, Signal, VectorSpace, accept, accept_start, no_overflow};
use serde::{Deserialize, Serialize};

/// Parameters of a [`TransferFunction`]: coefficients of z⁻ⁱ, lowest power first, as SciPy's `lfilter` takes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
        let mut scaled = self.b.iter().chain(&self.a).map(|value| value / self.a[0]);
        scaled.try_for_each(|value| within("a0", self.a[0], value.is_finite(), "large enough to divide by"))
    }

    /// Both lists divided by a0 and filled up to one length, as (bᵢ, aᵢ).
    fn normalised(&self) -> Vec<(f64, f64)> {
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0) / self.a[0];
        (0..self.b.len().max(self.a.len())).map(|i| (at(&self.b, i), at(&self.a, i))).collect()
    }
}

/// b(z)/a(z) of any order in direct form I: y\[k\] = Σ bᵢ·u\[k−i\] − Σ aᵢ·y\[k−i\].
///
/// The state is past inputs and outputs, which mean the same to all coefficients. So a filter at rest stays there
/// through a change of coefficients with the same gain b(1)/a(1); with another gain it goes to the new rest as the new
/// coefficients lead it. For high orders use [`SecondOrderSections`](crate::SecondOrderSections), which lose fewer digits.
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
    // (u, y) of the samples before.
    past: Ring<[S; 2]>,
    zero: S,
    is_empty: bool,
}

impl<S: VectorSpace> TransferFunction<S> {
    /// Begins as if the input had been `x0` for ever.
    pub fn new(params: TransferFunctionParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let coefficients = params.normalised();
        let zero = x0.origin();
        let past = Ring::filled(coefficients.len() - 1, &[zero.clone(), zero.clone()]);
        let mut filter = Self { params, coefficients, past, zero, is_empty: true };
        filter.start(x0)?;
        Ok(filter)
    }

    /// Replaces the coefficients. Past inputs and outputs stay; a longer memory repeats the oldest ones.
    pub fn set_params(&mut self, params: TransferFunctionParams) -> Result<()> {
        params.check()?;
        self.coefficients = params.normalised();
        self.past.resize(self.coefficients.len() - 1);
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &TransferFunctionParams {
        &self.params
    }

    /// b(1)/a(1), the output for the input 1 for ever; none when a(1) is 0 but for rounding.
    fn gain(&self) -> Option<f64> {
        let sum = |part: fn(&(f64, f64)) -> f64| self.coefficients.iter().map(part).sum::<f64>();
        let (b, a, size) = (sum(|c| c.0), sum(|c| c.1), sum(|c| c.1.abs()));
        (a.abs() > 4.0 * f64::EPSILON * size).then(|| b / a).filter(|gain| gain.is_finite())
    }
}

impl<S: VectorSpace> Filter for TransferFunction<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.zero.size(), x0)?;
        let is_zero = x0.elements().iter().all(|x| *x == 0.0);
        let gain = if is_zero { 0.0 } else { self.gain().ok_or(Error::NoSteadyState)? };
        let mut y0 = x0.clone();
        y0.elements_mut().iter_mut().for_each(|y| *y *= gain);
        no_overflow(y0.elements())?;
        self.past.fill(&[x0.clone(), y0]);
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        self.past.free().iter_mut().for_each(|part| part.clone_from(&self.zero));
        self.past.fill_with_prepared();
        self.is_empty = true;
    }

    #[inline]
    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.zero.size(), u, u.size(), y.size())?;
        if self.is_empty
            && let Some(gain) = self.gain()
        {
            y.elements_mut().iter_mut().zip(u.elements()).for_each(|(y, u)| *y = gain * u);
            return no_overflow(y.elements());
        }
        let direct = self.coefficients[0].0;
        y.elements_mut().iter_mut().zip(u.elements()).for_each(|(y, u)| *y = direct * u);
        let mut coefficients = &self.coefficients[1..];
        for stretch in self.past.stretches() {
            let (now, rest) = coefficients.split_at(stretch.len().min(coefficients.len()));
            for ((b, a), [input, output]) in now.iter().zip(stretch) {
                let past = input.elements().iter().zip(output.elements());
                y.elements_mut().iter_mut().zip(past).for_each(|(y, (u, y1))| *y += b * u - a * y1);
            }
            coefficients = rest;
        }
        no_overflow(y.elements())
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        let [input, output] = self.past.free();
        input.clone_from(u);
        output.clone_from(y);
        Ok(())
    }

    #[inline]
    fn commit(&mut self) {
        if std::mem::take(&mut self.is_empty) && self.gain().is_some() {
            self.past.fill_with_prepared();
            return;
        }
        self.past.commit();
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }
}

//! Second-order sections, and Butterworth filters of any order made of them.

use crate::butterworth::ButterworthParams;
use crate::check::{finite, within};
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};
use crate::signal::{Manifold, Signal, VectorSpace, accept, accept_start, all_finite};
use serde::{Deserialize, Serialize};

/// Parameters of [`SecondOrderSections`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionsParams {
    /// \[b0, b1, b2, a0, a1, a2\] of each section, as SciPy's `sosfilt` takes them; a0 must not be 0.
    pub sections: Vec<[f64; 6]>,
}

impl SectionsParams {
    /// Refuses no sections, numbers that are not finite, and a0 that is 0 or too small to divide by.
    pub fn check(&self) -> Result<()> {
        if self.sections.is_empty() {
            return Err(Error::Empty { name: "sections" });
        }
        self.sections.iter().try_for_each(|section| {
            section.iter().try_for_each(|value| finite("sections", *value))?;
            let good = section.iter().all(|value| (value / section[3]).is_finite());
            within("a0", section[3], good, "large enough to divide by")
        })
    }
}

/// A cascade of second-order filters, each in direct form I: yᵢ = b0·yᵢ₋₁ + b1·yᵢ₋₁,₁ + b2·yᵢ₋₁,₂ − a1·yᵢ,₁ − a2·yᵢ,₂ with
/// y₀ = u. The state is the last two values before, between and behind the sections. So a filter at rest stays there through a
/// change of coefficients that keeps the gains of all sections at rest; otherwise it goes to the new rest as the new
/// coefficients lead it.
///
/// ```
/// # use filters_lib::{ButterworthParams, Filter, FrequencyBand, SecondOrderSections};
/// let band = FrequencyBand::LowPass { frequency: 5.0 };
/// let smooth = SecondOrderSections::butterworth(&ButterworthParams { period: 0.01, order: 5, band }, &2.0)?;
/// assert!((smooth.output(&2.0)? - 2.0).abs() < 1e-12);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SecondOrderSections<S> {
    params: SectionsParams,
    // Of y₀, y₁, …: now, one and two periods ago.
    now: Vec<S>,
    past: [Vec<S>; 2],
    is_empty: bool,
}

impl<S: VectorSpace> SecondOrderSections<S> {
    /// Begins as if the input had been `x0` for ever.
    pub fn new(params: SectionsParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let now = vec![x0.origin(); params.sections.len() + 1];
        let mut filter = Self { params, past: [now.clone(), now.clone()], now, is_empty: true };
        filter.start(x0)?;
        Ok(filter)
    }

    /// A Butterworth filter.
    pub fn butterworth(params: &ButterworthParams, x0: &S) -> Result<Self> {
        Self::new(params.design()?, x0)
    }

    /// Replaces the coefficients. The state stays; new sections start at rest behind the last one.
    pub fn set_params(&mut self, params: SectionsParams) -> Result<()> {
        params.check()?;
        let count = params.sections.len() + 1;
        for list in [&mut self.now].into_iter().chain(&mut self.past) {
            let last = list[list.len() - 1].clone();
            list.resize(count, last);
        }
        self.params = params;
        Ok(())
    }

    /// The parameters in use.
    pub fn params(&self) -> &SectionsParams {
        &self.params
    }
}

/// The output of a section for the input 1 for ever; none when its denominator at rest is 0 but for rounding.
fn gain([b0, b1, b2, a0, a1, a2]: &[f64; 6]) -> Option<f64> {
    let (a, size) = (a0 + a1 + a2, a0.abs() + a1.abs() + a2.abs());
    (a.abs() > 4.0 * f64::EPSILON * size).then(|| (b0 + b1 + b2) / a)
}

impl<S: VectorSpace> Filter for SecondOrderSections<S> {
    type State = S;
    type Input = S;
    type Output = S;

    fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.now[0].size(), x0)?;
        let is_zero = x0.elements().iter().all(|x| *x == 0.0);
        let rest = |section: &[f64; 6]| if is_zero { Some(0.0) } else { gain(section) };
        let gains: Option<Vec<f64>> = self.params.sections.iter().map(rest).collect();
        let gains = gains.ok_or(Error::NoSteadyState)?;
        self.now[0].clone_from(x0);
        for (i, gain) in gains.iter().enumerate() {
            let (before, behind) = self.now.split_at_mut(i + 1);
            let from = before[i].elements().iter();
            behind[0].elements_mut().iter_mut().zip(from).for_each(|(y, u)| *y = gain * u);
        }
        if !self.now.iter().all(|y| all_finite(y.elements())) {
            return Err(Error::Overflow);
        }
        self.past.iter_mut().for_each(|past| past.clone_from(&self.now));
        self.is_empty = false;
        Ok(())
    }

    fn reset(&mut self) {
        for list in &mut self.past {
            list.iter_mut().for_each(|y| y.elements_mut().fill(0.0));
        }
        self.is_empty = true;
    }

    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.now[0].size(), u, u.size(), y.size())?;
        for e in 0..u.size() {
            let mut signal = u.elements()[e];
            for (i, section) in self.params.sections.iter().enumerate() {
                signal = self.section(section, i, e, signal);
            }
            y.elements_mut()[e] = signal;
        }
        if all_finite(y.elements()) { Ok(()) } else { Err(Error::Overflow) }
    }

    #[inline]
    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        accept(self.now[0].size(), u, u.size(), y.size())?;
        let rests = self.rests();
        self.now[0].clone_from(u);
        for (i, section) in self.params.sections.iter().enumerate() {
            let n = u.size();
            let (before, behind) = self.now.split_at_mut(i + 1);
            let (input, output) = (&before[i].elements()[..n], &mut behind[0].elements_mut()[..n]);
            if rests && let Some(gain) = gain(section) {
                (0..n).for_each(|e| output[e] = gain * input[e]);
                continue;
            }
            let past = |age: usize, i: usize| &self.past[age][i].elements()[..n];
            let [u1, u2, y1, y2] = [past(0, i), past(1, i), past(0, i + 1), past(1, i + 1)];
            let [b0, b1, b2, _, a1, a2] = section.map(|value| value / section[3]);
            for e in 0..n {
                output[e] = b0 * input[e] + b1 * u1[e] + b2 * u2[e] - a1 * y1[e] - a2 * y2[e];
            }
        }
        let last = &self.now[self.params.sections.len()];
        y.clone_from(last);
        if self.now.iter().all(|y| all_finite(y.elements())) { Ok(()) } else { Err(Error::Overflow) }
    }

    #[inline]
    fn commit(&mut self) {
        let rests = self.rests();
        self.is_empty = false;
        if rests {
            for (past, now) in self.past.iter_mut().flat_map(|list| list.iter_mut().zip(&self.now)) {
                past.clone_from(now);
            }
            return;
        }
        self.past.swap(0, 1);
        std::mem::swap(&mut self.past[0], &mut self.now);
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }

    /// That of their design; only a chain, which designs them, can change it.
    fn interval(&self) -> Interval {
        Interval::Before
    }
}

impl<S: VectorSpace> SecondOrderSections<S> {
    /// Whether the next input is the first, and there is a rest at it.
    fn rests(&self) -> bool {
        self.is_empty && self.params.sections.iter().all(|section| gain(section).is_some())
    }

    /// yᵢ₊₁ of one element.
    #[inline]
    fn section(&self, section: &[f64; 6], i: usize, e: usize, u: f64) -> f64 {
        if self.rests()
            && let Some(gain) = gain(section)
        {
            return gain * u;
        }
        let past = |age: usize, i: usize| self.past[age][i].elements()[e];
        let [b0, b1, b2, _, a1, a2] = section.map(|value| value / section[3]);
        b0 * u + b1 * past(0, i) + b2 * past(1, i) - a1 * past(0, i + 1) - a2 * past(1, i + 1)
    }
}

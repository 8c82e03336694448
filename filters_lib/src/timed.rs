//! A filter whose samples come at times of their own.

use crate::check::positive;
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};

/// Gives a filter the true distance of its samples, and lets it begin again after a gap.
///
/// A filter whose output follows from its newest sample (a limiter, a differentiator) steps over the time since the sample
/// before. One that acts on the outputs to come (a lag, an integrator) holds each sample until the next and steps over just
/// that time. Windows take every sample alike; see [`Filter::interval`]. A chain of both kinds counts from the sample before.
///
/// After more than `gap` seconds without a sample the past says nothing about the present: the filter is
/// [`reset`](Filter::reset). So it is after a time that the filter cannot take for its period (half a turn of a biquad's
/// frequency).
///
/// ```
/// # use filters_lib::{Filter, Lag, LagParams, Timed};
/// let lag = Lag::new(LagParams { period: 0.1, tau: 1.0 }, &0.0)?;
/// let mut timed = Timed::new(lag, 0.5, &0.0)?;
/// timed.update(0.0, &1.0)?;
/// assert!((timed.update(0.25, &1.0)? - (1.0 - (-0.25_f64).exp())).abs() < 1e-12);
/// assert_eq!(timed.update(9.0, &7.0)?, 7.0, "a gap: it begins anew");
/// assert!(timed.update(8.0, &7.0).is_err(), "time does not go back");
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Timed<F: Filter> {
    filter: F,
    gap: f64,
    last: Option<f64>,
    // The last distance of samples that the filter could take for its period.
    period: Option<f64>,
    // The sample that is held, if the filter holds samples, and the output of its step, which nobody needs.
    held: F::Input,
    unseen: F::Output,
}

impl<F: Filter<Input: Clone>> Timed<F> {
    /// Wraps `filter`; a gap of more than `gap` seconds restarts it. `like` is any input of the right size.
    pub fn new(filter: F, gap: f64, like: &F::Input) -> Result<Self> {
        positive("gap", gap)?;
        let unseen = filter.blank(like);
        Ok(Self { filter, gap, last: None, period: None, held: like.clone(), unseen })
    }

    /// The next sample, taken at the time `stamp`, s. A stamp that does not follow the last one is refused.
    pub fn update_into(&mut self, stamp: f64, u: &F::Input, y: &mut F::Output) -> Result<()> {
        if !stamp.is_finite() {
            return Err(Error::NotFinite { what: "stamp", index: 0, value: stamp });
        }
        let step = self.last.map(|last| stamp - last);
        if let Some(last) = self.last.filter(|last| stamp <= *last) {
            return Err(Error::TimeBack { stamp, last });
        }
        // A refused input must leave no trace: it is tried before anything but the period changes.
        let goes_on = step.map_or(Ok(true), |step| self.goes_on(step))?;
        if !goes_on {
            self.filter.output_into(u, y)?;
            self.filter.reset();
        }
        if self.filter.interval() == Interval::After {
            self.filter.output_into(u, y)?;
            if goes_on && step.is_some() {
                self.filter.update_into(&self.held, &mut self.unseen)?;
                self.filter.output_into(u, y)?;
            }
            self.held.clone_from(u);
        } else {
            self.filter.update_into(u, y)?;
        }
        self.last = Some(stamp);
        Ok(())
    }

    /// Sets the period, or says that the filter has to begin anew: after a gap, and after a time that is too long for it.
    fn goes_on(&mut self, step: f64) -> Result<bool> {
        if step > self.gap {
            return Ok(false);
        }
        match self.filter.set_period(step) {
            Ok(()) => {
                self.period = Some(step);
                Ok(true)
            }
            // A time that is too short is refused alone: the next sample is farther away.
            Err(error) if self.period.is_some_and(|period| step <= period) => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// [`update_into`](Self::update_into) that returns the output.
    pub fn update(&mut self, stamp: f64, u: &F::Input) -> Result<F::Output> {
        let mut y = self.filter.blank(u);
        self.update_into(stamp, u, &mut y)?;
        Ok(y)
    }

    /// Forgets every sample and its time.
    pub fn reset(&mut self) {
        self.filter.reset();
        self.last = None;
    }

    /// The filter inside.
    pub fn inner(&self) -> &F {
        &self.filter
    }

    /// The filter inside, e.g. to replace its parameters.
    pub fn inner_mut(&mut self) -> &mut F {
        &mut self.filter
    }
}

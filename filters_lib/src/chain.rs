//! Filters in sequence, built from a flat list of parameters as the ROS package `filters` lays them out:
//! `filterN.name`, `filterN.type`, `filterN.params.*`, N from 1.
//!
//! ```
//! use filters_lib::{Chain, Filter, chain::Value};
//! let params = [
//!     ("filter1.name", Value::from("spikes")), ("filter1.type", Value::from("Median")),
//!     ("filter1.params.window", Value::from(3)),
//!     ("filter2.name", Value::from("noise")), ("filter2.type", Value::from("control_filters/ExponentialFilterDouble")),
//!     ("filter2.params.alpha", Value::from(0.5)),
//! ];
//! let mut chain = Chain::<f64>::new(&params, 0.01, &0.0)?;
//! assert_eq!(chain.update(&1.0)?, 1.0, "at rest at its first sample");
//! chain.set(&[("filter2.params.alpha", Value::from(0.25))])?;
//! assert!(chain.set(&[("filter2.params.alpha", Value::from(7.0))]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adapters;
mod build;
mod catalog;
mod error;
mod layout;
mod params;
mod spec;
mod stage;
mod value;

pub use catalog::{TypeInfo, known_types};
pub use error::ChainError;
pub use spec::{ParamInfo, ParamSpec};
pub use stage::{ChainSignal, FrameNames, SignalKind};
pub use value::{Kind, Value};

use crate::check::{positive, same_length};
use crate::error::{Error, Result};
use crate::filter::{Filter, Interval};
use crate::gravity::GravityFrames;
use layout::Slot;
use std::cell::RefCell;

/// A sequence of filters on one kind of signal.
///
/// It begins empty: its first sample is the input that every filter rests at (integrators begin at zero). A step either
/// moves every filter or none. It does not allocate; `start`, `set` and `set_period` do, because they work on a copy and
/// put it in place only when all of it succeeded.
#[derive(Debug, Clone)]
pub struct Chain<S: ChainSignal> {
    slots: Vec<Slot<S>>,
    period: f64,
    // Input of each filter, then the chain's output. `output` needs them too, and it must not change the state.
    signals: RefCell<Vec<S>>,
}

impl<S: ChainSignal> Chain<S> {
    /// Builds the chain from (name, value) pairs in any order. `period` (s) is the T of filters that have none of their
    /// own; `like` is any value of the right size.
    pub fn new<N: AsRef<str>>(
        params: &[(N, Value)],
        period: f64,
        like: &S,
    ) -> std::result::Result<Self, ChainError> {
        Self::build(params, period, like).map_err(|mut faults| faults.swap_remove(0))
    }

    /// Like [`new`](Self::new), but an error is everything that is wrong, at least one fault.
    pub fn build<N: AsRef<str>>(
        params: &[(N, Value)],
        period: f64,
        like: &S,
    ) -> std::result::Result<Self, Vec<ChainError>> {
        positive("period", period).map_err(|source| vec![ChainError::refused("period", source)])?;
        like.check("like").map_err(|source| vec![ChainError::refused("like", source)])?;
        // A transfer function need not have a rest but at zero.
        let mut slots = layout::build(params, period, &like.origin())?;
        slots.iter_mut().for_each(|slot| slot.stage.reset());
        let signals = RefCell::new(vec![like.clone(); slots.len() + 1]);
        Ok(Self { slots, period, signals })
    }

    /// Changes parameters while it runs, keeping the state: all of them or, on an error, none.
    pub fn set<N: AsRef<str>>(&mut self, changes: &[(N, Value)]) -> std::result::Result<(), ChainError> {
        let mut slots = self.slots.clone();
        layout::change(&mut slots, changes, self.period)?;
        self.slots = slots;
        Ok(())
    }

    /// Changes the period, keeping the state.
    pub fn set_period(&mut self, period: f64) -> std::result::Result<(), ChainError> {
        positive("period", period).map_err(|source| ChainError::refused("period", source))?;
        let mut slots = self.slots.clone();
        slots.iter_mut().try_for_each(|slot| slot.configure(period))?;
        (self.slots, self.period) = (slots, period);
        Ok(())
    }

    /// Every parameter of every filter with its kind, range, unit, description and present value.
    pub fn describe(&self) -> Vec<ParamInfo> {
        self.slots.iter().flat_map(Slot::describe).collect()
    }

    /// The names of the filters in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(Slot::name)
    }

    /// How many filters.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no filter; such a chain passes its input on.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The filters that need transforms: index and names of the frames.
    pub fn frames(&self) -> impl Iterator<Item = (usize, FrameNames<'_>)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| Some((index, slot.frames()?)))
    }

    /// Says where the frames of filter `index` are now; nothing happens for a filter without frames.
    pub fn set_frames(&mut self, index: usize, frames: &GravityFrames) -> Result<()> {
        self.slots.get_mut(index).map_or(Ok(()), |slot| slot.stage.set_frames(frames))
    }
}

/// Runs `step` with each filter's input and output, and names an output that is not finite: the next filter must not
/// see it.
fn pass<S: ChainSignal>(
    u: &S,
    signals: &mut [S],
    mut step: impl FnMut(usize, &S, &mut S) -> Result<()>,
) -> Result<()> {
    same_length("u", signals[0].size(), u.size())?;
    u.check("u")?;
    signals[0].clone_from(u);
    for index in 0..signals.len() - 1 {
        let (before, after) = signals.split_at_mut(index + 1);
        step(index, &before[index], &mut after[0])?;
        after[0].check("filter output").map_err(|_| Error::Overflow)?;
    }
    Ok(())
}

impl<S: ChainSignal> Filter for Chain<S> {
    type State = S;
    type Input = S;
    type Output = S;

    /// As if the input had been `x0` for ever; what has no such past (an integrator) begins empty.
    fn start(&mut self, x0: &S) -> Result<()> {
        let mut slots = self.slots.clone();
        pass(x0, self.signals.get_mut(), |index, u, y| {
            slots[index].stage.rest(u)?;
            match slots[index].stage.output_into(u, y) {
                // The frames come with the samples; until then its input is as good a start as any.
                Err(Error::NoFrames) => {
                    y.clone_from(u);
                    Ok(())
                }
                other => other,
            }
        })?;
        self.slots = slots;
        Ok(())
    }

    fn reset(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.stage.reset());
    }

    fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        let mut signals = self.signals.borrow_mut();
        same_length("y", signals[0].size(), y.size())?;
        pass(u, &mut signals, |index, u, y| self.slots[index].stage.output_into(u, y))?;
        y.clone_from(&signals[self.slots.len()]);
        Ok(())
    }

    fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        let signals = self.signals.get_mut();
        same_length("y", signals[0].size(), y.size())?;
        pass(u, signals, |index, u, y| self.slots[index].stage.prepare(u, y))?;
        y.clone_from(&signals[self.slots.len()]);
        Ok(())
    }

    fn commit(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.stage.commit());
    }

    fn blank(&self, u: &S) -> S {
        u.clone()
    }

    /// As [`Chain::set_period`], which allocates; a filter with a period among its own parameters keeps that one.
    fn set_period(&mut self, period: f64) -> Result<()> {
        if period == self.period {
            return Ok(());
        }
        positive("period", period)?;
        let mut slots = self.slots.clone();
        slots.iter_mut().try_for_each(|slot| slot.retime(period))?;
        (self.slots, self.period) = (slots, period);
        Ok(())
    }

    /// One filter that counts from the sample before makes the whole chain count so.
    fn interval(&self) -> Interval {
        let has = |interval| self.slots.iter().any(|slot| slot.stage.interval() == interval);
        [Interval::Before, Interval::After]
            .into_iter()
            .find(|interval| has(*interval))
            .unwrap_or(Interval::None)
    }
}

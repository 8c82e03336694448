//! What filters of the last N samples share.

use crate::check::within;
use crate::error::Result;
use crate::filter::Interval;
use crate::ring::Ring;
use crate::signal::{Signal, VectorSpace, accept, accept_start};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// The longest window: longer ones are typing errors.
pub(crate) const MAX_WINDOW: usize = 10_000;

/// Parameters of a [`MovingAverage`](crate::MovingAverage) or a [`Median`](crate::Median).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowParams {
    /// How many samples, the newest included; 1…10000.
    pub window: usize,
}

impl WindowParams {
    /// Refuses an empty or absurdly long window.
    pub fn check(&self) -> Result<()> {
        within("window", self.window as f64, (1..=MAX_WINDOW).contains(&self.window), "1…10000")
    }
}

/// What a filter makes of the samples, and what it keeps beside them.
pub(crate) trait Summary: Debug + Clone + Default {
    /// The past has been replaced.
    fn renew<S: VectorSpace>(&mut self, _past: &Ring<S>) {}

    /// y\[k\] from u\[k\] and the past.
    fn output_into<S: VectorSpace>(&self, past: &Ring<S>, u: &S, y: &mut S) -> Result<()>;

    /// The sample that the past has prepared is about to count.
    fn commit<S: VectorSpace>(&mut self, _past: &Ring<S>) {}
}

/// The last N − 1 inputs and their summary.
#[derive(Debug, Clone)]
pub(crate) struct Window<S, K> {
    pub(crate) params: WindowParams,
    past: Ring<S>,
    summary: K,
    size: usize,
}

impl<S: VectorSpace, K: Summary> Window<S, K> {
    pub(crate) fn new(params: WindowParams, x0: &S) -> Result<Self> {
        params.check()?;
        x0.check("x0")?;
        let past = Ring::filled(params.window - 1, x0);
        let mut summary = K::default();
        summary.renew(&past);
        Ok(Self { params, past, summary, size: x0.size() })
    }

    /// Past inputs stay; a longer window is filled up with the oldest one.
    pub(crate) fn set_params(&mut self, params: WindowParams) -> Result<()> {
        params.check()?;
        self.past.resize(params.window - 1);
        self.params = params;
        self.summary.renew(&self.past);
        Ok(())
    }

    pub(crate) fn start(&mut self, x0: &S) -> Result<()> {
        accept_start(self.size, x0)?;
        self.past.fill(x0);
        self.summary.renew(&self.past);
        Ok(())
    }

    pub(crate) fn reset(&mut self) {
        self.past.clear();
    }

    /// Samples count alike, whatever their distance.
    pub(crate) fn set_period(&mut self, _period: f64) -> Result<()> {
        Ok(())
    }

    pub(crate) fn interval(&self) -> Interval {
        Interval::None
    }

    #[inline]
    pub(crate) fn output_into(&self, u: &S, y: &mut S) -> Result<()> {
        accept(self.size, u, u.size(), y.size())?;
        self.summary.output_into(&self.past, u, y)
    }

    #[inline]
    pub(crate) fn prepare(&mut self, u: &S, y: &mut S) -> Result<()> {
        self.output_into(u, y)?;
        self.past.prepare(u);
        Ok(())
    }

    #[inline]
    pub(crate) fn commit(&mut self) {
        self.summary.commit(&self.past);
        self.past.commit();
    }
}

//! One transform over time.

use filters_lib::signal::Signal;
use nalgebra::Isometry3;
use std::collections::VecDeque;

/// A message whose stamp goes back further than this is not late: time was set back, e.g. by a bag that begins again.
pub(crate) const JUMP_NS: i64 = 1_000_000_000;

/// However many come within the span, no more are kept (ten seconds at 10 kHz).
const MOST: usize = 100_000;

/// What a time lies outside of, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Before(i64),
    After(i64),
}

/// Samples in the order of their stamps.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    samples: VecDeque<Sample>,
}

/// A transform at a time.
#[derive(Clone, Debug)]
struct Sample {
    stamp: i64,
    pose: Isometry3<f64>,
    /// It came when others were known for long after it: late, or the first of a time that was set back.
    is_behind: bool,
}

impl History {
    /// Adds a sample in its place, as tf2 does: late ones too, but none that is older than `span` ns before the newest, and
    /// what is that old goes. Of two with one stamp the first stays, unless the other comes
    /// so late that time must have been set back.
    pub(crate) fn insert(&mut self, stamp: i64, pose: Isometry3<f64>, span: i64) {
        if self.newest().is_some_and(|newest| stamp < newest.saturating_sub(span)) {
            return;
        }
        let is_behind = self.newest().is_some_and(|newest| stamp < newest.saturating_sub(JUMP_NS));
        let sample = Sample { stamp, pose, is_behind };
        match self.samples.binary_search_by_key(&stamp, |sample| sample.stamp) {
            Ok(place) if is_behind => self.samples[place] = sample,
            Ok(_) => return,
            Err(place) => self.samples.insert(place, sample),
        }
        let Some(newest) = self.newest() else { return };
        let too_old = |sample: &Sample| sample.stamp < newest.saturating_sub(span);
        while self.samples.len() > MOST || self.samples.front().is_some_and(too_old) {
            self.samples.pop_front();
        }
    }

    /// Time was set back to `time`: what is of the time before goes. What came since was behind it; whether any is left.
    pub(crate) fn rewind(&mut self, time: i64) -> bool {
        self.samples.retain(|sample| sample.is_behind && sample.stamp <= time);
        self.samples.iter_mut().for_each(|sample| sample.is_behind = false);
        !self.samples.is_empty()
    }

    pub(crate) fn newest(&self) -> Option<i64> {
        self.samples.back().map(|sample| sample.stamp)
    }

    /// Between two samples: the translation on a straight line, the rotation on the shortest arc.
    pub(crate) fn at(&self, time: i64) -> Result<Isometry3<f64>, Outside> {
        let after = self.samples.partition_point(|sample| sample.stamp < time);
        let Some(Sample { stamp: t1, pose: next, .. }) = self.samples.get(after) else {
            return Err(Outside::After(self.newest().unwrap_or(0)));
        };
        if *t1 == time {
            return Ok(*next);
        }
        let Some(Sample { stamp: t0, pose: last, .. }) =
            after.checked_sub(1).and_then(|before| self.samples.get(before))
        else {
            return Err(Outside::Before(*t1));
        };
        let share = time.abs_diff(*t0) as f64 / t1.abs_diff(*t0) as f64;
        let mut pose = *last;
        last.blend_into(next, [share, share], &mut pose);
        Ok(pose)
    }
}

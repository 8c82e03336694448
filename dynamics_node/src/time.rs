//! The robot's time: what passes from one message to another.

use cycle_lib::{Cycles, SyncRelation};

/// Of a cycle whose `sync` gives none that can be, s.
const PERIOD: f64 = 0.01;

/// When a message was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// By the clock, ns.
    pub stamp: i64,
    /// Of its cycle, if there had been a `sync`.
    index: Option<i64>,
}

/// Follows `sync`, where there is one; else time is what stamps say.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    cycles: Cycles,
}

impl Timeline {
    pub fn new() -> Self {
        Self { cycles: Cycles::new(PERIOD) }
    }

    /// A cycle began.
    pub fn sync(&mut self, number: u32, start_ns: i64, period: f64) -> SyncRelation {
        self.cycles.sync(number, start_ns, period)
    }

    pub fn moment(&self, stamp: i64) -> Moment {
        Moment { stamp, index: self.cycles.is_synced().then(|| self.cycles.index(stamp)) }
    }

    /// The robot's time between two messages, s; below 0 the later one was made before. Cycles that fell out of the beat are no time,
    /// and a clock that was set is none either; cycles whose messages were lost are.
    pub fn since(&self, earlier: Moment, later: Moment) -> f64 {
        match (earlier.index, later.index) {
            (Some(from), Some(to)) if to >= from => {
                let span = self.cycles.span(from, to);
                // How long the beat was away before a message whose `sync` has yet to come nobody knows.
                if self.cycles.is_beyond_next(to) { span.min(self.cycles.period()) } else { span }
            }
            _ => later.stamp.saturating_sub(earlier.stamp) as f64 * 1e-9,
        }
    }
}

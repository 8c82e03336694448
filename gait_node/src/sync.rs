//! The beat of the control cycle: its parameters and its figures.

use param_lib::params;

params! {
    /// What `sync_node` can be told.
    pub struct SyncParams {
        /// Duration of the control cycle; a change takes effect with the next cycle.
        period: f64 = 0.01, unit "s", range 0.0005..=1.0;
        /// Real-time priority (SCHED_FIFO) of the thread that runs the cycle; 0 leaves it an ordinary one.
        realtime_priority: i64 = 0, range 0..=99, read_only true;
        /// Processor on which that thread runs; -1 leaves it to the system.
        cpu: i64 = -1, range -1..=1023, read_only true;
        /// Keeps the process in memory, so that no page has to be fetched within a cycle.
        lock_memory: bool = false, read_only true;
    }
}

/// Steps of a factor of two that a [`Histogram`] tells apart.
const STEPS: usize = 8;
const BUCKETS: usize = 40 * STEPS;

/// Counts of times by their size, within an eighth of a factor of two; adding one costs nothing and allocates nothing.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: [u32; BUCKETS],
    count: u64,
    largest_ns: i64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: [0; BUCKETS], count: 0, largest_ns: 0 }
    }
}

impl Histogram {
    /// One more.
    pub fn add(&mut self, ns: i64) {
        let bucket = if ns <= 1 { 0 } else { ((ns as f64).log2() * STEPS as f64) as usize };
        self.counts[bucket.min(BUCKETS - 1)] += 1;
        self.count += 1;
        self.largest_ns = self.largest_ns.max(ns);
    }

    /// The time that a share of them does not exceed, µs; 0 without any.
    pub fn percentile_us(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut sum = 0;
        let bucket = self.counts.iter().position(|count| {
            sum += u64::from(*count);
            sum >= wanted
        });
        let upper = |bucket: usize| ((bucket + 1) as f64 / STEPS as f64).exp2().min(self.largest_ns as f64);
        bucket.map_or(0.0, |bucket| upper(bucket) * 1e-3)
    }

    /// The largest, µs.
    pub fn largest_us(&self) -> f64 {
        self.largest_ns as f64 * 1e-3
    }
}

/// What the cycle has been through.
#[derive(Clone, Debug, Default)]
pub struct CycleFigures {
    /// Cycles begun since the start.
    pub cycles: u64,
    /// Cycles that fell out since the start, because the machine was away or the work took too long.
    pub overruns: u64,
    /// How late the thread woke, of the last window.
    pub wake_up: Histogram,
    /// How long the work took, of the last window.
    pub work: Histogram,
}

impl CycleFigures {
    /// A cycle begins: how late it was noticed, how many fell out before it, how long the work of the one before took.
    pub fn record(&mut self, late_ns: i64, missed: u32, worked_ns: i64) {
        self.cycles += 1;
        self.overruns += u64::from(missed);
        self.wake_up.add(late_ns);
        self.work.add(worked_ns);
    }

    /// The figures of a window, as name and value; the next window begins.
    pub fn close_window(&mut self) -> Vec<(&'static str, String)> {
        let us = |value: f64| format!("{value:.1}");
        let (wake_up, work) = (std::mem::take(&mut self.wake_up), std::mem::take(&mut self.work));
        vec![
            ("cycles", self.cycles.to_string()),
            ("overruns", self.overruns.to_string()),
            ("wake-up p50, µs", us(wake_up.percentile_us(0.5))),
            ("wake-up p99, µs", us(wake_up.percentile_us(0.99))),
            ("wake-up max, µs", us(wake_up.largest_us())),
            ("work p50, µs", us(work.percentile_us(0.5))),
            ("work p99, µs", us(work.percentile_us(0.99))),
            ("work max, µs", us(work.largest_us())),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_within_an_eighth_of_a_factor_of_two() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|i| histogram.add(i * 1000));
        for (share, exact) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = histogram.percentile_us(share);
            assert!((exact..=exact * 1.0906).contains(&found), "{share}: {found}");
        }
        assert_eq!(histogram.largest_us(), 1000.0);
        assert_eq!(Histogram::default().percentile_us(0.5), 0.0);
    }

    #[test]
    fn extremes_have_a_bucket() {
        let mut histogram = Histogram::default();
        [i64::MIN, -1, 0, 1, i64::MAX].into_iter().for_each(|ns| histogram.add(ns));
        assert_eq!(histogram.largest_ns, i64::MAX);
    }
}

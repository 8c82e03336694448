//! How far the robot's time goes on with each `sync`.

use cycle_lib::{Cycles, STALL, SyncRelation};

/// A cycle for which a pose is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleStep {
    /// Duration of the cycle, s.
    pub period: f64,
    /// Periods by which the motion goes on: 1, or as many as we have missed. The pose of those was predicted by whoever merges poses,
    /// and the robot is there: a gait that stayed behind would pull it back. In those that fell out of the beat nothing moved.
    pub periods: f64,
}

/// Follows `sync`.
#[derive(Clone, Copy, Debug)]
pub struct Tempo {
    cycles: Cycles,
}

impl Tempo {
    /// `period` (s) is used where `sync` gives none.
    pub fn new(period: f64) -> Tempo {
        Tempo { cycles: Cycles::new(period) }
    }

    /// A `sync` came. An old or repeated one makes no step: a pose of its cycle has been made, or its time is over.
    pub fn sync(&mut self, number: u32, start_ns: i64, period: f64) -> Option<CycleStep> {
        let before = self.cycles.period();
        let passed = match self.cycles.sync(number, start_ns, period) {
            SyncRelation::Next { passed, fell_out } => passed - fell_out,
            SyncRelation::Old => return None,
            SyncRelation::Back => 1,
        };
        let period = self.cycles.period();
        // Those that were missed were as long as they were then.
        let periods = match passed {
            2..=STALL => 1.0_f64.max(passed as f64 * before / period),
            _ => 1.0,
        };
        Some(CycleStep { period, periods })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_that_fall_out_of_the_beat_are_no_time() {
        let mut tempo = Tempo::new(0.01);
        let mut periods =
            |(number, ms): (u32, i64)| tempo.sync(number, ms * 1_000_000, 0.01).map(|step| step.periods);
        assert_eq!(
            [(1, 5000), (2, 5010), (3, 5060), (5, 5080)].map(&mut periods),
            [1.0, 1.0, 1.0, 2.0].map(Some)
        );
        assert_eq!([(6, 9000), (7, 9010)].map(&mut periods), [Some(1.0); 2]);
    }

    #[test]
    fn one_step_a_cycle_and_what_was_missed_is_made_up_for() {
        let mut tempo = Tempo::new(0.01);
        let mut periods = |ms: i64| tempo.sync(0, ms * 1_000_000, 0.01).map(|step| step.periods);
        assert_eq!([5000, 5010, 5020].map(&mut periods), [Some(1.0); 3]);
        // Repeated, and one that was overtaken.
        assert_eq!([5020, 5010, 5000].map(&mut periods), [None; 3]);
        assert_eq!([5040, 5050, 5100].map(&mut periods), [Some(2.0), Some(1.0), Some(5.0)]);
        // Time went back: nothing is owed to the time before.
        assert_eq!([40, 50].map(&mut periods), [Some(1.0); 2]);
        // A long absence is not made up for.
        assert_eq!([900, 910].map(&mut periods), [Some(1.0); 2]);
    }

    #[test]
    fn cycles_that_were_missed_while_the_period_changed_are_as_long_as_they_were() {
        for (period, periods) in [(0.05, 1.2), (0.06, 1.0), (0.02, 3.0), (0.005, 12.0)] {
            let mut tempo = Tempo::new(0.01);
            tempo.sync(0, 5_000_000_000, 0.01);
            let step = tempo.sync(0, 5_060_000_000, period).unwrap();
            assert!((step.periods - periods).abs() < 1e-12, "{period}: {}", step.periods);
        }
    }

    #[test]
    fn a_sync_without_a_sensible_period_has_the_default() {
        let mut tempo = Tempo::new(0.02);
        for (k, bad) in [(1, 0.0), (2, -1.0), (3, f64::NAN), (4, 1e308)] {
            assert_eq!(tempo.sync(0, k * 20_000_000, bad), Some(CycleStep { period: 0.02, periods: 1.0 }));
        }
    }
}

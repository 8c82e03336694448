//! When cycles are due: the grid on two clocks, the one that a thread can sleep on and the one that stamps messages.

use crate::grid::Grid;

/// A clock that is off by more than this was stepped; below it, it is only read late, ns.
const STEP: i64 = 1_000_000;

/// Nor may it be off by more than one part in so many of a period: a clock that is slewed drifts away slowly, and the stamp that
/// catches up must stay nearer to its own cycle than to another, with the error of the reading too.
const STEPS_IN_A_PERIOD: i64 = 4;

/// The beat of the control cycle. Stamps are `anchor + n · period` exactly, whatever the scheduler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    grid: Grid,
    /// Stamps minus the time on which beats are due, ns.
    offset_ns: i64,
    /// The next beat.
    index: i64,
}

impl Beat {
    /// Begins with the first multiple of the period after now, so that a beat that was ended and started again goes on in
    /// the same grid. `due_clock_ns` and `stamp_clock_ns` are the two clocks, read at one time.
    pub fn start(due_clock_ns: i64, stamp_clock_ns: i64, period_ns: i64) -> Beat {
        let grid = Grid::new(0, period_ns);
        let index = stamp_clock_ns.div_euclid(grid.period_ns()) + 1;
        Beat { grid, offset_ns: stamp_clock_ns.saturating_sub(due_clock_ns), index }
    }

    /// Begins with a cycle at this stamp, on one clock.
    pub fn start_at(stamp_ns: i64, period_ns: i64) -> Beat {
        Beat { grid: Grid::new(stamp_ns, period_ns), offset_ns: 0, index: 0 }
    }

    /// Stamp of the next beat, ns.
    pub fn stamp_ns(&self) -> i64 {
        self.grid.start_ns(self.index)
    }

    /// When the next beat is due, ns.
    pub fn due_ns(&self) -> i64 {
        self.stamp_ns().saturating_sub(self.offset_ns)
    }

    /// Duration of a cycle, ns.
    pub fn period_ns(&self) -> i64 {
        self.grid.period_ns()
    }

    /// Goes on to the newest beat that is due; gives how many before it were left out because of that.
    pub fn catch_up(&mut self, now_ns: i64) -> i64 {
        let over = now_ns.saturating_sub(self.due_ns()).div_euclid(self.grid.period_ns()).max(0);
        self.index = self.index.saturating_add(over);
        over
    }

    /// Goes on to the next beat.
    pub fn advance(&mut self) {
        self.index = self.index.saturating_add(1);
    }

    /// Another period, from the next beat on; that one stays where it is.
    pub fn set_period(&mut self, period_ns: i64) {
        if period_ns.max(1) != self.grid.period_ns() {
            self.grid = Grid::new(self.stamp_ns(), period_ns);
            self.index = 0;
        }
    }

    /// Compares the clocks, read at one time to within `error_ns`. If the stamping clock was stepped, or slewed away by a quarter
    /// of a period (at most a millisecond), the grid moves with it, once: gives by how much, ns.
    pub fn follow_step(&mut self, due_clock_ns: i64, stamp_clock_ns: i64, error_ns: i64) -> Option<i64> {
        let offset = stamp_clock_ns.saturating_sub(due_clock_ns);
        let step = offset.saturating_sub(self.offset_ns);
        let counts = STEP.min(self.grid.period_ns() / STEPS_IN_A_PERIOD);
        if step.saturating_abs() <= counts.saturating_add(error_ns) {
            return None;
        }
        let due = self.due_ns();
        self.offset_ns = offset;
        self.grid = Grid::new(due.saturating_add(offset), self.grid.period_ns());
        self.index = 0;
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn stamps_are_multiples_of_the_period_however_late_the_thread_is() {
        let mut beat = Beat::start(5 * MS, 1_003 * MS + 7, MS);
        let mut stamps = vec![];
        for late in [0, 1, 999_999, 400, 0] {
            stamps.push(beat.stamp_ns());
            assert_eq!(beat.catch_up(beat.due_ns() + late), 0);
            beat.advance();
        }
        assert_eq!(stamps, [1004, 1005, 1006, 1007, 1008].map(|ms| ms * MS));
        assert_eq!(beat.stamp_ns() - beat.due_ns(), 998 * MS + 7);
    }

    #[test]
    fn missed_beats_are_counted_and_the_grid_is_kept() {
        let mut beat = Beat::start_at(5 * MS, MS);
        // Noticed 4.3 ms late: 5 to 8 are over, 9 is under way.
        assert_eq!((beat.catch_up(9 * MS + 300_000), beat.stamp_ns()), (4, 9 * MS));
    }

    #[test]
    fn a_stepped_clock_moves_the_grid_once() {
        let mut beat = Beat::start(0, 1_000 * MS, 10 * MS);
        let due = beat.due_ns();
        assert_eq!(beat.follow_step(5 * MS, 1_005 * MS + 300, 50_000), None);
        assert_eq!(beat.follow_step(6 * MS, 3_006 * MS, 50_000), Some(2_000 * MS));
        assert_eq!((beat.due_ns(), beat.stamp_ns()), (due, 3_010 * MS));
        assert_eq!(beat.follow_step(7 * MS, 3_007 * MS, 50_000), None);
    }

    #[test]
    fn another_period_begins_with_the_next_beat() {
        let mut beat = Beat::start_at(0, 10 * MS);
        beat.advance();
        beat.set_period(20 * MS);
        assert_eq!(beat.stamp_ns(), 10 * MS);
        beat.advance();
        assert_eq!(beat.stamp_ns(), 30 * MS);
    }
}

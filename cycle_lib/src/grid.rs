//! Where cycles begin, and which cycle a stamp belongs to.

/// Periods that a control cycle may have, s.
pub const PERIODS: std::ops::RangeInclusive<f64> = 0.0005..=1.0;

/// A stamp counts to the cycle that begins within this part of a period after it: two percent, one for the stamp of the
/// message and one for that of a `sync` that is not quite on its grid.
const TOLERANCE: i128 = 50;

/// A period in whole nanoseconds, if it is one of [`PERIODS`].
pub fn period_ns(seconds: f64) -> Option<i64> {
    PERIODS.contains(&seconds).then(|| (seconds * 1e9).round() as i64)
}

/// Cycles that begin at `anchor + n · period`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    anchor_ns: i64,
    period_ns: i64,
}

impl Grid {
    /// A grid through `anchor_ns`. A period that is not positive counts as one nanosecond.
    pub fn new(anchor_ns: i64, period_ns: i64) -> Grid {
        Grid { anchor_ns, period_ns: period_ns.max(1) }
    }

    /// A start of a cycle, ns.
    pub fn anchor_ns(&self) -> i64 {
        self.anchor_ns
    }

    /// Duration of a cycle, ns.
    pub fn period_ns(&self) -> i64 {
        self.period_ns
    }

    /// Index of the cycle that a stamp was made for, counted from the anchor: floor((stamp − anchor)/period + ε).
    pub fn index(&self, stamp_ns: i64) -> i64 {
        let period = i128::from(self.period_ns);
        let since = i128::from(stamp_ns) - i128::from(self.anchor_ns);
        saturated((since * TOLERANCE + period).div_euclid(period * TOLERANCE))
    }

    /// Index of the cycle whose start is nearest.
    pub fn nearest(&self, stamp_ns: i64) -> i64 {
        let period = i128::from(self.period_ns);
        let since = i128::from(stamp_ns) - i128::from(self.anchor_ns);
        saturated((since * 2 + period).div_euclid(period * 2))
    }

    /// Start of a cycle, ns.
    pub fn start_ns(&self, index: i64) -> i64 {
        saturated(i128::from(self.anchor_ns) + i128::from(index) * i128::from(self.period_ns))
    }
}

fn saturated(value: i128) -> i64 {
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_belongs_to_the_cycle_that_it_was_made_for() {
        let grid = Grid::new(1_000_000_000, 10_000_000);
        let index = |ns: i64| grid.index(1_000_000_000 + ns);
        assert_eq!([0, 9_799_999, 9_800_000, 10_000_000, 19_000_000].map(index), [0, 0, 1, 1, 1]);
        assert_eq!([-1, -200_000, -200_001, -10_000_000].map(index), [0, 0, -1, -1]);
    }

    #[test]
    fn extremes_do_not_overflow() {
        for anchor in [i64::MIN, -1, 0, 1, i64::MAX] {
            for period in [i64::MIN, 0, 1, 500_000, i64::MAX] {
                let grid = Grid::new(anchor, period);
                for stamp in [i64::MIN, 0, i64::MAX] {
                    let index = grid.index(stamp);
                    assert!((index - grid.nearest(stamp)).abs() <= 1 || grid.period_ns() == 1);
                    grid.start_ns(index);
                }
            }
        }
    }

    #[test]
    fn only_sensible_periods_are_taken() {
        assert_eq!(period_ns(0.01), Some(10_000_000));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, 1e9, 1.5] {
            assert_eq!(period_ns(bad), None);
        }
    }
}

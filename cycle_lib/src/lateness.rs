//! A late message, or time that went back?

/// What is older than the newest by more is not late, ns.
const LATE_AT_MOST: i64 = 500_000_000;
/// So many old ones in a row, each newer than the one before, are not late either: the clock was stepped.
const LATE_IN_A_ROW: u32 = 4;

/// Watches the stamps of one topic. A message that is older than the newest is late and to be skipped, unless time went back:
/// by more than half a second at once, or four in a row go on from an earlier time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lateness {
    newest_ns: Option<i64>,
    old_ns: i64,
    in_a_row: u32,
}

impl Lateness {
    /// Stamp of the newest message, ns.
    pub fn newest_ns(&self) -> Option<i64> {
        self.newest_ns
    }

    /// A message that is not old: the newest from now on.
    pub fn advance(&mut self, stamp_ns: i64) {
        *self = Lateness { newest_ns: Some(stamp_ns), ..Lateness::default() };
    }

    /// A message that is older than the newest: whether time went back. Then everything before it is to be forgotten.
    pub fn went_back(&mut self, stamp_ns: i64, period_ns: i64) -> bool {
        let Some(newest_ns) = self.newest_ns else { return false };
        let goes_on = self.in_a_row > 0 && stamp_ns > self.old_ns;
        self.in_a_row = if goes_on { self.in_a_row + 1 } else { 1 };
        self.old_ns = stamp_ns;
        // Cycles may last longer than half a second.
        let late_at_most = LATE_AT_MOST.max(period_ns.saturating_mul(3));
        self.in_a_row >= LATE_IN_A_ROW || newest_ns.saturating_sub(stamp_ns) > late_at_most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_ones_are_late_and_a_stepped_clock_is_found_after_four() {
        let mut lateness = Lateness::default();
        assert!(!lateness.went_back(5, 1));
        lateness.advance(100);
        assert!([70, 80, 90].iter().all(|&ns| !lateness.went_back(ns, 10)));
        assert!(lateness.went_back(95, 10));
        lateness.advance(100);
        // Repeated, and newer ones in between.
        assert!([90, 90, 90, 90, 80, 90, 92].iter().all(|&ns| !lateness.went_back(ns, 10)));
        lateness.advance(110);
        assert!(!lateness.went_back(93, 10));
    }

    #[test]
    fn half_a_second_is_too_much_at_once_unless_cycles_last_that_long() {
        let mut lateness = Lateness::default();
        lateness.advance(10_000_000_000);
        assert!(!lateness.went_back(9_500_000_000, 10_000_000));
        assert!(lateness.went_back(9_499_999_999, 10_000_000));
        assert!(!lateness.went_back(9_000_000_000, 1_000_000_000));
        assert!(lateness.went_back(i64::MIN, 1_000_000_000));
    }
}

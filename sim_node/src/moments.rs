//! Moments on the bus's clock in another clock's time.

/// What was seen in this time counts, and in the one before, ns.
const WINDOW: u64 = 1_000_000_000;

/// From a clock that is late by how long its thread was kept waiting, and never ahead, to one that may be set: the least difference that was
/// seen lately is the true one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moments {
    least: [i64; 2],
    ends: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Moments { least: [i64::MAX; 2], ends: 0 }
    }
}

impl Moments {
    /// What the other clock said at the moment `now`, when it says `clock` as one looks, ns.
    pub fn at(&mut self, now: u64, clock: i64) -> i64 {
        if now >= self.ends {
            (self.least, self.ends) = ([self.least[1], i64::MAX], now + WINDOW);
        }
        self.least[1] = self.least[1].min(clock - now as i64);
        self.least[0].min(self.least[1]) + now as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_700_000_000_000_000_000;

    #[test]
    fn a_thread_that_is_kept_waiting_does_not_move_moments() {
        let mut moments = Moments::default();
        for ms in 0..5000u64 {
            let (now, late) = (ms * 1_000_000, if ms % 3 == 0 { 0 } else { 1_000_000 * (ms % 7) as i64 });
            assert_eq!(moments.at(now, START + now as i64 + late), START + now as i64);
        }
    }

    /// By a second, as time servers do it: moments once stayed behind for good.
    #[test]
    fn moments_follow_a_clock_that_is_set_within_two_seconds() {
        for set in [1_000_000_000, -1_000_000_000, 60_000_000_000] {
            let mut moments = Moments::default();
            for ms in 0..8000u64 {
                let now = ms * 1_000_000;
                let clock = START + now as i64 + if ms < 3000 { 0 } else { set };
                let seen = moments.at(now, clock);
                assert!((3000..5000).contains(&ms) || seen == clock, "{set}: {ms} ms");
            }
        }
    }
}

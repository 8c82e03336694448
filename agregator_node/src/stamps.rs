//! Stamps of poses that are published with a message: never older than one that was published, nor than the present cycle.

use cycle_lib::Cycles;

/// The newest stamp that was published.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamps {
    newest_ns: i64,
}

impl Stamps {
    /// A cycle begins, with which time may go back.
    pub fn sync(&mut self, start_ns: i64) {
        self.newest_ns = start_ns;
    }

    /// The stamp of what is published because of a message of this stamp. Whatever cycle the message was made for, it is a
    /// part of the present one; a source whose clock is ahead does not take the poses of all others with it.
    pub fn message(&mut self, stamp_ns: i64, cycles: &Cycles, now_ns: i64) -> i64 {
        let stamp = match cycles.start_ns() {
            Some(start) if cycles.index(stamp_ns) == cycles.current() => stamp_ns.max(start),
            Some(start) => start,
            // Without a sync there is only the clock; if the newest stamp is ahead of it, that was set back.
            None if self.newest_ns > now_ns => {
                self.newest_ns = i64::MIN;
                stamp_ns.min(now_ns)
            }
            None => stamp_ns.min(now_ns),
        };
        self.newest_ns = self.newest_ns.max(stamp);
        self.newest_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    #[test]
    fn a_message_of_any_time_is_stamped_within_the_present_cycle_and_never_back() {
        let (mut cycles, mut stamps) = (Cycles::new(0.01), Stamps::default());
        for start in [100 * S, 100 * S + 10_000_000, 50 * S] {
            cycles.sync(0, start, 0.01);
            stamps.sync(start);
            let inside = start + 4_000_000;
            for (stamp, expected) in [
                (start - S, start),
                (start - 100_000, start),
                (start + 3600 * S, start),
                (i64::MIN, start),
                (i64::MAX, start),
                (inside, inside),
                (start + 1_000_000, inside),
                (start - S, inside),
            ] {
                assert_eq!(stamps.message(stamp, &cycles, 0), expected, "{stamp} in the cycle of {start}");
            }
        }
    }

    #[test]
    fn without_a_sync_stamps_rise_up_to_now_unless_the_clock_is_set_back() {
        let (cycles, mut stamps) = (Cycles::new(0.01), Stamps::default());
        for (stamp, now, expected) in [
            (5 * S, 9 * S, 5 * S),
            (4 * S, 9 * S, 5 * S),
            (99 * S, 9 * S, 9 * S),
            (8 * S, 10 * S, 9 * S),
            (2 * S, 3 * S, 2 * S),
        ] {
            assert_eq!(stamps.message(stamp, &cycles, now), expected);
        }
    }
}

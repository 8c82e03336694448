//! The beat of the goals, as the line sees it: when the next ones are to be expected.

use super::Ns;

/// Goals that come at longer intervals than this are no stream: the next ones are not waited for, ns.
const LONGEST: Ns = 100_000_000;
/// An interval that differs from the last ones by more than this part of it is that of another beat.
const ANOTHER: Ns = 4;
/// What is late, by its machine, says little of the beat: this part of it is believed.
const BELIEVED: i64 = 16;

/// Goals that come again and again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stream {
    came: Ns,
    interval: Ns,
    expected: Ns,
}

impl Stream {
    /// Goals have come; the time since those before.
    pub fn came(&mut self, now: Ns) -> Ns {
        let since = now.saturating_sub(self.came);
        self.came = now;
        if since > LONGEST {
            *self = Stream { came: now, interval: 0, expected: 0 };
        } else if since.abs_diff(self.interval) > self.interval / ANOTHER {
            (self.interval, self.expected) = (since, now + since);
        } else {
            let late = now as i64 - self.expected as i64;
            // Nothing comes before its time: what is early is the beat.
            let on_beat = if late > 0 { self.expected as i64 + late / BELIEVED } else { now as i64 };
            let longer = (since as i64 - self.interval as i64) / BELIEVED;
            self.interval = self.interval.saturating_add_signed(longer);
            self.expected = on_beat.max(0) as Ns + self.interval;
        }
        since
    }

    /// The time since goals came last.
    pub fn since(&self, now: Ns) -> Ns {
        now.saturating_sub(self.came)
    }

    /// Whether the next goals are still to be expected.
    pub fn goes_on(&self, now: Ns) -> bool {
        now < self.came.saturating_add(self.interval * 3 / 2)
    }

    /// From when on the next goals are expected, and until when; none while they do not stream.
    pub fn next(&self) -> Option<(Ns, Ns)> {
        (self.interval > 0).then(|| (self.expected, self.expected + self.interval / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Ns = 10_000_000;

    /// When the next goals are expected after each of these, less when they would come without delay.
    fn off(delays: impl IntoIterator<Item = Ns>) -> Vec<i64> {
        let mut stream = Stream::default();
        let off = |(k, delay): (usize, Ns)| {
            let beat = (k as Ns + 7) * T;
            stream.came(beat + delay);
            stream.next().map_or(0, |(expected, _)| expected as i64 - (beat + T) as i64)
        };
        delays.into_iter().enumerate().map(off).collect()
    }

    #[test]
    fn goals_that_were_late_once_are_expected_on_their_beat() {
        let off = off((0..100).map(|k| if k % 10 == 9 { 800_000 } else { 0 }));
        // An eighth of what was late, for the cycle after it.
        assert!(off[2..].iter().all(|off| (-100_000..=100_000).contains(off)), "{off:?}");
    }

    #[test]
    fn a_beat_that_moves_or_changes_is_followed() {
        let off = off((0..200).map(|k| if k < 100 { 0 } else { 500_000 }));
        assert!(off[199].abs_diff(500_000) < 10_000, "{}", off[199]);
        let mut stream = Stream::default();
        for at in [10, 20, 30, 50, 70] {
            stream.came(at * 1_000_000);
        }
        assert_eq!(stream.next(), Some((90_000_000, 95_000_000)));
        assert!(stream.goes_on(99_000_000) && !stream.goes_on(101_000_000));
        stream.came(171_000_000);
        assert_eq!(stream.next(), None);
    }
}

//! The poses of the last moments, and what lies between them.

/// As many poses are kept: half a second at 1 kHz, more than any servo is late.
const KEPT: usize = 512;

/// A pose that is older than the newest by more is of a time that began anew, ns.
const LATE: i64 = 500_000_000;

/// From one pose to the next there is no longer way, ns: in a longer gap nobody commands anything, unless poses come as slowly.
const GAP: i64 = 300_000_000;

/// Nor one that is so many times as long as the way before it: of a slow stream a pose may be lost.
const SLOWER: i64 = 3;

/// No stream is slower, ns: cycles last no longer.
const SLOWEST: i64 = (*cycle_lib::PERIODS.end() * 1e9) as i64;

/// A ring of poses.
#[derive(Clone, Debug, Default)]
pub(super) struct Commanded {
    joints: usize,
    times: Vec<i64>,
    positions: Vec<f64>,
    /// Place of the oldest.
    first: usize,
    len: usize,
}

impl Commanded {
    /// Room for so many joints; nothing is known.
    pub fn resize(&mut self, joints: usize) {
        self.joints = joints;
        self.times.resize(KEPT, 0);
        self.positions.resize(KEPT * joints, 0.0);
        (self.first, self.len) = (0, 0);
    }

    fn place(&self, i: usize) -> usize {
        (self.first + i) % KEPT
    }

    fn time(&self, i: usize) -> i64 {
        self.times[self.place(i)]
    }

    /// Time of the newest pose.
    pub fn newest_ns(&self) -> Option<i64> {
        self.len.checked_sub(1).map(|last| self.time(last))
    }

    /// Takes a pose; a late one is left out, another one of the newest time replaces it. False when time began anew.
    pub fn push(&mut self, at_ns: i64, position: &[f64]) -> bool {
        match self.newest_ns() {
            Some(newest) if at_ns < newest => return newest.saturating_sub(at_ns) <= LATE,
            Some(newest) if at_ns == newest => self.len -= 1,
            _ => {}
        }
        if self.len == KEPT {
            self.first = self.place(1);
            self.len -= 1;
        }
        let place = self.place(self.len);
        self.times[place] = at_ns;
        self.positions[place * self.joints..(place + 1) * self.joints].copy_from_slice(position);
        self.len += 1;
        true
    }

    /// Position and velocity of a joint at a time, on the straight way between two poses.
    pub fn at(&self, joint: usize, at_ns: i64) -> Option<(f64, f64)> {
        // The first pose after it, by halves.
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = (low + high) / 2;
            if self.time(middle) < at_ns { low = middle + 1 } else { high = middle }
        }
        let (before, after) = (low.max(1) - 1, low.max(1));
        if after >= self.len || at_ns < self.time(before) {
            return None;
        }
        let position = |i: usize| self.positions[self.place(i) * self.joints + joint];
        let (start, span) = (self.time(before), self.time(after).saturating_sub(self.time(before)));
        let span_before = before.checked_sub(1).map_or(0, |earlier| start.saturating_sub(self.time(earlier)));
        if span > GAP.max(span_before.min(SLOWEST) * SLOWER) {
            return None;
        }
        let way = position(after) - position(before);
        let part = (at_ns - start) as f64 / span as f64;
        Some((position(before) + part * way, way / (span as f64 * 1e-9)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn between_two_poses_the_way_is_straight_and_elsewhere_nothing_is_known() {
        let mut commanded = Commanded::default();
        commanded.resize(2);
        assert_eq!((commanded.newest_ns(), commanded.at(0, 5)), (None, None));
        for k in 0..2000 {
            assert!(commanded.push(k * 10 * MS, &[k as f64, -k as f64]));
        }
        assert_eq!(commanded.at(0, 19_955 * MS), Some((1995.5, 100.0)));
        assert_eq!(commanded.at(1, 19_990 * MS), Some((-1999.0, -100.0)));
        assert_eq!(commanded.at(1, 14_880 * MS), Some((-1488.0, -100.0)), "the oldest that is kept");
        assert_eq!([14_879, 19_991].map(|ms| commanded.at(0, ms * MS)), [None, None]);
        // Again, late, and in another time.
        assert!(commanded.push(19_990 * MS, &[2008.0, 0.0]) && commanded.push(19_980 * MS, &[7.0, 7.0]));
        assert_eq!(commanded.at(0, 19_985 * MS), Some((2003.0, 1000.0)));
        assert!(!commanded.push(MS, &[0.0, 0.0]));
        assert!(commanded.push(30_000 * MS, &[0.0, 0.0]));
        assert_eq!(commanded.at(0, 25_000 * MS), None, "nobody commanded anything in between");
    }
}

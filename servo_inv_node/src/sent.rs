//! The goals of this cycle and of the one before: from cycle to cycle none goes farther than its joint can.

/// No goal is known.
const NONE: f64 = f64::NAN;

/// Goals as they were sent, in the order of the stream. It outlives silences and clocks that are set back: the servos are still
/// where they were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent {
    latest: Vec<f64>,
    before: Vec<f64>,
    latest_ns: i64,
    before_ns: i64,
}

impl Sent {
    /// Goals of this stamp follow, of the cycle of the last ones or of another; gives the time since the goals of the cycle before,
    /// s. A clock that was set back, or that stands, tells nothing of it: then it is one `period` (s).
    pub fn begin(&mut self, stamp_ns: i64, is_same_cycle: bool, period: f64) -> f64 {
        if !is_same_cycle {
            std::mem::swap(&mut self.latest, &mut self.before);
            self.before_ns = self.latest_ns;
        }
        self.latest_ns = stamp_ns;
        match stamp_ns.saturating_sub(self.before_ns) {
            passed @ 1.. => passed as f64 * 1e-9,
            _ => period,
        }
    }

    /// The clock of stamps was set by so much, ns.
    pub fn move_clock(&mut self, by_ns: i64) {
        self.latest_ns = self.latest_ns.saturating_add(by_ns);
        self.before_ns = self.before_ns.saturating_add(by_ns);
    }

    /// The goal of the cycle before, as it was sent; none for the first one.
    #[inline]
    pub fn before(&self, joint: usize) -> Option<f64> {
        self.before.get(joint).copied().filter(|goal| !goal.is_nan())
    }

    /// A goal goes out.
    #[inline]
    pub fn put(&mut self, joint: usize, goal: f64) {
        if let Some(latest) = self.latest.get_mut(joint) {
            *latest = goal;
        }
    }

    /// Other joints, or another order: for each the place that it had, none for one that is new.
    pub fn reorder(&mut self, places: impl Iterator<Item = Option<usize>> + Clone) {
        for goals in [&mut self.latest, &mut self.before] {
            let old = std::mem::take(goals);
            let goal = |place: Option<usize>| place.and_then(|place| old.get(place)).copied().unwrap_or(NONE);
            goals.extend(places.clone().map(goal));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_of_one_cycle_are_compared_with_those_of_the_cycle_before() {
        let mut sent = Sent::default();
        sent.reorder([None, None].into_iter());
        sent.begin(0, false, 0.01);
        assert_eq!([sent.before(0), sent.before(7)], [None, None]);
        sent.put(0, 1.0);
        assert_eq!((sent.begin(20_000_000, false, 0.01), sent.before(0)), (0.02, Some(1.0)));
        sent.put(0, 2.0);
        assert_eq!((sent.begin(21_000_000, true, 0.01), sent.before(0)), (0.021, Some(1.0)));
        sent.put(0, 3.0);
        // Time is set back: the servo is where it was, and nobody knows for how long.
        assert_eq!((sent.begin(5, false, 0.01), sent.before(0)), (0.01, Some(3.0)));
        sent.put(0, 4.0);
        sent.reorder([None, Some(0)].into_iter());
        sent.begin(i64::MIN, false, 0.01);
        assert_eq!([sent.before(0), sent.before(1)], [None, Some(4.0)]);
        assert!(sent.begin(i64::MAX, false, 0.01) > 0.0);
    }
}

//! How much time a cycle stands for.

/// A robot that was away for longer goes on from where it was: catching up would be a jump.
const MOST: f64 = 3.0;

/// Follows the starts of the cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beat {
    last_ns: Option<i64>,
}

impl Beat {
    /// Time since the cycle before, s: one period, or a few when some fell out and the robot shall keep its speed.
    pub fn elapsed(&mut self, start_ns: i64, period: f64) -> f64 {
        let before = self.last_ns.replace(start_ns);
        let periods = before.map_or(1.0, |ns| (start_ns.saturating_sub(ns) as f64 * 1e-9 / period).round());
        if (1.0..=MOST).contains(&periods) { periods * period } else { period }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_cycles_are_made_up_for_and_a_long_absence_is_not() {
        let mut beat = Beat::default();
        let elapsed = [50, 60, 80, 110, 150, 150, 40, 50].map(|ms| beat.elapsed(ms * 1_000_000, 0.01));
        assert_eq!(elapsed, [0.01, 0.01, 0.02, 0.03, 0.01, 0.01, 0.01, 0.01]);
        assert!(beat.elapsed(60_000_000, f64::NAN).is_nan(), "the walker refuses it");
    }
}

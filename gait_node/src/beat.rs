//! How fast the robot's time goes: cycles that fell out are made up for, gently.

/// A robot that was away for more cycles goes on from where it was.
const MOST: f64 = 8.0;
/// The fastest that time goes while cycles are made up for.
const HASTE: f64 = 1.2;

/// Follows the starts of the cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beat {
    last_ns: Option<i64>,
    /// Periods to be made up for.
    owed: f64,
}

impl Beat {
    /// A cycle begins. Gives the pace of its motion: 1, or a little more after cycles have fallen out. A pose goes out in the
    /// cycle after it was made, so catching up at once would be twice the speed there.
    pub fn pace(&mut self, start_ns: i64, period: f64) -> f64 {
        let before = self.last_ns.replace(start_ns);
        let periods = before.map_or(1.0, |ns| (start_ns.saturating_sub(ns) as f64 * 1e-9 / period).round());
        self.owed = if (1.0..=MOST).contains(&periods) { (self.owed + periods - 1.0).min(MOST) } else { 0.0 };
        let haste = self.owed.min(HASTE - 1.0);
        self.owed -= haste;
        1.0 + haste
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_that_fell_out_are_made_up_for_and_a_long_absence_is_not() {
        let mut beat = Beat::default();
        let mut run = |ms: &[i64]| ms.iter().map(|ms| beat.pace(ms * 1_000_000, 0.01)).sum::<f64>();
        assert_eq!(run(&[50, 60, 70]), 3.0);
        // 70 ms in six cycles.
        assert!((run(&[90, 100, 110, 120, 130, 140]) - 7.0).abs() < 1e-9);
        assert_eq!(run(&[150, 160]), 2.0);
        assert_eq!(run(&[900, 910, 40, 50]), 4.0);
    }
}

//! How fast a motion goes on: cycles that fell out are made up for, gently.

/// A robot that was away for more cycles goes on from where it was.
const MOST: f64 = 8.0;
/// The fastest that time goes while cycles are made up for.
const HASTE: f64 = 1.2;

/// What a motion owes to its clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    /// Periods to be made up for.
    owed: f64,
}

impl Pace {
    /// A cycle begins, `passed` cycles after the one before. Gives how far the motion goes on in it: 1 period, or a little
    /// more after cycles have fallen out. A pose goes out in the cycle after it was made, so catching up at once would be
    /// twice the speed there.
    pub fn step(&mut self, passed: i64) -> f64 {
        let missed = passed.saturating_sub(1) as f64;
        self.owed = if (0.0..MOST).contains(&missed) { (self.owed + missed).min(MOST) } else { 0.0 };
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
        let mut pace = Pace::default();
        let mut run = |passed: &[i64]| passed.iter().map(|n| pace.step(*n)).sum::<f64>();
        assert_eq!(run(&[1, 1, 1]), 3.0);
        // Seven periods in six cycles.
        assert!((run(&[2, 1, 1, 1, 1, 1]) - 7.0).abs() < 1e-9);
        assert_eq!(run(&[1, 1]), 2.0);
        assert_eq!(run(&[75, 1, i64::MAX, i64::MIN, 1]), 5.0);
    }
}

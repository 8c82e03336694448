//! One rule for every line of the log: however often its cause comes and whatever a stranger puts into it, it stays readable.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Mutex, TryLockError};

/// Lines that one place of the program may write at once: as many as a robot has servos, and some.
const BURST: f64 = 60.0;
/// Lines that it may write in the long run, 1/s.
const RATE: f64 = 2.0;
/// Characters of the longest line.
const LONGEST: usize = 2000;

/// What each place of the program has left.
#[derive(Default)]
pub(crate) struct Budgets(Mutex<HashMap<&'static Location<'static>, Budget>>);

struct Budget {
    left: f64,
    since_ns: i64,
    held_back: u64,
}

impl Budgets {
    /// How many lines of this place were held back since its last one, if it may write another now. Two threads that write at the same
    /// moment do not wait for each other: one of them is a control thread, and a line too many hurts nobody.
    pub(crate) fn spend(&self, at: &'static Location<'static>, now_ns: i64) -> Option<u64> {
        let mut budgets = match self.0.try_lock() {
            Ok(budgets) => budgets,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Some(0),
        };
        let full = Budget { left: BURST, since_ns: now_ns, held_back: 0 };
        let budget = budgets.entry(at).or_insert(full);
        let seconds = now_ns.saturating_sub(budget.since_ns) as f64 / 1e9;
        budget.left = (budget.left + seconds * RATE).min(BURST);
        budget.since_ns = now_ns;
        if budget.left < 1.0 {
            budget.held_back += 1;
            return None;
        }
        budget.left -= 1.0;
        Some(std::mem::take(&mut budget.held_back))
    }
}

/// A text that fits on a screen.
pub(crate) fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        let more = text.len() - end;
        text.truncate(end);
        text.push_str(&format!(" … ({more} bytes more)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_becomes_a_trickle_that_tells_what_it_holds_back_and_other_places_are_not_silenced() {
        let (budgets, here, there) = (Budgets::default(), Location::caller(), Location::caller());
        // 1000 lines a second for 10 s: the burst at once, and two a second.
        let written: Vec<u64> = (0..10_000).filter_map(|k| budgets.spend(here, k * 1_000_000)).collect();
        assert!((79..=80).contains(&written.len()), "{}", written.len());
        assert!(written[..60].iter().all(|held_back| *held_back == 0));
        assert!(written[61..].iter().all(|held_back| *held_back == 499));
        assert_eq!(budgets.spend(there, 10_000_000_000), Some(0));
        // Half a minute of silence, and it may say as much as at first.
        let again = (0..100).filter_map(|_| budgets.spend(here, 60_000_000_000)).count();
        assert_eq!(again, 60);
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        assert_eq!(cut("short".into()), "short");
        let long = cut("é".repeat(1_000_000));
        assert_eq!(long.chars().take_while(|c| *c == 'é').count(), LONGEST);
        assert!(long.ends_with(" … (1996000 bytes more)"), "{}", &long[4000..]);
    }
}

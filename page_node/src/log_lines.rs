//! The robot's log, for browsers: numbered lines, a few at a time. Whoever says ten thousand lines a second fills neither the network nor a browser;
//! the numbers say how many are left out.

use serde::Serialize;
use std::collections::VecDeque;

/// Lines that are kept: for browsers that come, and for those that are told later.
const KEPT: usize = 200;
/// Lines that are told at once.
const AT_ONCE: usize = 20;
/// Characters of a line that browsers get.
const LONGEST: usize = 2000;

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// When it was said, s since 1970 or since the simulation began.
    pub time: f64,
    /// 10 debug, 20 info, 30 warning, 40 error, 50 fatal.
    pub level: u8,
    /// Who.
    pub name: String,
    /// What.
    pub text: String,
}

/// The newest lines.
#[derive(Clone, Debug, Default)]
pub struct LogLines {
    lines: VecDeque<Line>,
    /// Lines that there ever were.
    said: u64,
    /// Those of them that browsers were told, or that were left out.
    told: u64,
}

/// Lines on their way to browsers.
#[derive(Debug, Serialize)]
pub struct LogView<'l> {
    /// The number of the first one.
    pub first: u64,
    /// The oldest first.
    pub lines: Vec<&'l Line>,
}

impl LogLines {
    /// A line was said.
    pub fn say(&mut self, time: f64, level: u8, name: &str, text: &str) {
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(Line { time, level, name: cut(name), text: cut(text) });
        self.said += 1;
    }

    /// All that are kept: for a browser that comes.
    pub fn all(&self) -> LogView<'_> {
        self.from(self.oldest(), KEPT)
    }

    /// The next ones that nobody was told yet; none when there are none.
    pub fn untold(&mut self) -> Option<LogView<'_>> {
        let first = self.told.max(self.oldest());
        self.told = self.said.min(first + AT_ONCE as u64);
        (self.told > first).then(|| self.from(first, AT_ONCE))
    }

    fn oldest(&self) -> u64 {
        self.said - self.lines.len() as u64
    }

    fn from(&self, first: u64, most: usize) -> LogView<'_> {
        let skipped = usize::try_from(first - self.oldest()).unwrap_or(KEPT);
        LogView { first, lines: self.lines.iter().skip(skipped).take(most).collect() }
    }
}

/// The beginning of a text that is longer than anybody reads.
fn cut(text: &str) -> String {
    text.char_indices().nth(LONGEST).map_or(text, |(end, _)| &text[..end]).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_that_nobody_can_read_is_cut() {
        let mut log = LogLines::default();
        log.say(0.0, 20, "n", &"ä".repeat(1_000_000));
        assert_eq!(log.all().lines[0].text.chars().count(), LONGEST);
    }

    proptest! {
        /// Every line comes once, in order, under its own number; what is left out is so because newer ones took its place.
        #[test]
        fn lines_come_once_and_in_order(bursts in prop::collection::vec(0usize..300, 1..40)) {
            let (mut log, mut said, mut next) = (LogLines::default(), 0u64, 0u64);
            for burst in bursts {
                for _ in 0..burst {
                    log.say(said as f64, 20, "", "");
                    said += 1;
                }
                prop_assert_eq!(log.all().lines.len() as u64, said.min(KEPT as u64));
                if let Some(view) = log.untold() {
                    prop_assert!(view.first >= next && view.lines.len() <= AT_ONCE);
                    prop_assert!(view.first == next || view.first == said - KEPT as u64);
                    for (k, line) in view.lines.iter().enumerate() {
                        prop_assert_eq!(line.time, (view.first + k as u64) as f64);
                    }
                    next = view.first + view.lines.len() as u64;
                } else {
                    prop_assert_eq!(next, said);
                }
            }
        }
    }
}

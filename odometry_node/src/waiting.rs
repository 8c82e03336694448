//! Messages that came before the joints they belong to.

use std::collections::VecDeque;

/// Messages that may wait for the joints of their time; when more come the oldest counts at once.
const WAITING: usize = 64;

/// Messages of one kind, each waiting for the joints of its time.
#[derive(Debug, Clone)]
pub(crate) struct Queue<T>(VecDeque<(i64, T)>);

impl<T: Copy> Queue<T> {
    pub fn new() -> Self {
        Self(VecDeque::with_capacity(WAITING + 1))
    }

    pub fn push(&mut self, stamp: i64, message: T) {
        self.0.push_back((stamp, message));
        if self.0.len() > WAITING {
            // Its stamp lies in a time that does not come.
            if let Some(oldest) = self.0.front_mut() {
                oldest.0 = i64::MIN;
            }
        }
    }

    /// The newest message that is due; all that are due are gone, and with them all that came before one of them: a message
    /// that waits for a later time than one that came after it was stamped by a clock that is ahead.
    pub fn take(&mut self, due: impl Fn(i64) -> bool) -> Option<(i64, T)> {
        let last = self.0.iter().rposition(|&(stamp, _)| due(stamp))?;
        let mut newest: Option<(i64, T)> = None;
        for (stamp, message) in self.0.drain(..=last).filter(|&(stamp, _)| due(stamp)) {
            // One without a stamp is as new as its arrival.
            if stamp == i64::MIN || newest.is_none_or(|(newest, _)| stamp >= newest) {
                newest = Some((stamp, message));
            }
        }
        newest
    }

    /// Drops what is newer than `stamp`.
    pub fn drop_after(&mut self, stamp: i64) {
        self.0.retain(|(at, _)| *at <= stamp);
    }
}

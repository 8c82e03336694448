//! Something that came at a time, and is believed for a while.

/// What was not heard for longer than this is unknown, s.
pub const STALE: f64 = 1.0;

/// The newest of a topic.
#[derive(Clone, Debug)]
pub(crate) struct Heard<T> {
    /// When, s.
    pub(crate) at: f64,
    /// What.
    pub(crate) value: T,
}

impl<T> Heard<T> {
    /// It came at the time `at`, s.
    pub(crate) fn new(at: f64, value: T) -> Option<Heard<T>> {
        Some(Heard { at, value })
    }

    /// What was heard, unless it is too old at the time `now`, s.
    pub(crate) fn fresh(heard: &Option<Heard<T>>, now: f64) -> Option<&T> {
        heard.as_ref().filter(|heard| now - heard.at <= STALE).map(|heard| &heard.value)
    }
}

//! What a joint was given last, and how long ago.

/// The motion of the last cycle in which the joint was given something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastGiven {
    pub position: f64,
    pub velocity: f64,
    /// A source gave a velocity; otherwise it is only what the positions make of it.
    pub has_velocity: bool,
    /// Time since that cycle began, s.
    pub seconds: f64,
    /// It is the cycle before this one.
    pub is_recent: bool,
}

impl LastGiven {
    /// Whether the filters, which know steps of one period, can go on from it.
    pub fn is_one(&self, period: f64) -> bool {
        self.is_recent && self.seconds == period
    }

    /// So much time passes without an input.
    pub fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.is_recent = false;
    }
}

//! What a joint was given last, and how long ago.

/// The motion of the last cycle in which the joint was given something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastGiven {
    pub position: f64,
    pub velocity: f64,
    /// A source gave a velocity; otherwise it is only what the positions make of it.
    pub has_velocity: bool,
    /// Time since that cycle began, s, without what fell out of the beat.
    pub seconds: f64,
    /// What fell out, s.
    pub fell_out: f64,
    /// Times between that cycle and the one given before it, and so on back, s; infinite before the first.
    pub intervals: [f64; 2],
    /// It was on its way for more than this cycle.
    pub is_spread: bool,
    /// It is the cycle before this one.
    pub is_recent: bool,
}

impl LastGiven {
    /// Whether the filters, which know steps of one period, can go on from it.
    pub fn is_one(&self, period: f64) -> bool {
        self.is_recent && self.fell_out == 0.0 && self.seconds == period
    }

    /// How long its source took to this position and velocity, s. While the beat was away a source that counts cycles has stood
    /// still, one that follows the clock has gone on: its own way tells which.
    pub fn elapsed(&self, position: f64, velocity: f64) -> f64 {
        let way = (position - self.position) / (0.5 * (velocity + self.velocity));
        // Not a number: it stood.
        self.seconds + (way - self.seconds).max(0.0).min(self.fell_out)
    }

    /// Cycles in which a joint is to be at a position that comes alone: one after a source that keeps up with the beat, or
    /// missed it once in three times, or that is slower than `longest` (s), whose positions are steps. Between the two the joint
    /// would move in one cycle and rest in the next: it is moved evenly, in one cycle more than its source took lately, so that
    /// it is not there before a source that is not in step gives the next. If that is the same, the one step that is left ends
    /// it.
    pub fn cycles(&self, position: f64, longest: f64, period: f64) -> u32 {
        let [a, b] = self.intervals;
        let known = [self.seconds, a, b].into_iter().filter(|interval| *interval < longest + 0.5 * period);
        let (sum, count, most) = known.fold((0.0, 0.0, 0.0_f64), |(sum, count, most), interval| {
            (sum + interval, count + 1.0, most.max(interval))
        });
        // A source that was slow is so until it keeps up three times; else one that misses every third would be both by turns.
        let least = if self.is_spread { 1.1 } else { 1.4 };
        if sum > least * period * count && !self.has_velocity && position != self.position {
            (most / period).round() as u32 + 1
        } else {
            1
        }
    }

    /// So much time passes without an input.
    pub fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.is_recent = false;
    }
}

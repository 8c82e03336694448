//! What a joint was given last, and how long ago.

/// The motion of the last cycle in which the joint was given something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastGiven {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
    /// A source gave a velocity; otherwise it is only what the positions make of it.
    pub has_velocity: bool,
    /// Time since that cycle began, s, without what fell out of the beat, and in cycles.
    pub seconds: f64,
    pub cycles: f64,
    /// What fell out, s, until its source shows whether it went on meanwhile.
    pub fell_out: f64,
    /// Cycles between that one and the one given before it, and so on back; infinite before the first.
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

    /// How far a position is from where the joint would be if its source had stood while the beat was away, and if it had gone on.
    pub fn off(&self, position: f64, velocity: f64) -> [f64; 2] {
        [self.seconds, self.seconds + self.fell_out].map(|time| {
            let mean = match velocity.is_nan() {
                // A velocity that the positions make is that of half a step before them.
                true => self.velocity + 0.5 * self.acceleration * (self.seconds + time),
                false => 0.5 * (velocity + self.velocity),
            };
            position - self.position - mean * time
        })
    }

    /// While the beat was away a source that counts cycles has stood, one that follows the clock went on.
    pub fn settle(&mut self, went_on: bool) {
        self.seconds += if went_on { self.fell_out } else { 0.0 };
        self.fell_out = 0.0;
    }

    /// Cycles in which a joint is to be at a position that comes alone: one after a source that keeps up with the beat, or
    /// missed it once in three times, or that is slower than `longest` (s), whose positions are steps. Between the two the joint
    /// would move in one cycle and rest in the next: it is moved evenly, in one cycle more than its source took lately, so that
    /// it is not there before a source that is not in step gives the next. If that is the same, the one step that is left ends
    /// it.
    pub fn cycles(&self, position: f64, longest: f64, period: f64) -> u32 {
        let [a, b] = self.intervals;
        let known = [self.cycles, a, b].into_iter().filter(|interval| *interval < longest / period + 0.5);
        let (sum, count, most) = known.fold((0.0, 0.0, 0.0_f64), |(sum, count, most), interval| {
            (sum + interval, count + 1.0, most.max(interval))
        });
        // A source that was slow is so until it keeps up three times; else one that misses every third would be both by turns.
        let least = if self.is_spread { 1.1 } else { 1.4 };
        if sum > least * count && !self.has_velocity && position != self.position {
            most.round() as u32 + 1
        } else {
            1
        }
    }

    /// A cycle of so much time passes without an input.
    pub fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.cycles += 1.0;
        self.is_recent = false;
    }
}

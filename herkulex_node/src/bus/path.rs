//! The straight way of one joint from where it is sent now to its goal. The bridge walks along it in short jogs, so that
//! the servo's own state is safe at every moment: a process that dies leaves a servo that stops within [`REACH`].

use super::{Joint, Ns, Tuning, ns};
use crate::codec::{TICK, ticks};

/// No jog reaches further ahead than this, s.
pub const REACH: f64 = 0.5;
/// A jog is not answered: the last one is said so many times, unless goals say another.
const SAID: u8 = 4;

/// From here to there, at constant speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Segment {
    from: f64,
    to: f64,
    start: Ns,
    arrival: Ns,
}

impl Segment {
    fn at(&self, t: Ns) -> f64 {
        if t >= self.arrival {
            return self.to;
        }
        let share = t.saturating_sub(self.start) as f64 / (self.arrival - self.start) as f64;
        self.from + (self.to - self.from) * share
    }
}

/// Where a joint shall go, and by when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Of the joint, rad.
    pub position: f64,
    /// When it shall be there.
    pub arrival: Ns,
}

/// The way of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Path {
    segment: Segment,
    /// A goal that has come since the last jog.
    next: Option<Goal>,
    /// It has not caught up with its goals: no faster than `approach_speed`.
    approaching: bool,
    /// It may not have received the last jogs: nothing is sent before it is known where it is.
    blind: bool,
    /// Its goals stopped while it was out of sight, on its way: it stays where it is seen next.
    halted: bool,
    /// How often it was told where it goes.
    said: u8,
}

impl Path {
    /// Stays at a place. Goals that come are approached.
    pub fn hold(&mut self, position: f64, now: Ns) {
        self.segment = Segment { from: position, to: position, start: now, arrival: now };
        self.approaching = true;
        self.blind = false;
        self.halted = false;
        self.next = None;
        self.said = 0;
    }

    /// Goals stopped: a joint that has not caught up stays where it is on its way, another goes to its last goal.
    pub fn stop(&mut self, now: Ns) {
        if self.approaching && self.blind {
            // Where it is on its way is not known.
            (self.halted, self.next) = (true, None);
        } else if self.approaching {
            self.hold(self.segment.at(now), now);
        }
    }

    /// A goal has come.
    pub fn set(&mut self, goal: Goal) {
        self.next = Some(goal);
        self.halted = false;
    }

    /// Goals come back after a silence: they may be far from where the joint waits.
    pub fn approach(&mut self) {
        self.approaching = true;
    }

    /// It may not have received what was sent.
    pub fn lose_sight(&mut self) {
        self.blind = true;
    }

    /// It was read. One that was out of sight goes on from where it is.
    pub fn sight(&mut self, position: f64, now: Ns) {
        if self.blind {
            self.go_on_from(position, now);
        }
    }

    /// Goes to its goal from where it is.
    pub fn go_on_from(&mut self, position: f64, now: Ns) {
        let goal = Goal { position: self.segment.to, arrival: now };
        let next = if self.halted { None } else { self.next.or(Some(goal)) };
        self.hold(position, now);
        self.next = next;
    }

    /// When it is, or was, where it goes; `None` while a new goal waits.
    pub fn arrival(&self) -> Option<Ns> {
        self.next.is_none().then_some(self.segment.arrival)
    }

    /// Whether there is something to say: a new goal, a way that is not at its end, or what may have been lost.
    pub fn wants_jog(&self, now: Ns) -> bool {
        self.next.is_some() || now < self.segment.arrival || self.said < SAID
    }

    /// Whether jogs are sent.
    pub fn is_blind(&self) -> bool {
        self.blind
    }

    /// Where the joint is sent at a time.
    pub fn at(&self, t: Ns) -> f64 {
        self.segment.at(t)
    }

    /// The jog for now: the joint's angle, and ticks, or `None` when it has arrived and any number of ticks will do. `since`
    /// is the time since the last jog, s.
    pub fn jog(&mut self, now: Ns, since: f64, tuning: &Tuning) -> (f64, Option<u8>) {
        if let Some(goal) = self.next.take() {
            self.turn(now, since, goal, tuning);
            self.said = 0;
        }
        let left = self.segment.arrival.saturating_sub(now) as f64 * 1e-9;
        if left <= 0.0 {
            self.said = self.said.saturating_add(1);
            return (self.segment.to, None);
        }
        // The place on the way that belongs to the playtime in whole ticks: rounding must not make it faster.
        let playtime = ticks(left.min(REACH));
        (self.segment.at(now + ns(f64::from(playtime) * TICK)), Some(playtime))
    }

    fn turn(&mut self, now: Ns, since: f64, goal: Goal, tuning: &Tuning) {
        let here = self.segment.at(now);
        let left = goal.arrival.saturating_sub(now) as f64 * 1e-9;
        let jump = (goal.position - self.segment.to).abs();
        // A playtime that is long enough is gentle by itself.
        self.approaching |= jump > (tuning.jump_speed * since).max(tuning.approach_speed * left);
        let away = (goal.position - here).abs();
        let gentle = away / tuning.approach_speed;
        self.approaching &= gentle > left.max(since);
        let arrival = if self.approaching { now + ns(gentle) } else { goal.arrival };
        self.segment = Segment { from: here, to: goal.position, start: now, arrival };
    }
}

/// The nearest count of a place on the way, within the servo's limits.
pub(super) fn counts(joint: &Joint, angle: f64) -> u16 {
    joint.nearest_counts(angle)
}

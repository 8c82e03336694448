//! Whose turn it is: a jog the moment that goals come, then reads in turn for as long as they fit before the next goals are
//! expected. It decides by times alone; what is asked is the servo's own business.

use super::servo::Servo;
use super::stream::Stream;
use super::wire::{REQUEST, Wire};
use super::{Ns, Phase, Tuning, ns};
use std::collections::VecDeque;

/// Bytes of the longest ordinary answer.
const REPLY: usize = 19;

/// When things happen on the line.
#[derive(Debug)]
pub(super) struct Scheduler {
    /// Goals have come that were not sent.
    pub fresh: bool,
    /// Cycles so far.
    pub cycle: u64,
    cycle_start: Ns,
    next_cycle: Ns,
    goals: Stream,
    /// From the goals before to the present ones in a stream of them; else the period.
    pace: Ns,
    jogged: Ns,
    reads_since_jog: u32,
    cursor: usize,
    /// Servos to be asked before the others.
    first: VecDeque<usize>,
}

impl Scheduler {
    pub fn new(servos: usize) -> Scheduler {
        Scheduler {
            fresh: false,
            cycle: 0,
            cycle_start: 0,
            next_cycle: 0,
            goals: Stream::default(),
            pace: 0,
            jogged: 0,
            reads_since_jog: 0,
            cursor: 0,
            first: VecDeque::with_capacity(2 * servos + 1),
        }
    }

    pub fn connect(&mut self, now: Ns) {
        self.first.clear();
        self.next_cycle = now;
    }

    /// Goals have come that are to be sent.
    pub fn goals(&mut self, now: Ns, tuning: &Tuning) {
        self.fresh = true;
        // Several sources within one cycle are one.
        if self.goals.since(now) >= ns(tuning.period) / 2 {
            let is_streaming = self.is_streaming(now);
            let since = self.goals.came(now);
            self.pace = if is_streaming { since } else { ns(tuning.period) };
        }
    }

    /// Whether the next goals are still to be expected: then nothing is said again in their place.
    pub fn is_streaming(&self, now: Ns) -> bool {
        self.goals.goes_on(now)
    }

    /// Asks a servo before the others, after those that are first already.
    pub fn hurry(&mut self, i: usize) {
        if !self.first.contains(&i) {
            self.first.push_back(i);
        }
    }

    /// Asks a servo next.
    pub fn hurry_most(&mut self, i: usize) {
        self.first.retain(|f| *f != i);
        self.first.push_front(i);
    }

    /// A new cycle begins; the time since the last one.
    pub fn begin_cycle(&mut self, now: Ns, tuning: &Tuning) -> Ns {
        let period = ns(tuning.period);
        // Without goals the cycle goes on by itself; with them it waits a little for the next.
        self.next_cycle = now + if self.fresh { period * 3 / 2 } else { period };
        let since = now.saturating_sub(self.cycle_start);
        self.cycle += 1;
        self.cycle_start = now;
        self.fresh = false;
        since
    }

    /// The time since the last jog, as far as goals may have moved on in it: those that come after a silence have come from
    /// anywhere.
    pub fn since_jog(&self, now: Ns) -> Ns {
        now.saturating_sub(self.jogged).min(self.pace)
    }

    pub fn has_jogged(&mut self, now: Ns) {
        self.jogged = now;
        self.reads_since_jog = 0;
    }

    pub fn asked(&mut self) {
        self.reads_since_jog += 1;
    }

    /// A cycle shorter than the jog, or goals that come faster, must not keep the servos from being read.
    fn is_starving(&self, now: Ns, servos: &[Servo], wire: &Wire) -> bool {
        self.reads_since_jog == 0
            && self.cycle > 0
            && wire.has_room()
            && servos.iter().any(|s| due(s, wire).is_some_and(|due| due <= now))
    }

    /// When the next cycle may begin.
    fn cycle_at(&self, wire: &Wire) -> Ns {
        if self.fresh { wire.jog_free() } else { self.next_cycle.max(wire.jog_free()) }
    }

    pub fn cycle_is_due(&self, now: Ns, servos: &[Servo], wire: &Wire) -> bool {
        now >= self.cycle_at(wire) && !self.is_starving(now, servos, wire)
    }

    /// From when on a request fits: not right before goals are expected, nor for a little while that they are late. One per
    /// jog is sent in any case.
    fn fits_from(&self, at: Ns, servos: &[Servo], wire: &Wire) -> Ns {
        let jogging = servos.iter().any(|s| s.fsm.phase == Phase::Ready);
        let Some((expected, late)) = self.goals.next().filter(|_| jogging && self.reads_since_jog > 0) else {
            return at;
        };
        let cost = match wire.full_duplex {
            true => wire.time(REQUEST),
            false => wire.time(REQUEST + REPLY),
        };
        if at + cost > expected && at < late { late } else { at }
    }

    pub fn may_ask(&self, now: Ns, servos: &[Servo], wire: &Wire) -> bool {
        wire.has_room() && now >= wire.ask_free() && self.fits_from(now, servos, wire) <= now
    }

    /// The servo to be asked now.
    pub fn pick(&mut self, now: Ns, servos: &[Servo], wire: &Wire) -> Option<usize> {
        let is_due = |i: &usize| servos.get(*i).and_then(|s| due(s, wire)).is_some_and(|due| due <= now);
        if let Some(k) = self.first.iter().position(is_due) {
            return self.first.remove(k);
        }
        let n = servos.len();
        let i = (0..n).map(|k| (self.cursor + k) % n).find(is_due)?;
        self.cursor = (i + 1) % n;
        Some(i)
    }

    /// When there is something to do next, on the line.
    pub fn next_due(&self, now: Ns, servos: &[Servo], wire: &Wire, scanning: bool) -> Ns {
        let mut next = wire.deadline();
        let ask = wire.ask_free();
        if !self.is_starving(now, servos, wire) {
            next = next.min(self.cycle_at(wire));
        }
        if wire.has_room() {
            let first = servos.iter().filter_map(|s| due(s, wire)).chain(scanning.then_some(0)).min();
            if let Some(first) = first {
                next = next.min(self.fits_from(first.max(ask).max(now), servos, wire));
            }
        }
        next
    }
}

/// When a servo may be asked next; `None` while an answer of it is awaited.
fn due(servo: &Servo, wire: &Wire) -> Option<Ns> {
    if wire.in_flight.iter().any(|r| r.id == servo.config.id) {
        return None;
    }
    Some(servo.link.not_before.max(servo.fsm.due))
}

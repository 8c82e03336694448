//! Whose turn it is: one jog per cycle, then reads in turn for as long as they fit. It decides by times alone; what is
//! asked is the servo's own business.

use super::servo::Servo;
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
    reads_this_cycle: u32,
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
            reads_this_cycle: 0,
            cursor: 0,
            first: VecDeque::with_capacity(2 * servos + 1),
        }
    }

    pub fn connect(&mut self, now: Ns) {
        self.first.clear();
        self.next_cycle = now;
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
        self.reads_this_cycle = 0;
        since
    }

    pub fn asked(&mut self) {
        self.reads_this_cycle += 1;
    }

    /// A cycle shorter than the jog, or goals that come faster, must not keep the servos from being read.
    fn is_starving(&self, now: Ns, servos: &[Servo], wire: &Wire) -> bool {
        self.reads_this_cycle == 0
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

    /// Whether a request fits before the next jog is expected. One per cycle is sent in any case.
    fn fits(&self, now: Ns, servos: &[Servo], wire: &Wire, tuning: &Tuning) -> bool {
        let jogging = servos.iter().any(|s| s.fsm.phase == Phase::Ready);
        if !jogging || self.reads_this_cycle == 0 {
            return true;
        }
        let cost = match wire.full_duplex {
            true => wire.time(REQUEST),
            false => wire.time(REQUEST + REPLY),
        };
        now + cost <= self.cycle_start + ns(tuning.period)
    }

    pub fn may_ask(&self, now: Ns, servos: &[Servo], wire: &Wire, tuning: &Tuning) -> bool {
        wire.has_room() && now >= wire.ask_free() && self.fits(now, servos, wire, tuning)
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
    pub fn next_due(&self, now: Ns, servos: &[Servo], wire: &Wire, tuning: &Tuning, scanning: bool) -> Ns {
        let mut next = wire.deadline();
        let ask = wire.ask_free();
        if !self.is_starving(now, servos, wire) {
            next = next.min(self.cycle_at(wire));
        }
        if wire.has_room() && self.fits(ask.max(now), servos, wire, tuning) {
            let servos = servos.iter().filter_map(|s| due(s, wire));
            if let Some(first) = servos.chain(scanning.then_some(0)).min() {
                next = next.min(first.max(ask));
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

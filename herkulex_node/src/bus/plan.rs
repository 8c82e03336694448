//! What to send when: the jog of the cycle, then reads in turn.

use super::exchange::{Purpose, Request};
use super::machine::Bus;
use super::servo::{Phase, Servo};
use super::{Ns, Tuning, ns};
use crate::codec::{BROADCAST, Frame, Jog, Memory, Register, command, reg, ticks};

/// Bytes of an ordinary request.
const REQUEST: usize = 9;
/// A position older than this is no place to switch torque on at, ns.
const FRESH: Ns = 50_000_000;
/// Voltage and temperature once for so many positions.
const SUPPLY_EVERY: u32 = 16;

impl Servo {
    /// The goal that holds it where it was measured.
    pub(super) fn seed_counts(&self) -> u16 {
        let (least, most) = self.config.joint.counts;
        self.measured.map_or(least, |m| m.counts.max(least).min(most))
    }

    /// Goes on towards the goal: at once, or gently after it got torque and when the goal has jumped. Gives the playtime in
    /// ticks, or `None` when it is there already and any will do.
    fn advance(&mut self, now: Ns, since: f64, tuning: &Tuning) -> Option<u8> {
        let goal = self.goal?;
        let away = goal.position - self.setpoint;
        let left = goal.arrival.saturating_sub(now);
        let step = tuning.approach_speed * since;
        // A playtime that is long enough is gentle by itself.
        let gentle = tuning.approach_speed * left as f64 * 1e-9;
        self.approaching |= away.abs() > (tuning.jump_speed * since).max(gentle);
        if self.approaching && away.abs() > step {
            self.setpoint += step.copysign(away);
            return Some(ticks(tuning.playtime));
        }
        // A servo that only holds its place has not caught up with anything: its first goal may be far away.
        self.approaching &= goal.own;
        self.setpoint = goal.position;
        (left > 0).then(|| ticks(left as f64 * 1e-9))
    }
}

impl Bus {
    pub(super) fn plan(&mut self, now: Ns) {
        if self.cycle_is_due(now) {
            self.begin_cycle(now);
        }
        if self.out.is_empty() && self.may_ask(now) {
            self.ask(now);
        }
    }

    fn cycle_is_due(&self, now: Ns) -> bool {
        let due = self.fresh || now >= self.next_cycle;
        // A cycle shorter than the jog, or goals that come faster, must not keep the servos from being read.
        let starving = self.reads_this_cycle == 0 && self.cycle > 0 && self.could_ask(now);
        due && now >= self.jog_free() && !starving
    }

    /// From when on a jog may be sent. A request that is still on the wire is no reason to wait: the port queues.
    fn jog_free(&self) -> Ns {
        let free = self.tx_free.saturating_sub(self.config.wire(2 * REQUEST));
        let heard = self.in_flight.iter().map(|r| r.expected).max().unwrap_or(0);
        if self.config.full_duplex { free } else { free.max(heard) }
    }

    fn begin_cycle(&mut self, now: Ns) {
        let period = ns(self.config.tuning.period);
        self.window.cycles += 1;
        // Without goals the cycle goes on by itself; with them it waits a little for the next.
        self.next_cycle = now + if self.fresh { period * 3 / 2 } else { period };
        let since = now.saturating_sub(self.cycle_start).min(2 * period) as f64 * 1e-9;
        self.cycle += 1;
        self.cycle_start = now;
        self.fresh = false;
        self.reads_this_cycle = 0;
        self.send_jogs(now, since);
    }

    /// One packet for all servos that follow goals: S_JOG when all playtimes are the same, else I_JOG.
    fn send_jogs(&mut self, now: Ns, since: f64) {
        let tuning = self.config.tuning;
        let (mut common, mut mixed) = (None, false);
        let mut jogs = std::mem::take(&mut self.jogs);
        jogs.clear();
        for servo in self.servos.iter_mut().filter(|s| s.phase == Phase::Ready) {
            let playtime = servo.advance(now, since, &tuning);
            if let Some(t) = playtime {
                mixed |= *common.get_or_insert(t) != t;
            }
            let goal = servo.config.joint.nearest_counts(servo.setpoint);
            jogs.push(Jog { id: servo.config.id, goal, set: 0, playtime: playtime.unwrap_or(0) });
        }
        let common = common.unwrap_or_else(|| ticks(tuning.playtime));
        // A servo that has arrived may have any playtime; it takes the one that keeps the packet short.
        jogs.iter_mut().filter(|j| j.playtime == 0).for_each(|j| j.playtime = common);
        if let Some(begun) = self.in_flight.first().map(|r| r.begun) {
            self.occupy(begun, now);
        }
        let start = self.tx_free.max(now);
        let mut frame = Frame::default();
        let mut left: &[Jog] = &jogs;
        while !left.is_empty() {
            left = if mixed { frame.i_jog(BROADCAST, left) } else { frame.s_jog(BROADCAST, common, left) };
            self.window.jogs += 1;
            self.window.jog_time += self.config.wire(frame.bytes().len()) as f64 * 1e-9;
            self.send(now, frame.bytes());
        }
        self.occupy(start, self.tx_free.max(start));
        self.jogs = jogs;
    }

    /// The most requests under way. Two, so that the next one is on the wire when an answer ends.
    fn depth(&self) -> usize {
        if self.config.full_duplex { 2 } else { 1 }
    }

    /// From when on the next request may be sent, so that its answer does not run into the one before.
    fn ask_free(&self) -> Ns {
        let after = self.in_flight.iter().map(|r| r.expected.saturating_sub(self.config.wire(REQUEST))).max();
        self.tx_free.max(after.unwrap_or(0))
    }

    fn could_ask(&self, now: Ns) -> bool {
        self.in_flight.len() < self.depth()
            && (0..self.servos.len()).any(|i| self.servo_due(i).is_some_and(|due| due <= now))
    }

    /// Whether a request fits before the next jog is expected. One per cycle is sent in any case.
    fn fits(&self, now: Ns) -> bool {
        let cost = match self.config.full_duplex {
            true => self.config.wire(REQUEST),
            false => self.config.exchange(REQUEST, 17),
        };
        let jogging = self.servos.iter().any(|s| s.phase == Phase::Ready);
        !jogging
            || self.reads_this_cycle == 0
            || now + cost <= self.cycle_start + ns(self.config.tuning.period)
    }

    fn may_ask(&self, now: Ns) -> bool {
        self.in_flight.len() < self.depth() && now >= self.ask_free() && self.fits(now)
    }

    /// When a servo may be asked next; `None` while an answer of it is awaited.
    fn servo_due(&self, i: usize) -> Option<Ns> {
        let servo = &self.servos[i];
        if self.in_flight.iter().any(|r| r.id == servo.config.id) {
            return None;
        }
        let own = match servo.phase {
            Phase::Rebooting { until } => until,
            _ => 0,
        };
        Some(servo.not_before.max(own))
    }

    fn pick(&mut self, now: Ns) -> Option<usize> {
        while let Some(i) = self.first.pop_front() {
            if self.servo_due(i).is_some_and(|due| due <= now) {
                return Some(i);
            }
        }
        let n = self.servos.len();
        let next = (0..n).map(|k| (self.cursor + k) % n);
        let i = next.into_iter().find(|i| self.servo_due(*i).is_some_and(|due| due <= now))?;
        self.cursor = (i + 1) % n;
        Some(i)
    }

    fn ask(&mut self, now: Ns) {
        self.scans_next = !self.scans_next;
        if self.scans_next && self.ask_scan(now) {
            return;
        }
        if let Some(i) = self.pick(now) {
            self.ask_servo(now, i);
        } else {
            self.ask_scan(now);
        }
    }

    fn ask_scan(&mut self, now: Ns) -> bool {
        let Some(id) = self.scan.as_ref().filter(|s| !s.done).map(|s| s.next) else { return false };
        if self.in_flight.iter().any(|r| r.purpose == Purpose::Scan || r.id == id) {
            return false;
        }
        self.ask_status(now, usize::MAX, id, Purpose::Scan, Phase::Greet);
        true
    }

    /// The next request to a servo, by where it stands.
    fn ask_servo(&mut self, now: Ns, i: usize) {
        let servo = &mut self.servos[i];
        match servo.phase {
            Phase::Rebooting { .. } => servo.enter(Phase::Greet),
            Phase::Faulted { retry } if now >= retry => servo.enter(Phase::Greet),
            Phase::Seed | Phase::Engage if servo.measured.is_none_or(|m| now > m.at + FRESH) => {
                servo.enter(Phase::Locate);
            }
            _ => {}
        }
        let (id, phase, wanted) = (servo.config.id, servo.phase, servo.wanted);
        // An answer that comes late must not pass for the answer to the next try: tries differ in length.
        let position_len = if servo.retried.is_multiple_of(2) { 6 } else { 8 };
        let mut frame = Frame::default();
        match phase {
            Phase::Greet => self.ask_status(now, i, id, Purpose::Step, phase),
            Phase::Settle => {
                self.write(now, id, &reg::ACK_POLICY, &[1]);
                self.write(now, id, &reg::STATUS_ERROR, &[0, 0]);
                self.write(now, id, &reg::ACCELERATION_RATIO, &[0, 0]);
                self.ask_register(now, i, &reg::ACCELERATION_RATIO, 2, Purpose::Step);
            }
            Phase::Locate => self.ask_register(now, i, &reg::POSITION, position_len, Purpose::Step),
            Phase::Seed => {
                let jog = Jog { id, goal: servo.seed_counts(), set: 0, playtime: 1 };
                frame.i_jog(id, &[jog]);
                self.send(now, frame.bytes());
                self.ask_register(now, i, &reg::ABSOLUTE_GOAL, 2, Purpose::Step);
            }
            Phase::Engage | Phase::Relax => {
                self.write(now, id, &reg::TORQUE, &[wanted.register()]);
                self.ask_register(now, i, &reg::TORQUE, 1, Purpose::Step);
            }
            Phase::Ready | Phase::Resting if servo.clear => {
                self.write(now, id, &reg::STATUS_ERROR, &[0, 0]);
                self.ask_status(now, i, id, Purpose::Clear, phase);
            }
            Phase::Ready | Phase::Resting | Phase::Faulted { .. } | Phase::Rebooting { .. } => {
                servo.reads = servo.reads.saturating_add(1);
                if servo.reads > SUPPLY_EVERY {
                    servo.reads = 0;
                    self.ask_register(now, i, &reg::VOLTAGE, 2, Purpose::Supply);
                } else {
                    self.ask_register(now, i, &reg::POSITION, position_len, Purpose::Position);
                }
            }
        }
    }

    fn write(&mut self, now: Ns, id: u8, register: &Register, values: &[u8]) {
        let mut frame = Frame::default();
        // A register's values always fit into a packet.
        if let Ok(bytes) = frame.write(id, Memory::Ram, register.address(), values) {
            self.send(now, bytes);
        }
    }

    fn ask_register(&mut self, now: Ns, i: usize, register: &Register, len: u8, purpose: Purpose) {
        let (id, phase) = (self.servos[i].config.id, self.servos[i].phase);
        let mut frame = Frame::default();
        self.send(now, frame.read(id, Memory::Ram, register.address(), len));
        let place = (register.address(), len);
        self.await_reply(now, i, id, command::RAM_READ, place, 11 + usize::from(len), purpose, phase);
    }

    fn ask_status(&mut self, now: Ns, i: usize, id: u8, purpose: Purpose, phase: Phase) {
        let mut frame = Frame::default();
        self.send(now, frame.stat(id));
        self.await_reply(now, i, id, command::STAT, (0, 0), 9, purpose, phase);
    }

    #[allow(clippy::too_many_arguments)]
    fn await_reply(
        &mut self,
        now: Ns,
        servo: usize,
        id: u8,
        command: u8,
        place: (u8, u8),
        reply: usize,
        purpose: Purpose,
        phase: Phase,
    ) {
        let (sent, expected, deadline) = self.times(now, reply);
        self.reads_this_cycle += 1;
        self.window.reads += 1;
        self.in_flight.push(Request {
            servo,
            id,
            command,
            place,
            begun: now,
            sent,
            expected,
            deadline,
            purpose,
            phase,
        });
    }

    /// When there is something to do next.
    pub(super) fn next_due(&self, now: Ns) -> Ns {
        let mut due = self.next_cycle.min(self.watch_due());
        if self.fresh {
            due = due.min(self.jog_free());
        }
        due = self.in_flight.iter().map(|r| r.deadline).fold(due, Ns::min);
        due = self.pending_due().min(due);
        let free = self.ask_free();
        if self.in_flight.len() < self.depth() && self.fits(free.max(now)) {
            let servos = (0..self.servos.len()).filter_map(|i| self.servo_due(i));
            let scan = self.scan.as_ref().filter(|s| !s.done).map(|_| 0);
            if let Some(first) = servos.chain(scan).min() {
                due = due.min(first.max(free));
            }
        }
        // Whatever the plan says, the owner of the port gets some rest.
        due.max(now + 10_000)
    }
}

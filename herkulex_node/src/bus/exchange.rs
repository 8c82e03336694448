//! Requests on their way, and their answers.

use super::machine::{Bus, Event};
use super::servo::{Measured, Phase, Torque};
use super::{Ns, ns};
use crate::codec::{Reply, Status, command, reg, torque};

/// Failed tries of a step before the servo counts as faulted.
const TRIES: u32 = 5;
/// Before a faulted servo is tried again, ns.
const RETRY: Ns = 250_000_000;
/// A servo that does not answer is asked again after this, and after ever longer up to four times this, ns.
const LOST_RETRY: Ns = 100_000_000;
/// How often the goal register may disagree before it is taken for one that does not tell.
const UNSEEDED: u32 = 8;

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The present step of the servo's way.
    Step,
    /// Position and velocity.
    Position,
    /// Voltage and temperature.
    Supply,
    /// A minor error was cleared.
    Clear,
    /// Who is there?
    Scan,
}

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub servo: usize,
    pub id: u8,
    pub command: u8,
    /// Address and length; zero for STAT.
    pub place: (u8, u8),
    /// When its first byte was sent.
    pub begun: Ns,
    /// When its last byte is on the wire.
    pub sent: Ns,
    /// When its answer has come at the latest if all is well.
    pub expected: Ns,
    pub deadline: Ns,
    pub purpose: Purpose,
    /// The phase in which it was asked: an answer that comes after the phase changed proves nothing about the new one.
    pub phase: Phase,
}

impl Bus {
    /// A good reply came. It counts only if it is what was asked for: id, command, address and length.
    pub(super) fn answer(&mut self, now: Ns, reply: &Reply<'_>) {
        let place = match (reply.command, reply.memory()) {
            (command::STAT, _) => (0, 0),
            (_, Some((address, values))) => (address, values.len() as u8),
            _ => (0xFF, 0xFF),
        };
        let ours = |r: &Request| r.id == reply.id && r.command == reply.command && r.place == place;
        let Some(found) = self.in_flight.iter().position(ours) else {
            self.window.unmatched += 1;
            return;
        };
        let request = self.in_flight.remove(found);
        self.occupy(request.begun, now);
        if request.purpose == Purpose::Scan {
            self.scanned(request.id, true);
            return;
        }
        let servo = &mut self.servos[request.servo];
        servo.statistics.answered(now.saturating_sub(request.sent));
        let was_lost = servo.misses >= self.config.tuning.lost_after.max(1);
        servo.misses = 0;
        servo.retried = 0;
        servo.not_before = 0;
        if was_lost {
            self.events.push_back(Event::Back(request.servo));
        }
        let values = reply.memory().map_or([].as_slice(), |(_, values)| values);
        self.take(now, &request, values, reply.status);
    }

    fn take(&mut self, now: Ns, request: &Request, values: &[u8], status: Status) {
        let i = request.servo;
        self.servos[i].status = status;
        match request.purpose {
            Purpose::Position => self.locate(now, i, values),
            Purpose::Supply => {
                if let &[volts, temperature, ..] = values {
                    let scale = self.servos[i].config.joint.scale;
                    self.servos[i].supply = Some((f64::from(volts) * scale.voltage, temperature));
                }
            }
            Purpose::Clear => self.servos[i].clear = status.error != 0 && status.is_minor(),
            Purpose::Step if request.phase == self.servos[i].phase => {
                return self.step(now, i, values, status);
            }
            Purpose::Step | Purpose::Scan => {}
        }
        if request.phase == self.servos[i].phase {
            self.judge(now, i, status, request.purpose);
        }
    }

    /// What the status of a settled servo means.
    fn judge(&mut self, now: Ns, i: usize, status: Status, purpose: Purpose) {
        let servo = &mut self.servos[i];
        match servo.phase {
            Phase::Ready if !status.motor_on() && status.error == 0 => {
                servo.enter(Phase::Greet);
                self.events.push_back(Event::Restarted(i));
            }
            Phase::Ready if !status.motor_on() => self.fault(now, i, status),
            Phase::Ready | Phase::Resting if status.error != 0 && status.is_minor() => {
                if !servo.clear && purpose != Purpose::Clear {
                    self.events.push_back(Event::Fault(i, status));
                }
                servo.clear = true;
            }
            _ => {}
        }
    }

    fn fault(&mut self, now: Ns, i: usize, status: Status) {
        self.servos[i].enter(Phase::Faulted { retry: now + RETRY });
        self.events.push_back(Event::Fault(i, status));
    }

    /// One step further on the way to torque, or back.
    fn step(&mut self, now: Ns, i: usize, values: &[u8], status: Status) {
        let wanted = self.servos[i].wanted;
        match self.servos[i].phase {
            Phase::Greet => self.servos[i].enter(Phase::Settle),
            Phase::Settle if values == [0, 0] && status.error == 0 => {
                self.servos[i].enter(if wanted == Torque::On { Phase::Locate } else { Phase::Relax });
            }
            Phase::Locate | Phase::Seed | Phase::Engage if !status.is_minor() => self.fault(now, i, status),
            Phase::Locate => {
                self.locate(now, i, values);
                self.servos[i].enter(Phase::Seed);
            }
            Phase::Seed => self.seeded(i, values),
            Phase::Engage if values == [torque::ON] && status.motor_on() => self.engaged(i, now),
            Phase::Relax if values == [wanted.register()] => self.servos[i].enter(Phase::Resting),
            Phase::Settle | Phase::Engage => {
                self.servos[i].tries += 1;
                if self.servos[i].tries >= TRIES {
                    self.fault(now, i, status);
                } else {
                    self.first.push_back(i);
                }
            }
            _ => {}
        }
        if self.servos[i].is_urgent() {
            self.first.push_front(i);
        }
    }

    /// Compares the goal register with where the servo is. A jog may be lost on the way, and torque with an old goal is a
    /// jump, so this is asked before. The register is absolute, a jog is calibrated; the position has both.
    fn seeded(&mut self, i: usize, values: &[u8]) {
        let servo = &mut self.servos[i];
        let (Some(at), Some(raw)) = (servo.measured, reg::ABSOLUTE_GOAL.decode(values)) else {
            return servo.enter(Phase::Locate);
        };
        let shift = i32::from(at.absolute) - i32::from(at.counts);
        let seed = i32::from(servo.seed_counts()) + shift;
        let shown = i32::from(servo.config.joint.scale.position(raw as u16));
        if (shown - seed).abs() <= 1 {
            servo.unseeded = 0;
            servo.enter(Phase::Engage);
        } else if servo.unseeded < UNSEEDED {
            servo.unseeded += 1;
            servo.enter(Phase::Locate);
            self.first.push_front(i);
        } else {
            servo.unseeded = 0;
            servo.enter(Phase::Engage);
            self.events.push_back(Event::Unseeded(i));
        }
    }

    fn locate(&mut self, now: Ns, i: usize, values: &[u8]) {
        let servo = &mut self.servos[i];
        let joint = servo.config.joint;
        let &[p0, p1, a0, a1, v0, v1, ..] = values else { return };
        let (position, absolute) = (u16::from_le_bytes([p0, p1]), u16::from_le_bytes([a0, a1]));
        if let Some(last) = servo.measured {
            servo.statistics.polled(now.saturating_sub(last.at));
        }
        servo.measured = Some(Measured {
            position: joint.to_angle(position),
            velocity: joint.to_velocity(i16::from_le_bytes([v0, v1])),
            counts: joint.scale.position(position),
            absolute: joint.scale.position(absolute),
            at: now,
        });
    }

    /// A broken packet came: whoever was to answer first is to blame.
    pub(super) fn broken(&mut self) {
        if let Some(request) = self.in_flight.first().filter(|r| r.purpose != Purpose::Scan) {
            self.servos[request.servo].statistics.checksums += 1;
        }
    }

    /// Gives up requests whose answer does not come.
    pub(super) fn expire(&mut self, now: Ns) {
        if self.in_flight.iter().all(|r| r.deadline > now) {
            return;
        }
        // An answer may sit behind a false start.
        self.give_up_packet(now);
        while let Some(late) = self.in_flight.iter().position(|r| r.deadline <= now) {
            let request = self.in_flight.remove(late);
            self.occupy(request.begun, now);
            if request.purpose == Purpose::Scan {
                self.scanned(request.id, false);
                continue;
            }
            self.missed(now, request.servo);
        }
    }

    fn missed(&mut self, now: Ns, i: usize) {
        let tuning = self.config.tuning;
        let lost_after = tuning.lost_after.max(1);
        let servo = &mut self.servos[i];
        servo.statistics.timeouts += 1;
        servo.misses = servo.misses.saturating_add(1);
        if servo.misses == lost_after {
            self.events.push_back(Event::Lost(i));
        }
        if servo.misses >= lost_after {
            let times = Ns::from((servo.misses - lost_after + 1).min(4));
            servo.not_before = now + LOST_RETRY * times;
        } else if servo.retried < tuning.retries {
            servo.retried += 1;
            self.first.push_back(i);
        } else {
            servo.retried = 0;
        }
    }

    fn scanned(&mut self, id: u8, there: bool) {
        if let Some(scan) = &mut self.scan {
            if there {
                scan.found.push(id);
            }
            scan.done = id >= crate::codec::LAST_ID;
            scan.next = id.saturating_add(1);
        }
    }

    /// Adds a stretch of time to the figures, what overlaps with another only once.
    pub(super) fn occupy(&mut self, from: Ns, to: Ns) {
        self.window.busy += to.saturating_sub(from.max(self.counted_until)) as f64 * 1e-9;
        self.counted_until = self.counted_until.max(to);
    }

    /// When a request that is sent now is to be answered, and given up.
    pub(super) fn times(&self, now: Ns, reply: usize) -> (Ns, Ns, Ns) {
        let sent = self.tx_free.max(now);
        let expected = sent + ns(self.config.turnaround) + self.config.wire(reply);
        (sent, expected, expected + ns(self.config.tuning.reply_timeout))
    }
}

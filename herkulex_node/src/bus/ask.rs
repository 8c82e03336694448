//! What goes over the line for the servos: the jog of the cycle, and requests by where each servo stands.

use super::machine::Bus;
use super::phase::{Input, Request};
use super::reply::Purpose;
use super::wire::Wire;
use super::{Ns, Phase, ns, path};
use crate::codec::{BROADCAST, Jog, Memory, reg, ticks};

/// A position older than this is no place to switch torque on at, ns.
const FRESH: Ns = 50_000_000;
/// Torque, voltage and temperature once for so many positions.
const SUPPLY_EVERY: u32 = 16;
/// A host that slept for so long has lost sight of all servos, ns.
const STALL: Ns = 100_000_000;

impl Bus {
    pub(super) fn plan(&mut self, now: Ns) {
        if self.scheduler.cycle_is_due(now, &self.servos, &self.wire) {
            self.begin_cycle(now);
        } else if self.scheduler.may_ask(now, &self.servos, &self.wire) {
            self.ask(now);
        }
    }

    fn begin_cycle(&mut self, now: Ns) {
        let tuning = self.config.tuning;
        self.wire.window.cycles += 1;
        let fresh = self.scheduler.fresh;
        let since = self.scheduler.begin_cycle(now, &tuning);
        if since > STALL + 2 * ns(tuning.period) {
            self.servos.iter_mut().for_each(|s| s.path.lose_sight());
        }
        // What goals are about to say is not said in their place.
        if fresh || !self.scheduler.is_streaming(now) {
            self.send_jogs(now);
        }
    }

    /// One packet for all servos that have something new to be told, or may not have received it: S_JOG when all playtimes are
    /// the same, else I_JOG.
    fn send_jogs(&mut self, now: Ns) {
        let tuning = self.config.tuning;
        let since = self.scheduler.since_jog(now) as f64 * 1e-9;
        let (mut common, mut mixed) = (None, false);
        let mut jogs = std::mem::take(&mut self.jogs);
        jogs.clear();
        let ready = |s: &&mut super::Servo| s.fsm.phase == Phase::Ready && !s.path.is_blind();
        for servo in self.servos.iter_mut().filter(ready) {
            if servo.is_astray(now) {
                servo.path.go_on_from(servo.measured.map_or(f64::NAN, |m| m.position), now);
            }
            if !servo.path.wants_jog(now) {
                continue;
            }
            let (angle, playtime) = servo.path.jog(now, since, &tuning);
            if let Some(t) = playtime {
                mixed |= *common.get_or_insert(t) != t;
            }
            let goal = path::counts(&servo.joint, angle);
            let set = servo.fsm.wanted.map_or(0, |w| w.jog_flags());
            jogs.push(Jog { id: servo.config.id, goal, set, playtime: playtime.unwrap_or(0) });
        }
        let common = common.unwrap_or_else(|| ticks(tuning.playtime));
        if jogs.is_empty() {
            self.jogs = jogs;
            return;
        }
        self.scheduler.has_jogged(now);
        // A servo that has arrived may have any playtime; it takes the one that keeps the packet short.
        jogs.iter_mut().filter(|j| j.playtime == 0).for_each(|j| j.playtime = common);
        self.wire.occupy_until(now);
        let start = self.wire.tx_free.max(now);
        let mut left: &[Jog] = &jogs;
        while !left.is_empty() {
            let now_left = left;
            let len = self.wire.send(now, |frame| {
                left = match mixed {
                    true => frame.i_jog(BROADCAST, now_left),
                    false => frame.s_jog(BROADCAST, common, now_left),
                };
            });
            self.wire.window.jogs += 1;
            self.wire.window.jog_time += self.wire.time(len) as f64 * 1e-9;
        }
        let end = self.wire.tx_free.max(start);
        self.wire.occupy(start, end);
        self.jogs = jogs;
    }

    fn ask(&mut self, now: Ns) {
        self.scans_next = !self.scans_next;
        if self.scans_next && self.ask_scan(now) {
            return;
        }
        if let Some(i) = self.scheduler.pick(now, &self.servos, &self.wire) {
            self.ask_servo(now, i);
        } else {
            self.ask_scan(now);
        }
    }

    fn ask_scan(&mut self, now: Ns) -> bool {
        let Some(id) = self.scan.as_ref().filter(|s| !s.done).map(|s| s.next) else { return false };
        if self.wire.in_flight.iter().any(|r| r.purpose == Purpose::Scan || r.id == id) {
            return false;
        }
        let timeout = self.config.tuning.reply_timeout;
        self.wire.status(now, Wire::ask(usize::MAX, id, Purpose::Scan, Phase::Greet, timeout));
        self.scheduler.asked();
        true
    }

    /// The next request to a servo, by where it stands.
    fn ask_servo(&mut self, now: Ns, i: usize) {
        if self.servos[i].measured.is_none_or(|m| now > m.at + FRESH) {
            self.input(now, i, Input::Stale);
        }
        self.scheduler.asked();
        let timeout = self.config.tuning.reply_timeout;
        let lost = self.is_lost(i);
        let (servo, wire) = (&mut self.servos[i], &mut self.wire);
        let (id, phase) = (servo.config.id, servo.fsm.phase);
        let asked = |purpose| Wire::ask(i, id, purpose, phase, timeout);
        // An answer that comes late must not pass for the answer to the next try: tries differ in length.
        let position = (reg::POSITION.address(), if servo.link.retried.is_multiple_of(2) { 8 } else { 6 });
        let torque = (reg::TORQUE.address(), 2);
        match servo.fsm.request() {
            // One that lost its power may have come back as one that answers nothing but STAT, by its settings.
            _ if lost && servo.link.misses % 2 == 1 => {
                wire.write(now, id, &reg::ACK_POLICY, &[1]);
                wire.status(now, asked(Purpose::Status));
            }
            Request::Status => wire.status(now, asked(Purpose::Step)),
            Request::Model => {
                // A servo may have been told to answer nothing but STAT.
                wire.write(now, id, &reg::ACK_POLICY, &[1]);
                wire.read(now, Memory::Eep, (0, 4), asked(Purpose::Step));
            }
            Request::Limits => {
                wire.read(now, Memory::Ram, (reg::MIN_POSITION.address(), 4), asked(Purpose::Step));
            }
            Request::Torque => wire.read(now, Memory::Ram, torque, asked(Purpose::Step)),
            Request::Settle => {
                wire.write(now, id, &reg::STATUS_ERROR, &[0, 0]);
                wire.write(now, id, &reg::ACCELERATION_RATIO, &[0, 0]);
                wire.read(now, Memory::Ram, (reg::ACCELERATION_RATIO.address(), 2), asked(Purpose::Step));
            }
            Request::Position => wire.read(now, Memory::Ram, position, asked(Purpose::Step)),
            Request::Seed => {
                let set = servo.fsm.wanted.map_or(0, |w| w.jog_flags());
                let jog = Jog { id, goal: servo.seed_counts(), set, playtime: 1 };
                wire.send(now, |frame| {
                    frame.i_jog(id, &[jog]);
                });
                wire.read(now, Memory::Ram, (reg::ABSOLUTE_GOAL.address(), 2), asked(Purpose::Step));
            }
            Request::Write(demand, clear) => {
                if clear {
                    wire.write(now, id, &reg::STATUS_ERROR, &[0, 0]);
                }
                let values = [demand.torque.register(), demand.mark.map_or(0, |mark| mark.0)];
                let len = if demand.mark.is_some() { 2 } else { 1 };
                wire.write(now, id, &reg::TORQUE, &values[..len]);
                wire.read(now, Memory::Ram, torque, asked(Purpose::Step));
            }
            Request::Clear => {
                wire.write(now, id, &reg::STATUS_ERROR, &[0, 0]);
                wire.status(now, asked(Purpose::Status));
            }
            Request::Watch if servo.link.reads > SUPPLY_EVERY => {
                servo.link.reads = 0;
                wire.read(now, Memory::Ram, (torque.0, 4), asked(Purpose::Supply));
            }
            Request::Watch => {
                servo.link.reads = servo.link.reads.saturating_add(1);
                wire.read(now, Memory::Ram, position, asked(Purpose::Position));
            }
        }
    }
}

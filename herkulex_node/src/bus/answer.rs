//! What comes back from the servos, and what it means.

use super::Ns;
use super::machine::{Bus, Event};
use super::phase::{Input, Phase};
use super::reply::{Answer, Purpose, Received};
use super::servo::{Reading, Supply};
use super::torque::{Mark, Torque};

/// A servo that does not answer is asked again after this, and after ever longer up to four times this, ns.
const LOST_RETRY: Ns = 100_000_000;
/// How often a scan asks a servo that should be there.
const SCAN_TRIES: u8 = 3;
/// Answers missing in a row that leave it open whether a servo receives its jogs.
const OUT_OF_SIGHT: u32 = 3;

impl Bus {
    /// Bytes have come.
    pub fn receive(&mut self, now: Ns, mut bytes: &[u8]) {
        if self.wire.begin_receive(now) {
            self.give_up_packet(now);
        }
        while let Some(received) = self.wire.receive(now, &mut bytes) {
            self.take(now, &received);
        }
    }

    fn give_up_packet(&mut self, now: Ns) {
        while let Some(received) = self.wire.give_up_packet(now) {
            self.take(now, &received);
        }
    }

    /// Gives up requests whose answer does not come.
    pub(super) fn expire(&mut self, now: Ns) {
        if self.wire.deadline() > now {
            return;
        }
        // An answer may sit behind a false start.
        self.give_up_packet(now);
        while let Some(asked) = self.wire.expired(now) {
            match asked.purpose {
                Purpose::Scan => self.scanned(asked.id, false),
                _ => self.missed(now, asked.servo),
            }
        }
    }

    fn take(&mut self, now: Ns, received: &Received) {
        match received {
            Received::Answer(answer) if answer.asked.purpose == Purpose::Scan => {
                self.scanned(answer.asked.id, true);
            }
            Received::Answer(answer) => self.answer(now, answer),
            Received::Broken(i) => self.servos[*i].statistics.checksums += 1,
            Received::Nothing => {}
        }
    }

    fn answer(&mut self, now: Ns, answer: &Answer) {
        let (asked, values, status) = (&answer.asked, answer.values(), answer.status);
        let i = asked.servo;
        let was_lost = self.is_lost(i);
        let servo = &mut self.servos[i];
        servo.statistics.answered(now.saturating_sub(asked.sent));
        servo.link.misses = 0;
        servo.link.answered = now;
        servo.link.retried = 0;
        servo.link.not_before = 0;
        servo.status = status;
        let same_phase = asked.phase == servo.fsm.phase;
        let positions = asked.purpose == Purpose::Position || asked.phase == Phase::Locate;
        if positions {
            let (at, uncertainty) = asked.sampled(now, self.config.wire(11 + values.len()));
            if let Some(measured) = servo.locate(values, at, uncertainty) {
                if servo.steady {
                    servo.path.sight(measured.position, now);
                }
                if servo.path.is_blind() && !was_lost {
                    self.scheduler.hurry(i);
                }
                self.push_reading(Reading { servo: i, measured });
            }
        }
        if was_lost {
            self.events.push_back(Event::Back(i));
            // It may have lost its power meanwhile, and with it its mark; one with torque shows by its status.
            if self.servos[i].fsm.phase != Phase::Ready {
                return self.input(now, i, Input::Again);
            }
        }
        if !same_phase {
            return;
        }
        match asked.purpose {
            Purpose::Step => {
                let undelivered = self.servos[i].undelivered;
                let verdict = self.servos[i].prove(asked, values, status);
                self.orders_version += u64::from(self.servos[i].undelivered != undelivered);
                self.input(now, i, Input::Answer(verdict, status));
                self.hurry(i);
            }
            Purpose::Supply => {
                self.supplied(now, i, values);
                self.input(now, i, Input::Status(status));
            }
            _ => {
                self.input(now, i, Input::Status(status));
                self.hurry(i);
            }
        }
    }

    /// A servo that is half-way is asked next; one that is to be asked again waits for those that are first already.
    fn hurry(&mut self, i: usize) {
        let fsm = self.servos[i].fsm;
        if fsm.is_urgent() {
            self.scheduler.hurry_most(i);
        } else if fsm.tries > 0 || fsm.phase == Phase::Locate {
            self.scheduler.hurry(i);
        }
    }

    fn supplied(&mut self, now: Ns, i: usize, values: &[u8]) {
        let &[torque, led, volts, temperature] = values else { return };
        let servo = &mut self.servos[i];
        let volts = f64::from(volts) * servo.joint.scale.voltage;
        servo.supply = Some(Supply { volts, temperature });
        let Some(wanted) = servo.fsm.wanted.filter(|_| servo.fsm.phase == Phase::Resting) else { return };
        // A servo that lost its power has lost its mark: a node after us would take it for nobody's.
        let unmarked = led & 7 == 0 && wanted.mark.is_some_and(|mark| mark != Mark::NONE);
        // Neither what it shall have nor what it was content with: somebody else's hand, or a packet that came late.
        let wrong = |t: Torque| t.register() != torque;
        let loose = wrong(wanted.torque) && servo.fsm.confirmed.is_some_and(wrong);
        if unmarked || loose {
            self.input(now, i, Input::Again);
        }
    }

    fn missed(&mut self, now: Ns, i: usize) {
        let tuning = self.config.tuning;
        let lost_after = tuning.lost_after.max(1);
        let servo = &mut self.servos[i];
        servo.statistics.timeouts += 1;
        servo.link.misses = servo.link.misses.saturating_add(1);
        let misses = servo.link.misses;
        if misses >= OUT_OF_SIGHT {
            servo.path.lose_sight();
        }
        if misses == lost_after {
            self.events.push_back(Event::Lost(i));
        }
        if misses >= lost_after {
            let times = Ns::from((misses - lost_after + 1).min(4));
            servo.link.not_before = now + LOST_RETRY * times;
        } else if servo.link.retried < tuning.retries {
            servo.link.retried += 1;
            self.scheduler.hurry(i);
        } else {
            servo.link.retried = 0;
        }
    }

    fn scanned(&mut self, id: u8, there: bool) {
        let configured = self.servos.iter().any(|s| s.id() == id);
        if let Some(scan) = &mut self.scan {
            // One that should be there is asked again: an answer may be lost.
            if !there && configured && scan.missed + 1 < SCAN_TRIES {
                scan.missed += 1;
                return;
            }
            scan.missed = 0;
            if there {
                scan.found.push(id);
            }
            scan.done = id >= crate::codec::LAST_ID;
            scan.next = id.saturating_add(1);
        }
    }
}

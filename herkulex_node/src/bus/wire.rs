//! Requests on their way and their answers: bytes in and out, who was asked what, and until when.

use super::phase::Phase;
use super::reply::{Answer, Asked, Digest, Purpose, Received};
use super::statistics::BusWindow;
use super::{BusConfig, Ns, ns};
use crate::codec::{Frame, MIN_REPLY, Memory, Parser, Register, command};

/// A pause in a reply after which it is given up.
const PAUSE: Ns = 5_000_000;
/// More than the steps of one poll ever send at once.
const OUT: usize = 4096;
/// Bytes of an ordinary request.
pub(super) const REQUEST: usize = 9;

/// The line as the host sees it.
#[derive(Debug)]
pub(super) struct Wire {
    baud: u32,
    pub full_duplex: bool,
    turnaround: Ns,
    parser: Parser,
    last_byte: Ns,
    out: Vec<u8>,
    sent: Vec<u8>,
    frame: Frame,
    pub in_flight: Vec<Asked>,
    /// When the last byte that was sent is on the wire.
    pub tx_free: Ns,
    pub window: BusWindow,
    /// Until when the line's time is accounted for.
    counted_until: Ns,
}

impl Wire {
    pub fn new(config: &BusConfig) -> Wire {
        Wire {
            baud: config.baud,
            full_duplex: config.full_duplex,
            turnaround: ns(config.turnaround),
            parser: Parser::default(),
            last_byte: 0,
            out: Vec::with_capacity(OUT),
            sent: Vec::with_capacity(OUT),
            frame: Frame::default(),
            in_flight: Vec::with_capacity(4),
            tx_free: 0,
            window: BusWindow::default(),
            counted_until: 0,
        }
    }

    pub fn connect(&mut self, now: Ns) {
        self.parser = Parser::default();
        self.out.clear();
        self.in_flight.clear();
        self.tx_free = now;
    }

    /// Time on the wire.
    pub fn time(&self, bytes: usize) -> Ns {
        bytes as Ns * 10_000_000_000 / Ns::from(self.baud.max(1))
    }

    /// Puts a packet on the wire.
    pub fn send(&mut self, now: Ns, build: impl FnOnce(&mut Frame)) -> usize {
        build(&mut self.frame);
        let bytes = self.frame.bytes();
        self.out.extend_from_slice(bytes);
        let len = bytes.len();
        self.tx_free = self.tx_free.max(now) + self.time(len);
        len
    }

    /// Writes a register; not answered.
    pub fn write(&mut self, now: Ns, id: u8, register: &Register, values: &[u8]) {
        self.send(now, |frame| {
            // A register's values always fit into a packet.
            let _ = frame.write(id, Memory::Ram, register.address(), values);
        });
    }

    /// Reads `len` bytes.
    pub fn read(&mut self, now: Ns, memory: Memory, place: (u8, u8), asked: Asked) {
        self.send(now, |frame| {
            frame.read(asked.id, memory, place.0, place.1);
        });
        let reply = MIN_REPLY + 2 + usize::from(place.1);
        self.await_reply(now, reply, Asked { command: memory.read(), place, ..asked });
    }

    /// Asks for the status.
    pub fn status(&mut self, now: Ns, asked: Asked) {
        self.send(now, |frame| {
            frame.stat(asked.id);
        });
        self.await_reply(now, MIN_REPLY, Asked { command: command::STAT, place: (0, 0), ..asked });
    }

    /// A request to be filled in.
    pub fn ask(servo: usize, id: u8, purpose: Purpose, phase: Phase, reply_timeout: f64) -> Asked {
        let deadline = ns(reply_timeout);
        Asked {
            servo,
            id,
            command: 0,
            place: (0, 0),
            begun: 0,
            sent: 0,
            expected: 0,
            deadline,
            purpose,
            phase,
        }
    }

    fn await_reply(&mut self, now: Ns, reply: usize, asked: Asked) {
        let sent = self.tx_free.max(now);
        let expected = sent + self.turnaround + self.time(reply);
        let deadline = expected + asked.deadline;
        self.window.reads += 1;
        self.in_flight.push(Asked { begun: now, sent, expected, deadline, ..asked });
    }

    /// What there is to write now.
    pub fn take_out(&mut self) -> Option<&[u8]> {
        if self.out.is_empty() {
            return None;
        }
        std::mem::swap(&mut self.out, &mut self.sent);
        self.out.clear();
        Some(&self.sent)
    }

    /// Bytes come in at `now`: what was begun too long ago will not be finished.
    pub fn begin_receive(&mut self, now: Ns) -> bool {
        let paused = now > self.last_byte + PAUSE;
        self.last_byte = now;
        paused
    }

    /// Takes bytes off the front until something is found.
    pub fn receive(&mut self, now: Ns, bytes: &mut &[u8]) -> Option<Received> {
        let digest = Digest::of(&self.parser.next(bytes)?);
        Some(self.sort(now, digest))
    }

    /// What has begun will not be finished; good packets behind it are taken now.
    pub fn give_up_packet(&mut self, now: Ns) -> Option<Received> {
        let digest = Digest::of(&self.parser.idle()?);
        Some(self.sort(now, digest))
    }

    /// A good reply counts only if it is what was asked for: id, command, address and length.
    fn sort(&mut self, now: Ns, digest: Digest) -> Received {
        let (id, command, place, status, values) = match digest {
            Digest::Corrupt => {
                let blamed = self.in_flight.first().filter(|r| r.purpose != Purpose::Scan);
                return blamed.map_or(Received::Nothing, |asked| Received::Broken(asked.servo));
            }
            Digest::Echo => {
                self.window.echoes += 1;
                return Received::Nothing;
            }
            Digest::Reply { id, command, place, status, values } => (id, command, place, status, values),
        };
        let ours = |r: &Asked| r.id == id && r.command == command && r.place == place;
        let Some(found) = self.in_flight.iter().position(ours) else {
            self.window.unmatched += 1;
            return Received::Nothing;
        };
        let asked = self.in_flight.remove(found);
        self.occupy(asked.begun, now);
        Received::Answer(Answer { asked, status, values })
    }

    /// The next request whose answer does not come.
    pub fn expired(&mut self, now: Ns) -> Option<Asked> {
        let late = self.in_flight.iter().position(|r| r.deadline <= now)?;
        let asked = self.in_flight.remove(late);
        self.occupy(asked.begun, now);
        Some(asked)
    }

    /// The most requests under way. Two, so that the next one is on the wire when an answer ends.
    pub fn has_room(&self) -> bool {
        self.in_flight.len() < if self.full_duplex { 2 } else { 1 }
    }

    /// From when on the next request may be sent, so that its answer does not run into the one before.
    pub fn ask_free(&self) -> Ns {
        let after = self.in_flight.iter().map(|r| r.expected.saturating_sub(self.time(REQUEST))).max();
        self.tx_free.max(after.unwrap_or(0))
    }

    /// From when on a jog may be sent. A request that is still on the wire is no reason to wait: the port queues.
    pub fn jog_free(&self) -> Ns {
        let free = self.tx_free.saturating_sub(self.time(2 * REQUEST));
        let expected = self.in_flight.iter().map(|r| r.expected).max().unwrap_or(0);
        if self.full_duplex { free } else { free.max(expected) }
    }

    /// When the next answer is overdue.
    pub fn deadline(&self) -> Ns {
        self.in_flight.iter().map(|r| r.deadline).min().unwrap_or(Ns::MAX)
    }

    /// Adds a stretch of time to the figures, what overlaps with another only once.
    pub fn occupy(&mut self, from: Ns, to: Ns) {
        self.window.busy += to.saturating_sub(from.max(self.counted_until)) as f64 * 1e-9;
        self.counted_until = self.counted_until.max(to);
    }

    /// A jog goes out: accounts for what was under way.
    pub fn occupy_until(&mut self, now: Ns) {
        if let Some(begun) = self.in_flight.first().map(|r| r.begun) {
            self.occupy(begun, now);
        }
    }

    /// The figures since the last call.
    pub fn take_window(&mut self) -> BusWindow {
        let skipped = self.parser.skipped();
        // The parser counts since it was made.
        self.parser.reset_skipped();
        BusWindow { skipped, ..std::mem::take(&mut self.window) }
    }
}

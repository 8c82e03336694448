//! The wires: both directions paced at the baud rate, with faults.

use super::faults::{Faults, Noise};
use super::mechanics::Supply;
use super::plant::{FreeShafts, Plant};
use super::servo::{Mood, SimServo};
use crate::codec::{
    BROADCAST, Frame, MAX_PACKET, Packet, Parser, ParserEvent, REPLY, command, detail, error,
};
use std::collections::VecDeque;

/// A step of the mechanics, ns.
const STEP: u64 = 1_000_000;
/// A pause in a packet after which servos give it up, ns.
const PAUSE: u64 = 3_000_000;

/// How the line behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bits per second; a byte is ten bits.
    pub baud: u32,
    /// From the end of a request to the start of its reply, s.
    pub turnaround: f64,
    /// Whether replies that overlap spoil each other, as on a real line; else the later one waits.
    pub collisions: bool,
    /// Whether servos understand only a host at their own baud rate; else any.
    pub strict_baud: bool,
    /// Of the random faults.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { baud: 115_200, turnaround: 0.0003, collisions: false, strict_baud: false, seed: 1 }
    }
}

/// A line with servos on it, and what they move. Times are nanoseconds on any clock that only goes forward.
#[derive(Clone, Debug)]
pub struct SimBus<P = FreeShafts> {
    settings: Settings,
    /// The servos on the line.
    pub servos: Vec<SimServo>,
    /// What they move.
    pub plant: P,
    /// What goes wrong at present.
    pub faults: Faults,
    /// The battery that all servos hang on.
    pub supply: Supply,
    volts: f64,
    noise: Noise,
    parser: Parser,
    stepped: u64,
    /// Bytes on their way to the servos, with the time of arrival.
    down: VecDeque<(u64, u8)>,
    down_last: u64,
    /// When each write will have arrived.
    ends: VecDeque<u64>,
    /// Replies that have not begun.
    waiting: Vec<(u64, Vec<u8>)>,
    /// Bytes on their way to the host, with the time of arrival.
    up: VecDeque<(u64, u8)>,
    up_free: u64,
    collided: u64,
    spoiled: Vec<u8>,
    answer: Vec<u8>,
    frame: Frame,
}

impl SimBus {
    /// A line with servos that move nothing but themselves.
    pub fn new(settings: Settings, servos: Vec<SimServo>, supply: Supply) -> SimBus {
        SimBus::with_plant(settings, servos, supply, FreeShafts)
    }
}

impl<P: Plant> SimBus<P> {
    /// A line with servos that move something.
    pub fn with_plant(settings: Settings, servos: Vec<SimServo>, supply: Supply, plant: P) -> SimBus<P> {
        SimBus {
            settings,
            servos,
            plant,
            faults: Faults::default(),
            supply,
            volts: supply.volts,
            noise: Noise::new(settings.seed),
            parser: Parser::default(),
            stepped: 0,
            down: VecDeque::new(),
            down_last: 0,
            ends: VecDeque::new(),
            waiting: vec![],
            up: VecDeque::new(),
            up_free: 0,
            collided: 0,
            spoiled: Vec::with_capacity(2 * MAX_PACKET),
            answer: Vec::with_capacity(MAX_PACKET),
            frame: Frame::default(),
        }
    }

    /// Nanoseconds on the wire for a number of bytes.
    pub fn wire(&self, bytes: usize) -> u64 {
        bytes as u64 * 10_000_000_000 / u64::from(self.settings.baud.max(1))
    }

    /// The voltage at the servos.
    pub fn volts(&self) -> f64 {
        self.volts
    }

    /// Replies that spoiled each other so far.
    pub fn collided(&self) -> u64 {
        self.collided
    }

    /// The host has set its port to a speed.
    pub fn set_host_baud(&mut self, baud: u32) {
        if self.settings.strict_baud && baud > 0 {
            self.settings.baud = baud;
        }
    }

    /// The host writes. Faults take what one call brings as one packet.
    pub fn write(&mut self, now: u64, bytes: &[u8]) {
        if self.noise.happens(self.faults.echo) {
            self.waiting.push((now, bytes.to_vec()));
        }
        let mut spoiled = std::mem::take(&mut self.spoiled);
        self.faults.distort(bytes, &mut self.noise, &mut spoiled);
        for byte in &spoiled {
            let byte_time = self.wire(1);
            let free = self.down.back().map_or(self.down_last, |(at, _)| *at);
            self.down.push_back((free.max(now) + byte_time, *byte));
        }
        self.ends.extend(self.down.back().map(|(at, _)| *at));
        self.spoiled = spoiled;
    }

    /// What the host can read by now, added to `out`.
    pub fn read(&mut self, now: u64, out: &mut Vec<u8>) {
        self.advance(now);
        while let Some(&(at, byte)) = self.up.front()
            && at <= now
        {
            out.push(byte);
            self.up.pop_front();
        }
    }

    /// When a host that does not care for single bytes should look again: a packet has arrived at the servos, a reply begins,
    /// or one has ended.
    pub fn next_packet(&self) -> Option<u64> {
        let waiting = self.waiting.iter().map(|(at, _)| *at);
        let quiet = self.parser.is_waiting().then_some(self.down_last + PAUSE + 1);
        let ends = [self.ends.front().copied(), self.up.back().map(|(at, _)| *at), quiet];
        waiting.chain(ends.into_iter().flatten()).min()
    }

    /// When something will happen next.
    pub fn next_event(&self) -> Option<u64> {
        let waiting = self.waiting.iter().map(|(at, _)| *at);
        let fronts = [self.down.front(), self.up.front()];
        let quiet = self.parser.is_waiting().then_some(self.down_last + PAUSE + 1);
        waiting.chain(fronts.into_iter().flatten().map(|(at, _)| *at)).chain(quiet).min()
    }

    /// Nothing more comes or goes: the plug is pulled. Servos keep power, torque and goals.
    pub fn unplug(&mut self) {
        self.down.clear();
        self.ends.clear();
        self.up.clear();
        self.waiting.clear();
        while self.parser.idle().is_some() {}
    }

    /// Takes power from all servos, or gives it back: working memories are lost, shafts stay where they are.
    pub fn power(&mut self, on: bool) {
        self.servos.iter_mut().for_each(|s| s.power(on));
        self.waiting.clear();
    }

    /// Lets time pass.
    pub fn advance(&mut self, now: u64) {
        loop {
            let reply = self.waiting.iter().map(|(at, _)| *at).min().filter(|at| *at <= now);
            let byte = self.down.front().map(|(at, _)| *at).filter(|at| *at <= now);
            match (reply, byte) {
                (Some(at), byte) if byte.is_none_or(|b| at <= b) => {
                    if let Some(i) = self.waiting.iter().position(|(start, _)| *start == at) {
                        let (_, bytes) = self.waiting.remove(i);
                        self.transmit(at, &bytes);
                    }
                }
                (_, Some(_)) => self.arrive(),
                _ => break,
            }
        }
        self.give_up_packet(now);
        while self.ends.front().is_some_and(|end| *end <= now) {
            self.ends.pop_front();
        }
        self.step_to(now);
    }

    /// Servos give up a packet when the line has been quiet for long enough, not when it is used again.
    fn give_up_packet(&mut self, now: u64) {
        let at = self.down_last + PAUSE;
        if now <= at || !self.parser.is_waiting() {
            return;
        }
        let mut parser = std::mem::take(&mut self.parser);
        while let Some(heard) = parser.idle() {
            self.take(at, heard);
        }
        self.parser = parser;
    }

    fn step_to(&mut self, now: u64) {
        // After a long absence (a suspended machine) there is no point in living through all of it.
        if now > self.stepped + 2_000_000_000 {
            self.stepped = now - 2_000_000_000;
        }
        while self.stepped + STEP <= now {
            self.stepped += STEP;
            let drives: f64 = self.servos.iter().map(SimServo::drive_share).sum();
            self.volts = (self.supply.under_load(drives) - self.faults.voltage_drop).max(0.0);
            let dt = STEP as f64 * 1e-9;
            for servo in &mut self.servos {
                servo.regulate(dt, self.volts, Mood::of(servo.id(), &self.faults));
            }
            self.plant.step(&mut self.servos, self.stepped, dt);
            for servo in &mut self.servos {
                servo.watch(dt, self.volts, Mood::of(servo.id(), &self.faults));
            }
        }
    }

    /// A byte reaches the servos.
    fn arrive(&mut self) {
        let Some((at, byte)) = self.down.pop_front() else { return };
        self.step_to(at);
        self.give_up_packet(at);
        let mut parser = std::mem::take(&mut self.parser);
        self.down_last = at;
        let mut input: &[u8] = &[byte];
        while let Some(heard) = parser.next(&mut input) {
            self.take(at, heard);
        }
        self.parser = parser;
    }

    fn take(&mut self, at: u64, heard: ParserEvent<'_>) {
        match heard {
            ParserEvent::Corrupt { id } => {
                for servo in self.servos.iter_mut().filter(|s| s.id() == id && s.is_there()) {
                    servo.latch(error::INVALID_PACKET, detail::CHECKSUM);
                }
            }
            // Servos do not listen to one another.
            ParserEvent::Packet(packet) if packet.command & REPLY != 0 => {}
            ParserEvent::Packet(packet) => self.deliver(at, &packet),
        }
    }

    fn deliver(&mut self, at: u64, packet: &Packet<'_>) {
        let mut starts = at + (self.settings.turnaround * 1e9) as u64;
        for servo in &mut self.servos {
            let id = servo.id();
            let meant = packet.id == id || packet.id == BROADCAST;
            let understood = !self.settings.strict_baud || servo.baud() == Some(self.settings.baud);
            if !meant || !understood || !servo.is_there() || self.faults.dead.contains(&id) {
                continue;
            }
            let answers = servo.handle(packet, &mut self.answer);
            if !answers || (packet.id == BROADCAST && packet.command != command::STAT) {
                continue;
            }
            if self.noise.happens(self.faults.delay) {
                starts += (self.noise.unit() * self.faults.delay_time * 1e9) as u64;
            }
            if let Ok(reply) = self.frame.reply(id, packet.command, &self.answer, servo.status()) {
                self.waiting.push((starts, reply.to_vec()));
            }
        }
    }

    /// A reply begins.
    fn transmit(&mut self, at: u64, bytes: &[u8]) {
        let mut spoiled = std::mem::take(&mut self.spoiled);
        self.faults.distort(bytes, &mut self.noise, &mut spoiled);
        let overlap = self.settings.collisions && at < self.up_free;
        if overlap {
            self.collided += 1;
            for (_, byte) in self.up.iter_mut().filter(|(t, _)| *t > at) {
                *byte ^= 0x5A;
            }
            spoiled.iter_mut().for_each(|b| *b ^= 0xA6);
        }
        let mut time = if overlap { at } else { at.max(self.up_free) };
        for byte in &spoiled {
            time += self.wire(1);
            self.up.push_back((time, *byte));
        }
        if overlap {
            self.up.make_contiguous().sort_by_key(|(t, _)| *t);
        }
        self.up_free = self.up_free.max(time);
        self.spoiled = spoiled;
    }
}

//! The state machine's face: what goes in and what comes out.

use super::exchange::Request;
use super::orders::{Outcome, Pending, Scan};
use super::servo::{Goal, Phase, Servo, Torque};
use super::statistics::BusWindow;
use super::watchdog::Watch;
use super::{BusConfig, Ns, Tuning, ns};
use crate::codec::{Heard, Jog, Parser, Status};
use std::collections::VecDeque;

/// A pause in a reply after which it is given up.
const PAUSE: Ns = 5_000_000;
/// More than the steps of one poll ever send at once.
const OUT: usize = 4096;

/// What the port's owner does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Write these bytes now.
    Write(&'a [u8]),
    /// Nothing before this time, unless something comes in.
    Wait(Ns),
}

/// Something that people want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A servo has torque and follows goals.
    Ready(usize),
    /// A servo has an error and, unless it is a minor one, no torque.
    Fault(usize, Status),
    /// A servo lost its torque without an error: it was started anew.
    Restarted(usize),
    /// A servo does not answer.
    Lost(usize),
    /// A servo answers again.
    Back(usize),
    /// A servo does not show the goal that it was given before torque; torque is switched on all the same.
    Unseeded(usize),
    /// Goals are too old: servos hold.
    Hold,
    /// They are older still: torque is released.
    Release,
    /// Goals come.
    Follow,
}

/// One joint of a message of goals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalPoint {
    /// The servo, by index.
    pub servo: usize,
    /// Of the joint, rad.
    pub position: f64,
    /// Time to get there, s; not a positive number stands for the default.
    pub playtime: f64,
}

/// The bus.
#[derive(Debug)]
pub struct Bus {
    pub(super) config: BusConfig,
    pub(super) servos: Vec<Servo>,
    pub(super) connected: bool,
    parser: Parser,
    last_byte: Ns,
    pub(super) out: Vec<u8>,
    sent: Vec<u8>,
    pub(super) in_flight: Vec<Request>,
    /// When the last byte that was sent is on the wire.
    pub(super) tx_free: Ns,
    pub(super) fresh: bool,
    pub(super) cycle: u64,
    pub(super) cycle_start: Ns,
    pub(super) next_cycle: Ns,
    pub(super) reads_this_cycle: u32,
    pub(super) jogs: Vec<Jog>,
    pub(super) cursor: usize,
    /// Servos to be asked before the others.
    pub(super) first: VecDeque<usize>,
    pub(super) scan: Option<Scan>,
    pub(super) scans_next: bool,
    pub(super) pending: Vec<Pending>,
    pub(super) outcomes: VecDeque<Outcome>,
    pub(super) events: VecDeque<Event>,
    pub(super) watch: Watch,
    pub(super) last_goals: Ns,
    pub(super) released: Vec<bool>,
    pub(super) window: BusWindow,
    pub(super) window_start: Ns,
    /// Until when the bus's time is accounted for.
    pub(super) counted_until: Ns,
}

impl Bus {
    /// A bus whose port is not open yet.
    pub fn new(config: BusConfig) -> Bus {
        let wanted = if config.torque_at_start { Torque::On } else { Torque::Free };
        let servos: Vec<Servo> = config.servos.iter().map(|s| Servo::new(s.clone(), wanted)).collect();
        Bus {
            connected: false,
            parser: Parser::default(),
            last_byte: 0,
            out: Vec::with_capacity(OUT),
            sent: Vec::with_capacity(OUT),
            in_flight: Vec::with_capacity(4),
            tx_free: 0,
            fresh: false,
            cycle: 0,
            cycle_start: 0,
            next_cycle: 0,
            reads_this_cycle: 0,
            jogs: Vec::with_capacity(servos.len()),
            cursor: 0,
            first: VecDeque::with_capacity(servos.len() + 1),
            scan: None,
            scans_next: false,
            pending: vec![],
            outcomes: VecDeque::new(),
            events: VecDeque::new(),
            watch: Watch::Waiting,
            last_goals: 0,
            released: vec![false; servos.len()],
            window: BusWindow::default(),
            window_start: 0,
            counted_until: 0,
            servos,
            config,
        }
    }

    /// The port is open: every servo begins anew.
    pub fn connect(&mut self, now: Ns) {
        self.connected = true;
        self.parser = Parser::default();
        self.out.clear();
        self.in_flight.clear();
        self.first.clear();
        self.tx_free = now;
        self.next_cycle = now;
        for servo in &mut self.servos {
            servo.enter(Phase::Greet);
            servo.misses = 0;
            servo.not_before = now;
        }
    }

    /// The port is gone.
    pub fn disconnect(&mut self) {
        self.connected = false;
        self.scan = None;
        for pending in std::mem::take(&mut self.pending) {
            self.outcomes.push_back(pending.failed("the port was lost"));
        }
    }

    /// Changes what may change.
    pub fn tune(&mut self, tuning: Tuning) {
        self.config.tuning = tuning;
    }

    /// Goals have come. Joints that are not named keep theirs; what is no number is left out.
    pub fn goals(&mut self, now: Ns, points: impl IntoIterator<Item = GoalPoint>) {
        self.window.goals += 1;
        self.window.overtaken += u64::from(self.fresh);
        let mut any = false;
        let default = self.config.tuning.playtime;
        for point in points {
            let Some(servo) = self.servos.get_mut(point.servo) else { continue };
            let Some(position) = servo.config.joint.limit(point.position) else { continue };
            let playtime = if point.playtime > 0.0 { point.playtime } else { default };
            servo.goal = Some(Goal { position, arrival: now + ns(playtime), own: false });
            any = true;
        }
        // A message that moves nothing must not keep the watchdog quiet.
        if any {
            self.fresh = true;
            self.awake(now);
        }
    }

    /// Bytes have come.
    pub fn receive(&mut self, now: Ns, mut bytes: &[u8]) {
        if now > self.last_byte + PAUSE {
            self.give_up_packet(now);
        }
        self.last_byte = now;
        let mut parser = std::mem::take(&mut self.parser);
        while let Some(heard) = parser.next(&mut bytes) {
            self.hear(now, heard);
        }
        self.parser = parser;
    }

    /// What has begun will not be finished; good packets behind it are heard now.
    pub(super) fn give_up_packet(&mut self, now: Ns) {
        if !self.parser.is_waiting() {
            return;
        }
        let mut parser = std::mem::take(&mut self.parser);
        while let Some(heard) = parser.idle() {
            self.hear(now, heard);
        }
        self.parser = parser;
    }

    fn hear(&mut self, now: Ns, heard: Heard<'_>) {
        match heard {
            Heard::Corrupt { .. } => self.broken(),
            Heard::Packet(packet) => match packet.reply() {
                Some(reply) => self.answer(now, &reply),
                None => self.window.echoes += 1,
            },
        }
    }

    /// What to do now. Call again after a write, when the time has come, and when anything came in.
    pub fn poll(&mut self, now: Ns) -> Action<'_> {
        if !self.connected {
            return Action::Wait(Ns::MAX);
        }
        self.expire(now);
        self.watch(now);
        self.settle_orders(now);
        if self.out.is_empty() {
            self.plan(now);
        }
        if self.out.is_empty() {
            return Action::Wait(self.next_due(now));
        }
        std::mem::swap(&mut self.out, &mut self.sent);
        self.out.clear();
        Action::Write(&self.sent)
    }

    /// Puts bytes on the wire.
    pub(super) fn send(&mut self, now: Ns, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.tx_free = self.tx_free.max(now) + self.config.wire(bytes.len());
    }

    /// Takes torque from all servos; [`Bus::is_relaxed`] says when it is done.
    pub fn relax(&mut self, torque: Torque) {
        for i in 0..self.servos.len() {
            self.servos[i].not_before = 0;
            self.set_torque(i, torque);
        }
    }

    /// Whether no servo that answers has torque.
    pub fn is_relaxed(&self) -> bool {
        (0..self.servos.len()).all(|i| self.servos[i].phase == Phase::Resting || self.is_lost(i))
    }

    /// Whether a servo has stopped answering.
    pub fn is_lost(&self, i: usize) -> bool {
        self.servos[i].misses >= self.config.tuning.lost_after.max(1)
    }

    /// The next event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The figures since the last call.
    pub fn window(&mut self, now: Ns) -> BusWindow {
        let time = now.saturating_sub(std::mem::replace(&mut self.window_start, now)) as f64 * 1e-9;
        let skipped = self.parser.skipped();
        let last = std::mem::take(&mut self.window);
        // The parser counts since it was made.
        self.parser.reset_skipped();
        BusWindow { time, skipped, ..last }
    }

    /// Cycles so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// What the watchdog sees.
    pub fn watching(&self) -> Watch {
        self.watch
    }

    /// The servos, in the order of the configuration.
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// How it is configured.
    pub fn config(&self) -> &BusConfig {
        &self.config
    }

    /// Whether the port is open.
    pub fn is_connected(&self) -> bool {
        self.connected
    }
}

//! All servos of a bus together: what goes in and what comes out.

use super::orders::{Outcome, Pending, Scan};
use super::phase::{Change, Input, Refusal};
use super::scheduler::Scheduler;
use super::servo::{Reading, Servo};
use super::standing::Shout;
use super::statistics::BusWindow;
use super::torque::Torque;
use super::wire::Wire;
use super::{BusConfig, Ns, Phase, Tuning};
use crate::codec::{Jog, Status};
use std::collections::VecDeque;

/// Readings that wait to be taken; more than a second of them.
const READINGS: usize = 1024;

/// What the port's owner does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// Write these bytes now.
    Write(&'a [u8]),
    /// Nothing before this time, unless something comes in.
    Wait(Ns),
}

/// Something that people want to know; servos by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A servo has torque and follows goals.
    Ready(usize),
    /// A servo has an error and, unless it is a minor one, no torque.
    Fault(usize, Status),
    /// A servo had too many errors: no torque until they are cleared.
    Locked(usize, Status),
    /// A servo lost its torque without an error: it was started anew.
    Restarted(usize),
    /// A servo cannot be proved to be what the file says: no torque.
    Refused(usize, Refusal),
    /// A servo does not answer.
    Lost(usize),
    /// A servo answers again.
    Back(usize),
    /// A joint's goals are too old: it holds.
    Hold(usize),
    /// They are older still: its torque is released.
    Release(usize),
    /// A joint's goals come again.
    Follow(usize),
    /// The bus was found as a node before us left it; so many servos are kept as found.
    Adopted(usize),
    /// All servos are stopped, by order or as a node before us was told.
    Stopped,
    /// A servo that came after the start bears a stop that a node before us was told: it stays off, alone.
    LeftStopped(usize),
}

/// The bus.
#[derive(Debug)]
pub struct Bus {
    pub(super) config: BusConfig,
    pub(super) servos: Vec<Servo>,
    pub(super) connected: bool,
    pub(super) wire: Wire,
    pub(super) scheduler: Scheduler,
    pub(super) jogs: Vec<Jog>,
    /// The latched stop.
    pub(super) stopped: bool,
    /// What servos do at the end, once that has begun.
    pub(super) farewell: Option<Torque>,
    /// Whether the bus was ours before this start; `None` until all servos were found or do not answer.
    pub(super) was_ours: Option<bool>,
    pub(super) shout: Option<Shout>,
    /// Changes whenever [`Bus::undelivered`] may have.
    pub(super) orders_version: u64,
    pub(super) scan: Option<Scan>,
    pub(super) scans_next: bool,
    pub(super) pending: Vec<Pending>,
    pub(super) outcomes: VecDeque<Outcome>,
    pub(super) events: VecDeque<Event>,
    pub(super) readings: VecDeque<Reading>,
    window_start: Ns,
}

impl Bus {
    /// A bus whose port is not open yet.
    pub fn new(config: BusConfig) -> Bus {
        let servos: Vec<Servo> = config.servos.iter().map(|s| Servo::new(s.clone())).collect();
        Bus {
            connected: false,
            wire: Wire::new(&config),
            scheduler: Scheduler::new(servos.len()),
            jogs: Vec::with_capacity(servos.len()),
            stopped: false,
            farewell: None,
            was_ours: None,
            shout: None,
            orders_version: 0,
            scan: None,
            scans_next: false,
            pending: vec![],
            outcomes: VecDeque::new(),
            events: VecDeque::new(),
            readings: VecDeque::with_capacity(READINGS),
            window_start: 0,
            servos,
            config,
        }
    }

    /// The port is open: every servo begins anew, by the order that stands for it.
    pub fn connect(&mut self, now: Ns) {
        self.connected = true;
        self.wire.connect(now);
        self.scheduler.connect(now);
        for i in 0..self.servos.len() {
            self.servos[i].link.misses = 0;
            self.servos[i].link.not_before = now;
            self.input(now, i, Input::Again);
        }
        // Before anybody is asked anything: what shall have no torque is told so.
        self.apply_all(now);
    }

    /// The port is gone.
    pub fn disconnect(&mut self) {
        self.connected = false;
        self.scan = None;
        self.end_all("the port was lost; torque off, brake and stop stand");
    }

    /// Changes what may change.
    pub fn tune(&mut self, now: Ns, tuning: Tuning) {
        self.config.tuning = tuning;
        // What is released already is released the new way.
        for i in 0..self.servos.len() {
            if self.servos[i].released {
                self.apply(now, i);
            }
        }
    }

    /// What to do now. Call again after a write, when the time has come, and when anything came in.
    pub fn poll(&mut self, now: Ns) -> Action<'_> {
        if !self.connected {
            return Action::Wait(Ns::MAX);
        }
        self.expire(now);
        self.watch(now);
        for i in 0..self.servos.len() {
            if self.servos[i].fsm.waits() {
                self.input(now, i, Input::Time);
            }
        }
        self.survey(now);
        self.settle_orders(now);
        self.shout(now);
        self.plan(now);
        let next = self.next_due(now);
        match self.wire.take_out() {
            Some(bytes) => Action::Write(bytes),
            None => Action::Wait(next),
        }
    }

    /// When there is something to do next.
    fn next_due(&self, now: Ns) -> Ns {
        let scanning = self.scan.as_ref().is_some_and(|s| !s.done);
        let line = self.scheduler.next_due(now, &self.servos, &self.wire, scanning);
        let retries = self.servos.iter().filter_map(|s| match s.fsm.phase {
            Phase::Faulted { retry } => Some(retry),
            _ => None,
        });
        let due = [line, self.watch_due(), self.pending_due(), self.shout.map_or(Ns::MAX, |s| s.next)];
        // Whatever the plan says, the owner of the port gets some rest.
        due.into_iter().chain(retries).min().unwrap_or(Ns::MAX).max(now + 10_000)
    }

    /// Gives an input to a servo's state machine, and does what follows for the others.
    pub(super) fn input(&mut self, now: Ns, i: usize, input: Input) {
        let servo = &mut self.servos[i];
        let (fsm, change) = servo.fsm.next(now, input);
        servo.fsm = fsm;
        let event = match change {
            None => return,
            Some(Change::Ready) => {
                self.engaged(i, now);
                Event::Ready(i)
            }
            Some(Change::Fault(status)) => Event::Fault(i, status),
            Some(Change::Locked(status)) => Event::Locked(i, status),
            Some(Change::Restarted) => Event::Restarted(i),
            Some(Change::Refused(why)) => Event::Refused(i, why),
        };
        self.events.push_back(event);
    }

    /// Whether a servo has stopped answering.
    pub fn is_lost(&self, i: usize) -> bool {
        self.servos[i].link.misses >= self.config.tuning.lost_after.max(1)
    }

    /// The next event.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The next reading.
    pub fn reading(&mut self) -> Option<Reading> {
        self.readings.pop_front()
    }

    pub(super) fn push_reading(&mut self, reading: Reading) {
        if self.readings.len() >= READINGS {
            self.readings.pop_front();
            self.wire.window.untaken += 1;
        }
        self.readings.push_back(reading);
    }

    /// The figures since the last call.
    pub fn window(&mut self, now: Ns) -> BusWindow {
        let time = now.saturating_sub(std::mem::replace(&mut self.window_start, now)) as f64 * 1e-9;
        BusWindow { time, ..self.wire.take_window() }
    }

    /// Cycles so far.
    pub fn cycle(&self) -> u64 {
        self.scheduler.cycle
    }

    /// Whether the stop is latched.
    pub fn is_stopped(&self) -> bool {
        self.stopped
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

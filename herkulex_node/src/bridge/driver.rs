//! What the bridge's thread does.

use super::keeper::Keeper;
use super::{BridgeConfig, Mail, Notice, Posted};
use crate::bus::{Action, Bus, Ns, Phase, ns};
use crate::health::{Health, battery};
use crate::port::{Port, wait};
use rtrb::Consumer;
use rustix::event::{PollFd, PollFlags};
use rustix::thread::set_current_timer_slack;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// Between two tries to open the port: at first, and at the most. The longest is well below a second, so that a robot that
/// is plugged in again stands again within one.
const BACK_OFF: (Ns, Ns) = (50_000_000, 400_000_000);
/// A port that served for so long was worth opening: the next try comes soon again.
const GOOD_WHILE: Ns = 1_000_000_000;
/// How long the farewell may take, s: for all, and for each servo beside that. A port that is away has as long to return.
const FAREWELL: (f64, f64) = (0.7, 0.02);
/// Between two reports on the bus, and two on the battery, ns.
const REPORT: Ns = 1_000_000_000;
const BATTERY: Ns = 100_000_000;

/// Never 0, which stands for "never" here and there.
pub(super) fn elapsed(start: Instant) -> Ns {
    start.elapsed().as_nanos() as Ns + 1
}

pub(super) struct Driver<F> {
    pub config: BridgeConfig,
    pub bus: Bus,
    pub keeper: Option<Keeper>,
    /// The version of the orders that was written down last.
    pub kept: u64,
    pub goals: Consumer<Posted>,
    pub letters: mpsc::Receiver<Mail>,
    pub end: Arc<AtomicBool>,
    pub wake: Arc<OwnedFd>,
    pub notify: F,
    pub start: Instant,
    pub cycle: u64,
    /// When the farewell is given up, once it has begun.
    pub farewell: Option<Ns>,
    pub reported: Ns,
    pub battery: Ns,
    /// Which servos had torque when that was told last.
    pub torque: Vec<bool>,
}

impl<F: FnMut(Notice)> Driver<F> {
    fn now(&self) -> Ns {
        elapsed(self.start)
    }

    pub fn run(mut self) {
        // The kernel may delay an ordinary thread's wake-up by 50 µs to save power. Best effort.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        (self.notify)(Notice::Running);
        let mut pause = BACK_OFF.0;
        self.restore();
        loop {
            let opened = self.now();
            let closed = match Port::open(&self.config.port, self.config.bus.baud) {
                Ok(port) => match self.serve(&port) {
                    Ok(()) => return,
                    Err(e) => e,
                },
                Err(e) => e,
            };
            self.bus.disconnect();
            self.tell();
            self.notify(Notice::Closed(closed));
            pause = if self.now() > opened + GOOD_WHILE { BACK_OFF.0 } else { (pause * 2).min(BACK_OFF.1) };
            if self.rest(pause) {
                return;
            }
        }
    }

    /// What a node before us was told and could not carry out.
    fn restore(&mut self) {
        match self.config.orders.as_ref().map(|file| file.read()) {
            Some(Ok(orders)) if !orders.is_empty() => {
                self.bus.restore(&orders);
                self.notify(Notice::Restored(orders));
            }
            Some(Err(e)) => {
                self.bus.distrust();
                self.notify(Notice::NotRestored(e));
            }
            _ => {}
        }
        self.kept = self.bus.orders_version();
    }

    /// Has orders written down that have not reached their servos. While the port is away that is waited for: what is told
    /// to stand shall outlive a kill.
    fn keep_orders(&mut self) {
        let version = self.bus.orders_version();
        if version == std::mem::replace(&mut self.kept, version) {
            return;
        }
        let Some(keeper) = &self.keeper else { return };
        keeper.keep(self.bus.undelivered(), !self.bus.is_connected());
        if let Some(e) = keeper.failure() {
            self.notify(Notice::NotKept(e));
        }
    }

    /// Waits before the next try; true when all is over.
    fn rest(&mut self, pause: Ns) -> bool {
        let pause = if self.farewell.is_some() { BACK_OFF.0 } else { pause };
        let end = self.now() + pause;
        loop {
            let now = self.now();
            self.take_mail(now);
            self.tell();
            if self.is_over(now) {
                return true;
            }
            if now >= end || (self.farewell.is_some() && now + BACK_OFF.0 < end) {
                return false;
            }
            let wake = self.wake.clone();
            if wait(&mut [PollFd::new(&*wake, PollFlags::IN)], end - now).is_err() {
                return false;
            }
        }
    }

    /// Takes what has been posted; begins the farewell when it is time to end.
    fn take_mail(&mut self, now: Ns) {
        let mut count = [0; 8];
        let _ = rustix::io::read(&*self.wake, &mut count);
        let waiting = self.goals.slots();
        if let Ok(chunk) = self.goals.read_chunk(waiting)
            && waiting > 0
        {
            let ahead = chunk.as_slices().0.first().map_or(0, |posted| posted.clock_ahead);
            let clock = (now as i64).saturating_add(ahead).max(0) as Ns;
            self.bus.goals(now, clock, chunk.into_iter().map(|posted| posted.point));
        }
        while let Ok(letter) = self.letters.try_recv() {
            match letter {
                Mail::Order(order) => self.bus.order(now, order),
                Mail::Tuning(tuning) => self.bus.tune(now, tuning),
            }
        }
        if self.end.load(Ordering::SeqCst) && self.farewell.is_none() {
            let each = FAREWELL.1 * self.bus.servos().len() as f64;
            self.farewell = Some(now + ns(FAREWELL.0 + each));
            if let Some(torque) = self.config.at_exit {
                self.bus.relax(now, torque);
            }
        }
    }

    /// Whether there is nothing left to wait for: all that shall have no torque have confirmed it, or it took too long.
    fn is_over(&self, now: Ns) -> bool {
        let Some(end) = self.farewell else { return false };
        self.bus.is_relaxed() || now >= end
    }

    /// Drives the bus until the port fails or all is over.
    fn serve(&mut self, port: &Port) -> io::Result<()> {
        let mut buffer = [0; 1024];
        let now = self.now();
        self.bus.connect(now);
        self.notify(Notice::Opened { low_latency: port.is_low_latency() });
        loop {
            let now = self.now();
            self.take_mail(now);
            if self.is_over(now) {
                self.tell();
                return Ok(());
            }
            let received = port.read(&mut buffer)?;
            if received > 0 {
                self.bus.receive(now, &buffer[..received]);
            }
            match self.bus.poll(now) {
                Action::Write(bytes) => port.write(bytes)?,
                Action::Wait(until) => {
                    self.tell();
                    let pause = until.saturating_sub(self.now());
                    let mut fds = [PollFd::new(port, PollFlags::IN), PollFd::new(&*self.wake, PollFlags::IN)];
                    wait(&mut fds, pause)?;
                }
            }
        }
    }

    /// Passes on what the bus has to say.
    fn tell(&mut self) {
        self.keep_orders();
        let now = self.now();
        while let Some(reading) = self.bus.reading() {
            self.notify(Notice::Reading(reading));
        }
        if self.bus.cycle() != self.cycle {
            self.cycle = self.bus.cycle();
            self.notify(Notice::Cycle);
        }
        while let Some(outcome) = self.bus.outcome() {
            self.notify(Notice::Outcome(outcome));
        }
        while let Some(event) = self.bus.event() {
            self.notify(Notice::Event(event));
        }
        self.tell_torque();
        if now >= self.battery + BATTERY {
            self.battery = now;
            if let Some(volts) = battery(&self.bus).filter(|_| self.bus.is_connected()) {
                self.notify(Notice::Battery(volts));
            }
        }
        if now >= self.reported + REPORT {
            self.reported = now;
            // A reader that was behind hears of torque once more.
            self.torque.clear();
            let health = Health::of(&mut self.bus, now);
            self.notify(Notice::Health(Box::new(health)));
        }
    }

    /// When it has changed, and now and then: those who move the robot must know whether it holds.
    fn tell_torque(&mut self) {
        let servos = self.bus.servos().len();
        let bus = &self.bus;
        let has_torque = |i: usize| bus.servos()[i].phase() == Phase::Ready && !bus.is_lost(i);
        if self.torque.len() == servos && (0..servos).all(|i| self.torque[i] == has_torque(i)) {
            return;
        }
        self.torque = (0..servos).map(has_torque).collect();
        self.notify(Notice::Torque(self.torque.clone()));
    }

    fn notify(&mut self, notice: Notice) {
        (self.notify)(notice);
    }
}

//! The thread that owns the port and drives the bus.

use crate::bus::{Action, Bus, BusConfig, Event, GoalPoint, Ns, Order, Outcome, Torque, Tuning, ns};
use crate::port::{Port, wait};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};
use rustix::thread::set_current_timer_slack;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Between two tries to open the port: at first, and at the most. The longest is well below a second, so that a robot that
/// is plugged in again stands again within one.
const BACK_OFF: (Ns, Ns) = (50_000_000, 400_000_000);
/// A port that served for so long was worth opening: the next try comes soon again.
const GOOD_WHILE: Ns = 1_000_000_000;
/// How long servos may take to let go at the end.
const FAREWELL: f64 = 0.5;

/// Where and how to connect.
#[derive(Clone, Debug)]
pub struct BridgeConfig {
    /// The device.
    pub port: String,
    /// What servos do when the bridge ends; `None` leaves them as they are.
    pub at_exit: Option<Torque>,
    /// The bus.
    pub bus: BusConfig,
}

/// What the bridge tells, from its own thread: whoever listens must not keep it waiting.
#[derive(Debug)]
pub enum Notice<'a> {
    /// The port is open.
    Opened {
        /// Whether its adapter hands bytes on at once.
        low_latency: bool,
    },
    /// The port is gone, or cannot be opened.
    Closed(io::Error),
    /// Something about a servo or the goals.
    Event(Event, &'a Bus),
    /// An order ended.
    Outcome(Outcome),
    /// A cycle has begun and its jog is on the wire.
    Cycle(&'a mut Bus, Ns),
}

#[derive(Debug, Default)]
struct Mail {
    goals: Vec<GoalPoint>,
    orders: Vec<Order>,
    tuning: Option<Tuning>,
    stop: bool,
}

#[derive(Debug)]
struct Shared {
    mail: Mutex<Mail>,
    wake: OwnedFd,
}

impl Shared {
    fn post(&self, put: impl FnOnce(&mut Mail)) {
        put(&mut self.mail.lock().unwrap_or_else(PoisonError::into_inner));
        // Fails only when it has been woken 2^64 times without noticing.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

/// A running bridge; dropping it ends it in order.
#[derive(Debug)]
pub struct Bridge {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Bridge {
    /// Starts the thread. It opens the port by itself, again and again for as long as that takes.
    pub fn start(
        config: BridgeConfig,
        notify: impl FnMut(Notice<'_>) + Send + 'static,
    ) -> io::Result<Bridge> {
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        let shared = Arc::new(Shared { mail: Mutex::default(), wake });
        let thread = std::thread::Builder::new().name("servo bus".into()).spawn({
            let shared = shared.clone();
            let goals = Vec::with_capacity(config.bus.servos.len());
            let bus = Bus::new(config.bus.clone());
            move || Driver { config, bus, shared, notify, start: Instant::now(), goals, cycle: 0 }.run()
        })?;
        Ok(Bridge { shared, thread: Some(thread) })
    }

    /// Sends goals on their way. Cheap: the thread that owns the port does the rest.
    pub fn goals(&self, points: impl IntoIterator<Item = GoalPoint>) {
        self.shared.post(|mail| mail.goals.extend(points));
    }

    /// Gives an order; the outcome comes as a notice.
    pub fn order(&self, order: Order) {
        self.shared.post(|mail| mail.orders.push(order));
    }

    /// Changes what may change.
    pub fn tune(&self, tuning: Tuning) {
        self.shared.post(|mail| mail.tuning = Some(tuning));
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.shared.post(|mail| mail.stop = true);
        if let Some(thread) = self.thread.take() {
            // It panics only if the caller's notify does, and then there is nothing left to end.
            let _ = thread.join();
        }
    }
}

struct Driver<F> {
    config: BridgeConfig,
    bus: Bus,
    shared: Arc<Shared>,
    notify: F,
    start: Instant,
    /// Swapped with the mail's, so that neither allocates.
    goals: Vec<GoalPoint>,
    cycle: u64,
}

impl<F: FnMut(Notice<'_>)> Driver<F> {
    fn now(&self) -> Ns {
        // Never 0, which stands for "never" here and there.
        self.start.elapsed().as_nanos() as Ns + 1
    }

    fn run(mut self) {
        // The kernel may delay an ordinary thread's wake-up by 50 µs to save power. Best effort.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let mut pause = BACK_OFF.0;
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
            (self.notify)(Notice::Closed(closed));
            pause = if self.now() > opened + GOOD_WHILE { BACK_OFF.0 } else { (pause * 2).min(BACK_OFF.1) };
            if self.rest(pause) {
                return;
            }
        }
    }

    /// Waits before the next try; true when it is time to end.
    fn rest(&mut self, pause: Ns) -> bool {
        let end = self.now() + pause;
        loop {
            let now = self.now();
            if self.take_mail(now) {
                return true;
            }
            self.tell();
            if now >= end {
                return false;
            }
            let shared = self.shared.clone();
            if wait(&mut [PollFd::new(&shared.wake, PollFlags::IN)], end - now).is_err() {
                return false;
            }
        }
    }

    /// Takes what has been posted; true when it is time to end.
    fn take_mail(&mut self, now: Ns) -> bool {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.shared.wake, &mut count);
        let (orders, tuning, stop) = {
            let mut mail = self.shared.mail.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut mail.goals, &mut self.goals);
            (std::mem::take(&mut mail.orders), mail.tuning.take(), mail.stop)
        };
        if let Some(tuning) = tuning {
            self.bus.tune(tuning);
        }
        if !self.goals.is_empty() {
            self.bus.goals(now, self.goals.drain(..));
        }
        for order in orders {
            self.bus.order(now, order);
        }
        stop
    }

    /// Drives the bus until the port fails or all is over.
    fn serve(&mut self, port: &Port) -> io::Result<()> {
        let mut buffer = [0; 1024];
        let mut farewell: Option<Ns> = None;
        let now = self.now();
        self.bus.connect(now);
        (self.notify)(Notice::Opened { low_latency: port.is_low_latency() });
        loop {
            let now = self.now();
            if self.take_mail(now) && farewell.is_none() {
                let Some(torque) = self.config.at_exit else { return Ok(()) };
                self.bus.relax(torque);
                farewell = Some(now + ns(FAREWELL));
            }
            if farewell.is_some_and(|end| self.bus.is_relaxed() || now >= end) {
                return Ok(());
            }
            let heard = port.read(&mut buffer)?;
            if heard > 0 {
                self.bus.receive(now, &buffer[..heard]);
            }
            match self.bus.poll(now) {
                Action::Write(bytes) => port.write(bytes)?,
                Action::Wait(until) => {
                    self.tell();
                    let pause = until.saturating_sub(self.now());
                    let mut fds =
                        [PollFd::new(port, PollFlags::IN), PollFd::new(&self.shared.wake, PollFlags::IN)];
                    wait(&mut fds, pause)?;
                }
            }
        }
    }

    /// Passes on what the bus has to say.
    fn tell(&mut self) {
        while let Some(outcome) = self.bus.outcome() {
            (self.notify)(Notice::Outcome(outcome));
        }
        while let Some(event) = self.bus.event() {
            (self.notify)(Notice::Event(event, &self.bus));
        }
        if self.bus.cycle() != self.cycle {
            self.cycle = self.bus.cycle();
            let now = self.now();
            (self.notify)(Notice::Cycle(&mut self.bus, now));
        }
    }
}

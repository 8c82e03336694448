//! The thread that owns the port and drives the bus.
//!
//! Goals come in and readings and notices go out through rings of fixed size, without a lock and without a wait on either
//! side: a control thread that is late loses news, never the bus its time.

use crate::bus::{Action, Bus, BusConfig, Event, GoalPoint, Ns, Order, Outcome, Reading, Torque, Tuning, ns};
use crate::health::{Health, battery};
use crate::port::{Port, wait};
use rtrb::{Consumer, Producer, RingBuffer};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd};
use rustix::thread::set_current_timer_slack;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
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
/// Messages of goals, readings and notices that may wait.
const WAITING: (usize, usize, usize) = (16, 4096, 1024);

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
pub enum Notice {
    /// A servo was read.
    Reading(Reading),
    /// A cycle of the bus has begun; what was read before it has been told.
    Cycle,
    /// The port is open.
    Opened {
        /// Whether its adapter hands bytes on at once.
        low_latency: bool,
    },
    /// The port is gone, or cannot be opened.
    Closed(io::Error),
    /// Something about a servo or its goals.
    Event(Event),
    /// An order ended.
    Outcome(Outcome),
    /// The battery's voltage, V.
    Battery(f64),
    /// Once a second, how everything is.
    Health(Box<Health>),
}

/// A goal on its way to the thread: the message's clock less the bridge's is with it.
#[derive(Clone, Copy, Debug)]
struct Posted {
    point: GoalPoint,
    clock_ahead: i64,
}

enum Mail {
    Order(Order),
    Tuning(Tuning),
}

/// A running bridge; dropping it ends it in order. Belongs to one thread.
#[derive(Debug)]
pub struct Bridge {
    goals: Producer<Posted>,
    batch: Vec<Posted>,
    alive: Vec<bool>,
    mail: mpsc::Sender<Mail>,
    end: Arc<AtomicBool>,
    wake: Arc<OwnedFd>,
    start: Instant,
    unsent: u64,
    thread: Option<JoinHandle<()>>,
}

/// What comes back from the bridge. Take it often; what is not taken is lost once the rings are full.
#[derive(Debug)]
pub struct Feed {
    /// Each position once, in the order in which they were read.
    pub readings: Consumer<Reading>,
    /// Everything else.
    pub notices: Consumer<Notice>,
}

impl Bridge {
    /// Starts the thread, with rings of fixed size for what comes back.
    pub fn start(config: BridgeConfig) -> io::Result<(Bridge, Feed)> {
        let (mut reading, readings) = RingBuffer::new(WAITING.1);
        let (mut other, notices) = RingBuffer::new(WAITING.2);
        // A reader that is behind gets the next ones.
        let bridge = Bridge::start_with(config, move |notice| match notice {
            Notice::Reading(r) => drop(reading.push(r)),
            Notice::Cycle => {}
            notice => drop(other.push(notice)),
        })?;
        Ok((bridge, Feed { readings, notices }))
    }

    /// Starts the thread; everything that it has to say goes to `notify`. It opens the port by itself, again and again for as
    /// long as that takes.
    pub fn start_with(
        config: BridgeConfig,
        notify: impl FnMut(Notice) + Send + 'static,
    ) -> io::Result<Bridge> {
        let servos = config.bus.servos.len();
        let wake = Arc::new(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?);
        let end = Arc::new(AtomicBool::new(false));
        let (goals, taken) = RingBuffer::new(WAITING.0 * servos.max(1));
        let (mail, letters) = mpsc::channel();
        let start = Instant::now();
        let driver = Driver {
            bus: Bus::new(config.bus.clone()),
            config,
            goals: taken,
            letters,
            end: end.clone(),
            wake: wake.clone(),
            notify,
            start,
            cycle: 0,
            farewell: None,
            reported: 0,
            battery: 0,
        };
        let thread = std::thread::Builder::new().name("servo bus".into()).spawn(move || driver.run())?;
        let bridge = Bridge {
            goals,
            batch: Vec::with_capacity(servos),
            alive: vec![true; servos],
            mail,
            end,
            wake,
            start,
            unsent: 0,
            thread: Some(thread),
        };
        Ok(bridge)
    }

    /// Now, on the clock of readings.
    pub fn now(&self) -> Ns {
        elapsed(self.start)
    }

    /// Sends a message of goals on its way, `clock` being now on the clock of their stamps, ns. No allocation, no lock;
    /// false if the bridge is so far behind that the message is lost.
    pub fn goals(&mut self, clock: Ns, points: impl IntoIterator<Item = GoalPoint>) -> bool {
        let clock_ahead = clock as i64 - self.now() as i64;
        self.batch.clear();
        let room = self.batch.capacity();
        for mut point in points.into_iter().take(room) {
            point.alive &= self.alive.get(point.servo).copied().unwrap_or(true);
            self.batch.push(Posted { point, clock_ahead });
        }
        let Ok(chunk) = self.goals.write_chunk_uninit(self.batch.len()) else {
            self.unsent += 1;
            return false;
        };
        // Published all at once: a message is never torn.
        chunk.fill_from_iter(self.batch.drain(..));
        self.wake();
        true
    }

    /// Which joints are commanded, by servo: goals of the others only continue older ones. Joints beyond the end are.
    pub fn alive(&mut self, alive: &[bool]) {
        for (i, own) in self.alive.iter_mut().enumerate() {
            *own = alive.get(i).copied().unwrap_or(true);
        }
    }

    /// Messages of goals that were lost because the bridge was behind.
    pub fn unsent(&self) -> u64 {
        self.unsent
    }

    /// Gives an order; the outcome comes as a notice.
    pub fn order(&self, order: Order) {
        // Fails only when the thread is gone, and then so is the bus.
        let _ = self.mail.send(Mail::Order(order));
        self.wake();
    }

    /// Changes what may change.
    pub fn tune(&self, tuning: Tuning) {
        let _ = self.mail.send(Mail::Tuning(tuning));
        self.wake();
    }

    fn wake(&self) {
        // Fails only when it has been woken 2^64 times without noticing.
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.end.store(true, Ordering::SeqCst);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It has no way to panic; if it did, there is nothing left to end.
            let _ = thread.join();
        }
    }
}

/// Never 0, which stands for "never" here and there.
fn elapsed(start: Instant) -> Ns {
    start.elapsed().as_nanos() as Ns + 1
}

struct Driver<F> {
    config: BridgeConfig,
    bus: Bus,
    goals: Consumer<Posted>,
    letters: mpsc::Receiver<Mail>,
    end: Arc<AtomicBool>,
    wake: Arc<OwnedFd>,
    notify: F,
    start: Instant,
    cycle: u64,
    /// When the farewell is given up, once it has begun.
    farewell: Option<Ns>,
    reported: Ns,
    battery: Ns,
}

impl<F: FnMut(Notice)> Driver<F> {
    fn now(&self) -> Ns {
        elapsed(self.start)
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
            self.notify(Notice::Closed(closed));
            pause = if self.now() > opened + GOOD_WHILE { BACK_OFF.0 } else { (pause * 2).min(BACK_OFF.1) };
            if self.rest(pause) {
                return;
            }
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
                Mail::Tuning(tuning) => self.bus.tune(tuning),
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
        if now >= self.battery + BATTERY {
            self.battery = now;
            if let Some(volts) = battery(&self.bus).filter(|_| self.bus.is_connected()) {
                self.notify(Notice::Battery(volts));
            }
        }
        if now >= self.reported + REPORT {
            self.reported = now;
            let health = Health::of(&mut self.bus, now);
            self.notify(Notice::Health(Box::new(health)));
        }
    }

    fn notify(&mut self, notice: Notice) {
        (self.notify)(notice);
    }
}

//! The thread that owns the port and drives the bus.
//!
//! Goals come in and readings and notices go out through rings of fixed size, without a lock and without a wait on either
//! side: a control thread that is late loses news, never the bus its time.

mod driver;
mod keeper;

use crate::bus::{
    Bus, BusConfig, Event, GoalPoint, Ns, Order, Outcome, Reading, Torque, Tuning, Undelivered,
};
use crate::health::Health;
use crate::order_file::OrderFile;
use driver::{Driver, elapsed};
use keeper::Keeper;
use rtrb::{Consumer, Producer, RingBuffer};
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Instant;

/// Messages of goals, readings and notices that may wait.
const WAITING: (usize, usize, usize) = (16, 4096, 1024);

/// Where and how to connect.
#[derive(Clone, Debug)]
pub struct BridgeConfig {
    /// Path of the serial device.
    pub port: String,
    /// What servos do when the bridge ends; `None` leaves them as they are.
    pub at_exit: Option<Torque>,
    /// Where orders are kept until they have reached their servos; without it they do not outlive the process.
    pub orders: Option<OrderFile>,
    /// What the state machine of the line is given.
    pub bus: BusConfig,
}

/// What the bridge tells, from its own thread: whoever listens must not keep it waiting.
#[derive(Debug)]
pub enum Notice {
    /// The bridge's thread runs, and says so itself.
    Running,
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
    /// Orders of a node before us that had not reached their servos: they stand.
    Restored(Undelivered),
    /// It cannot be read what orders had not reached their servos: nothing gets torque before it is asked for.
    NotRestored(io::Error),
    /// Orders could not be written down: they stand, but do not outlive the process.
    NotKept(io::Error),
    /// Something about a servo or its goals.
    Event(Event),
    /// An order ended.
    Outcome(Outcome),
    /// The battery's voltage, V.
    Battery(f64),
    /// Which servos have torque and follow goals, when that has changed and once a second.
    Torque(Vec<bool>),
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
    /// What is worth a line of the log.
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
            Notice::Running | Notice::Cycle => {}
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
        let keeper = config.orders.clone().map(Keeper::start).transpose()?;
        let driver = Driver {
            bus: Bus::new(config.bus.clone()),
            config,
            keeper,
            kept: 0,
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
            torque: vec![],
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

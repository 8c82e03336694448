//! From the bridge's thread to the node's: what is new, without either waiting for the other.

use super::figures::Figures;
use crate::bridge::Notice;
use crate::bus::{Bus, Event, Ns, Outcome};
use crate::health::{Health, battery};
use node_lib::{Inbox, Log, Throttle};

static CLOSED: Throttle = Throttle::seconds(5);
static SERVO: Throttle = Throttle::seconds(1);

/// Between two reports on the bus, and two on the battery, ns.
const REPORT: Ns = 1_000_000_000;
const BATTERY: Ns = 100_000_000;
/// A joint that was not read for so long is left out of `joint_states`, ns.
const FORGOTTEN: Ns = 1_000_000_000;
/// Readings that may be on their way.
const IN_FLIGHT: usize = 16;

/// What a servo last said.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub servo: usize,
    pub position: f64,
    pub velocity: f64,
}

/// Of all servos.
pub type Readings = Vec<Reading>;

/// Something that the node should know.
pub enum News {
    Opened,
    Closed(String),
    Outcome(Outcome),
    Joints(Box<Readings>),
    Battery(f64),
    Health(Box<Health>),
}

/// The bridge's end.
pub struct Feed {
    inbox: Inbox<News>,
    /// Boxes that have been used.
    free: rtrb::Consumer<Box<Readings>>,
    figures: Figures,
    log: Log,
    reported: Ns,
    battery: Ns,
}

impl Feed {
    /// And where the node puts the boxes of readings that it has used.
    pub fn new(
        inbox: Inbox<News>,
        figures: Figures,
        servos: usize,
        log: Log,
    ) -> (Feed, rtrb::Producer<Box<Readings>>) {
        let (mut used, free) = rtrb::RingBuffer::new(IN_FLIGHT);
        for _ in 0..IN_FLIGHT {
            let _ = used.push(Box::new(Vec::with_capacity(servos)));
        }
        (Feed { inbox, free, figures, log, reported: 0, battery: 0 }, used)
    }

    /// A cycle of the bus has begun.
    pub fn cycle(&mut self, bus: &mut Bus, now: Ns) {
        // A node that is behind gets the next ones.
        if let Ok(mut readings) = self.free.pop() {
            readings.clear();
            let servos = bus.servos().iter().enumerate();
            let measured = servos.filter_map(|(servo, s)| Some((servo, s.measured()?)));
            let known = measured.filter(|(_, m)| now < m.at + FORGOTTEN);
            readings.extend(known.map(|(servo, m)| Reading {
                servo,
                position: m.position,
                velocity: m.velocity,
            }));
            let _ = self.inbox.post(News::Joints(readings));
        }
        if now >= self.battery + BATTERY
            && let Some(volts) = battery(bus)
        {
            self.battery = now;
            let _ = self.inbox.post(News::Battery(volts));
        }
        if now >= self.reported + REPORT {
            self.reported = now;
            let health = Health::of(bus, now);
            self.figures.send(&health);
            let _ = self.inbox.post(News::Health(Box::new(health)));
        }
    }

    /// What the bridge has to say: the log hears of it here, the node by its inbox.
    pub fn tell(&mut self, notice: Notice<'_>) {
        let log = &self.log;
        match notice {
            Notice::Opened { low_latency } => {
                let latency = if low_latency { ", low latency" } else { "" };
                log.info(format!("port open{latency}"));
                let _ = self.inbox.post(News::Opened);
            }
            Notice::Closed(why) => {
                log.error_throttled(&CLOSED, || format!("port closed: {why}; trying again"));
                let _ = self.inbox.post(News::Closed(why.to_string()));
            }
            Notice::Outcome(outcome) => drop(self.inbox.post(News::Outcome(outcome))),
            Notice::Event(event, bus) => {
                let who = |i: usize| format!("{} (id {})", bus.servos()[i].name(), bus.servos()[i].id());
                match event {
                    Event::Ready(i) => log.info(format!("{} has torque", who(i))),
                    Event::Fault(i, status) => log.warn_throttled(&SERVO, || format!("{}: {status}", who(i))),
                    Event::Restarted(i) => log.warn(format!("{} lost its torque without an error", who(i))),
                    Event::Lost(i) => log.error(format!("{} does not answer", who(i))),
                    Event::Back(i) => log.info(format!("{} answers again", who(i))),
                    Event::Unseeded(i) => {
                        log.warn(format!("{} does not show its goal before torque", who(i)))
                    }
                    Event::Hold => log.warn("no goals: holding"),
                    Event::Release => log.warn("no goals for too long: torque released"),
                    Event::Follow => log.info("following goals"),
                }
            }
            Notice::Cycle(..) => {}
        }
    }
}

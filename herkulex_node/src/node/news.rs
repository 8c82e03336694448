//! From the bridge's thread to the node's: what is new, without either waiting for the other.

use super::figures::Figures;
use crate::bridge::Notice;
use crate::bus::{Event, Outcome, Reading, Undelivered};
use crate::health::Health;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{Inbox, Log, Realtime, Throttle, oneshot};
use std::collections::HashMap;
use std::sync::mpsc;

static CLOSED: Throttle = Throttle::seconds(5);
static SERVO: Throttle = Throttle::seconds(1);

/// Cycles without another servo with torque after which those that have it are told, as one line.
const SETTLED: u32 = 20;

/// Who waits for an order.
pub struct Waiting {
    /// The service, for the log.
    pub service: String,
    pub answer: oneshot::Sender<Trigger::Response>,
}

/// The number of an order, and who waits for it.
pub type Asked = (u64, Waiting);

/// Something that the node should know.
pub enum News {
    Opened,
    Closed(String),
    Reading(Reading),
    Cycle,
    Battery(f64),
    Torque(Vec<bool>),
    Health(Box<Health>),
}

fn kept_text(orders: &Undelivered) -> String {
    let ids = |word: &str, ids: &[u8]| (!ids.is_empty()).then(|| format!("{word} {ids:?}"));
    let stop = orders.stop.then(|| "stop".to_string());
    let all = [stop, ids("torque_off", &orders.off), ids("brake", &orders.brake)];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The bridge's end.
pub struct Feed {
    pub inbox: Inbox<News>,
    pub figures: Figures,
    /// The joints with their ids, for the log.
    pub servos: Vec<String>,
    pub log: Log,
    /// For the bridge's thread.
    pub realtime: Realtime,
    /// Orders that were given, and who waits for them.
    pub asked: mpsc::Receiver<Asked>,
    pub pending: HashMap<u64, Waiting>,
    /// Joints that hold, follow or were released in this cycle: said together.
    pub together: [Vec<usize>; 3],
    /// Servos that got torque, and the cycles since the last of them did.
    pub ready: (Vec<usize>, u32),
    /// Whether an answer has just said so.
    pub ready_is_told: bool,
    /// Why the port is closed, and whether that was told: at the end of a simulation it goes first, and that is no error.
    pub closed: Option<(String, bool)>,
}

impl Feed {
    /// What the bridge has to say: the log hears of it here, the node by its inbox.
    pub fn tell(&mut self, notice: Notice) {
        // A node that is behind gets the next ones.
        let news = match notice {
            Notice::Running => return self.realtime.apply(&self.log),
            Notice::Reading(reading) => News::Reading(reading),
            Notice::Cycle => {
                self.say_together();
                News::Cycle
            }
            Notice::Opened { low_latency } => {
                if let Some((why, false)) = self.closed.take() {
                    self.log.warn(format!("port closed: {why}"));
                }
                let latency = if low_latency { ", low latency" } else { "" };
                self.log.info(format!("port open{latency}"));
                News::Opened
            }
            Notice::Closed(why) => {
                let why = why.to_string();
                // Nobody knows what torque they have.
                self.ready.0.clear();
                let again = self.closed.is_some();
                self.closed = Some((why.clone(), again));
                if again {
                    self.log.error_throttled(&CLOSED, || format!("port closed: {why}; trying again"));
                }
                News::Closed(why)
            }
            Notice::Restored(orders) => {
                return self.log.warn(format!(
                    "orders of a node before this one had not reached their servos, and stand: {}",
                    kept_text(&orders)
                ));
            }
            Notice::NotRestored(why) => {
                return self.log.error(format!(
                    "the file of orders that had not reached their servos cannot be read ({why}): nothing gets torque before it \
                     is asked for"
                ));
            }
            Notice::NotKept(why) => {
                return self
                    .log
                    .error(format!("orders are not kept over a restart: {why}; set state_directory"));
            }
            Notice::Outcome(outcome) => return self.answer(outcome),
            Notice::Battery(volts) => News::Battery(volts),
            Notice::Torque(on) => News::Torque(on),
            Notice::Health(health) => {
                self.figures.send(&health);
                News::Health(health)
            }
            Notice::Event(event) => return self.say(event),
        };
        let _ = self.inbox.post(news);
    }

    /// Answers a service by itself: the inbox may be full of readings, and a call must not wait for ever.
    fn answer(&mut self, outcome: Outcome) {
        self.pending.extend(self.asked.try_iter());
        if let Some(Waiting { service, answer }) = self.pending.remove(&outcome.request_id) {
            let success = outcome.result.is_ok();
            let message = outcome.result.unwrap_or_else(|e| e);
            match success {
                true => {
                    self.log.info(format!("{service}: {message}"));
                    if service.ends_with("/torque_on") {
                        // That said it, also of those whose news come after.
                        self.ready_is_told = true;
                        self.ready.1 = 0;
                    }
                }
                false => self.log.error(format!("{service} failed: {message}")),
            }
            // Whoever asked may have gone.
            let _ = answer.send(Trigger::Response { success, message });
        }
    }

    fn say(&mut self, event: Event) {
        let log = &self.log;
        let who = |i: usize| self.servos.get(i).map_or("a servo", String::as_str);
        match event {
            Event::Ready(i) => {
                self.ready.1 = 0;
                if !self.ready.0.contains(&i) {
                    self.ready.0.push(i);
                }
            }
            Event::Fault(i, status) => log.warn_throttled(&SERVO, || format!("{}: {status}", who(i))),
            Event::Locked(i, status) => {
                log.error(format!("{}: {status}: off after too many faults, until clear_errors", who(i)))
            }
            Event::Restarted(i) => log.warn(format!("{} lost its torque without an error", who(i))),
            Event::Refused(i, why) => log.error(format!("{} gets no torque: it {why}", who(i))),
            Event::Lost(i) => log.error(format!("{} does not answer", who(i))),
            Event::Back(i) => log.info(format!("{} answers again", who(i))),
            Event::Adopted(n) => {
                log.warn(format!("{n} servos were left by a node before this one: all are kept as found"))
            }
            Event::LeftStopped(i) => log.error(format!(
                "{} was left stopped by a node before this one: it stays off until ~/torque_on",
                who(i)
            )),
            Event::Stopped => log.error("stopped: all servos free until ~/clear_stop"),
            Event::Hold(i) => self.together[0].push(i),
            Event::Release(i) => self.together[1].push(i),
            Event::Follow(i) => self.together[2].push(i),
        }
    }

    /// Thirty joints whose goals stop together are one line of the log.
    fn say_together(&mut self) {
        let Feed { servos, together, ready, ready_is_told, log, .. } = self;
        let [hold, release, follow] = together;
        let names = |joints: &mut Vec<usize>| match joints.len() {
            0 => None,
            n => {
                let all = n == servos.len();
                let named: Vec<&str> =
                    joints.drain(..).filter_map(|i| servos.get(i)).map(String::as_str).collect();
                Some(if all { "all joints".to_string() } else { named.join(", ") })
            }
        };
        ready.1 = ready.1.saturating_add(1);
        if ready.1 > SETTLED {
            if std::mem::take(ready_is_told) {
                ready.0.clear();
            }
            let count = ready.0.len();
            if let Some(who) = names(&mut ready.0) {
                log.info(format!("{count} of {} servos have torque ({who})", servos.len()));
            }
        }
        if let Some(who) = names(hold) {
            log.warn(format!("no goals: holding ({who})"));
        }
        if let Some(who) = names(release) {
            log.warn(format!("no goals for too long: torque released ({who})"));
        }
        if let Some(who) = names(follow) {
            log.info(format!("following goals ({who})"));
        }
    }
}

//! From the bridge's thread to the node's: what is new, without either waiting for the other.

use super::figures::Figures;
use crate::bridge::Notice;
use crate::bus::{Event, Outcome, Reading};
use crate::health::Health;
use node_lib::{Inbox, Log, Throttle};

static CLOSED: Throttle = Throttle::seconds(5);
static SERVO: Throttle = Throttle::seconds(1);

/// Something that the node should know.
pub enum News {
    Opened,
    Closed(String),
    Outcome(Outcome),
    Reading(Reading),
    Cycle,
    Battery(f64),
    Health(Box<Health>),
}

/// The bridge's end.
pub struct Feed {
    pub inbox: Inbox<News>,
    pub figures: Figures,
    /// The joints with their ids, for the log.
    pub servos: Vec<String>,
    pub log: Log,
    /// Joints that hold, follow or were released in this cycle: said together.
    pub together: [Vec<usize>; 3],
}

impl Feed {
    /// What the bridge has to say: the log hears of it here, the node by its inbox.
    pub fn tell(&mut self, notice: Notice) {
        // A node that is behind gets the next ones.
        let news = match notice {
            Notice::Reading(reading) => News::Reading(reading),
            Notice::Cycle => {
                self.say_together();
                News::Cycle
            }
            Notice::Opened { low_latency } => {
                let latency = if low_latency { ", low latency" } else { "" };
                self.log.info(format!("port open{latency}"));
                News::Opened
            }
            Notice::Closed(why) => {
                self.log.error_throttled(&CLOSED, || format!("port closed: {why}; trying again"));
                News::Closed(why.to_string())
            }
            Notice::Outcome(outcome) => News::Outcome(outcome),
            Notice::Battery(volts) => News::Battery(volts),
            Notice::Health(health) => {
                self.figures.send(&health);
                News::Health(health)
            }
            Notice::Event(event) => return self.say(event),
        };
        let _ = self.inbox.post(news);
    }

    fn say(&mut self, event: Event) {
        let log = &self.log;
        let who = |i: usize| self.servos.get(i).map_or("a servo", String::as_str);
        match event {
            Event::Ready(i) => log.info(format!("{} has torque", who(i))),
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
        let Feed { servos, together, log, .. } = self;
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

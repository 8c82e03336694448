//! What the two nodes that send goals do alike on the ROS side.

use crate::desired::Refusal;
use crate::inverse::Goals;
use crate::notice::Notice;
use node_lib::r2r::Publisher;
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::ServoGoal;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::{Level, Log, Report, RosClock, Throttle};

static REFUSED: Throttle = Throttle::seconds(1);
static UNSENT: Throttle = Throttle::seconds(5);
static JOINTS: Throttle = Throttle::seconds(1);
static DEFAULT: Throttle = Throttle::seconds(1);
static SURPLUS: Throttle = Throttle::seconds(1);
static JUMP: Throttle = Throttle::seconds(1);
static SILENCE: Throttle = Throttle::seconds(1);

/// Time of a message: its stamp, or now when it has none.
pub fn time_ns(stamp: &Time, clock: &RosClock) -> i64 {
    match RosClock::ns(stamp) {
        0 => clock.now_ns(),
        ns => ns,
    }
}

/// The topic `goals`. Its message is kept, so that the names are copied only when they change.
pub struct GoalPort {
    publisher: Publisher<ServoGoal>,
    log: Log,
    message: ServoGoal,
    sent: u64,
    refused: u64,
}

impl GoalPort {
    /// Sends on `publisher`.
    pub fn new(publisher: Publisher<ServoGoal>, log: Log) -> GoalPort {
        GoalPort { publisher, log, message: ServoGoal::default(), sent: 0, refused: 0 }
    }

    /// Sends the goals that a message of `topic` led to, under its header, or says why it was refused.
    pub fn send(
        &mut self,
        topic: &str,
        header: Header,
        names: &[String],
        goals: Result<Option<Goals<'_>>, Refusal>,
    ) {
        let goals = match goals {
            Ok(Some(goals)) => goals,
            // Old: its time is over.
            Ok(None) => return,
            Err(refusal) => {
                self.refused += 1;
                return self.log.error_throttled(&REFUSED, || format!("{topic} refused: {refusal}"));
            }
        };
        for notice in goals.notices {
            tell(&self.log, notice, names);
        }
        let message = &mut self.message;
        message.header = header;
        if message.name != names {
            message.name.clear();
            message.name.extend_from_slice(names);
        }
        message.target_pos.clear();
        message.target_pos.extend_from_slice(goals.target);
        message.playtime.clear();
        message.playtime.resize(names.len(), goals.playtime);
        match self.publisher.publish(message) {
            Ok(()) => self.sent += 1,
            Err(e) => self.log.error_throttled(&UNSENT, || format!("goals were not sent: {e}")),
        }
    }

    /// What `/diagnostics` should show.
    pub fn report(&self, report: &mut Report) {
        report.value("joints", self.message.name.len()).value("goals sent", self.sent);
        report.value("messages refused", self.refused);
        if self.refused > 0 {
            report.say(Level::Warn, format!("{} messages refused since the start", self.refused));
        }
    }
}

/// Each kind of notice is held back on its own, so that a frequent one does not hide the others.
fn tell(log: &Log, notice: &Notice, names: &[String]) {
    let throttle = match notice {
        Notice::JointsChanged { .. } => &JOINTS,
        Notice::DefaultModel { .. } => &DEFAULT,
        Notice::SurplusModel { .. } => &SURPLUS,
        Notice::Jump { .. } => &JUMP,
        Notice::Silence { .. } => &SILENCE,
    };
    log.warn_throttled(throttle, || match notice {
        Notice::Jump { joint, by } => format!(
            "joint \"{}\" was asked to jump by {by:.3} in a cycle: its goal has no lead",
            names.get(*joint).map_or("?", String::as_str)
        ),
        other => other.to_string(),
    });
}

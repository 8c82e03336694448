//! What the node tells of its inputs: in the log as they come, in the diagnostics once a second.

use super::AgregatorNode;
use crate::Note;
use node_lib::{Level, Log, Report, Throttle};
use std::time::Instant;

static NO_ROBOT: Throttle = Throttle::seconds(60);
static OTHER_CYCLE: Throttle = Throttle::seconds(2);
static SYNC_AGAIN: Throttle = Throttle::seconds(5);
static UNKNOWN: Throttle = Throttle::seconds(2);
static LIMITS: Throttle = Throttle::seconds(2);
static CLAIMED: Throttle = Throttle::seconds(2);

/// What is counted between two diagnostics.
#[derive(Default)]
pub(super) struct Counts {
    pub received: [u32; 4],
    pub other_cycle: u64,
    pub sync_again: u64,
    pub out_of_limits: u64,
    pub unknown: u64,
    pub claimed: u64,
    pub refused: u64,
}

pub(super) const TOPICS: [&str; 5] = ["joints_in", "limbs_joints_in", "support_in", "sync", "joint_states"];

impl AgregatorNode {
    pub(super) fn tell_missing(&mut self) {
        let Some(agregator) = &self.agregator else {
            let why = "waiting for robot_description (or give the parameter robot_description)";
            self.log.warn_throttled(&NO_ROBOT, || why);
            return;
        };
        let missing: Vec<&str> = agregator.missing().collect();
        if !missing.is_empty() {
            self.log.warn(format!("no output yet: no position for {}", missing.join(", ")));
        }
    }

    pub(super) fn report(&mut self, report: &mut Report) {
        let seconds = self.counted_since.elapsed().as_secs_f64().max(1e-3);
        self.counted_since = Instant::now();
        for (topic, received) in TOPICS.iter().zip(&mut self.counts.received) {
            report.value(&format!("{topic}, Hz"), format!("{:.1}", f64::from(*received) / seconds));
            *received = 0;
        }
        let counts = &self.counts;
        report.value("messages of another cycle", counts.other_cycle);
        report.value("out of limits", counts.out_of_limits);
        report.value("unknown names", counts.unknown);
        report.value("claimed by two sources", counts.claimed);
        report.value("refused messages", counts.refused);
        if let Some(agregator) = self.agregator.as_ref().filter(|a| a.pose().is_some()) {
            let joints = agregator.model().joints().iter().zip(agregator.commanded());
            let predicted: Vec<&str> =
                joints.filter(|(_, given)| !given).map(|(j, _)| j.name.as_str()).collect();
            report.value("joints commanded", agregator.model().joints().len() - predicted.len());
            report.value("joints predicted", predicted.join(", "));
        }
        let missing = self.agregator.as_ref().map(|a| a.missing().collect::<Vec<_>>().join(", "));
        match missing {
            None => report.say(Level::Error, "no robot description"),
            Some(missing) if missing.is_empty() => report.value("joints without a position", "none"),
            Some(missing) => report
                .say(Level::Warn, "joints without a position")
                .value("joints without a position", missing),
        };
    }
}

/// Each kind of note is held back on its own, so that a frequent one does not hide the others.
pub(super) fn tell(log: &Log, counts: &mut Counts, topic: usize, note: Note<'_>) {
    let (count, throttle) = match note {
        Note::OtherCycle { .. } => (&mut counts.other_cycle, &OTHER_CYCLE),
        Note::SyncAgain => (&mut counts.sync_again, &SYNC_AGAIN),
        Note::OutOfLimits { .. } | Note::TooFast { .. } | Note::SupportOutOfRange { .. } => {
            (&mut counts.out_of_limits, &LIMITS)
        }
        Note::Claimed { .. } => (&mut counts.claimed, &CLAIMED),
        Note::UnknownJoint(_) | Note::UnknownChain(_) | Note::UnknownContact(_) => {
            (&mut counts.unknown, &UNKNOWN)
        }
    };
    *count += 1;
    log.warn_throttled(throttle, || format!("{}: {note}", TOPICS[topic]));
}

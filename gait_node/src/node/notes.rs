//! What the gait has to say while it goes on: into the log, some times a second at the most, and counted.

use crate::{Note, Walker};
use node_lib::{Log, Report, Throttle};

static REACH: Throttle = Throttle::seconds(2);
static FAST: Throttle = Throttle::seconds(2);
static LONG: Throttle = Throttle::seconds(10);
static SLOWED: Throttle = Throttle::seconds(10);

/// What was said.
pub struct Notes {
    log: Log,
    out_of_reach: u64,
    held_back: u64,
    /// What was said of the gait last.
    gait: Vec<String>,
}

impl Notes {
    /// Nothing was.
    pub fn new(log: Log) -> Notes {
        Notes { log, out_of_reach: 0, held_back: 0, gait: vec![] }
    }

    /// Takes one.
    pub fn take(&mut self, note: Note<'_>) {
        let (count, throttle) = match note {
            Note::Slowed { .. } => return self.log.warn_throttled(&SLOWED, || note.to_string()),
            Note::LongSwing { .. } => return self.log.warn_throttled(&LONG, || note.to_string()),
            Note::OutOfReach { .. } => (&mut self.out_of_reach, &REACH),
            Note::TooFast { .. } | Note::Fault(_) => (&mut self.held_back, &FAST),
            // Once, and of each joint.
            _ => return self.log.warn(note.to_string()),
        };
        *count += 1;
        self.log.warn_throttled(throttle, || note.to_string());
    }

    /// Says what is less than parameters ask for, when that is new.
    pub fn gait(&mut self, walker: &Walker) {
        let notes: Vec<String> = walker.shortfalls().map(|note| note.to_string()).collect();
        notes.iter().filter(|note| !self.gait.contains(note)).for_each(|note| self.log.info(note));
        self.gait = notes;
    }

    /// Into the diagnostics.
    pub fn report(&self, report: &mut Report) {
        report.value("feet out of reach", self.out_of_reach).value("joints held back", self.held_back);
    }
}

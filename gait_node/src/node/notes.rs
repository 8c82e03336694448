//! What the gait has to say while it goes on: into the log, some times a second at the most, and counted.

use crate::{GaitLimits, GaitParams, Note};
use node_lib::{Log, Report, Throttle};

static REACH: Throttle = Throttle::seconds(2);
static FAST: Throttle = Throttle::seconds(2);
static SLOWED: Throttle = Throttle::seconds(10);

/// What was said.
pub struct Notes {
    log: Log,
    out_of_reach: u64,
    held_back: u64,
    /// How much of its lift the gait that was told of last can do.
    lift: f64,
}

impl Notes {
    /// Nothing was.
    pub fn new(log: Log) -> Notes {
        Notes { log, out_of_reach: 0, held_back: 0, lift: 1.0 }
    }

    /// Takes one.
    pub fn take(&mut self, note: Note<'_>) {
        let (count, throttle) = match note {
            Note::Slowed { .. } => return self.log.warn_throttled(&SLOWED, || note.to_string()),
            Note::OutOfReach { .. } => (&mut self.out_of_reach, &REACH),
            Note::TooFast { .. } | Note::Fault(_) => (&mut self.held_back, &FAST),
            // Once, and of each joint.
            Note::Outside { .. } | Note::LowBattery { .. } => return self.log.warn(note.to_string()),
        };
        *count += 1;
        self.log.warn_throttled(throttle, || note.to_string());
    }

    /// Says that a gait lifts its feet less than it was told, when that is new.
    pub fn gait(&mut self, params: &GaitParams, limits: GaitLimits) {
        let share = limits.lift / params.lift;
        if std::mem::replace(&mut self.lift, share) != share && share < 1.0 {
            let (wanted, lift) = (1e3 * params.lift, 1e3 * limits.lift);
            let why = "it swings too fast for its joints; see swing_acceleration";
            self.log
                .info(format!("{} lifts feet by {lift:.0} mm instead of {wanted:.0}: {why}", params.gait));
        }
    }

    /// Into the diagnostics.
    pub fn report(&self, report: &mut Report) {
        report.value("hooves out of reach", self.out_of_reach).value("joints held back", self.held_back);
    }
}

//! What the bus knows of one servo.

use super::fsm::Fsm;
use super::path::Path;
use super::phase::Phase;
use super::statistics::ServoStatistics;
use super::torque::{Found, Standing};
use super::watchdog::{Watch, Watchdog};
use super::{Joint, Ns, ServoConfig};
use crate::codec::Status;

/// A servo has arrived so long after it should have, ns: a slow line's repeated jogs, and its regulator.
const ARRIVED: Ns = 300_000_000;
/// So many counts from its goal, it is elsewhere.
const ASTRAY: f64 = 4.0;

/// Where a servo was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Of the joint, rad.
    pub position: f64,
    /// Of the joint, rad/s.
    pub velocity: f64,
    /// Torque at the joint, N·m, where the model lets it be told from drive, voltage and velocity; else NaN.
    pub effort: f64,
    /// Calibrated counts, without flags.
    pub counts: u16,
    /// Absolute counts, without flags.
    pub absolute: u16,
    /// When the servo took it: the line's time is taken off.
    pub at: Ns,
    /// How far off that time may be, either way.
    pub uncertainty: Ns,
}

/// A fresh reading of one servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The servo, by index.
    pub servo: usize,
    /// What was read.
    pub measured: Measured,
}

/// Whether a servo answers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Link {
    /// Requests in a row without an answer.
    pub misses: u32,
    /// When it answered last.
    pub answered: Ns,
    /// Immediate retries of the present request.
    pub retried: u32,
    /// Not asked anything before this.
    pub not_before: Ns,
    /// Reads since the last look at voltage and temperature.
    pub reads: u32,
}

/// Torque, mark, voltage and temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Supply {
    pub volts: f64,
    pub temperature: u8,
}

/// A servo on the bus.
#[derive(Clone, Debug)]
pub struct Servo {
    pub(super) config: ServoConfig,
    /// As configured, within the position limits that the servo itself has.
    pub(super) joint: Joint,
    pub(super) fsm: Fsm,
    /// The order that stands.
    pub(super) order: Option<Standing>,
    /// It was given by somebody and takes torque, and the servo does not bear its mark yet.
    pub(super) undelivered: bool,
    /// The watchdog has taken torque; the order still stands.
    pub(super) released: bool,
    pub(super) watchdog: Watchdog,
    pub(super) path: Path,
    pub(super) found: Option<Found>,
    /// The last answer to a step that is believed only when it is said twice.
    pub(super) witness: Option<(Phase, [u8; 4])>,
    pub(super) measured: Option<Measured>,
    /// Whether its last two positions agree.
    pub(super) steady: bool,
    pub(super) supply: Option<Supply>,
    pub(super) status: Status,
    pub(super) last_stamp: Ns,
    pub(super) link: Link,
    pub(super) statistics: ServoStatistics,
}

impl Servo {
    pub(super) fn new(config: ServoConfig) -> Servo {
        Servo {
            joint: config.joint,
            config,
            fsm: Fsm::default(),
            order: None,
            undelivered: false,
            released: false,
            watchdog: Watchdog::armed(0),
            path: Path::default(),
            found: None,
            witness: None,
            measured: None,
            steady: false,
            supply: None,
            status: Status::default(),
            last_stamp: 0,
            link: Link { reads: u32::MAX, ..Link::default() },
            statistics: ServoStatistics::default(),
        }
    }

    /// The joint's name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// Its id on the line.
    pub fn id(&self) -> u8 {
        self.config.id
    }

    /// How it is configured.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// The joint within the servo's own position limits.
    pub fn joint(&self) -> &Joint {
        &self.joint
    }

    /// Where it stands.
    pub fn phase(&self) -> Phase {
        self.fsm.phase
    }

    /// Its state machine.
    pub fn fsm(&self) -> &Fsm {
        &self.fsm
    }

    /// The order that stands for it; `None` until it was found at the start.
    pub fn order(&self) -> Option<Standing> {
        self.order
    }

    /// What was found on it at the start.
    pub fn found(&self) -> Option<Found> {
        self.found
    }

    /// What its watchdog sees.
    pub fn watch(&self) -> Watch {
        self.watchdog.watch()
    }

    /// Where it was last.
    pub fn measured(&self) -> Option<Measured> {
        self.measured
    }

    /// Its voltage, V.
    pub fn voltage(&self) -> Option<f64> {
        self.supply.map(|s| s.volts)
    }

    /// Its temperature, °C.
    pub fn temperature(&self) -> Option<f64> {
        self.supply.and_then(|s| self.config.model.celsius(s.temperature))
    }

    /// Its last status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Answers missing in a row.
    pub fn misses(&self) -> u32 {
        self.link.misses
    }

    /// What it has been through.
    pub fn statistics(&self) -> &ServoStatistics {
        &self.statistics
    }

    /// Whether it stands elsewhere than it was sent, long after it should have arrived: it has missed every jog that said so.
    pub(super) fn is_astray(&self, now: Ns) -> bool {
        let Some((m, arrival)) = self.measured.zip(self.path.arrival()) else { return false };
        let off = (m.position - self.path.at(now)).abs();
        self.steady && m.at > arrival.saturating_add(ARRIVED) && off > ASTRAY * self.joint.quantum()
    }

    /// The goal that holds it where it was measured.
    pub(super) fn seed_counts(&self) -> u16 {
        let (least, most) = self.joint.counts;
        self.measured.map_or(least, |m| m.counts.max(least).min(most))
    }
}

//! What the bus knows of one servo.

use super::statistics::ServoStatistics;
use super::{Ns, ServoConfig};
use crate::codec::{Status, torque};

/// What a motor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Torque {
    /// Goes to its goal.
    On,
    /// Resists.
    Brake,
    /// Turns freely.
    Free,
}

impl Torque {
    /// The register's value.
    pub fn register(self) -> u8 {
        match self {
            Torque::On => torque::ON,
            Torque::Brake => torque::BRAKE,
            Torque::Free => torque::FREE,
        }
    }
}

/// Where a servo stands. The way to torque is Greet → Settle → Locate → Seed → Engage → Ready, and each step is left only by
/// an answer of the servo that proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Is it there? (STAT)
    Greet,
    /// Errors cleared, rectangular profile, answers to reads; read back.
    Settle,
    /// Where is it?
    Locate,
    /// Its goal is where it is; read back.
    Seed,
    /// Torque on; read back.
    Engage,
    /// Follows goals.
    Ready,
    /// Torque off or brake; read back.
    Relax,
    /// Without torque, as wanted.
    Resting,
    /// An error took its torque; tried again later.
    Faulted {
        /// When.
        retry: Ns,
    },
    /// Starting anew.
    Rebooting {
        /// Until when it is left alone.
        until: Ns,
    },
}

/// Where a servo was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Of the joint, rad.
    pub position: f64,
    /// Of the joint, rad/s.
    pub velocity: f64,
    /// Calibrated counts, without flags.
    pub counts: u16,
    /// Absolute counts, without flags.
    pub absolute: u16,
    /// When.
    pub at: Ns,
}

/// Where a servo shall go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Goal {
    /// Of the joint, rad.
    pub position: f64,
    /// When it shall be there.
    pub arrival: Ns,
    /// Whether it is the bridge's own, to hold a servo where it is, and not a message's.
    pub own: bool,
}

/// A servo on the bus.
#[derive(Clone, Debug)]
pub struct Servo {
    pub(super) config: ServoConfig,
    pub(super) phase: Phase,
    pub(super) wanted: Torque,
    pub(super) goal: Option<Goal>,
    /// Where it is sent; on its way to the goal while `approaching`.
    pub(super) setpoint: f64,
    pub(super) approaching: bool,
    pub(super) measured: Option<Measured>,
    pub(super) supply: Option<(f64, u8)>,
    pub(super) status: Status,
    /// Requests in a row without an answer.
    pub(super) misses: u32,
    /// Failed tries of the present step, for what ends a step that leads nowhere.
    pub(super) tries: u32,
    /// How often in a row its goal register did not show the seeded goal.
    pub(super) unseeded: u32,
    /// Immediate retries of the present request.
    pub(super) retried: u32,
    /// Not asked anything before this.
    pub(super) not_before: Ns,
    /// A minor error is to be cleared.
    pub(super) clear: bool,
    /// Reads since the last look at voltage and temperature.
    pub(super) reads: u32,
    pub(super) statistics: ServoStatistics,
}

impl Servo {
    pub(super) fn new(config: ServoConfig, wanted: Torque) -> Servo {
        Servo {
            config,
            phase: Phase::Greet,
            wanted,
            goal: None,
            setpoint: 0.0,
            approaching: false,
            measured: None,
            supply: None,
            status: Status::default(),
            misses: 0,
            tries: 0,
            unseeded: 0,
            retried: 0,
            not_before: 0,
            clear: false,
            reads: u32::MAX,
            statistics: ServoStatistics::default(),
        }
    }

    /// The joint's name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// Its id.
    pub fn id(&self) -> u8 {
        self.config.id
    }

    /// How it is configured.
    pub fn config(&self) -> &ServoConfig {
        &self.config
    }

    /// Where it stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What its motor shall do.
    pub fn wanted(&self) -> Torque {
        self.wanted
    }

    /// Where it was last.
    pub fn measured(&self) -> Option<Measured> {
        self.measured
    }

    /// Its voltage, V.
    pub fn voltage(&self) -> Option<f64> {
        self.supply.map(|(volts, _)| volts)
    }

    /// Its temperature register.
    pub fn temperature(&self) -> Option<u8> {
        self.supply.map(|(_, raw)| raw)
    }

    /// Its last status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Answers missing in a row.
    pub fn misses(&self) -> u32 {
        self.misses
    }

    /// What it has been through.
    pub fn statistics(&self) -> &ServoStatistics {
        &self.statistics
    }

    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.tries = 0;
        self.retried = 0;
    }

    /// Whether it is on its way to torque and should not be left waiting half-way.
    pub(super) fn is_urgent(&self) -> bool {
        matches!(self.phase, Phase::Seed | Phase::Engage | Phase::Relax)
    }
}

//! The words of a servo's state machine: where it stands, what happens to it, what is asked of it. The machine itself is
//! [`super::fsm`].

use super::Ns;
use super::torque::Demand;
use crate::codec::Status;
use std::fmt;

/// Why a servo is not given torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is another model than the file says.
    Model([u8; 2]),
    /// It has other firmware than the file says.
    Firmware([u8; 2]),
    /// Its position limits leave nothing of ours.
    Limits(u16, u16),
    /// It stands outside its position limits: no goal can hold it there.
    Outside(u16),
    /// It does not take the goal that would hold it.
    Seed,
    /// It does not take its settings.
    Settings,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Model([a, b]) => write!(f, "says that it is model {a:02}{b:02}, not that of the file"),
            Refusal::Firmware([a, b]) => write!(f, "has firmware {a:02X}{b:02X}, not that of the file"),
            Refusal::Limits(min, max) => write!(f, "its position limits {min} … {max} leave no goal of ours"),
            Refusal::Outside(at) => write!(f, "stands at {at}, outside its position limits: move it by hand"),
            Refusal::Seed => write!(f, "does not take the goal that would hold it"),
            Refusal::Settings => write!(f, "does not take its settings"),
        }
    }
}

/// Where a servo stands. Each step is left only by an answer of the servo that proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Is it there? (STAT)
    Greet,
    /// Model and firmware, compared with the file.
    Identify,
    /// Its position limits.
    Inspect,
    /// Its torque and our mark, as found at the start.
    Find,
    /// Found; nobody has decided yet what shall become of it.
    Waiting,
    /// Errors cleared, rectangular profile, answers to reads; read back.
    Settle,
    /// Where is it?
    Locate,
    /// Its goal is where it is; read back.
    Seed,
    /// Torque on; read back.
    Engage,
    /// Has torque and follows goals.
    Ready,
    /// Torque off or brake; read back.
    Relax,
    /// Without torque, as wanted.
    Resting,
    /// An error took its torque; tried again later.
    Faulted {
        /// When it is tried again.
        retry: Ns,
    },
    /// Too many faults: without torque until they are cleared.
    Locked,
    /// It cannot be proved: without torque.
    Refused(Refusal),
    /// Starts anew and does not answer meanwhile.
    Rebooting {
        /// Until when it is left alone.
        until: Ns,
    },
}

/// What an answer to a step proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The step is done.
    Proved,
    /// Not confirmed by an answer yet.
    Unproved,
    /// It has no torque, though not in the way that was wanted.
    Slack,
    /// It never will be.
    Refused(Refusal),
}

/// What happens to a servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// An answer to the present step.
    Answer(Verdict, Status),
    /// The status in any other answer.
    Status(Status),
    /// What its motor shall do from now on.
    Want(Demand),
    /// It was told before, and shall prove it anew: an order is answered by what is so now, not by what was so once.
    Confirm,
    /// Its position is too old to switch torque on at.
    Stale,
    /// Everything from the start: the port was opened, or the servo was away.
    Again,
    /// It was told to start anew.
    Reboot(Ns),
    /// Its errors are forgotten.
    Clear,
    /// Time has passed.
    Time,
}

/// What others want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It has torque.
    Ready,
    /// It has an error.
    Fault(Status),
    /// It had too many.
    Locked(Status),
    /// It lost its torque without an error.
    Restarted,
    /// It cannot be proved.
    Refused(Refusal),
}

/// What is asked of a servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Status error and detail, by STAT.
    Status,
    /// Model and firmware.
    Model,
    /// Both limits of the position.
    Limits,
    /// Torque and mark.
    Torque,
    /// Clear errors and set the profile; read back.
    Settle,
    /// The calibrated position, counts.
    Position,
    /// A goal where it is; read back.
    Seed,
    /// Set torque, and the mark unless that is left alone, clearing errors before if so wanted; read back.
    Write(Demand, bool),
    /// Clear a minor error.
    Clear,
    /// Whatever is read of a settled servo.
    Watch,
}

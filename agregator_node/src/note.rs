//! What the agregator has to say about its inputs.

use robot_model_lib::MessageError;

/// A part of a message that was left out, or taken with a reservation; the rest was applied.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Note<'a> {
    /// The message belongs to another cycle; whether it was used is `cycle_mismatch`'s matter.
    OtherCycle {
        /// How many cycles it is ahead of the current one; negative for one of the past.
        ahead: i64,
        /// Whether it was used all the same.
        used: bool,
    },
    /// A `sync` for a cycle that has begun already; it changes nothing.
    SyncAgain,
    /// No joint of the robot has this name.
    UnknownJoint(&'a str),
    /// No chain of the robot has this name.
    UnknownChain(&'a str),
    /// No contact of the robot has this name.
    UnknownContact(&'a str),
    /// A position outside the URDF's limits.
    OutOfLimits {
        /// Name of the joint that it is about.
        joint: &'a str,
        /// What it was told.
        position: f64,
        /// Whether it was moved to the limit.
        clamped: bool,
    },
    /// Further away than the URDF's velocity limit lets the joint go in a cycle.
    TooFast {
        /// Name of the joint that it is about.
        joint: &'a str,
        /// The speed that it would need, rad/s or m/s.
        speed: f64,
        /// What the joint can, rad/s.
        limit: f64,
        /// Whether it goes there at its limit instead.
        clamped: bool,
    },
    /// Two sources gave a field of a joint different values in one cycle; the one that came last counts.
    Claimed {
        /// Name of the joint that it is about.
        joint: &'a str,
        /// position, velocity or effort.
        field: &'static str,
        /// What the first gave, and what the second.
        values: [f64; 2],
    },
    /// A support outside 0 … 1, moved to the nearer end.
    SupportOutOfRange {
        /// Name of the chain that it is about.
        chain: &'a str,
        /// What it was told.
        support: f64,
    },
}

impl std::fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Note::OtherCycle { ahead, used } => {
                let fate = if *used { "used all the same" } else { "dropped" };
                let side = if *ahead < 0 { "late" } else { "early" };
                write!(f, "a message came {} cycles {side}: {fate}", ahead.unsigned_abs())
            }
            Note::SyncAgain => {
                write!(f, "a cycle was begun that has begun already: a late message, or a second sync_node")
            }
            Note::UnknownJoint(name) => write!(f, "unknown joint \"{name}\" skipped"),
            Note::UnknownChain(name) => write!(f, "unknown chain \"{name}\" skipped"),
            Note::UnknownContact(name) => write!(f, "unknown contact \"{name}\": its chain is skipped"),
            Note::OutOfLimits { joint, position, clamped } => {
                let fate = if *clamped { ", moved to the limit" } else { "" };
                write!(f, "joint \"{joint}\": position {position} is out of limits{fate}")
            }
            Note::TooFast { joint, speed, limit, clamped } => {
                let fate = if *clamped { ", goes there at its limit" } else { "" };
                write!(f, "joint \"{joint}\" would need {speed:.2} with a velocity limit of {limit:.2}{fate}")
            }
            Note::Claimed { joint, field, values: [first, second] } => write!(
                f,
                "joint \"{joint}\": two sources give its {field} in one cycle, {first} and then {second}; the last one \
                 counts (parameter priority)"
            ),
            Note::SupportOutOfRange { chain, support } => {
                write!(f, "chain \"{chain}\": support {support} is outside 0 … 1")
            }
        }
    }
}

/// Why a whole message was refused; nothing of it was applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Names or arrays that do not fit, or a number that cannot be.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The same for one limb of the message.
    #[error("limb \"{chain}\": {why}")]
    Limb {
        /// Name of the chain that the message gives.
        chain: String,
        /// What is wrong.
        why: MessageError,
    },
}

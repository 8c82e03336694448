//! What the log should hear of a message that was accepted all the same.

use crate::bounds::Bound;
use std::fmt;

/// Something out of the ordinary.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// Other joints than before; their goals start without lead.
    JointsChanged {
        /// How many there were.
        before: usize,
        /// How many there are.
        now: usize,
        /// Those that are new.
        came: Vec<String>,
        /// Those that are gone.
        went: Vec<String>,
    },
    /// Joints without a model of their own.
    DefaultModel {
        /// Names of the joints that it is about.
        joints: Vec<String>,
    },
    /// Models for joints that are not there.
    SurplusModel {
        /// Names of the joints that it is about.
        joints: Vec<String>,
    },
    /// A joint was asked to jump; its goal is where it was asked to be, without lead.
    Jump {
        /// Place of the (first such) joint in the message.
        joint: usize,
        /// How far, rad or m.
        by: f64,
    },
    /// A goal was held back by its joint's bounds.
    Held {
        /// Place of the (first such) joint in the message.
        joint: usize,
        /// Where it would have been, rad or m.
        wanted: f64,
        /// Where it is.
        goal: f64,
        /// Which bound held it back.
        bound: Bound,
    },
    /// The source was away, or time jumped; goals start without lead.
    Silence {
        /// For how long, s.
        seconds: f64,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::JointsChanged { before, now, came, went } => {
                write!(f, "the joints changed from {before} to {now}")?;
                for (what, joints) in [("new", came), ("gone", went)] {
                    if !joints.is_empty() {
                        write!(f, ", {what}: {}", joints.join(" "))?;
                    }
                }
                f.write_str("; goals start without lead")
            }
            Notice::DefaultModel { joints } => {
                write!(f, "no servo model for {}: default_servo_model is used", joints.join(" "))
            }
            Notice::SurplusModel { joints } => {
                write!(f, "servo models for joints that are not there: {}", joints.join(" "))
            }
            Notice::Jump { joint, by } => {
                write!(
                    f,
                    "joint {joint} of the message was asked to jump by {by:.3} in a cycle: no lead for it"
                )
            }
            Notice::Held { joint, wanted, goal, bound } => {
                let what = match bound {
                    Bound::Position => "limit",
                    Bound::Speed => "speed",
                };
                write!(f, "the goal {wanted:.3} of joint {joint} is beyond its {what}: {goal:.3}")
            }
            Notice::Silence { seconds } => {
                write!(f, "{seconds:.3} s since the last message: goals start without lead")
            }
        }
    }
}

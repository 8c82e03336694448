//! What the gait has to say while it goes on.

use std::fmt;

/// Something that people should know.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Note<'a> {
    /// A hoof cannot get where it shall be.
    OutOfReach {
        /// Whose.
        leg: &'a str,
        /// How far it is from there, m.
        miss: f64,
    },
    /// A joint was held back.
    TooFast {
        /// Which.
        joint: &'a str,
        /// The speed that was asked for, rad/s.
        speed: f64,
        /// What it can, rad/s.
        limit: f64,
    },
    /// A command is more than the gait can walk; it is walked slower, in the same direction.
    Slowed {
        /// The share of it that is walked.
        share: f64,
        /// The joint that can do no more; none when strides would be too long.
        joint: Option<&'a str>,
    },
    /// A joint is outside its limits when the robot begins; it comes back slowly.
    Outside {
        /// Its name.
        joint: &'a str,
        /// Where it is, rad.
        position: f64,
        /// The limit that it comes back to, rad.
        limit: f64,
    },
    /// The battery is low, so the robot sits down.
    LowBattery {
        /// V.
        voltage: f64,
    },
    /// A filter refused its input; the pose stays as it was.
    Fault(&'a filters_lib::Error),
}

impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::OutOfReach { leg, miss } => write!(
                f,
                "{leg} is out of reach: its hoof stays {:.1} mm away; lower height, lift or max_stride",
                1e3 * miss
            ),
            Note::TooFast { joint, speed, limit } => write!(
                f,
                "{joint} would need {speed:.2} rad/s and is held at {limit:.2}; a longer gait period or a shorter max_stride helps"
            ),
            Note::Slowed { share, joint: Some(joint) } => write!(
                f,
                "cmd_vel is walked with {:.0} % of its speed: {joint} cannot swing faster in this gait; a longer period, a lower lift or a higher swing_acceleration helps",
                100.0 * share
            ),
            Note::Slowed { share, joint: None } => write!(
                f,
                "cmd_vel is walked with {:.0} % of its speed: strides would be longer than max_stride; a shorter period or a longer max_stride helps",
                100.0 * share
            ),
            Note::Outside { joint, position, limit } => write!(
                f,
                "{joint} is at {position:.3} rad, outside its limit {limit:.3}: it comes back with rise_speed; check offset and limits if it is not really there"
            ),
            Note::LowBattery { voltage } => write!(f, "the battery has {voltage:.2} V: sitting down"),
            Note::Fault(e) => write!(f, "{e}; the pose stays as it was"),
        }
    }
}

//! What the gait has to say while it goes on.

use std::fmt;

/// Something that people should know.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Note<'a> {
    /// A foot cannot get where it shall be.
    OutOfReach {
        /// Name of the leg whose foot it is.
        leg: &'a str,
        /// How far it is from there, m.
        miss: f64,
    },
    /// A joint was held back.
    TooFast {
        /// Name of the joint that was held back.
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
    /// A foot swings for much longer than the gait has it, and the others wait.
    LongSwing {
        /// Name of the leg whose foot it is.
        leg: &'a str,
        /// How long, s.
        duration: f64,
        /// How many times as long as the gait has it.
        times: f64,
    },
    /// A gait lifts its feet less than it was told.
    LowLift {
        /// Name of the gait.
        gait: &'a str,
        /// How far it lifts them, m.
        lift: f64,
        /// What it was told, m.
        wanted: f64,
    },
    /// A posture is not quite what it was told.
    Nearer {
        /// Name of the posture parameter.
        name: &'static str,
        /// m or rad.
        is: f64,
        /// What it was told, m or rad.
        wanted: f64,
    },
    /// The body cannot sway as far as its margin asks for.
    LessSway {
        /// Name of the gait.
        gait: &'a str,
        /// How far the weight stays inside the feet that stand, m; below zero the gait walks without sway.
        margin: f64,
        /// What was asked for, m.
        wanted: f64,
    },
    /// A joint is outside its limits when the robot begins; it comes back slowly.
    Outside {
        /// Name of the joint that is outside.
        joint: &'a str,
        /// Where it is, rad.
        position: f64,
        /// The limit that it comes back to, rad.
        limit: f64,
    },
    /// The battery is low, so the robot sits down.
    LowBattery {
        /// What the battery gives, V.
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
                "{leg} is out of reach: its foot stays {:.1} mm away; lower height, lift or max_stride",
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
            Note::LongSwing { leg, duration, times } => write!(
                f,
                "{leg} swings for {duration:.1} s, {times:.0} times as long as the gait has it: it is far from where it shall stand and its joints cannot \
                 swing faster; a longer period, a lower lift or a higher swing_acceleration helps"
            ),
            Note::LowLift { gait, lift, wanted } => write!(
                f,
                "{gait} lifts feet by {:.0} mm instead of {:.0}: its joints cannot swing faster, or reach no further; see swing_acceleration",
                1e3 * lift,
                1e3 * wanted
            ),
            Note::Nearer { name, is, wanted } => {
                write!(
                    f,
                    "{name} is {is:.3} instead of {wanted:.3}: the legs reach no further with the rest of the posture"
                )
            }
            Note::LessSway { gait, margin, wanted: _ } if *margin <= 0.0 => write!(
                f,
                "{gait} walks without sway: there is none within reach and speed of its legs that keeps its weight over the feet that stand; a higher duty helps, \
                 a longer period or shorter strides may"
            ),
            Note::LessSway { gait, margin, wanted } => write!(
                f,
                "{gait} keeps its weight {:.0} mm inside the feet that stand instead of {:.0}: neither its legs reach nor its time allows more; a lower \
                 height, a higher duty or a longer period may",
                1e3 * margin,
                1e3 * wanted
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

//! Why a motion is refused.

/// Why a motion is refused. Times are those that were written down.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// Nothing to do.
    #[error("no {0}")]
    Empty(&'static str),
    /// Times must grow.
    #[error(
        "times: number {number} is {time} s after {before} s; times must grow, from 0 s or later, by a microsecond or more"
    )]
    Times {
        /// Which, from 1.
        number: usize,
        /// What it is.
        time: f64,
        /// The one before.
        before: f64,
    },
    /// The robot has no such joint or leg.
    #[error("\"{0}\": the robot has no such {1}")]
    Unknown(String, &'static str),
    /// Names that stand twice, or that cannot be.
    #[error(transparent)]
    Names(#[from] robot_model_lib::MessageError),
    /// Arrays of different lengths.
    #[error("\"{name}\": {found} {what} for {times} times")]
    Length {
        /// The track's name.
        name: String,
        /// What there are so many of: positions, velocities, accelerations.
        what: &'static str,
        /// How many elements the array has.
        found: usize,
        /// How many there should be.
        times: usize,
    },
    /// Not a number.
    #[error("\"{name}\": {what} number {number} is {value}")]
    NotFinite {
        /// The track's name.
        name: String,
        /// Which array of the track it is in.
        what: &'static str,
        /// Which, from 1.
        number: usize,
        /// What it is.
        value: f64,
    },
    /// Outside of the joint's limits, by more than may be moved onto them.
    #[error("\"{name}\": {position:.4} rad at {time:.3} s is outside its limits {lower} … {upper} rad")]
    Limits {
        /// The joint's name.
        name: String,
        /// When it happens in the motion, s.
        time: f64,
        /// Where the joint would be, rad.
        position: f64,
        /// Lower limit of the joint, rad.
        lower: f64,
        /// Upper limit of the joint, rad.
        upper: f64,
    },
    /// Faster than the joint can.
    #[error(
        "\"{name}\": {speed:.3} rad/s at {time:.3} s is faster than its limit {limit} rad/s; give it more time, or motion_limits: stretch"
    )]
    Speed {
        /// The joint's name.
        name: String,
        /// When it happens in the motion, s.
        time: f64,
        /// Speed that it would need, rad/s.
        speed: f64,
        /// What the joint can, rad/s.
        limit: f64,
    },
    /// Harder than joints may accelerate.
    #[error(
        "\"{name}\": {acceleration:.1} rad/s² at {time:.3} s is more than joint_acceleration {limit} rad/s²; give it more time, or motion_limits: stretch"
    )]
    Acceleration {
        /// The joint's name.
        name: String,
        /// When it happens in the motion, s.
        time: f64,
        /// Acceleration that it would need, rad/s².
        acceleration: f64,
        /// What `joint_acceleration` allows, rad/s².
        limit: f64,
    },
    /// It would have to take far longer than written down.
    #[error(
        "\"{name}\": at {time:.3} s it would have to take {by:.0} times as long, more than {most}; are two times too near together?"
    )]
    Stretch {
        /// The joint's name.
        name: String,
        /// When it happens in the motion, s.
        time: f64,
        /// So many times as long.
        by: f64,
        /// More than this is refused.
        most: f64,
    },
    /// A support that is none.
    #[error("\"{name}\": number {number} is {value}; a support is 0 … 1")]
    Support {
        /// The track's name.
        name: String,
        /// Which, from 1.
        number: usize,
        /// What it is.
        value: f64,
    },
    /// A motion that begins or ends at speed, too near to a limit.
    #[error(
        "\"{name}\": with {speed:.3} rad/s at {time:.3} s, the motion's first or last, it would leave its limits before or after"
    )]
    Room {
        /// The joint's name.
        name: String,
        /// When: the first time or the last.
        time: f64,
        /// Speed that it would need, rad/s.
        speed: f64,
    },
}

//! What is refused, and why.

use thiserror::Error;

/// A message or a robot that cannot be used. Nothing changes when one is refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Refused {
    /// Names or arrays of joints that do not fit, or a number that cannot be.
    #[error(transparent)]
    Joints(#[from] robot_model_lib::MessageError),
    /// Arrays of one message differ in length.
    #[error("{what}: {found} values for {names} names")]
    Lengths {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// How many names there are.
        names: usize,
    },
    /// A number is not finite, or beyond what any robot reaches ([`robot_model_lib::LARGEST`]).
    #[error("\"{name}\": its {what} is not a finite number, or beyond 1e9")]
    NotFinite {
        /// The joint, chain or frame.
        name: String,
        /// What is not.
        what: &'static str,
    },
    /// A name stands twice.
    #[error("\"{name}\" stands twice")]
    Twice {
        /// The joint or chain.
        name: String,
    },
    /// The pose is not complete.
    #[error(
        "joint \"{name}\" is missing: the pose must be complete ({missing} of {joints} joints are missing)"
    )]
    Missing {
        /// The first one that is missing.
        name: String,
        /// How many are.
        missing: usize,
        /// How many there should be.
        joints: usize,
    },
    /// Supports that cannot be.
    #[error(transparent)]
    Supports(#[from] robot_model_lib::SupportError),
    /// A message older than the last, but not so much older that time has been set back.
    #[error("it is {late} s older than the last one")]
    Old {
        /// By how much, s.
        late: f64,
    },
    /// A body pose that names another frame.
    #[error("nothing is said of \"{name}\"; joint_names: {found}")]
    NoBody {
        /// The base frame.
        name: String,
        /// What is spoken of instead.
        found: String,
    },
    /// A pose in another frame.
    #[error("frame \"{found}\" is not \"{wanted}\"")]
    Frame {
        /// The frame that came.
        found: String,
        /// The one that is known.
        wanted: String,
    },
    /// A quaternion of a length far from one.
    #[error("its quaternion has length {norm}, not 1")]
    NotUnit {
        /// The length.
        norm: f64,
    },
    /// A pose for feet that nothing is known of.
    #[error("with ground_z_zero the height comes from the feet, and no joints have come yet")]
    NoFeet,
    /// A pose with the feet off the ground that `ground_z_zero` pins.
    #[error(
        "ground_z_zero holds the ground at z = 0, and a foot would be {height:.3} m above it and lean by {lean:.3} rad; \
         set ground_z_zero to false, or z, roll and pitch as the robot stands"
    )]
    OffGround {
        /// Of the foot, m.
        height: f64,
        /// Of its normal, rad.
        lean: f64,
    },
    /// A sensor whose place on the base is not known.
    #[error("\"{name}\" is no link that is fixed to the base")]
    NotFixed {
        /// The sensor's frame.
        name: String,
    },
    /// A robot on which this odometry cannot work.
    #[error("the robot has {legs} chains with a default_contact; 1 … {most} can be legs")]
    Legs {
        /// How many it has.
        legs: usize,
        /// How many are possible.
        most: usize,
    },
    /// The base frame is some other link of the robot.
    #[error("base_frame \"{name}\" is a link of the robot but not its root \"{root}\"")]
    NotRoot {
        /// The link.
        name: String,
        /// The root.
        root: String,
    },
}

//! What is refused, and why.

use thiserror::Error;

/// A message that cannot be used. Nothing changes when one is refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Refused {
    /// Names or arrays of joints that do not fit, or a number that cannot be.
    #[error(transparent)]
    Joints(#[from] robot_model_lib::MessageError),
    /// Every joint of the robot has to be there: what hangs on a joint cannot be weighed without its position.
    #[error("joint \"{name}\" is missing: the pose must be complete")]
    Missing {
        /// The first one that is missing.
        name: String,
    },
    /// Arrays of one message differ in length.
    #[error("{what}: {found} values for {names} names")]
    Lengths {
        /// Name of the array.
        what: &'static str,
        /// How many elements it has.
        found: usize,
        /// How many names there are.
        names: usize,
    },
    /// Supports that cannot be.
    #[error(transparent)]
    Supports(#[from] robot_model_lib::SupportError),
    /// A body message that does not speak of the base.
    #[error("nothing is said of \"{name}\"")]
    NoBody {
        /// The base frame.
        name: String,
    },
    /// A quaternion of a length far from one.
    #[error("the quaternion of \"{name}\" has length {norm}, not 1")]
    NotUnit {
        /// The base frame.
        name: String,
        /// Length of the quaternion.
        norm: f64,
    },
    /// A number that cannot be.
    #[error("{what}: a value is not finite")]
    NotFinite {
        /// Name of the message that it came in.
        what: &'static str,
    },
    /// A sensor whose place on the base is not known.
    #[error("\"{name}\" is no link that is fixed to the base")]
    NotFixed {
        /// The sensor's frame.
        name: String,
    },
}

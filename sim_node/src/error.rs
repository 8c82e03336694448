//! What can be wrong with a world.

/// Why there is no world.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// A servo drives a joint that the robot does not have.
    #[error("servos.{0}: the robot has no such joint; servos and URDF are of different robots")]
    UnknownJoint(String),
    /// A link by its name.
    #[error("there is no link \"{0}\"")]
    UnknownLink(String),
    /// MuJoCo refuses the model.
    #[error("MuJoCo refuses the robot: {0}")]
    Physics(String),
    /// A push that makes no sense.
    #[error("a push needs a force of at most 10 kN and a duration of more than 0 and at most 10 s")]
    Push,
    /// Nobody pushes what is held.
    #[error("the robot is held until all servos have torque")]
    Held,
    /// Too many at once.
    #[error("eight pushes are under way already")]
    Pushes,
    /// A file of the robot cannot be used.
    #[error("{what}: {reason}")]
    Robot {
        /// Path or name of the file.
        what: String,
        /// What is wrong with it, in words.
        reason: String,
    },
    /// The control path came to a halt.
    #[error("the control cycle ends: {0}")]
    Cycle(String),
}

//! What the robot does.

/// What the robot does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Waits for the pose that the joints have.
    Waiting,
    /// Goes to the posture in which it stands.
    Rising,
    /// Stands.
    Standing,
    /// Walks, or makes its last steps.
    Walking,
    /// Sits, or is on its way down.
    Sitting,
    /// Was halted, and holds its joints where they came to rest.
    Halted,
    /// Has no torque: its joints are where somebody puts them.
    Limp,
    /// Plays a motion, or goes to its start.
    Playing,
}

impl std::fmt::Display for Activity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Activity::Waiting => "waiting",
            Activity::Rising => "rising",
            Activity::Standing => "standing",
            Activity::Walking => "walking",
            Activity::Sitting => "sitting",
            Activity::Halted => "halted",
            Activity::Limp => "limp",
            Activity::Playing => "playing",
        })
    }
}

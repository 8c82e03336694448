//! What the robot is about, with what belongs to that alone.

use crate::activity::Activity;
use crate::first_pose::FirstPose;
use crate::locomotion::Level;
use crate::play::Play;

/// What the robot is about.
///
/// ```text
///   Waiting ─▶ Rising ─▶ Standing ◀─▶ Walking          Limp ─▶ Rising
///                ▲         │  ▲ └──▶ Sitting           any of them ─▶ Limp
///                │         │  └─ GettingUp ◀─┘
///                │         ▼
///                └─ Playing ◀─▶ Entering ◀─ Halted     moving joints ─▶ Halted
/// ```
#[derive(Clone, Debug)]
pub enum Doing {
    /// Waits for the pose that the joints have.
    Waiting(FirstPose),
    /// Has no torque, and follows what is measured.
    Limp {
        /// What was measured since it went limp, or since torque came back.
        first: FirstPose,
        /// All of it was measured once.
        known: bool,
        /// Torque is back.
        held: bool,
    },
    /// All joints move together to the stance of a level.
    Rising(Level),
    /// Stands.
    Standing,
    /// Walks, or makes its last steps.
    Walking,
    /// Goes down on feet that stay, or is there.
    Sitting,
    /// Comes up on feet that stay.
    GettingUp,
    /// All joints move together to where a motion begins, or goes on.
    Entering(Play),
    /// Plays.
    Playing(Play),
    /// All joints brake, or hold; with the motion that could go on.
    Halted(Option<Play>),
}

impl Doing {
    /// What people call it.
    pub fn activity(&self) -> Activity {
        match self {
            Doing::Waiting(_) => Activity::Waiting,
            Doing::Limp { .. } => Activity::Limp,
            Doing::Rising(_) | Doing::GettingUp => Activity::Rising,
            Doing::Standing => Activity::Standing,
            Doing::Walking => Activity::Walking,
            Doing::Sitting => Activity::Sitting,
            Doing::Entering(_) | Doing::Playing(_) => Activity::Playing,
            Doing::Halted(_) => Activity::Halted,
        }
    }

    /// Whether there is a pose to be published.
    pub fn has_pose(&self) -> bool {
        !matches!(self, Doing::Waiting(_) | Doing::Limp { known: false, .. })
    }
}

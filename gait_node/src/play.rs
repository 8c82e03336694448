//! A motion that is played.

use crate::motion::Motion;
use std::fmt;

/// Names a motion that was given to be played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayId(u64);

impl PlayId {
    pub(crate) fn next(self) -> PlayId {
        PlayId(self.0.wrapping_add(1))
    }
}

/// What has become of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayState {
    /// The robot stops first.
    Waiting,
    /// It is entered, played or halted.
    UnderWay,
    /// It came to its end, and nothing else has since.
    Ended,
    /// Something else took its place.
    Dropped,
}

/// What made a motion that waited or was under way end before its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DropReason {
    /// Another motion was given.
    #[default]
    Replaced,
    /// It was cancelled.
    Cancelled,
    /// The robot was halted before it began.
    Halted,
    /// The robot was told to stand.
    Stand,
    /// The robot was told to sit, or its battery is low.
    Sit,
    /// Torque was lost.
    Torque,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DropReason::Replaced => "another motion took its place",
            DropReason::Cancelled => "it was cancelled",
            DropReason::Halted => "the robot was halted before it began",
            DropReason::Stand => "another order took its place: the robot stands",
            DropReason::Sit => "another order took its place: the robot sits down",
            DropReason::Torque => "the robot has lost torque",
        })
    }
}

/// A motion, and how far it is.
#[derive(Clone, Debug)]
pub struct Play {
    /// The motion.
    pub motion: Motion,
    /// Its name among all that were played.
    pub id: PlayId,
    /// Time since its start, s.
    pub since: f64,
    /// Times that it was played to its end.
    pub rounds: u32,
}

impl Play {
    /// From the start.
    pub fn new(motion: Motion, id: PlayId) -> Play {
        Play { motion, id, since: 0.0, rounds: 0 }
    }

    /// From the start again, if it is to be repeated. A pose has no end that could come again.
    pub fn again(self) -> Option<Play> {
        let repeats = self.motion.repeats() && self.motion.duration() > 0.0;
        repeats.then(|| Play { since: 0.0, rounds: self.rounds.saturating_add(1), ..self })
    }

    /// How far it is, at a time.
    pub fn progress(&self, time: f64, paused: bool) -> Progress<'_> {
        let (name, duration) = (self.motion.name(), self.motion.duration());
        Progress { name, time, duration, rounds: self.rounds, paused }
    }
}

/// How far a motion is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
    /// The motion's name.
    pub name: &'a str,
    /// Time since its start, s; below zero while it is entered.
    pub time: f64,
    /// Of the motion, s.
    pub duration: f64,
    /// Times that it was played to its end.
    pub rounds: u32,
    /// Whether it was halted and could go on.
    pub paused: bool,
}

//! Whether joints follow a motion: along its path, and at its end.

use crate::measured::Measured;
use crate::play::{DropReason, PlayId, PlayState};
use crate::walker::Walker;
use std::fmt;

/// How far a joint may be from what it is commanded; `None` for any distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// rad.
    pub position: Option<f64>,
    /// rad/s.
    pub velocity: Option<f64>,
}

/// A joint outside its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// The joint's index in the model.
    pub joint: usize,
    /// Commanded less measured, rad or rad/s; NaN when nobody measures it.
    pub error: f64,
    /// What was allowed.
    pub tolerance: f64,
    /// `rad` or `rad/s`.
    pub unit: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { error, tolerance, unit, .. } = self;
        if error.is_nan() {
            return write!(f, "not measured, with a tolerance of {tolerance} {unit}");
        }
        write!(f, "{error:.4} {unit} from its command, more than {tolerance} {unit}")
    }
}

/// How it stands with a goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// On its way, or on its way to the tolerance at the end.
    UnderWay,
    /// The motion has ended and all joints are within their tolerance.
    Reached,
    /// A joint left the path.
    OffPath(Violation),
    /// A joint has not come to the end in time.
    OffGoal(Violation),
    /// The motion ended before its time.
    Dropped(DropReason),
}

/// A motion whose joints are watched.
#[derive(Clone, Debug)]
pub struct Follow {
    play: PlayId,
    /// The joints, each with its tolerance on the path and at the end.
    joints: Vec<(usize, Tolerance, Tolerance)>,
    /// Time that joints have after the end, s, and what has passed of it.
    goal_time: f64,
    late: f64,
}

impl Follow {
    /// Watches joints of a motion, each with its tolerance on the path and at the end; at the end they have `goal_time` (s).
    pub fn new(play: PlayId, joints: Vec<(usize, Tolerance, Tolerance)>, goal_time: f64) -> Follow {
        Follow { play, joints, goal_time, late: 0.0 }
    }

    /// The motion.
    pub fn play(&self) -> PlayId {
        self.play
    }

    /// The joints, by their indices in the model.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.joints.iter().map(|(joint, ..)| *joint)
    }

    /// A cycle of `time` (s) has passed.
    pub fn step(&mut self, walker: &Walker, measured: &Measured, time: f64) -> Verdict {
        let outside = |of: fn(&(usize, Tolerance, Tolerance)) -> Tolerance| {
            self.joints.iter().find_map(|joint| violation(joint.0, of(joint), walker, measured))
        };
        match walker.play_state(self.play) {
            PlayState::Waiting => Verdict::UnderWay,
            PlayState::Dropped => Verdict::Dropped(walker.drop_reason()),
            PlayState::UnderWay => outside(|(_, path, _)| *path).map_or(Verdict::UnderWay, Verdict::OffPath),
            PlayState::Ended => {
                let Some(violation) = outside(|(.., goal)| *goal) else { return Verdict::Reached };
                self.late += time;
                if self.late > self.goal_time { Verdict::OffGoal(violation) } else { Verdict::UnderWay }
            }
        }
    }
}

fn violation(joint: usize, within: Tolerance, walker: &Walker, measured: &Measured) -> Option<Violation> {
    let beyond = |error: f64, tolerance: Option<f64>, unit| {
        // What is not a number is not within.
        let tolerance = tolerance.filter(|tolerance| error.is_nan() || error.abs() > *tolerance)?;
        Some(Violation { joint, error, tolerance, unit })
    };
    beyond(walker.positions()[joint] - measured.position(joint), within.position, "rad")
        .or_else(|| beyond(walker.velocities()[joint] - measured.velocity(joint), within.velocity, "rad/s"))
}

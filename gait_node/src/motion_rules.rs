//! How strictly motions are taken, and what was changed in one.

use crate::params::GaitParams;
use param_lib::choices;
use std::fmt;

choices! {
    /// What becomes of a motion that asks for more than the joints can.
    pub enum MotionLimits {
        /// It is refused; the answer names joint, time and value.
        Refuse = "refuse",
        /// It takes as much longer as needed; points beyond a limit by less than limit_tolerance are moved onto it.
        Stretch = "stretch",
        /// The same, and points beyond a limit are moved onto it however far they are.
        Clamp = "clamp",
    }
}

/// How strictly motions are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionRules {
    /// What becomes of one that asks for too much.
    pub limits: MotionLimits,
    /// So far beyond a limit a point is moved onto it, rad.
    pub tolerance: f64,
    /// Played so many times as fast as written down.
    pub speed: f64,
    /// The highest acceleration of a joint, rad/s².
    pub acceleration: f64,
}

impl From<&GaitParams> for MotionRules {
    fn from(params: &GaitParams) -> MotionRules {
        MotionRules {
            limits: params.motion_limits,
            tolerance: params.limit_tolerance,
            speed: params.motion_speed,
            acceleration: params.joint_acceleration,
        }
    }
}

impl MotionRules {
    /// How far beyond a limit a position may lie, rad.
    pub(crate) fn reach(&self) -> f64 {
        match self.limits {
            MotionLimits::Refuse => 0.0,
            MotionLimits::Stretch => self.tolerance,
            MotionLimits::Clamp => f64::INFINITY,
        }
    }
}

/// What was changed in a motion so that the robot can play it; displays as nothing when nothing was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adjustments {
    /// What asked for the longest stretch: joint, value with unit, limit.
    pub(crate) cause: String,
    /// The times from the first on are so many times as long; 0 stands for 1.
    pub(crate) stretch: f64,
    /// Points moved onto a limit.
    pub(crate) moved: usize,
    /// The one that was moved furthest: joint, time, rad.
    pub(crate) furthest: Option<(String, f64, f64)>,
    /// Points that are passed slower than written down, because the curve would leave a limit between points.
    pub(crate) slowed: usize,
}

impl Adjustments {
    /// The times from the first on are so many times as long as written down (and divided by `motion_speed`).
    pub fn stretch(&self) -> f64 {
        self.stretch.max(1.0)
    }

    /// How many points were moved onto a limit.
    pub fn moved(&self) -> usize {
        self.moved
    }

    pub(crate) fn moved_onto_limit(&mut self, joint: &str, time: f64, by: f64) {
        self.moved += 1;
        if self.furthest.as_ref().is_none_or(|(_, _, most)| by > *most) {
            self.furthest = Some((joint.into(), time, by));
        }
    }

    pub(crate) fn stretched(&mut self, by: f64, cause: impl FnOnce() -> String) {
        if by > self.stretch() {
            (self.stretch, self.cause) = (by, cause());
        }
    }
}

impl fmt::Display for Adjustments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut and = "";
        if self.stretch() > 1.0 {
            write!(f, "takes {:.3} times as long ({})", self.stretch, self.cause)?;
            and = "; ";
        }
        if let Some((joint, time, by)) = &self.furthest {
            let points = if self.moved == 1 { "point" } else { "points" };
            write!(
                f,
                "{and}{} {points} moved onto a limit (furthest {joint} at {time:.3} s, by {by:.4} rad)",
                self.moved
            )?;
            and = "; ";
        }
        if self.slowed > 0 {
            let points = if self.slowed == 1 { "point" } else { "points" };
            write!(f, "{and}{} {points} passed slower, to stay within limits between points", self.slowed)?;
        }
        Ok(())
    }
}

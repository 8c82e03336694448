//! What a joint's mechanics allow.

use crate::ModelError;

/// Limits of one joint. A missing limit is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Lowest position, rad or m; −∞ for a continuous joint.
    pub lower: f64,
    /// Highest position, rad or m; +∞ for a continuous joint.
    pub upper: f64,
    /// Highest speed in either direction, rad/s or m/s.
    pub velocity: f64,
    /// Highest torque or force in either direction, N·m or N.
    pub effort: f64,
}

impl Limits {
    /// No limits at all.
    pub const NONE: Self = Self {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
        velocity: f64::INFINITY,
        effort: f64::INFINITY,
    };

    /// The nearest allowed position; NaN stays NaN.
    pub fn clamp(&self, position: f64) -> f64 {
        if position.is_nan() { position } else { position.max(self.lower).min(self.upper) }
    }

    /// Whether the position is allowed; NaN never is.
    pub fn contains(&self, position: f64) -> bool {
        (self.lower..=self.upper).contains(&position)
    }

    /// The middle of the range, or 0 (moved into the range) when a side is open.
    pub fn middle(&self) -> f64 {
        let middle = 0.5 * (self.lower + self.upper);
        if middle.is_finite() { middle } else { self.clamp(0.0) }
    }

    /// Reads a URDF joint's `<limit>`.
    ///
    /// The URDF reader turns an absent attribute into 0, so a range of length zero, a velocity of
    /// zero and an effort of zero all mean "not given", as they do in `k`: infinite.
    pub(crate) fn from_urdf(joint: &urdf_rs::Joint) -> Result<Self, ModelError> {
        let bad = |what| Err(ModelError::BadJoint { joint: joint.name.clone(), what });
        let urdf_rs::JointLimit { lower, upper, effort, velocity } = joint.limit;
        if lower.is_nan() || upper.is_nan() || effort.is_nan() || velocity.is_nan() {
            return bad("a limit is not a number");
        }
        if lower > upper {
            return bad("the lower limit lies above the upper one");
        }
        if effort < 0.0 || velocity < 0.0 {
            return bad("a velocity or effort limit is negative");
        }
        let open = joint.joint_type == urdf_rs::JointType::Continuous || lower == upper;
        let (lower, upper) = if open { (f64::NEG_INFINITY, f64::INFINITY) } else { (lower, upper) };
        let given = |limit: f64| if limit > 0.0 { limit } else { f64::INFINITY };
        Ok(Self { lower, upper, velocity: given(velocity), effort: given(effort) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_keeps_what_is_inside_and_nan() {
        let limits = Limits { lower: -1.0, upper: 2.0, ..Limits::NONE };
        assert_eq!(limits.clamp(-3.0), -1.0);
        assert_eq!(limits.clamp(0.5), 0.5);
        assert_eq!(limits.clamp(3.0), 2.0);
        assert!(limits.clamp(f64::NAN).is_nan());
        assert!(limits.contains(2.0) && !limits.contains(2.1) && !limits.contains(f64::NAN));
        assert_eq!(Limits::NONE.clamp(1e9), 1e9);
    }

    #[test]
    fn the_middle_is_finite_for_open_ranges() {
        assert_eq!(Limits::NONE.middle(), 0.0);
        assert_eq!(Limits { lower: 1.0, ..Limits::NONE }.middle(), 1.0);
        assert_eq!(Limits { lower: 1.0, upper: 2.0, ..Limits::NONE }.middle(), 1.5);
    }
}

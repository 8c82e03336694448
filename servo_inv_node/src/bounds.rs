//! What a goal may be: the one place through which every goal goes, whatever made it move.
//!
//! 1. From its pose's q_ref it lies no farther than the joint goes in `lead + delay`.
//! 2. From the goal of the cycle before it goes no farther than the joint in the time since then, times `max_goal_speed`; after a
//!    pause (up to `timeout`) no farther than in the time that the servo has for it, its playtime or a cycle.
//! 3. It lies within the joint's limits, before all else.
//!
//! Goals do go faster than their joint: g = q + A·q̇ with A = lead + delay + alpha1/(kp·V) moves at q̇ + A·q̈. While a pose speeds
//! up to the joint's speed v within a time t that is A·v/t more: with 1.5 times the speed, every pose that takes twice A for it (some
//! 80 ms) is led without a loss, and what a jump can do to a servo in a cycle is bounded all the same.

use crate::desired::Point;
use robot_model_lib::Limits;

/// Rounding is no excess.
const SLACK: f64 = 1e-9;

/// Poses that keep to their joint's speed do so up to the jitter of their stamps, one percent.
const ROUNDED: f64 = 0.01;

/// What a goal was held back by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The joint's limit.
    Position,
    /// The joint's speed.
    Speed,
}

/// The limits of the robot's joints, in the order of the stream. A joint that the robot does not have is not bounded.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    named: Vec<(String, Limits)>,
    ordered: Vec<Option<Limits>>,
}

impl Bounds {
    /// Takes the limits of another robot.
    pub fn set(&mut self, named: Vec<(String, Limits)>, joints: &[String]) {
        self.named = named;
        self.order(joints);
    }

    /// Finds the limits of these joints: the only place where names are looked up.
    pub fn order(&mut self, joints: &[String]) {
        // URDFs say 0 where they do not know.
        let known = |limit: f64| if limit > 0.0 { limit } else { f64::INFINITY };
        let limits = |joint: &String| {
            let (_, limits) = self.named.iter().find(|(name, _)| name == joint)?;
            Some(Limits { velocity: known(limits.velocity), effort: known(limits.effort), ..*limits })
        };
        self.ordered.clear();
        self.ordered.extend(joints.iter().map(limits));
    }

    /// What can be wanted of a joint, at the most with this acceleration; its position is for the goal to be bounded.
    #[inline]
    pub fn temper(&self, joint: usize, point: Point, acceleration: f64) -> Point {
        let Some(Some(limits)) = self.ordered.get(joint) else { return point };
        let within = |value: f64, limit: f64| value.clamp(-limit, limit);
        Point {
            velocity: within(point.velocity, limits.velocity),
            acceleration: within(point.acceleration, acceleration),
            effort: within(point.effort, limits.effort),
            ..point
        }
    }

    /// Whether a pose moved farther than its joint can in this time (s): then it was set elsewhere, and nothing goes on from it.
    #[inline]
    pub fn is_jump(&self, joint: usize, way: f64, span: f64) -> bool {
        matches!(self.ordered.get(joint), Some(Some(limits)) if way.abs() > limits.velocity * span * (1.0 + ROUNDED))
    }

    /// The goal nearest to the wanted one that a joint may have, and what held it back.
    #[inline]
    pub fn hold(&self, joint: usize, aim: Aim) -> (f64, Option<Bound>) {
        let Some(Some(limits)) = self.ordered.get(joint) else { return (aim.wanted, None) };
        let near = within(aim.wanted, aim.reference, limits.velocity * aim.ahead);
        let near = match aim.before {
            Some(before) => within(near, before, limits.velocity * aim.max_speed * aim.passed),
            None => near,
        };
        let goal = limits.clamp(near);
        let bound = if goal != near {
            Some(Bound::Position)
        } else if near != aim.wanted {
            Some(Bound::Speed)
        } else {
            None
        };
        (goal, bound)
    }
}

/// A goal on its way to its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    /// Where it would be without any, rad or m.
    pub wanted: f64,
    /// q_ref of the pose: a goal lies no farther from it than the joint goes in the time `ahead`, rad or m.
    pub reference: f64,
    /// s.
    pub ahead: f64,
    /// The goal of the cycle before: from it a goal goes no farther than `max_speed` times as fast as the joint can; none for
    /// the first one; rad or m.
    pub before: Option<f64>,
    /// Time for it, s.
    pub passed: f64,
    /// In joint speeds.
    pub max_speed: f64,
}

/// What is nearest to `wanted` and no farther than `reach` from a centre; `wanted` itself when it is only rounding beyond.
#[inline]
fn within(wanted: f64, centre: f64, reach: f64) -> f64 {
    let way = wanted - centre;
    if way.abs() > reach * (1.0 + SLACK) { centre + reach.copysign(way) } else { wanted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_stays_within_limits_and_speed() {
        let mut bounds = Bounds::default();
        let names = ["free", "knee"].map(String::from);
        bounds.order(&names);
        let aim = |reference, wanted, ahead| Aim {
            wanted,
            reference,
            ahead,
            before: None,
            passed: 0.0,
            max_speed: 2.0,
        };
        assert_eq!(bounds.hold(1, aim(0.0, 9.0, 0.01)), (9.0, None), "no robot, no bounds");
        assert!(!bounds.is_jump(1, 9.0, 0.01));
        let limits = Limits { lower: -1.0, upper: 1.2, velocity: 5.0, effort: 0.0 };
        bounds.set(vec![("knee".into(), limits)], &names);
        assert_eq!(bounds.hold(0, aim(0.0, 9.0, 0.01)), (9.0, None));
        assert_eq!(bounds.hold(1, aim(0.45, 0.5, 0.02)), (0.5, None));
        assert_eq!(bounds.hold(1, aim(0.5, -0.5, 0.025)), (0.375, Some(Bound::Speed)));
        assert_eq!(bounds.hold(1, aim(1.19, 9.0, 0.02)), (1.2, Some(Bound::Position)));
        let then = |before, passed| Aim { before: Some(before), passed, ..aim(0.45, 0.5, 0.02) };
        assert_eq!(bounds.hold(1, then(0.42, 0.01)), (0.5, None));
        assert_eq!(bounds.hold(1, then(0.0, 0.01)), (0.1, Some(Bound::Speed)));
        assert_eq!(bounds.hold(1, then(1.0, 0.01)), (0.9, Some(Bound::Speed)));
        assert_eq!(bounds.hold(1, then(-2.0, 0.01)), (-1.0, Some(Bound::Position)), "limits before all else");
        assert!(bounds.is_jump(1, -0.052, 0.01) && !bounds.is_jump(1, 0.05, 0.01));
        let wild = Point { position: 9.0, velocity: -9.0, acceleration: 1e9, effort: 1e9 };
        assert_eq!(bounds.temper(0, wild, 100.0), wild);
        assert_eq!(bounds.temper(1, wild, 100.0), Point { velocity: -5.0, acceleration: 100.0, ..wild });
    }
}

//! What a goal may be: within its joint's limits, and no farther ahead of the pose than the joint's speed explains.

use crate::desired::Point;
use robot_model_lib::Limits;

/// Rounding is no excess.
const SLACK: f64 = 1e-9;

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

    /// The goal nearest to the wanted one that a joint may have, and what held it back: within its limits, and from the
    /// q_ref of its pose no farther than it goes in the time `ahead`.
    #[inline]
    pub fn hold(&self, joint: usize, reference: f64, wanted: f64, ahead: f64) -> (f64, Option<Bound>) {
        let Some(Some(limits)) = self.ordered.get(joint) else { return (wanted, None) };
        let (way, reach) = (wanted - reference, limits.velocity * ahead);
        let (near, by_speed) = if way.abs() > reach * (1.0 + SLACK) {
            (reference + reach.copysign(way), Some(Bound::Speed))
        } else {
            (wanted, None)
        };
        let goal = limits.clamp(near);
        if goal == near { (goal, by_speed) } else { (goal, Some(Bound::Position)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_stays_within_limits_and_speed() {
        let mut bounds = Bounds::default();
        let names = ["free", "knee"].map(String::from);
        bounds.order(&names);
        assert_eq!(bounds.hold(1, 0.0, 9.0, 0.01), (9.0, None), "no robot, no bounds");
        let limits = Limits { lower: -1.0, upper: 1.2, velocity: 5.0, effort: 0.0 };
        bounds.set(vec![("knee".into(), limits)], &names);
        assert_eq!(bounds.hold(0, 0.0, 9.0, 0.01), (9.0, None));
        assert_eq!(bounds.hold(1, 0.45, 0.5, 0.02), (0.5, None));
        assert_eq!(bounds.hold(1, 0.5, -0.5, 0.025), (0.375, Some(Bound::Speed)));
        assert_eq!(bounds.hold(1, 1.19, 9.0, 0.02), (1.2, Some(Bound::Position)));
        let wild = Point { position: 9.0, velocity: -9.0, acceleration: 1e9, effort: 1e9 };
        assert_eq!(bounds.temper(0, wild, 100.0), wild);
        assert_eq!(bounds.temper(1, wild, 100.0), Point { velocity: -5.0, acceleration: 100.0, ..wild });
    }
}

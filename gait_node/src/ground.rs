//! Motion over the ground.

use nalgebra::{Isometry2, Point2, Vector2};

/// Velocity of the body over the ground, in its own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Forward, m/s.
    pub forward: f64,
    /// To the left, m/s.
    pub left: f64,
    /// Turn to the left, rad/s.
    pub turn: f64,
}

impl Velocity {
    /// At rest.
    pub const ZERO: Velocity = Velocity { forward: 0.0, left: 0.0, turn: 0.0 };

    /// Where a body with this velocity is after a time, seen from where it was: the exponential map of SE(2).
    pub fn after(&self, time: f64) -> Isometry2<f64> {
        let angle = self.turn * time;
        // sin(a)/a and (1 − cos(a))/a; the second as sin²(a/2)/(a/2), which keeps its digits.
        let (straight, aside) = if angle.abs() < 1e-5 {
            (1.0 - angle * angle / 6.0, angle / 2.0)
        } else {
            (angle.sin() / angle, (angle / 2.0).sin().powi(2) / (angle / 2.0))
        };
        let way = Vector2::new(
            straight * self.forward - aside * self.left,
            aside * self.forward + straight * self.left,
        );
        Isometry2::new(way * time, angle)
    }

    /// Velocity of a point of the body.
    pub fn at(&self, point: &Point2<f64>) -> Vector2<f64> {
        Vector2::new(self.forward - self.turn * point.y, self.left + self.turn * point.x)
    }

    /// So many times as fast.
    pub fn scaled(&self, by: f64) -> Velocity {
        Velocity { forward: by * self.forward, left: by * self.left, turn: by * self.turn }
    }

    /// Half of both.
    pub fn mean(&self, other: &Velocity) -> Velocity {
        Velocity {
            forward: 0.5 * (self.forward + other.forward),
            left: 0.5 * (self.left + other.left),
            turn: 0.5 * (self.turn + other.turn),
        }
    }

    /// Whether all of it is a number.
    pub fn is_finite(&self) -> bool {
        self.forward.is_finite() && self.left.is_finite() && self.turn.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turning_body_goes_round_a_circle() {
        // Radius 0.5 m: a quarter of the circle ends at (0.5, 0.5), heading left.
        let quarter = std::f64::consts::FRAC_PI_2;
        let end = Velocity { forward: 0.5, left: 0.0, turn: 1.0 }.after(quarter);
        assert!((end.translation.vector - Vector2::new(0.5, 0.5)).norm() < 1e-15);
        assert!((end.rotation.angle() - quarter).abs() < 1e-15);
    }

    #[test]
    fn many_small_steps_are_one_large_step() {
        for velocity in [
            Velocity { forward: 0.3, left: -0.1, turn: 0.7 },
            Velocity { forward: 0.3, left: 0.2, turn: 1e-4 },
            Velocity { forward: 0.3, left: 0.2, turn: 0.0 },
        ] {
            let many = (0..1000).fold(Isometry2::identity(), |at, _| at * velocity.after(0.01));
            let one = velocity.after(10.0);
            assert!((many.translation.vector - one.translation.vector).norm() < 1e-12, "{velocity:?}");
        }
    }
}

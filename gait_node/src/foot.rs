//! One foot over the ground.

use crate::ground::Velocity;
use crate::swing::{Demand, Swing, wrapped};
use nalgebra::Isometry2;

/// A foot this near to its home is at home, m and rad.
const AT_HOME: f64 = 1e-3;

/// A foot over the ground.
#[derive(Clone, Debug)]
pub struct Foot {
    /// Where it is, seen from the body.
    pub place: Isometry2<f64>,
    /// Its velocity relative to the ground, along the body's axes; zero while it stands.
    pub velocity: Velocity,
    /// Above the ground, m, and how fast it rises, m/s.
    pub height: (f64, f64),
    swing: Option<Swing>,
}

impl Foot {
    /// On the ground.
    pub fn standing(place: Isometry2<f64>) -> Foot {
        Foot { place, velocity: Velocity::ZERO, height: (0.0, 0.0), swing: None }
    }

    /// Whether it carries the body.
    pub fn stands(&self) -> bool {
        self.swing.is_none()
    }

    /// Time until it lands, s, while it swings.
    pub fn lands_in(&self) -> Option<f64> {
        self.swing.as_ref().map(Swing::left)
    }

    /// Whether it has been in the air for longer than a swing of the gait takes.
    pub fn is_overdue(&self, swing_time: f64) -> bool {
        self.swing.as_ref().is_some_and(|swing| swing.elapsed() > (1.0 - 1e-9) * swing_time)
    }

    /// Whether it is at its home.
    pub fn is_at(&self, home: &Isometry2<f64>) -> bool {
        let away = self.place.translation.vector - home.translation.vector;
        let turned = wrapped(self.place.rotation.angle() - home.rotation.angle());
        away.norm() < AT_HOME && turned.abs() < AT_HOME
    }

    /// Begins to swing, for `duration` (s) and up to `height` (m).
    pub fn lift(&mut self, duration: f64, height: f64) {
        self.swing = Some(Swing::new(&self.place, duration, height));
    }

    /// Flies on for a period, towards the place that `end` gives for the time until it lands, if the joints `can`; at the end it stands.
    pub fn fly(&mut self, end: impl Fn(f64) -> Isometry2<f64>, period: f64, can: impl Fn(Demand) -> bool) {
        let Some(swing) = &mut self.swing else { return };
        if !swing.advance(&end(swing.left()), period, can) {
            *self = Foot::standing(swing.place());
        }
    }

    /// The body has moved on by `step`.
    pub fn carry(&mut self, step: &Isometry2<f64>) {
        match &mut self.swing {
            None => self.place = step.inverse() * self.place,
            Some(swing) => {
                swing.carry(step);
                (self.place, self.velocity, self.height) = (swing.place(), swing.velocity(), swing.height());
            }
        }
    }
}

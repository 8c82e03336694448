//! The body goes on as it went.

use filters_lib::so3;
use nalgebra::{UnitQuaternion, Vector3};

use super::block::{add, add_outer, diagonal, joined};
use super::covariance::{FEET, POSE, RATE};
use super::foot::Foot;
use super::state::State;
use super::{Filter, START_LEAN, START_RATE};

/// How far the body may be from the origin of the errors, m: far enough to move it seldom, near enough for rounding.
const ORIGIN_REACH: f64 = 0.5;

/// How long a body that nobody sees may have walked, s: farther than in a minute it is lost anyway.
const LONGEST_SIGHT: f64 = 60.0;

impl Filter {
    /// The body stands still from now on; `at_once` when it did not before: how it will move again nobody knows, nor how it
    /// leans by then.
    pub(crate) fn halt(&mut self, at_once: bool) {
        (self.state.linear, self.state.angular) = (Vector3::zeros(), Vector3::zeros());
        if at_once {
            let (turn, speed) = START_RATE;
            self.covariance.add(RATE, &diagonal(turn * turn, speed * speed));
            self.covariance.add(POSE, &diagonal(START_LEAN * START_LEAN, 0.0));
        }
    }

    /// Nobody has seen the robot for a time, s: it may have walked at the speed that it may start with, and turned. The feet
    /// are to join anew; that it still stands on its ground they will say.
    pub(crate) fn lose_sight(&mut self, gap: f64) {
        let (turn, speed) = START_RATE;
        let far = speed * gap.min(LONGEST_SIGHT);
        let round = (turn * gap).min(std::f64::consts::PI);
        let mut pose = *self.covariance.at(POSE, POSE);
        let up = self.plane.up.into_inner();
        add_outer(&mut pose, &joined(&up, &Vector3::zeros()), round * round);
        add(&mut pose, &diagonal(START_LEAN * START_LEAN, far * far));
        self.covariance.restart(&pose, &diagonal(turn * turn, speed * speed));
        self.settled_for = 0.0;
        self.state.feet.iter_mut().for_each(|foot| *foot = Foot::default());
        self.halt(false);
    }

    /// Moves the state on by a time, s.
    ///
    /// White acceleration of density q makes (q²·dt³/3, q²·dt²/2, q²·dt) of place and velocity. Half of it before the
    /// step and half after gives dt³/2 in place of dt³/3 and all else exactly, mixed terms with the feet included.
    pub(crate) fn coast(&mut self, dt: f64) {
        if dt <= 0.0 {
            return;
        }
        self.settled_for += dt;
        let acceleration = self.acceleration();
        if acceleration.is_some() {
            self.accelerate(dt);
        }
        let [turn, speed] = self.unforeseen();
        let Self { noise, state, covariance, plane, .. } = self;
        let State { feet, origin, pose, linear, angular, .. } = state;
        let half = diagonal(turn * dt / 2.0, speed * dt / 2.0);
        covariance.add(RATE, &half);
        covariance.move_on(dt, |block| match block {
            POSE => pose.translation.vector - *origin,
            foot => feet[foot - FEET].place - *origin,
        });
        covariance.add(RATE, &half);
        let slip = noise.slipped(dt, &plane.up);
        for (leg, _) in feet.iter().enumerate().filter(|(_, foot)| foot.is_in_state) {
            covariance.add(FEET + leg, &slip);
        }
        let shift = pose.translation.vector - *origin;
        if shift.norm_squared() > ORIGIN_REACH * ORIGIN_REACH {
            covariance.shift_origin(&shift);
            *origin += shift;
        }
        let turned = so3::exp(&(*angular * dt)) * pose.rotation;
        pose.rotation = UnitQuaternion::new_normalize(turned.into_inner());
        pose.translation.vector += *linear * dt;
        if let Some(acceleration) = acceleration {
            pose.translation.vector += acceleration * (dt * dt / 2.0);
            *linear += acceleration * dt;
        }
    }

    /// Squared densities of what changes the body's angular and linear velocity and nobody foresees: of all its acceleration, or
    /// of a sensor's error (that of a gyro is in the angular velocity already) and of the time that it has not told of yet.
    pub(super) fn unforeseen(&self) -> [f64; 2] {
        let [turn, push] =
            [self.noise.angular_acceleration, self.noise.acceleration].map(|density| density * density);
        match self.sensed {
            Some(sensed) => [0.0, self.sensor.accel.powi(2) + push * sensed.open / sensed.duration],
            None => [turn, push],
        }
    }
}

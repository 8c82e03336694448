//! Which feet stand: a body goes on as it went, and a foot that stands stays where it is meanwhile.
//!
//! Feet that land still skid, and feet that lift lie within every tolerance of the ground while they already swing: half of
//! the legs then say that the body moves one way, half another, and geometry cannot tell who is right. Inertia can. The
//! filter is therefore one sample behind: a sample is used when the next one has shown which feet did not move in between.

use nalgebra::{Isometry3, Vector3};

use super::Filter;
use super::block::{add, diagonal};
use super::covariance::{RATE, distance};
use super::foot::Seen;

/// For how long all feet may move otherwise than the body is expected to before the expectation is what is wrong, s: longer
/// than a step from some feet to others takes, also at 50 Hz.
const PATIENCE: f64 = 0.1;
/// What a sample counts of it at most, s: after a long silence one sample is one contradiction.
const PATIENCE_PER_SAMPLE: f64 = 0.025;
/// How little is known of the velocity then: σ, rad/s and m/s.
const LOST_RATE: (f64, f64) = (1.0, 0.3);

impl Filter {
    /// The base a time `dt` later, for all that is known.
    pub(crate) fn ahead(&self, dt: f64) -> Isometry3<f64> {
        let state = &self.state;
        let turned = filters_lib::so3::exp(&(state.angular * dt)) * state.pose.rotation;
        let mut place = state.pose.translation.vector + state.linear * dt;
        if let Some(acceleration) = self.acceleration() {
            place += acceleration * (dt * dt / 2.0);
        }
        Isometry3::from_parts(place.into(), turned)
    }

    /// Whether a foot that is seen so at the filter's time and so `dt` later, from where the base is expected then, stayed
    /// where it is within what the joints and the velocity are uncertain by.
    pub(crate) fn is_still(&self, now: &Seen, later: &Seen, ahead: &Isometry3<f64>, dt: f64) -> bool {
        let turn = self.state.turn();
        let turn_later = ahead.rotation.to_rotation_matrix().into_inner();
        let arm = turn_later * later.place;
        let shift = ahead.translation.vector + arm - (self.state.pose.translation.vector + turn * now.place);
        let turned = turn_later * later.axes * (turn * now.axes).transpose();
        // The body's error after dt, seen at the foot: dt·(ρω, ρv + ρω × arm).
        let mut rate = *self.covariance.at(RATE, RATE);
        let [spin, push] = self.unforeseen();
        add(&mut rate, &diagonal(spin * dt / 3.0, push * dt / 3.0));
        let mut s = carried(&rate, &arm);
        s.as_flattened_mut().iter_mut().for_each(|entry| *entry *= dt * dt);
        add(&mut s, &self.noise.slipped(dt, &self.plane.up));
        add(&mut s, &now.noise);
        add(&mut s, &later.noise);
        distance(&s, &later.held(&turned, &shift)).is_some_and(|(_, far)| far <= later.gate())
    }

    /// Counts how long no foot has stood although some may; then the body was pushed, and its velocity is unknown.
    pub(crate) fn witness(&mut self, some_may: bool, some_stand: bool, dt: f64) {
        self.unwitnessed =
            if some_may && !some_stand { self.unwitnessed + dt.min(PATIENCE_PER_SAMPLE) } else { 0.0 };
        if self.unwitnessed > PATIENCE {
            let (turn, speed) = LOST_RATE;
            self.covariance.add(RATE, &diagonal(turn * turn, speed * speed));
            self.unwitnessed = 0.0;
            self.settled_for = 0.0;
        }
    }
}

/// G·P·Gᵀ with G = (1, 0; −arm×, 1): of a velocity, taken at the end of an arm.
fn carried(rate: &super::Block, arm: &Vector3<f64>) -> super::Block {
    let mut rows = *rate;
    for column in &mut rows {
        let moved = Vector3::new(column[0], column[1], column[2]).cross(arm);
        (0..3).for_each(|i| column[3 + i] += moved[i]);
    }
    let mut all = rows;
    for row in 0..6 {
        let moved = Vector3::new(rows[0][row], rows[1][row], rows[2][row]).cross(arm);
        (0..3).for_each(|i| all[3 + i][row] += moved[i]);
    }
    all
}

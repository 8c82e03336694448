//! `method: filter`: the cycle with the Kalman filter.

use nalgebra::{Isometry3, Unit, Vector3};
use robot_model_lib::ContactKind;

use super::motion::LONGEST_STEP;
use super::{Footings, Odometry, Posture};
use crate::Body;
use crate::estimate::{Method, Warning};
use crate::filter::{Known, Plane, Seen, leg_noise};

/// Time between corrections, s. Joints come in steps, and their errors in neighbouring samples are one error: a sample that
/// is nearer than this to the last one brings no more information, so none is taken from it, whatever the rate.
const CORRECTION_PERIOD: f64 = 0.01;
/// Share of it that may be missing: stamps jitter.
const JITTER: f64 = 0.1;

impl Odometry {
    pub(super) fn filter_cycle(
        &mut self,
        posture: &Posture<'_>,
        supports: Option<&Footings>,
        given: Option<&Body>,
        dt: f64,
    ) {
        self.estimate.stamp = posture.stamp;
        self.pause += dt;
        self.rest.watch(posture.q, dt);
        self.sense();
        let is_due = self.pause >= CORRECTION_PERIOD * (1.0 - JITTER) || self.have_changed(supports);
        if !is_due && self.is_filtering && given.is_none() {
            self.look();
            self.tell_pose();
            // A body that was given is so for one message.
            if matches!(self.estimate.method, Method::Told | Method::Start) {
                self.estimate.method = Method::Filtered;
            }
            return;
        }
        self.step_on(supports);
        let is_held = std::mem::replace(&mut self.is_searched, supports.is_none());
        let pause = std::mem::take(&mut self.pause);
        self.filtered = posture.stamp;
        if let Some(body) = given {
            self.count_flight(pause);
            self.apply_external(body);
        } else if !self.grounded || !self.is_filtering {
            self.begin_filter();
        } else if pause > LONGEST_STEP {
            self.filter.lose_sight(pause);
            self.estimate.method = Method::Integrated;
            self.join_all();
            self.count_flight(LONGEST_STEP);
        } else {
            self.use_held(pause, is_held && supports.is_none());
            self.count_flight(pause);
        }
        self.tell();
    }

    /// What an inertial sensor says of the time since the filter's own.
    fn sense(&mut self) {
        if self.is_filtering && self.pause <= LONGEST_STEP {
            let increment = self.inertial.between(self.filtered, self.estimate.stamp);
            self.filter.sense(increment.as_ref());
        }
    }

    /// The sample before this one, now that this one shows which feet stayed where they were; then on to this one.
    fn use_held(&mut self, pause: f64, is_searched: bool) {
        if self.rest.is_resting() {
            self.filter.rest();
        }
        let ahead = self.filter.ahead(pause);
        self.see_feet(&ahead);
        let (mut may, mut still) = (0_u32, 0_u32);
        for (number, (held, later)) in self.held.iter().zip(&self.seen).enumerate() {
            let Some(held) = held else { continue };
            let stands = match later {
                Some(later) => self.filter.is_still(held, later, &ahead, pause),
                // A given foot was down until then; a searched one may have been on its way.
                None => !is_searched,
            };
            may |= 1 << number;
            still |= u32::from(stands) << number;
        }
        let is_in = |number: usize, set: u32| set >> number & 1 == 1;
        for number in 0..self.held.len() {
            if !is_in(number, still)
                || self.estimate.legs[number].anchor.is_none() && self.seen[number].is_some()
            {
                self.filter.leave(number);
            }
        }
        // A foot that has just come to stand may have landed since the sample before: where it is now is where it stands.
        let settled = self.filter.settled();
        self.filter.correct(still & settled, &self.held);
        for (number, held) in
            self.held.iter().enumerate().filter(|(number, _)| is_in(*number, still & !settled))
        {
            if let Some(held) = held {
                let was_still = self.filter.state.feet[number].is_in_state;
                self.filter.leave(number);
                self.filter.join(number, held, was_still || !is_searched);
            }
        }
        self.filter.witness(may != 0, still != 0, pause);
        if self.aloft <= self.flight_time {
            self.filter.coast(pause);
        }
        self.estimate.method = if still != 0 { Method::Filtered } else { Method::Integrated };
        std::mem::swap(&mut self.held, &mut self.seen);
    }

    /// Whether other legs are given than before: the moment at which feet change is one to be exact about.
    fn have_changed(&self, supports: Option<&Footings>) -> bool {
        let contact = |footing: Option<crate::Footing>| footing.map(|footing| footing.contact);
        supports.is_some_and(|supports| {
            self.estimate
                .legs
                .iter()
                .zip(supports)
                .any(|(leg, given)| contact(leg.footing) != contact(*given))
        })
    }

    fn count_flight(&mut self, pause: f64) {
        let was_aloft = self.aloft > self.flight_time;
        self.aloft = if self.estimate.contacts() > 0 { 0.0 } else { self.aloft + pause };
        if self.aloft > self.flight_time {
            self.filter.halt(!was_aloft);
        }
    }

    /// The feet as the joints show them, seen from a pose of the base.
    fn see_feet(&mut self, pose: &Isometry3<f64>) {
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        for (number, (leg, default)) in self.estimate.legs.iter().zip(&self.default_contacts).enumerate() {
            self.seen[number] = leg.footing.map(|footing| {
                let contact = &self.contacts[footing.contact];
                let is_flat = contact.kind == ContactKind::Flat;
                let lever = if footing.contact == *default {
                    Vector3::zeros()
                } else {
                    self.kinematics.lever(leg.chain, contact)
                };
                let columns = self.kinematics.jacobian_columns(leg.chain);
                let joint = self.filter.noise.joint / footing.weight.sqrt();
                Seen {
                    place: leg.pose.centre.coords,
                    axes: self.kinematics.contact_frame(leg.chain).rotation.into_inner(),
                    normal: contact.normal.into_inner(),
                    noise: leg_noise(columns, &lever, &turn, joint, is_flat),
                    is_flat,
                }
            });
        }
    }

    /// All feet that may stand do, where they are.
    fn join_all(&mut self) {
        let pose = self.filter.state.pose;
        self.see_feet(&pose);
        for (number, seen) in self.seen.iter().enumerate() {
            if let Some(seen) = seen {
                self.filter.join(number, seen, true);
            }
        }
        std::mem::swap(&mut self.held, &mut self.seen);
    }

    fn begin_filter(&mut self) {
        if self.grounded {
            // Somebody has said where the body is.
            self.filter.start(&self.estimate.pose, false);
            self.estimate.method = Method::Told;
        } else {
            self.start();
            let is_level = !self.start_at_identity && self.ground != Known::None;
            self.filter.start(&self.estimate.pose, is_level);
        }
        self.filter.plane = self.support_plane();
        self.is_filtering = self.grounded;
        self.join_all();
    }

    /// Replaces pose and velocity; the ground stays where it is below the body.
    fn apply_external(&mut self, body: &Body) {
        let plane = self.filter.plane.carried(&self.filter.state.pose, &body.pose);
        let was_filtering = self.is_filtering;
        self.obey(body);
        self.filter.relocate(&self.estimate.pose);
        if body.twist.is_some() {
            self.filter.set_twist(&self.estimate.twist);
        }
        self.filter.plane = if was_filtering { plane } else { self.support_plane() };
        self.is_filtering = true;
        self.join_all();
    }

    /// Puts the base somewhere between two cycles.
    pub(super) fn relocate_filter(&mut self, pose: &Isometry3<f64>) {
        self.filter.plane = self.filter.plane.carried(&self.filter.state.pose, pose);
        self.filter.relocate(pose);
        self.join_all();
    }

    /// The plane below the feet that stand; z = 0 when none does.
    fn support_plane(&self) -> Plane {
        let pose = &self.estimate.pose;
        let standing = || self.estimate.legs.iter().filter(|leg| leg.footing.is_some());
        let normal: Vector3<f64> = standing().map(|leg| leg.pose.normal.into_inner()).sum();
        let centre: Vector3<f64> = standing().map(|leg| leg.pose.centre.coords).sum();
        let plane = Plane { known: self.ground, ..Plane::default() };
        match self.plane_of_points().or_else(|| Unit::try_new(-normal, 1e-6)) {
            Some(up) => {
                let point = pose * nalgebra::Point3::from(centre / standing().count() as f64);
                Plane { point: point.coords, up: pose.rotation * up, ..plane }
            }
            None => plane,
        }
    }

    /// The pose at the time of the joints and its covariance: the filter's own, carried on.
    fn tell_pose(&mut self) {
        let ahead = if self.aloft > self.flight_time { 0.0 } else { self.pause };
        self.estimate.pose = self.filter.ahead(ahead);
        self.estimate.twist = self.filter.twist();
        self.estimate.pose_covariance = self.filter.pose_covariance(ahead);
        self.estimate.twist_covariance = self.filter.twist_covariance(ahead);
    }

    /// Fills the estimate from the filter.
    fn tell(&mut self) {
        self.tell_pose();
        for (leg, foot) in self.estimate.legs.iter_mut().zip(&self.filter.state.feet) {
            leg.moving = leg.footing.is_some() && !foot.is_in_state;
            leg.anchor = leg.footing.filter(|_| foot.is_in_state).map(|footing| {
                let contact = &self.contacts[footing.contact];
                let normal = match contact.kind {
                    ContactKind::Flat => Unit::new_unchecked(foot.axes * contact.normal.into_inner()),
                    ContactKind::Point => -self.filter.plane.up,
                };
                robot_model_lib::ContactPose { centre: foot.place.into(), normal }
            });
        }
        if self.estimate.contacts() >= 2 && self.estimate.legs.iter().all(|leg| leg.support() == 0.0) {
            self.estimate.warning = Some(Warning::AllMoving);
        }
    }
}

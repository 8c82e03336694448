//! `method: filter`: the cycle with the Kalman filter.

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use robot_model_lib::ContactKind;

use super::motion::LONGEST_STEP;
use super::{Footings, Odometry, Posture};
use crate::Body;
use crate::estimate::{Method, Warning};
use crate::filter::{Foot, Known, Plane, Seen, leg_noise};

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
        let is_due = self.is_due(dt) || self.have_changed(supports);
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
            if self.aloft > self.flight_time && self.estimate.contacts() >= 2 && self.ground != Known::None {
                self.land();
            }
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
        let (mut may, mut still, mut firm) = (0_u32, 0_u32, 0_u32);
        for (number, (held, later)) in self.held.iter().zip(&self.seen).enumerate() {
            let Some(held) = held else { continue };
            let (stands, is_firm) = match later {
                Some(later) => self.filter.is_still(number, held, later, &ahead, pause),
                // A given foot was down until then; a searched one may have been on its way.
                None => (!is_searched, false),
            };
            may |= 1 << number;
            still |= u32::from(stands) << number;
            firm |= u32::from(is_firm) << number;
        }
        let is_in = |number: usize, set: u32| set >> number & 1 == 1;
        let mut lifting = 0_u32;
        for (number, held) in self.held.iter().enumerate() {
            let is_other = self.estimate.legs[number].anchor.is_none() && self.seen[number].is_some();
            // One that moves later and was just in its place still tells where the body was then.
            let stood = held.as_ref().is_some_and(|held| self.filter.is_in_place(number, held));
            if !is_other && !is_in(number, still) && stood {
                lifting |= 1 << number;
            } else if is_other || !is_in(number, still) {
                self.filter.leave(number);
            }
        }
        // A foot that has just come to stand may have landed since the sample before: unless it is just where it was then, where
        // it is now is where it stands.
        self.filter.settle(firm);
        let settled = self.filter.settled();
        self.filter.correct((still | lifting) & settled, &self.held);
        (0..self.held.len())
            .filter(|&number| is_in(number, lifting))
            .for_each(|number| self.filter.leave(number));
        for (number, held) in
            self.held.iter().enumerate().filter(|(number, _)| is_in(*number, still & !settled))
        {
            if let Some(held) = held {
                let Foot { is_in_state: was_still, age, .. } = self.filter.state.feet[number];
                self.filter.leave(number);
                self.filter.join(number, held, was_still || !is_searched);
                self.filter.state.feet[number].age = age;
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
    pub(super) fn have_changed(&self, supports: Option<&Footings>) -> bool {
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

    /// After a flight nobody knows how the body leans nor how high it is: it stands on its ground again.
    fn land(&mut self) {
        let (plane, pose) = (self.filter.plane, self.filter.state.pose);
        let Some((up, centre)) = self.support() else { return };
        let Some(turn) = UnitQuaternion::rotation_between(&(pose.rotation * up), &plane.up) else { return };
        let rotation = turn * pose.rotation;
        let below = plane.point - pose.translation.vector - rotation * centre;
        let rise = plane.up.into_inner() * plane.up.dot(&below);
        self.filter.state.pose = Isometry3::from_parts((pose.translation.vector + rise).into(), rotation);
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
        let plane = Plane { known: self.ground, ..Plane::default() };
        let pose = &self.estimate.pose;
        self.support().map_or(plane, |(up, centre)| Plane {
            point: (pose * nalgebra::Point3::from(centre)).coords,
            up: pose.rotation * up,
            ..plane
        })
    }

    /// Upwards by the feet that stand, and their centre, in the base frame.
    fn support(&self) -> Option<(Unit<Vector3<f64>>, Vector3<f64>)> {
        let standing = || self.estimate.legs.iter().filter(|leg| leg.footing.is_some());
        let normal: Vector3<f64> = standing().map(|leg| leg.pose.normal.into_inner()).sum();
        let centre: Vector3<f64> = standing().map(|leg| leg.pose.centre.coords).sum();
        let up = self.plane_of_points().or_else(|| Unit::try_new(-normal, 1e-6))?;
        Some((up, centre / standing().count() as f64))
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

//! Steps 1 and 4: which legs stand, and the velocity at which their contacts stay where they are.

use nalgebra::{Unit, Vector3};
use robot_model_lib::{Contact, ContactKind, ContactPose};

use super::{Footings, Odometry};
use crate::estimate::{Footing, Warning};
use crate::params::Estimator;
use crate::search::MAX_LEGS;
use crate::velocity::{BodyVelocity, MovingContact, velocity};

/// A contact as it stands: a ball touches the ground from above whichever way its leg leans.
fn on_ground(own: ContactPose, contact: &Contact, down: Option<Unit<Vector3<f64>>>) -> ContactPose {
    match (contact.kind, down) {
        (ContactKind::Point, Some(normal)) => ContactPose { normal, ..own },
        _ => own,
    }
}

impl Odometry {
    /// Which legs stand, and on what.
    pub(super) fn step_on(&mut self, supports: Option<&Footings>) {
        let down = self.down();
        for (leg, default) in self.estimate.legs.iter_mut().zip(&self.default_contacts) {
            let own = self.kinematics.contact(leg.chain);
            leg.pose = on_ground(own, &self.contacts[*default], down);
        }
        let found = if supports.is_none() { self.searched() } else { [None; MAX_LEGS] };
        let footings = supports.unwrap_or(&found);
        for ((leg, footing), default) in
            self.estimate.legs.iter_mut().zip(footings).zip(&self.default_contacts)
        {
            let moved = |(a, b): (Footing, &Footing)| a.contact != b.contact;
            if footing.is_none() || leg.footing.zip(footing.as_ref()).is_some_and(moved) {
                leg.anchor = None;
            }
            leg.footing = *footing;
            if let Some(footing) = footing.filter(|footing| footing.contact != *default) {
                let contact = &self.contacts[footing.contact];
                leg.pose = on_ground(self.kinematics.contact_of(leg.chain, contact), contact, down);
            }
        }
        self.estimate.warning = match self.estimate.contacts() {
            0 if supports.is_none() => Some(Warning::Undetermined),
            0 | 1 => Some(Warning::TooFew),
            _ => None,
        };
    }

    /// Where the legs are, standing on what they stood on.
    pub(super) fn look(&mut self) {
        let down = self.down();
        for (leg, default) in self.estimate.legs.iter_mut().zip(&self.default_contacts) {
            let at = leg.footing.map_or(*default, |footing| footing.contact);
            let contact = &self.contacts[at];
            let own = if at == *default {
                self.kinematics.contact(leg.chain)
            } else {
                self.kinematics.contact_of(leg.chain, contact)
            };
            leg.pose = on_ground(own, contact, down);
        }
    }

    /// Where the ground's inside is, in the base frame, by the filter; before it knows, and after a flight, the base is taken as
    /// level. The fit takes every contact's own normal, as seed 003 has it.
    fn down(&self) -> Option<Unit<Vector3<f64>>> {
        match self.estimator {
            Estimator::Fit => None,
            Estimator::Filter if self.is_filtering && self.aloft <= self.flight_time => {
                Some(self.estimate.pose.rotation.inverse() * -self.filter.plane.up)
            }
            Estimator::Filter => Some(-Vector3::z_axis()),
        }
    }

    fn searched(&mut self) -> Footings {
        self.hooves.clear();
        self.hooves.extend(self.estimate.legs.iter().map(|leg| leg.pose));
        let set = self.search.contacts(&self.hooves, &self.tolerances).unwrap_or(0);
        let mut found = [None; MAX_LEGS];
        for (number, (footing, &contact)) in found.iter_mut().zip(&self.default_contacts).enumerate() {
            *footing = (set >> number & 1 == 1).then_some(Footing { contact, weight: 1.0 });
        }
        found
    }

    /// The velocity at which no contact moves.
    pub(super) fn velocity(&mut self, qd: &[f64]) -> Option<BodyVelocity> {
        self.moving.clear();
        for (number, (leg, default)) in self.estimate.legs.iter().zip(&self.default_contacts).enumerate() {
            let Some(footing) = leg.footing else { continue };
            let mut twist = self.kinematics.contact_twist(leg.chain, qd);
            if footing.contact != *default {
                twist = twist.carried(&self.kinematics.lever(leg.chain, &self.contacts[footing.contact]));
            }
            let weight = footing.weight * self.trust.weight(number);
            self.moving.push(MovingContact { pose: leg.pose, twist, weight });
        }
        velocity(&self.moving)
    }
}

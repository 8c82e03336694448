//! Steps 1 and 4: which legs stand, and the velocity at which their contacts stay where they are.

use super::{Footings, Odometry};
use crate::estimate::{Footing, Warning};
use crate::search::MAX_LEGS;
use crate::velocity::{BodyVelocity, MovingContact, velocity};

impl Odometry {
    /// Which legs stand, and on what.
    pub(super) fn step_on(&mut self, supports: Option<&Footings>) {
        for leg in &mut self.estimate.legs {
            leg.pose = self.kinematics.contact(leg.chain);
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
                leg.pose = self.kinematics.contact_of(leg.chain, &self.contacts[footing.contact]);
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
        for (leg, default) in self.estimate.legs.iter_mut().zip(&self.default_contacts) {
            leg.pose = match leg.footing {
                Some(footing) if footing.contact != *default => {
                    self.kinematics.contact_of(leg.chain, &self.contacts[footing.contact])
                }
                _ => self.kinematics.contact(leg.chain),
            };
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

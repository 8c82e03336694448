//! The filter is one sample behind: a sample is used when the next one has shown which feet stood.

use nalgebra::{Isometry3, Unit};
use robot_model_lib::ContactPose;

use super::Odometry;
use crate::estimate::Method;
use crate::filter::Seen;
use crate::fit::{Pair, fit};

impl Odometry {
    /// The sample before this one, now that this one shows which feet stayed where they were; then on to this one.
    pub(super) fn use_held(&mut self, pause: f64, is_searched: bool) {
        let ahead = self.filter.ahead(pause);
        self.see_feet(&ahead);
        let (may, still) = self.still_feet(&ahead, pause, is_searched);
        for number in 0..self.held.len() {
            if !is_in(number, still)
                || self.estimate.legs[number].anchor.is_none() && self.seen[number].is_some()
            {
                self.filter.leave(number);
            }
        }
        let standing = self.filter.standing();
        self.filter.correct(still & standing, &self.held);
        for (number, held) in self.held.iter().enumerate() {
            if let Some(held) = held.as_ref().filter(|_| is_in(number, still & !standing)) {
                self.filter.join(number, held);
            }
        }
        self.filter.witness(may != 0, still != 0, pause);
        if self.aloft <= self.flight_time {
            self.filter.coast(pause);
        }
        self.estimate.method = if still != 0 { Method::Filtered } else { Method::Integrated };
        std::mem::swap(&mut self.held, &mut self.seen);
    }

    /// Which feet of the held sample may stand, and which of them stayed where they were until this one.
    fn still_feet(&mut self, ahead: &Isometry3<f64>, pause: f64, is_searched: bool) -> (u32, u32) {
        let (mut may, mut still) = (0_u32, 0_u32);
        for (number, (held, later)) in self.held.iter().zip(&self.seen).enumerate() {
            let Some(held) = held else { continue };
            let stands = match later {
                Some(later) => self.filter.is_still(held, later, ahead, pause),
                // A given foot was down until then; a searched one may have been on its way.
                None => !is_searched,
            };
            may |= 1 << number;
            still |= u32::from(stands) << number;
        }
        // Inertia leaves much room, and most of it while feet change. Feet that stood already show the body's way better.
        let known = still & self.filter.standing();
        if let Some(shown) = self.shown_by(known) {
            for (number, (held, later)) in self.held.iter().zip(&self.seen).enumerate() {
                if let (Some(held), Some(later), true) = (held, later, is_in(number, still & !known))
                    && !self.filter.is_still_beside(held, later, &shown, pause)
                {
                    still &= !(1 << number);
                }
            }
        }
        (may, still)
    }

    /// The base at this sample if the feet of the set have not moved since the held one. None when they are too few.
    fn shown_by(&mut self, feet: u32) -> Option<Isometry3<f64>> {
        let pose = self.filter.state.pose;
        self.pairs.clear();
        for (number, (held, later)) in self.held.iter().zip(&self.seen).enumerate() {
            if let (Some(held), Some(later), true) = (held, later, is_in(number, feet)) {
                let seen = contact(later);
                let now = contact(held);
                let anchor = ContactPose { centre: pose * now.centre, normal: pose.rotation * now.normal };
                self.pairs.push(Pair { seen, anchor, weight: 1.0 });
            }
        }
        if self.pairs.len() < 2 { None } else { fit(&self.pairs).map(|fitted| fitted.pose) }
    }
}

fn contact(seen: &Seen) -> ContactPose {
    ContactPose { centre: seen.place.into(), normal: Unit::new_unchecked(seen.axes * seen.normal) }
}

fn is_in(number: usize, set: u32) -> bool {
    set >> number & 1 == 1
}

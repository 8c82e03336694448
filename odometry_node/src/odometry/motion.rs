//! Step 3: where the body has come to.

use filters_lib::{BodyTwist, signal::Manifold as _};

use super::Odometry;
use crate::Body;
use crate::covariance::PoseCovariance;
use crate::estimate::{Method, Warning};
use crate::fit::{Fit, Pair, fit};
use crate::velocity::Stance;

/// A gap between joints, s, that a velocity can bridge: what the body did in a longer one nobody has seen.
pub(super) const LONGEST_STEP: f64 = 1.0;

impl Odometry {
    /// The pose from the contacts that were kept, or else from the velocity.
    pub(super) fn move_body(&mut self, mean: &BodyTwist, dt: f64, stance: Option<&Stance>) {
        let before = self.estimate.pose;
        self.pairs.clear();
        for (number, leg) in self.estimate.legs.iter().enumerate() {
            if let (Some(footing), Some(anchor)) = (leg.footing, leg.anchor) {
                let weight = footing.weight * self.trust.weight(number);
                self.pairs.push(Pair { seen: leg.pose, anchor, weight });
            }
        }
        let fitted = if self.pairs.len() >= 2 { fit(&self.pairs) } else { None };
        match fitted {
            Some(fitted) => self.stand(&fitted, dt, stance),
            None => self.coast(mean, dt),
        }
        self.trust.went(&before, &self.estimate.pose, dt);
    }

    fn stand(&mut self, fitted: &Fit, dt: f64, stance: Option<&Stance>) {
        self.estimate.pose = fitted.pose;
        self.estimate.method = Method::Fitted;
        self.estimate.residual = fitted.variance.sqrt();
        self.let_go(dt);
        let steps = self.estimate.legs.iter().any(|leg| leg.footing.is_some() && leg.anchor.is_none());
        self.covariance.fitted(stance, fitted.variance, &fitted.pose.rotation, steps);
    }

    /// A hoof that moves over the ground does not stand: it is anchored anew until it does.
    fn let_go(&mut self, dt: f64) {
        let pose = self.estimate.pose;
        for (number, leg) in self.estimate.legs.iter_mut().enumerate() {
            leg.moving = leg.footing.is_some() && self.trust.lost(number, &(pose * leg.pose.centre), dt);
            if leg.moving {
                leg.anchor = None;
            }
        }
    }

    fn coast(&mut self, mean: &BodyTwist, dt: f64) {
        if self.pairs.len() >= 2 {
            self.estimate.warning = Some(Warning::Degenerate);
        }
        let is_aloft = self.estimate.contacts() == 0;
        let dt = dt.min(if is_aloft { self.flight_time } else { LONGEST_STEP });
        self.estimate.method = Method::Integrated;
        self.estimate.pose.advance(dt, mean);
        if let [pair] = self.pairs.as_slice() {
            // The one contact that is left does not slide while the velocity turns the body about it.
            let slide = pair.anchor.centre - self.estimate.pose * pair.seen.centre;
            self.estimate.pose.translation.vector += slide;
        }
        self.covariance.integrated(&self.estimate.twist_covariance, dt, &self.estimate.pose.rotation);
        // Anchors of before the gap would make the body jump when it has two contacts again.
        self.lift_all();
        self.let_go(dt);
    }

    /// Told from outside: everything is anchored anew.
    pub(super) fn obey(&mut self, body: &Body) {
        self.estimate.pose = body.pose;
        self.estimate.method = Method::Told;
        if let Some(twist) = body.twist {
            self.estimate.twist = twist.in_body(&body.pose.rotation);
        }
        self.covariance = PoseCovariance::new();
        self.grounded = true;
        self.lift_all();
    }
}

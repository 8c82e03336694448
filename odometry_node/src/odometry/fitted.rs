//! `method: fit`: seed 003's steps, at a pace that does not depend on that of the messages.

use filters_lib::{BodyTwist, signal::Manifold as _};
use nalgebra::{Isometry3, Matrix3, Matrix6, Vector3};

use super::{Footings, Odometry, Posture};
use crate::Body;
use crate::covariance::{self, FitError};
use crate::estimate::{Leg, Method};
use crate::filter::{leg_noise, quarter};
use crate::fit::{Fit, fit};

impl Odometry {
    /// A cycle. Between samples that are used, feet, anchors and weights stay what they are, and only the pose is fitted: how fast a
    /// foot moves shows over a time in which it moves farther than its joints are uncertain by.
    pub(super) fn fit_cycle(
        &mut self,
        posture: &Posture<'_>,
        supports: Option<&Footings>,
        told: Option<&Body>,
        dt: f64,
    ) {
        self.estimate.stamp = posture.stamp;
        self.pause += dt;
        let is_paced = self.is_due(dt);
        if self.grounded && self.running && told.is_none() && !is_paced && !self.have_changed(supports) {
            self.look();
            self.pair_up();
            self.estimate.pose = fit(&self.pairs).map_or_else(|| self.ahead(), |fitted| fitted.pose);
            if matches!(self.estimate.method, Method::Told | Method::Start) {
                self.estimate.method = Method::Fitted;
            }
            return;
        }
        let dt = std::mem::take(&mut self.pause);
        self.estimate.pose = self.footed;
        self.step_on(supports);
        for (number, leg) in self.estimate.legs.iter().enumerate() {
            let place = |column: &[f64; 6]| column[..3].iter().map(|x| x * x).sum::<f64>();
            let squares: f64 = self.kinematics.jacobian_columns(leg.chain).iter().map(place).sum();
            self.trust.noise[number] = self.filter.noise.joint * (squares / 3.0).sqrt();
        }
        self.trust.weigh(&self.estimate.pose, &self.estimate.legs, dt);
        let before = self.estimate.twist;
        if is_paced || !self.running {
            self.find_velocity(posture, before, dt);
        }
        self.estimate.residual = 0.0;
        if let Some(body) = told {
            self.obey(body);
        } else if !self.grounded {
            self.start();
        } else {
            let mean = if posture.mean_rates {
                self.estimate.twist
            } else {
                BodyTwist((before.0 + self.estimate.twist.0) * 0.5)
            };
            self.move_body(&mean, dt);
        }
        self.set_anchors();
        self.estimate.pose_covariance = self.covariance.total(&self.estimate.pose.translation.vector);
        self.footed = self.estimate.pose;
    }

    /// Step 4. Velocities that are differences of positions are taken over the time between samples that are used.
    fn find_velocity(&mut self, posture: &Posture<'_>, before: BodyTwist, dt: f64) {
        let is_mean = posture.mean_rates && self.running && dt > 0.0;
        for (at, rate) in self.rates.iter_mut().enumerate() {
            *rate = if is_mean { (posture.q[at] - self.used[at]) / dt } else { posture.qd[at] };
        }
        self.used.copy_from_slice(posture.q);
        let rate = self.velocity();
        self.aloft = if self.estimate.contacts() > 0 { 0.0 } else { self.aloft + dt };
        self.estimate.twist = match &rate {
            Some(rate) => rate.twist,
            None if self.running && self.aloft <= self.flight_time => before,
            None => BodyTwist::default(),
        };
        let variance = rate.as_ref().and_then(|rate| rate.variance);
        self.estimate.twist_covariance =
            covariance::of_velocity(rate.as_ref().map(|rate| &rate.stance), variance);
    }

    /// The pose when the body went on as it went.
    fn ahead(&self) -> Isometry3<f64> {
        let mut pose = self.footed;
        pose.advance(self.pause, &self.estimate.twist);
        pose
    }

    /// What joints and slips do to a fitted pose, as the least squares pass it on. About the feet's weighted mean, with arms r, noise n of
    /// places and θ of normals across m: δc = Σw·n/Σw and φ = J⁻¹·Σw·(r × n + L²·(1 − m·mᵀ)·θ).
    pub(super) fn fit_error(&self, fitted: &Fit) -> FitError {
        let turn = fitted.pose.rotation.to_rotation_matrix().into_inner();
        let used = || {
            let legs = self.estimate.legs.iter().enumerate().filter(|(_, leg)| leg.anchor.is_some());
            legs.filter_map(|(number, leg)| {
                let footing = leg.footing?;
                Some((number, leg, footing, footing.weight * self.trust.weight(number)))
            })
        };
        let total: f64 = used().map(|(.., weight)| weight).sum();
        let centre: Vector3<f64> = used().map(|(_, leg, _, w)| leg.pose.centre.coords * (w / total)).sum();
        let across =
            |normal: Vector3<f64>| (Matrix3::identity() - normal * normal.transpose()) * fitted.spread;
        let parts = |leg: &Leg| {
            let arm = (turn * (leg.pose.centre.coords - centre)).cross_matrix();
            (arm, across(turn * leg.pose.normal.into_inner()))
        };
        let firmness = used().fold(Matrix3::zeros(), |sum, (_, leg, _, weight)| {
            let (arm, across) = parts(leg);
            sum + (across - arm * arm) * weight
        });
        let inverse = firmness.try_inverse().unwrap_or_else(Matrix3::zeros);
        let centre = (turn * centre).cross_matrix();
        let (mut joints, mut slip) = (Passed::default(), Passed::default());
        let mut expected = 0.0;
        for (number, leg, footing, weight) in used() {
            let lever = if footing.contact == self.default_contacts[number] {
                Vector3::zeros()
            } else {
                self.kinematics.lever(leg.chain, &self.contacts[footing.contact])
            };
            let columns = self.kinematics.jacobian_columns(leg.chain);
            let noise = leg_noise(columns, &lever, &turn, self.filter.noise.joint, true);
            let (arm, across) = parts(leg);
            let gains = (weight / total, inverse * arm * weight, inverse * across * weight);
            joints.add(gains, &quarter(&noise, 3, 3), &quarter(&noise, 3, 0), &quarter(&noise, 0, 0));
            let slipped = Matrix3::identity() * self.filter.noise.slip.powi(2);
            slip.add(gains, &slipped, &Matrix3::zeros(), &Matrix3::zeros());
            expected += weight * quarter(&noise, 3, 3).trace() / 3.0;
        }
        // A foot's anchor and its place now err alike.
        let unexplained = fitted.variance * total / (2.0 * expected);
        FitError { joints: joints.at_base(&centre), slip: slip.at_base(&centre), unexplained, renewed: 0.0 }
    }
}

/// Covariance of (δc, φ), foot by foot. In blocks of three: nalgebra takes memory for larger products.
#[derive(Debug, Default)]
struct Passed {
    place: Matrix3<f64>,
    mixed: Matrix3<f64>,
    turn: Matrix3<f64>,
}

impl Passed {
    /// A foot: what it counts for δc, and for φ by its place and its normal; covariance of its place, of place and orientation, and of that.
    fn add(
        &mut self,
        (mean, by_place, by_normal): (f64, Matrix3<f64>, Matrix3<f64>),
        place: &Matrix3<f64>,
        mixed: &Matrix3<f64>,
        turn: &Matrix3<f64>,
    ) {
        let with_place = place * by_place.transpose() + mixed * by_normal.transpose();
        let with_turn = mixed.transpose() * by_place.transpose() + turn * by_normal.transpose();
        self.place += place * (mean * mean);
        self.mixed += with_place * mean;
        self.turn += by_place * with_place + by_normal * with_turn;
    }

    /// Of (place, orientation) at the base, from which the centre is reached by an arm: δp = δc + arm × φ.
    fn at_base(&self, arm: &Matrix3<f64>) -> Matrix6<f64> {
        let mixed = self.mixed + arm * self.turn;
        let place = self.place + arm * self.mixed.transpose() + mixed * arm.transpose();
        covariance::blocks(&place, &mixed, &self.turn)
    }
}

//! The core: body motion from joint motion, cycle by cycle.

use filters_lib::{Manifold, Twist};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};
use robot_model_lib::{ContactPose, Kinematics, RobotModel};

use crate::covariance::{self, PoseCovariance};
use crate::estimate::{Estimate, Footing, Leg, Method, Warning};
use crate::fit::{Pair, fit};
use crate::search::{MAX_LEGS, Search, Tolerances};
use crate::velocity::{BodyVelocity, MovingContact, velocity};
use crate::{OdometryParams, Refused};

/// What each leg stands on; None in the air.
pub type Footings = [Option<Footing>; MAX_LEGS];

/// The joints of a cycle, in the model's sorted order.
#[derive(Debug, Clone, Copy)]
pub struct Posture<'a> {
    /// Time, ns.
    pub stamp: i64,
    /// Positions, rad or m.
    pub q: &'a [f64],
    /// Velocities, rad/s or m/s.
    pub qd: &'a [f64],
    /// Whether the velocities are means since the last cycle, not those of this moment.
    pub mean_rates: bool,
}

/// A body's motion as somebody else knows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// The base in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the base's origin in world axes; None when it is not told.
    pub twist: Option<Twist>,
}

/// Odometry of a robot on legs. One [`Odometry::update`] per cycle; it allocates nothing.
#[derive(Debug, Clone)]
pub struct Odometry {
    kinematics: Kinematics,
    contacts: Vec<robot_model_lib::Contact>,
    default_contacts: Vec<usize>,
    search: Search,
    tolerances: Tolerances,
    flight_time: f64,
    settle_speed: f64,
    /// Where each contact was in the world a cycle ago.
    last_places: [Point3<f64>; MAX_LEGS],
    ground_z_zero: bool,
    start_at_identity: bool,
    covariance: PoseCovariance,
    estimate: Estimate,
    /// Whether a cycle has been seen since the start.
    running: bool,
    /// Whether the pose stands on the ground already, or was told.
    grounded: bool,
    /// Time without a contact, s.
    aloft: f64,
}

impl Odometry {
    /// For a robot whose legs are the chains with a default contact.
    pub fn new(model: &RobotModel, params: &OdometryParams) -> Result<Self, Refused> {
        let chains = model.chains().iter().enumerate();
        let legs: Vec<_> =
            chains.filter_map(|(chain, c)| c.default_contact.map(|contact| (chain, contact))).collect();
        if legs.is_empty() || legs.len() > MAX_LEGS {
            return Err(Refused::Legs { legs: legs.len(), most: MAX_LEGS });
        }
        let kinematics = Kinematics::of_contacts(model);
        let leg = |&(chain, _): &(usize, usize)| Leg {
            chain,
            pose: kinematics.contact(chain),
            footing: None,
            anchor: None,
            settled: false,
        };
        let estimate = Estimate {
            stamp: 0,
            pose: Isometry3::identity(),
            twist: Twist::default(),
            method: Method::Start,
            warning: None,
            legs: legs.iter().map(leg).collect(),
            residual: 0.0,
            pose_covariance: PoseCovariance::new().total(),
            twist_covariance: covariance::of_velocity(None, None),
        };
        let mut odometry = Self {
            contacts: model.contacts().to_vec(),
            default_contacts: legs.iter().map(|&(_, contact)| contact).collect(),
            search: Search::new(legs.len()),
            tolerances: Tolerances { position: 0.0, angle: 0.0 },
            flight_time: 0.0,
            settle_speed: 0.0,
            last_places: [Point3::origin(); MAX_LEGS],
            ground_z_zero: false,
            start_at_identity: false,
            covariance: PoseCovariance::new(),
            kinematics,
            estimate,
            running: false,
            grounded: false,
            aloft: 0.0,
        };
        odometry.set_params(params);
        Ok(odometry)
    }

    /// Takes changed parameters, from the next cycle on.
    pub fn set_params(&mut self, params: &OdometryParams) {
        self.tolerances = Tolerances { position: params.position_tolerance, angle: params.angle_tolerance };
        self.flight_time = params.flight_time;
        self.settle_speed = params.settle_speed;
        self.ground_z_zero = params.ground_z_zero;
        self.start_at_identity = params.start_at_identity;
    }

    /// Begins anew with the next cycle, at the start pose.
    pub fn reset(&mut self) {
        self.running = false;
        self.grounded = false;
        self.lift_all();
    }

    /// Puts the base somewhere; the hooves are anchored where they are then.
    pub fn set_pose(&mut self, pose: Isometry3<f64>) {
        self.estimate.pose = pose;
        self.grounded = true;
        self.covariance = PoseCovariance::new();
        self.lift_all();
        if self.running {
            self.set_anchors();
        }
    }

    /// The last estimate.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// One cycle. Supports are searched for when none are given; a told body replaces pose and velocity.
    ///
    /// # Panics
    /// When the posture has not one position and velocity per joint of the model.
    pub fn update(
        &mut self,
        posture: &Posture<'_>,
        supports: Option<&Footings>,
        told: Option<&Body>,
    ) -> &Estimate {
        let since = (posture.stamp - self.estimate.stamp) as f64 * 1e-9;
        let dt = if self.running { since.max(0.0) } else { 0.0 };
        self.kinematics.update(posture.q);
        self.step_on(supports);
        let before = self.estimate.twist;
        let rate = self.velocity(posture.qd);
        self.aloft = if self.estimate.contacts() > 0 { 0.0 } else { self.aloft + dt };
        self.estimate.twist = match &rate {
            Some(rate) => rate.twist,
            None if self.running && self.aloft <= self.flight_time => before,
            None => Twist::default(),
        };
        let stance = rate.as_ref().map(|rate| &rate.stance);
        self.estimate.twist_covariance =
            covariance::of_velocity(stance, rate.as_ref().and_then(|r| r.variance));

        self.estimate.stamp = posture.stamp;
        self.estimate.residual = 0.0;
        if let Some(body) = told {
            self.obey(body);
        } else if !self.grounded {
            self.start();
        } else {
            let mean = if posture.mean_rates {
                self.estimate.twist
            } else {
                Twist((before.0 + self.estimate.twist.0) * 0.5)
            };
            self.move_body(&mean, dt, rate.as_ref());
        }
        self.settle(dt);
        self.set_anchors();
        self.estimate.pose_covariance = self.covariance.total();
        self.running = true;
        &self.estimate
    }

    /// Step 1: which legs stand, and on what.
    fn step_on(&mut self, supports: Option<&Footings>) {
        let legs = self.estimate.legs.len();
        let mut hooves = [ContactPose { centre: Point3::origin(), normal: Vector3::z_axis() }; MAX_LEGS];
        for (hoof, leg) in hooves.iter_mut().zip(&mut self.estimate.legs) {
            leg.pose = self.kinematics.contact(leg.chain);
            *hoof = leg.pose;
        }
        let mut found = [None; MAX_LEGS];
        let footings = supports.unwrap_or_else(|| {
            let down = |(number, leg): (usize, &Leg)| u32::from(leg.footing.is_some()) << number;
            let likely = self.estimate.legs.iter().enumerate().map(down).sum();
            let set = self.search.contacts(&hooves[..legs], &self.tolerances, likely).unwrap_or(0);
            for (number, (footing, &contact)) in found.iter_mut().zip(&self.default_contacts).enumerate() {
                *footing = (set >> number & 1 == 1).then_some(Footing { contact, weight: 1.0 });
            }
            &found
        });
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

    /// Step 4: the velocity at which no contact moves.
    fn velocity(&self, qd: &[f64]) -> Option<BodyVelocity> {
        let nothing = MovingContact {
            pose: ContactPose { centre: Point3::origin(), normal: Vector3::z_axis() },
            twist: robot_model_lib::Twist { linear: Vector3::zeros(), angular: Vector3::zeros() },
            weight: 0.0,
        };
        let mut moving = [nothing; MAX_LEGS];
        let mut count = 0;
        for (leg, default) in self.estimate.legs.iter().zip(&self.default_contacts) {
            let Some(footing) = leg.footing else { continue };
            let mut twist = self.kinematics.contact_twist(leg.chain, qd);
            if footing.contact != *default {
                twist = twist.carried(&self.kinematics.lever(leg.chain, &self.contacts[footing.contact]));
            }
            moving[count] = MovingContact { pose: leg.pose, twist, weight: footing.weight };
            count += 1;
        }
        velocity(&moving[..count])
    }

    /// Step 3: the pose from the contacts that were kept, or else from the velocity.
    fn move_body(&mut self, mean: &Twist, dt: f64, rate: Option<&BodyVelocity>) {
        let nowhere = ContactPose { centre: Point3::origin(), normal: Vector3::z_axis() };
        let mut pairs = [Pair { seen: nowhere, anchor: nowhere, weight: 0.0 }; MAX_LEGS];
        let mut kept = 0;
        // While two hooves have settled, those that have not only follow.
        let settled = |leg: &&Leg| leg.settled && leg.footing.is_some() && leg.anchor.is_some();
        let choosy = self.estimate.legs.iter().filter(settled).count() >= 2;
        for leg in self.estimate.legs.iter().filter(|leg| !choosy || settled(leg)) {
            if let (Some(footing), Some(anchor)) = (leg.footing, leg.anchor) {
                pairs[kept] = Pair { seen: leg.pose, anchor, weight: footing.weight };
                kept += 1;
            }
        }
        let pairs = &pairs[..kept];
        let fitted = if kept >= 2 { fit(pairs) } else { None };
        let stance = rate.map(|rate| &rate.stance);
        if let Some(fitted) = fitted {
            self.estimate.pose = fitted.pose;
            self.estimate.method = Method::Fitted;
            self.estimate.residual = fitted.variance.sqrt();
            let steps = kept < self.estimate.contacts();
            self.covariance.fitted(stance, fitted.variance, &fitted.pose.rotation, steps);
            return;
        }
        if kept >= 2 {
            self.estimate.warning = Some(Warning::Degenerate);
        }
        let dt = dt.min(self.flight_time);
        self.estimate.method = Method::Integrated;
        self.estimate.pose.advance(dt, mean);
        if let [pair] = pairs {
            // The one contact that is left does not slide while the velocity turns the body about it.
            let slide = pair.anchor.centre - self.estimate.pose * pair.seen.centre;
            self.estimate.pose.translation.vector += slide;
        }
        self.covariance.integrated(&self.estimate.twist_covariance, dt, &self.estimate.pose.rotation);
        // Anchors of before the gap would make the body jump when it has two contacts again.
        self.estimate.legs.iter_mut().for_each(|leg| leg.anchor = None);
    }

    /// A hoof that moves over the ground is anchored anew, until it stands.
    fn settle(&mut self, dt: f64) {
        let (pose, limit) = (self.estimate.pose, self.settle_speed * dt);
        for (leg, last) in self.estimate.legs.iter_mut().zip(&mut self.last_places) {
            let place = pose * leg.pose.centre;
            let stood = leg.footing.is_some() && leg.anchor.is_some();
            leg.settled = stood && (limit <= 0.0 || (place - *last).norm() <= limit);
            *last = place;
            if stood && !leg.settled {
                leg.anchor = None;
            }
        }
    }

    /// Told from outside: everything is anchored anew.
    fn obey(&mut self, body: &Body) {
        self.estimate.pose = body.pose;
        self.estimate.method = Method::Told;
        if let Some(twist) = body.twist {
            let back = body.pose.rotation.inverse();
            self.estimate.twist = Twist::new(back * twist.linear(), back * twist.angular());
        }
        self.covariance = PoseCovariance::new();
        self.grounded = true;
        self.lift_all();
    }

    /// The start: x = y = heading = 0 above a ground at z = 0, level as the support plane says. Before the first contact
    /// the base is taken as level, its lowest hoof on the ground.
    fn start(&mut self) {
        self.estimate.method = Method::Start;
        self.covariance = PoseCovariance::new();
        self.estimate.pose = Isometry3::identity();
        let mut normal = Vector3::zeros();
        let mut centre = Vector3::zeros();
        let mut total = 0.0;
        for leg in &self.estimate.legs {
            let Some(footing) = leg.footing else { continue };
            normal += leg.pose.normal.into_inner() * footing.weight;
            centre += leg.pose.centre.coords * footing.weight;
            total += footing.weight;
        }
        self.grounded = total > 0.0;
        if self.start_at_identity {
            return;
        }
        if let Some(up) = Unit::try_new(-normal, 1e-6) {
            let turn = level(&up);
            let height = -(turn * centre / total).z;
            self.estimate.pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, height), turn);
        } else {
            let lowest = self.estimate.legs.iter().map(|leg| leg.pose.centre.z).fold(f64::INFINITY, f64::min);
            self.estimate.pose.translation.z = -lowest;
        }
    }

    /// Step 2: legs that have just come down are anchored where they are.
    fn set_anchors(&mut self) {
        let pose = self.estimate.pose;
        for leg in self.estimate.legs.iter_mut().filter(|leg| leg.footing.is_some() && leg.anchor.is_none()) {
            let mut anchor =
                ContactPose { centre: pose * leg.pose.centre, normal: pose.rotation * leg.pose.normal };
            if self.ground_z_zero {
                anchor.centre.z = 0.0;
                anchor.normal = -Vector3::z_axis();
            }
            leg.anchor = Some(anchor);
        }
    }

    fn lift_all(&mut self) {
        self.estimate.legs.iter_mut().for_each(|leg| leg.anchor = None);
    }
}

/// The turn without heading that makes `up`, a direction in the base frame, vertical.
fn level(up: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    // World y, seen from the base, is across the base's x axis: then that axis keeps y = 0 in the world.
    let left = Unit::try_new(up.cross(&Vector3::x()), 1e-6).unwrap_or_else(Vector3::y_axis);
    let ahead = left.cross(up);
    let rows = Matrix3::from_columns(&[ahead, left.into_inner(), up.into_inner()]).transpose();
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rows))
}

//! The core: body motion from joint motion, cycle by cycle.

mod filtered;
mod footing;
mod motion;
mod start;

use filters_lib::BodyTwist;
use nalgebra::{Isometry3, Vector3};
use robot_model_lib::{Contact, ContactPose, Kinematics, RobotModel};

use crate::covariance::{self, PoseCovariance};
use crate::estimate::{Estimate, Footing, Leg, Method};
use crate::filter::{Filter, Known, Noise, Seen, SensorNoise};
use crate::fit::Pair;
use crate::imu::Inertial;
use crate::params::{Estimator, Ground};
use crate::rest::Rest;
use crate::search::{MAX_LEGS, Search, Tolerances};
use crate::trust::Trust;
use crate::velocity::MovingContact;
use crate::{Body, OdometryParams, Refused};

/// √(3600 s): random walks per √h are those per √s times this.
const ROOT_HOUR: f64 = 60.0;

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

/// Odometry of a robot on legs. One [`Odometry::update`] per cycle; it allocates nothing.
#[derive(Debug, Clone)]
pub struct Odometry {
    kinematics: Kinematics,
    contacts: Vec<Contact>,
    default_contacts: Vec<usize>,
    search: Search,
    tolerances: Tolerances,
    trust: Trust,
    flight_time: f64,
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
    /// Room for the contacts of a cycle.
    hooves: Vec<ContactPose>,
    moving: Vec<MovingContact>,
    pairs: Vec<Pair>,
    estimator: Estimator,
    filter: Filter,
    ground: Known,
    seen: Vec<Option<Seen>>,
    /// Whether the filter has begun since the start.
    is_filtering: bool,
    /// The feet of the filter's time, to be used when the next sample shows which of them stood.
    held: Vec<Option<Seen>>,
    /// Whether those were searched for.
    is_searched: bool,
    /// Time since then, s.
    pause: f64,
    /// That time itself, ns.
    filtered: i64,
    inertial: Inertial,
    rest: Rest,
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
            moving: false,
        };
        let estimate = Estimate {
            stamp: 0,
            pose: Isometry3::identity(),
            twist: BodyTwist::default(),
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
            trust: Trust::new(),
            flight_time: 0.0,
            ground_z_zero: false,
            start_at_identity: false,
            covariance: PoseCovariance::new(),
            kinematics,
            estimate,
            running: false,
            grounded: false,
            aloft: 0.0,
            hooves: Vec::with_capacity(legs.len()),
            moving: Vec::with_capacity(legs.len()),
            pairs: Vec::with_capacity(legs.len()),
            estimator: params.method,
            filter: Filter::new(legs.len()),
            ground: Known::None,
            seen: vec![None; legs.len()],
            is_filtering: false,
            held: vec![None; legs.len()],
            is_searched: false,
            pause: 0.0,
            filtered: 0,
            inertial: Inertial::new(model),
            rest: Rest::new(model.joints().len()),
        };
        odometry.set_params(params);
        Ok(odometry)
    }

    /// Takes changed parameters, from the next cycle on.
    pub fn set_params(&mut self, params: &OdometryParams) {
        self.tolerances = Tolerances { position: params.position_tolerance, angle: params.angle_tolerance };
        self.trust.settle_speed = params.settle_speed;
        self.flight_time = params.flight_time;
        self.ground_z_zero = params.ground_z_zero;
        self.start_at_identity = params.start_at_identity;
        self.estimator = params.method;
        self.ground = match params.ground {
            Ground::None => Known::None,
            Ground::Flat => Known::Flat,
            Ground::Level => Known::Level,
        };
        self.filter.plane.known = self.ground;
        self.filter.noise = Noise {
            joint: params.joint_noise,
            slip: params.foot_slip,
            pivot: params.foot_pivot,
            rock: params.foot_rock,
            acceleration: params.body_acceleration,
            angular_acceleration: params.body_angular_acceleration,
            ground_height: params.ground_height_noise,
            ground_lean: params.ground_lean_noise,
        };
        self.filter.sensor = SensorNoise {
            gyro: params.gyro_noise,
            accel: params.accel_noise,
            gyro_bias: params.gyro_bias,
            accel_bias: params.accel_bias,
            gyro_walk: params.gyro_bias_walk / ROOT_HOUR,
            accel_walk: params.accel_bias_walk / ROOT_HOUR,
        };
    }

    /// Begins anew with the next cycle, at the start pose.
    pub fn reset(&mut self) {
        self.running = false;
        self.grounded = false;
        self.is_filtering = false;
        self.aloft = 0.0;
        self.lift_all();
    }

    /// Puts the base somewhere; the feet are anchored where they are then. Refused when `fit` pins the ground to z = 0 and the
    /// feet would not stand on it: the next cycle would take the pose back.
    pub fn set_pose(&mut self, pose: Isometry3<f64>) -> Result<(), Refused> {
        if self.estimator == Estimator::Fit && self.ground_z_zero {
            self.stands_on_zero(&pose)?;
        }
        self.estimate.pose = pose;
        self.grounded = true;
        self.covariance = PoseCovariance::new();
        self.lift_all();
        if self.running {
            match self.estimator {
                Estimator::Fit => self.set_anchors(),
                Estimator::Filter => self.relocate_filter(&pose),
            }
        }
        Ok(())
    }

    /// A sample of an inertial sensor at a time (ns), in the axes of `frame`, a link that is fixed to the base (empty: the base
    /// itself): angular velocity (rad/s) and acceleration less gravity (m/s²). The filter uses it; the fit does not.
    pub fn imu(&mut self, stamp: i64, frame: &str, gyro: [f64; 3], accel: [f64; 3]) -> Result<(), Refused> {
        self.inertial.take((stamp, frame), [gyro, accel])
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
        let since = posture.stamp.saturating_sub(self.estimate.stamp) as f64 * 1e-9;
        let dt = if self.running { since.max(0.0) } else { 0.0 };
        self.kinematics.update(posture.q);
        if self.estimator == Estimator::Filter {
            self.filter_cycle(posture, supports, told, dt);
            self.running = true;
            return &self.estimate;
        }
        self.step_on(supports);
        self.trust.weigh(&self.estimate.pose, &self.estimate.legs, dt);
        let before = self.estimate.twist;
        let rate = self.velocity(posture.qd);
        self.aloft = if self.estimate.contacts() > 0 { 0.0 } else { self.aloft + dt };
        self.estimate.twist = match &rate {
            Some(rate) => rate.twist,
            None if self.running && self.aloft <= self.flight_time => before,
            None => BodyTwist::default(),
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
                BodyTwist((before.0 + self.estimate.twist.0) * 0.5)
            };
            self.move_body(&mean, dt, stance);
        }
        self.set_anchors();
        self.estimate.pose_covariance = self.covariance.total();
        self.running = true;
        &self.estimate
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
        self.trust.remember(&pose, &self.estimate.legs);
    }

    fn lift_all(&mut self) {
        for leg in &mut self.estimate.legs {
            (leg.anchor, leg.moving) = (None, false);
        }
    }
}

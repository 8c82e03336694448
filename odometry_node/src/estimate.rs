//! What the odometry says after a cycle.

use filters_lib::{BodyTwist, WorldTwist};
use nalgebra::{Isometry3, Matrix6};
use robot_model_lib::ContactPose;

/// How a pose was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The body was put down at its start.
    Start,
    /// From contacts that stayed where they are.
    Fitted,
    /// By the Kalman filter, with contacts that stayed where they are.
    Filtered,
    /// From the velocity, for want of contacts.
    Integrated,
    /// It was told.
    Told,
}

/// What is wrong with the contacts of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// No two hooves lie on one plane below the others.
    #[error("support legs cannot be determined: the body goes on with its last velocity")]
    Undetermined,
    /// The support message names fewer than two legs.
    #[error("fewer than two support legs: the velocity is integrated")]
    TooFew,
    /// The contacts leave a rotation free.
    #[error("the contacts leave a rotation free: the velocity is integrated")]
    Degenerate,
    /// No foot that may stand stays where it is.
    #[error("all support legs move over the ground: the body goes on with its last velocity")]
    AllMoving,
}

/// How a leg stands on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footing {
    /// Index of the contact in the model.
    pub contact: usize,
    /// How much it counts, above 0, 1 at the most.
    pub weight: f64,
}

/// A leg after a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leg {
    /// Index of its chain in the model.
    pub chain: usize,
    /// Its contact in the base frame: the one that it stands on, or its default one.
    pub pose: ContactPose,
    /// How it stands; None in the air.
    pub footing: Option<Footing>,
    /// Where it stands in the world since it touched down.
    pub anchor: Option<ContactPose>,
    /// Whether it moves over the ground although it is near it: it lands, lifts or slips.
    pub moving: bool,
}

/// Where the body is and how it moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Time of the joints that it was made of, ns.
    pub stamp: i64,
    /// The base in the world (odom → base).
    pub pose: Isometry3<f64>,
    /// Velocity of the base's origin relative to the ground, in base axes.
    pub twist: BodyTwist,
    /// How the pose was found.
    pub method: Method,
    /// What is wrong with the contacts.
    pub warning: Option<Warning>,
    /// The legs, in chain order.
    pub legs: Vec<Leg>,
    /// Root mean square of what the fit could not explain, m.
    pub residual: f64,
    /// Covariance of the pose in world axes, translation first.
    pub pose_covariance: Matrix6<f64>,
    /// Covariance of the twist in base axes, linear first.
    pub twist_covariance: Matrix6<f64>,
}

impl Estimate {
    /// The velocity in world axes, still at the base's origin.
    pub fn twist_in_odom(&self) -> WorldTwist {
        self.twist.in_world(&self.pose.rotation)
    }

    /// Heading: the turn about the vertical, rad.
    pub fn heading(&self) -> f64 {
        heading(&self.pose)
    }

    /// The point below the base on z = 0, turned by its heading alone (REP 120).
    pub fn footprint(&self) -> Isometry3<f64> {
        let place = self.pose.translation.vector;
        let shift = nalgebra::Vector3::new(place.x, place.y, 0.0);
        Isometry3::new(shift, nalgebra::Vector3::z() * self.heading())
    }

    /// Becomes the same as another, in its own room.
    pub fn copy(&mut self, other: &Self) {
        let mut legs = std::mem::take(&mut self.legs);
        legs.clone_from(&other.legs);
        *self = Self { legs, ..*other };
    }

    /// How many legs are down.
    pub fn contacts(&self) -> usize {
        self.legs.iter().filter(|leg| leg.footing.is_some()).count()
    }
}

impl Leg {
    /// How much it counts as a support; 0 in the air and while it moves over the ground.
    pub fn support(&self) -> f64 {
        self.footing.filter(|_| !self.moving).map_or(0.0, |footing| footing.weight)
    }

    /// How far the contact is from where it touched down, m; 0 in the air.
    pub fn slip(&self, pose: &Isometry3<f64>) -> f64 {
        self.anchor.map_or(0.0, |anchor| (pose * self.pose.centre - anchor.centre).norm())
    }
}

/// Turn about the vertical of the base's x axis, rad.
pub(crate) fn heading(pose: &Isometry3<f64>) -> f64 {
    let ahead = pose.rotation * nalgebra::Vector3::x();
    ahead.y.atan2(ahead.x)
}

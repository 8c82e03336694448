//! The contact-aided Kalman filter: body pose and velocity, and every foot on the ground, in one state.
//!
//! The error is right-invariant (R. Hartley, M. Ghaffari, R. Eustice, J. Grizzle, "Contact-aided invariant extended Kalman
//! filtering for robot state estimation", 2020): truth = Exp(φ)·estimate + ρ about an origin o near the body, for the places
//! of body and feet alike. What a leg measures is then the difference of two errors, whatever the state: directions that
//! nothing measures (place and heading) gain nothing by being estimated. Feet carry their orientation too (M. Bloesch et al.,
//! "State estimation for legged robots", 2012).

mod block;
mod claim;
mod covariance;
mod foot;
mod ground;
mod inertial;
mod motion;
mod noise;
mod state;
mod still;

use filters_lib::BodyTwist;
use nalgebra::{Isometry3, Vector3};

use block::{Block, diagonal};
use covariance::Covariance;
pub(crate) use foot::{Foot, Seen};
pub(crate) use ground::{Known, Plane};
pub(crate) use inertial::SensorNoise;
pub(crate) use noise::{Noise, leg_noise};
use state::State;

use crate::imu::Increment;

/// What is not known of the velocity at the start: σ, rad/s and m/s. A servo-driven robot is slower.
const START_RATE: (f64, f64) = (3.0, 1.0);
/// What is not known of height (m), roll and pitch (rad) at the start, before the ground says so.
const START_HEIGHT: f64 = 0.1;
const START_LEAN: f64 = 0.2;

/// The filter. Nothing in it allocates after [`Filter::new`].
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    pub state: State,
    pub noise: Noise,
    /// The ground that feet are expected on.
    pub plane: Plane,
    /// What disturbs an inertial sensor.
    pub sensor: SensorNoise,
    /// What it says of the time that comes; None without one.
    sensed: Option<Increment>,
    covariance: Covariance,
    /// For how long no foot has moved as the body did, s.
    unwitnessed: f64,
    /// For how long feet have told the velocity, s, since nothing was known of it.
    settled_for: f64,
}

impl Filter {
    /// For so many legs.
    pub(crate) fn new(legs: usize) -> Self {
        Self {
            state: State::new(legs),
            noise: Noise::default(),
            plane: Plane::default(),
            sensor: SensorNoise::default(),
            sensed: None,
            covariance: Covariance::new(legs),
            unwitnessed: 0.0,
            settled_for: 0.0,
        }
    }

    /// Begins at a pose. `level` when height, roll and pitch are only a first guess, which the ground is to correct.
    pub(crate) fn start(&mut self, pose: &Isometry3<f64>, level: bool) {
        (self.state.linear, self.state.angular) = (Vector3::zeros(), Vector3::zeros());
        self.covariance.forget_sensor();
        self.sensed = None;
        let mut sure = block::ZERO;
        if level {
            (sure[0][0], sure[1][1]) = (START_LEAN * START_LEAN, START_LEAN * START_LEAN);
            sure[5][5] = START_HEIGHT * START_HEIGHT;
        }
        self.place(pose, &sure);
    }

    /// Puts the body somewhere, exactly; the velocity goes with it, the feet are to join anew.
    pub(crate) fn relocate(&mut self, pose: &Isometry3<f64>) {
        let turn = pose.rotation * self.state.pose.rotation.inverse();
        (self.state.linear, self.state.angular) = (turn * self.state.linear, turn * self.state.angular);
        self.state.bias.gravity = turn * self.state.bias.gravity;
        self.place(pose, &block::ZERO);
    }

    fn place(&mut self, pose: &Isometry3<f64>, sure: &Block) {
        self.state.pose = *pose;
        self.state.origin = pose.translation.vector;
        let (turn, speed) = START_RATE;
        self.covariance.restart(sure, &diagonal(turn * turn, speed * speed));
        self.state.feet.iter_mut().for_each(|foot| *foot = Foot::default());
        self.unwitnessed = 0.0;
        self.settled_for = 0.0;
    }

    /// The feet in the state that stood before they joined it, a bit per leg.
    pub(crate) fn settled(&self) -> u32 {
        let feet = self.state.feet.iter().enumerate();
        feet.map(|(leg, foot)| u32::from(foot.is_in_state && foot.is_settled) << leg).sum()
    }

    /// The velocity in base axes.
    pub(crate) fn twist(&self) -> BodyTwist {
        let back = self.state.pose.rotation.inverse();
        BodyTwist::new(back * self.state.linear, back * self.state.angular)
    }

    /// Sets the velocity, given in base axes.
    pub(crate) fn set_twist(&mut self, twist: &BodyTwist) {
        let numbers = &twist.0;
        self.state.linear = self.state.pose.rotation * Vector3::new(numbers[0], numbers[1], numbers[2]);
        self.state.angular = self.state.pose.rotation * Vector3::new(numbers[3], numbers[4], numbers[5]);
    }
}

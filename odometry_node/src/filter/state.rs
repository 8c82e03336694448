//! The estimate itself, and how a correction moves it.

use filters_lib::so3;
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use super::covariance::{FEET, POSE, RATE};
use super::foot::Foot;
use super::inertial::Bias;

/// Body and feet in the world.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// The base.
    pub pose: Isometry3<f64>,
    /// Velocity of its origin, m/s.
    pub linear: Vector3<f64>,
    /// Its angular velocity in world axes, rad/s.
    pub angular: Vector3<f64>,
    /// The point about which errors turn, m.
    pub origin: Vector3<f64>,
    /// One per leg.
    pub feet: Vec<Foot>,
    /// What an inertial sensor does not say itself.
    pub bias: Bias,
}

impl State {
    pub(crate) fn new(legs: usize) -> Self {
        Self {
            pose: Isometry3::identity(),
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            origin: Vector3::zeros(),
            feet: vec![Foot::default(); legs],
            bias: Bias::default(),
        }
    }

    /// From base to world axes.
    pub(crate) fn turn(&self) -> Matrix3<f64> {
        self.pose.rotation.to_rotation_matrix().into_inner()
    }

    /// Begins a correction, to be given block by block, the body's pose first.
    pub(crate) fn correction(&mut self) -> Correction<'_> {
        Correction { state: self, turn: UnitQuaternion::identity() }
    }
}

/// Moves the estimate by the errors that were found: x ← Exp(φ)·x + ρ.
pub(crate) struct Correction<'a> {
    state: &'a mut State,
    turn: UnitQuaternion<f64>,
}

impl Correction<'_> {
    pub(crate) fn add(&mut self, block: usize, error: &[f64; 6]) {
        let (first, last) = super::block::halves(error);
        let Self { state, turn } = self;
        let carried = |place: Vector3<f64>, turn: &UnitQuaternion<f64>| {
            turn * (place - state.origin) + state.origin + last
        };
        match block {
            POSE => {
                *turn = so3::exp(&first);
                state.pose.translation.vector = carried(state.pose.translation.vector, turn);
                let turned = *turn * state.pose.rotation;
                state.pose.rotation = UnitQuaternion::new_normalize(turned.into_inner());
            }
            RATE => {
                state.angular = *turn * state.angular + first;
                state.linear = *turn * state.linear + last;
            }
            bias if bias == FEET + state.feet.len() => {
                state.bias.gyro += first;
                state.bias.accel += last;
            }
            gravity if gravity > FEET + state.feet.len() => state.bias.gravity += first,
            _ => {
                let place = carried(state.feet[block - FEET].place, turn);
                let foot = &mut state.feet[block - FEET];
                foot.place = place;
                foot.axes = so3::exp(&first).to_rotation_matrix().into_inner() * foot.axes;
            }
        }
    }
}

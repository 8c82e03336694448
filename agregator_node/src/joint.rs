//! One joint: what it was told, and the filters that fill in what it was not.

use crate::params::{AgregatorParams, UpdateMethod};
use filters_lib::{Differentiator, Filter, Integrator};

/// Position and velocity as a message gives them; NaN means absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub position: f64,
    pub velocity: f64,
    pub effort: f64,
}

/// A joint's desired motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

#[derive(Debug)]
pub(crate) struct JointBuffer {
    lower: f64,
    upper: f64,
    motion: Motion,
    /// Position from velocity: its state is the position that this cycle would have.
    integrator: Integrator<f64>,
    /// Velocity from position: its state is the position of the cycle before.
    differentiator: Differentiator<f64>,
    /// Acceleration from velocity.
    acceleration: Differentiator<f64>,
    /// It has had a position.
    pub is_known: bool,
    /// It was told something in this cycle.
    is_fresh: bool,
    /// The speed from which it is braking, while it is.
    braking_from: Option<f64>,
}

impl JointBuffer {
    pub fn new(lower: f64, upper: f64, params: &AgregatorParams, period: f64) -> filters_lib::Result<Self> {
        let position = 0f64.max(lower).min(upper);
        Ok(JointBuffer {
            lower,
            upper,
            motion: Motion { position, ..Motion::default() },
            integrator: Integrator::new(params.integrator(period), &position)?,
            differentiator: Differentiator::new(params.differentiator(period), &position)?,
            acceleration: Differentiator::new(params.differentiator(period), &0.0)?,
            is_known: !params.require_full_pose,
            is_fresh: false,
            braking_from: None,
        })
    }

    /// New methods or a new period; what the filters know stays.
    pub fn set_params(&mut self, params: &AgregatorParams, period: f64) -> filters_lib::Result<()> {
        self.integrator.set_params(params.integrator(period))?;
        self.differentiator.set_params(params.differentiator(period))?;
        self.acceleration.set_params(params.differentiator(period))
    }

    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Whether `position` is one that the joint can take.
    pub fn allows(&self, position: f64) -> bool {
        position.is_nan() || (self.lower..=self.upper).contains(&position)
    }

    /// Takes what a message says; finite numbers or NaN. With neither position nor velocity nothing changes, and a
    /// velocity alone says nothing of a joint whose position nobody knows. `false`: the numbers are too large to compute
    /// with, and nothing changed.
    pub fn tell(&mut self, told: Told, clamp: bool, period: f64) -> bool {
        let (has_position, has_velocity) = (!told.position.is_nan(), !told.velocity.is_nan());
        if !has_position && (!has_velocity || !self.is_known) {
            return true;
        }
        let wanted = if has_position { told.position } else { *self.integrator.state() };
        let position = if clamp { wanted.max(self.lower).min(self.upper) } else { wanted };
        let is_clamped = position != wanted;
        let velocity = match (has_velocity, self.is_known) {
            // Held at a limit it does not move outward.
            (true, _) if is_clamped && told.velocity * (wanted - position) > 0.0 => 0.0,
            (true, _) => told.velocity,
            (false, true) => self.differentiator.output(&position).unwrap_or(f64::NAN),
            // Nothing before it: it starts from here, at rest.
            (false, false) => 0.0,
        };
        if !self.is_known && self.acceleration.start(&velocity).is_err() {
            return false;
        }
        let Some(motion) = self.moving(position, velocity) else { return false };
        if has_velocity || !self.is_known {
            // The differentiator goes on as if the joint had always moved like this.
            let before = position - period * velocity;
            if self.differentiator.start_moving(&before, &velocity).is_err() {
                return false;
            }
        }
        if has_position || is_clamped {
            // It takes every finite number.
            let _ = self.integrator.start(&position);
        }
        self.motion = motion;
        self.is_known = true;
        self.is_fresh = true;
        self.braking_from = None;
        true
    }

    /// Position and velocity with their acceleration, if all are finite.
    fn moving(&self, position: f64, velocity: f64) -> Option<Motion> {
        let acceleration = self.acceleration.output(&velocity).ok()?;
        let motion = Motion { position, velocity, acceleration };
        [position, velocity, acceleration].iter().all(|x| x.is_finite()).then_some(motion)
    }

    /// The cycle ends: a joint that was told nothing is predicted, and every filter takes its step.
    pub fn end_cycle(&mut self, params: &AgregatorParams, period: f64) {
        let is_fresh = std::mem::take(&mut self.is_fresh);
        if !is_fresh {
            self.predict(params, period);
        }
        let Motion { position, velocity, .. } = self.motion;
        let goes_on =
            is_fresh || matches!(params.update_method, UpdateMethod::Extrapolate | UpdateMethod::Brake);
        // Filters refuse nothing but what is not finite, and the motion is.
        let _ = self.differentiator.update(&position);
        let _ = self.acceleration.update(&velocity);
        if !is_fresh {
            let _ = self.integrator.start(&position);
        }
        if goes_on {
            let _ = self.integrator.update(&velocity);
        }
    }

    fn predict(&mut self, params: &AgregatorParams, period: f64) {
        let Motion { position, velocity, .. } = self.motion;
        let (wanted, velocity) = match params.update_method {
            UpdateMethod::Hold => (position, velocity),
            UpdateMethod::HoldZeroVelocity => (position, 0.0),
            UpdateMethod::Extrapolate => (position + period * velocity, velocity),
            UpdateMethod::Brake => {
                let from = *self.braking_from.get_or_insert(velocity.abs());
                let slower = (velocity.abs() - from * period / params.brake_time).max(0.0).copysign(velocity);
                (position + period * 0.5 * (velocity + slower), slower)
            }
        };
        // A prediction never leaves the limits, whatever the policy for messages is.
        let next = if self.allows(position) { wanted.max(self.lower).min(self.upper) } else { wanted };
        let velocity = if next == wanted { velocity } else { 0.0 };
        let rest = Motion { position, ..Motion::default() };
        self.motion = self.moving(next, velocity).unwrap_or(rest);
    }
}

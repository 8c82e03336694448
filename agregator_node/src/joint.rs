//! One joint: what it was given, and the filters that fill in what it was not.
//!
//! Within a cycle nothing but the output of the filters is read; they take their step when the cycle ends. So whatever comes of
//! one cycle, in however many messages, has the same result as one message with all of it.

use crate::input::Input;
use crate::params::{AgregatorParams, UpdateMethod};
use filters_lib::{Differentiator, Filter, Integrator};
use robot_model_lib::LARGEST;

/// A joint's desired motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

/// The motion of the last cycle in which the joint was given something.
#[derive(Clone, Copy, Debug)]
struct LastGiven {
    position: f64,
    velocity: f64,
    /// Time since that cycle began, s.
    seconds: f64,
    /// It is the cycle before this one.
    is_recent: bool,
}

impl LastGiven {
    /// Whether the filters, which know steps of one period, can go on from it.
    fn is_one(&self, period: f64) -> bool {
        self.is_recent && self.seconds == period
    }

    fn wait(&mut self, seconds: f64) {
        self.seconds += seconds;
        self.is_recent = false;
    }
}

#[derive(Debug)]
pub(crate) struct JointBuffer {
    lower: f64,
    upper: f64,
    motion: Motion,
    /// What messages of this cycle gave, all in all.
    given: Input,
    last: Option<LastGiven>,
    /// Position from velocity: its state is the position that this cycle would have.
    integrator: Integrator<f64>,
    /// Velocity from position: its state is the position of the cycle before.
    differentiator: Differentiator<f64>,
    /// Acceleration from velocity.
    acceleration: Differentiator<f64>,
    /// It has had a position.
    pub is_known: bool,
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
            given: Input::NONE,
            last: None,
            integrator: Integrator::new(params.integrator(period), &position)?,
            differentiator: Differentiator::new(params.differentiator(period), &position)?,
            acceleration: Differentiator::new(params.differentiator(period), &0.0)?,
            is_known: !params.require_full_pose,
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

    /// Whether it was given something in the last cycle, and not only predicted.
    pub fn is_commanded(&self) -> bool {
        self.last.is_some_and(|last| last.is_recent)
    }

    /// Whether `position` is one that the joint can take.
    pub fn allows(&self, position: f64) -> bool {
        position.is_nan() || (self.lower..=self.upper).contains(&position)
    }

    /// Takes what a message gives; numbers that can be computed with, or NaN: whether it moves the joint. A velocity
    /// alone says nothing of a joint whose position nobody knows.
    pub fn give(&mut self, input: Input, clamp: bool, period: f64) -> bool {
        self.given.merge(input);
        let Input { position, velocity, .. } = self.given;
        let says_nothing = input.position.is_nan() && input.velocity.is_nan();
        if says_nothing || position.is_nan() && !self.is_known {
            return false;
        }
        let wanted = if position.is_nan() { *self.integrator.state() } else { position };
        let position = if clamp { wanted.max(self.lower).min(self.upper) } else { wanted };
        let velocity = match self.last {
            // Held at a limit it does not move outward.
            _ if velocity * (wanted - position) > 0.0 => 0.0,
            _ if !velocity.is_nan() => velocity,
            Some(last) if last.is_one(period) => self.differentiator.output(&position).unwrap_or(0.0),
            // Over the cycles since it was last given one: those that fell out are no speed.
            Some(last) => (position - last.position) / last.seconds,
            // Nothing before it: it starts from here, at rest.
            None => 0.0,
        };
        let acceleration = match self.last {
            Some(last) if last.is_one(period) => self.acceleration.output(&velocity).unwrap_or(0.0),
            Some(last) => (velocity - last.velocity) / last.seconds,
            None => 0.0,
        };
        self.motion = Motion { position, velocity, acceleration };
        self.is_known = true;
        true
    }

    /// The cycle ends: a joint that was given nothing is predicted, and every filter takes its step.
    pub fn end_cycle(&mut self, params: &AgregatorParams, period: f64) {
        let given = std::mem::replace(&mut self.given, Input::NONE);
        if given.position.is_nan() && (given.velocity.is_nan() || !self.is_known) {
            self.predict(params, period);
            self.wait(period);
        } else {
            self.record(given, period);
        }
    }

    /// The filters take their step with the motion that the joint was given. It is finite, so that they refuse nothing.
    fn record(&mut self, given: Input, period: f64) {
        let Motion { position, velocity, acceleration } = self.motion;
        let goes_on = self.last.is_some_and(|last| last.is_one(period));
        if !goes_on || !given.velocity.is_nan() {
            // As if the joint had always moved like this.
            let _ = self.differentiator.start_moving(&(position - period * velocity), &velocity);
        }
        if !goes_on {
            let _ = self.acceleration.start_moving(&(velocity - period * acceleration), &acceleration);
        }
        if *self.integrator.state() != position || !given.position.is_nan() {
            let _ = self.integrator.start(&position);
        }
        let _ = self.differentiator.update(&position);
        let _ = self.acceleration.update(&velocity);
        let _ = self.integrator.update(&velocity);
        self.last = Some(LastGiven { position, velocity, seconds: period, is_recent: true });
        self.braking_from = None;
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
        // A prediction never leaves the limits, whatever the policy for messages is, nor what can be computed with.
        let (lower, upper) =
            if self.allows(position) { (self.lower, self.upper) } else { (-LARGEST, LARGEST) };
        let next = wanted.max(lower).min(upper);
        let velocity = if next == wanted { velocity } else { 0.0 };
        let acceleration = self.acceleration.output(&velocity).unwrap_or(0.0);
        self.motion = Motion { position: next, velocity, acceleration };
        let _ = self.acceleration.update(&velocity);
        let _ = self.integrator.start(&next);
        if matches!(params.update_method, UpdateMethod::Extrapolate | UpdateMethod::Brake) {
            let _ = self.integrator.update(&velocity);
        }
    }

    /// So much time passes without an input.
    pub fn wait(&mut self, seconds: f64) {
        self.last.iter_mut().for_each(|last| last.wait(seconds));
    }

    /// Time went back: the joint is at rest at `position`, and nothing was given before.
    pub fn restart(&mut self, position: f64) {
        self.motion = Motion { position, ..Motion::default() };
        (self.given, self.last, self.braking_from) = (Input::NONE, None, None);
        let _ = self.integrator.start(&position);
        let _ = self.differentiator.start(&position);
        let _ = self.acceleration.start(&0.0);
    }
}

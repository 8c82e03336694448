//! One joint: what it was given, and the filters that fill in what it was not.
//!
//! Within a cycle nothing but the output of the filters is read; they take their step when the cycle ends. So whatever comes of
//! one cycle, in however many messages, has the same result as one message with all of it.

use crate::bounds::Bounds;
use crate::given::Given;
use crate::input::Input;
use crate::last_given::LastGiven;
use crate::params::{AgregatorParams, LimitPolicy, UpdateMethod};
use filters_lib::{Differentiator, Filter, Integrator};
use robot_model_lib::LARGEST;

/// A joint's desired motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

#[derive(Debug)]
pub(crate) struct JointBuffer {
    pub bounds: Bounds,
    motion: Motion,
    /// What messages of this cycle gave, all in all.
    pub given: Given,
    /// Of the last cycle in which something was given, while that is this one or the one before; NaN otherwise.
    effort: f64,
    last: Option<LastGiven>,
    /// Position from velocity: its state is the position that this cycle would have.
    integrator: Integrator<f64>,
    /// Velocity from position: its state is the position of the cycle before.
    differentiator: Differentiator<f64>,
    /// Acceleration from velocity.
    acceleration: Differentiator<f64>,
    /// It has had a position.
    pub is_known: bool,
    /// It had one when the cycle began. Within a cycle this one counts, so that the order of messages does not.
    was_known: bool,
    /// The speed from which it is braking, while it is.
    braking_from: Option<f64>,
    /// Cycles, this one included, in which it is to be where it is told.
    cycles: u32,
    /// A source gives its velocity; otherwise that is what the positions make of it.
    velocity_is_given: bool,
}

impl JointBuffer {
    pub fn new(bounds: Bounds, params: &AgregatorParams, period: f64) -> filters_lib::Result<Self> {
        let position = bounds.position(0.0);
        Ok(JointBuffer {
            bounds,
            motion: Motion { position, ..Motion::default() },
            given: Given::NONE,
            effort: f64::NAN,
            last: None,
            integrator: Integrator::new(params.integrator(period), &position)?,
            differentiator: Differentiator::new(params.differentiator(period), &position)?,
            acceleration: Differentiator::new(params.differentiator(period), &0.0)?,
            is_known: !params.require_full_pose,
            was_known: !params.require_full_pose,
            braking_from: None,
            cycles: 1,
            velocity_is_given: false,
        })
    }

    /// New methods or a new period; what the filters know stays.
    pub fn set_params(&mut self, params: &AgregatorParams, period: f64) -> filters_lib::Result<()> {
        self.bounds.acceleration = params.acceleration_limit;
        self.motion.acceleration = self.bounds.acceleration(self.motion.acceleration);
        self.integrator.set_params(params.integrator(period))?;
        self.differentiator.set_params(params.differentiator(period))?;
        self.acceleration.set_params(params.differentiator(period))
    }

    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Cycles, this one included, in which it is to be at the position of its motion: more than one when its source gives
    /// positions slower than the beat.
    pub fn cycles(&self) -> u32 {
        self.cycles
    }

    /// Whether a source gives its velocity.
    pub fn velocity_is_given(&self) -> bool {
        self.velocity_is_given
    }

    /// Whether it was given something in the last cycle, and not only predicted.
    pub fn is_commanded(&self) -> bool {
        self.last.is_some_and(|last| last.is_recent)
    }

    /// NaN while no source gives any.
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// What counts of all that was given in this cycle.
    pub fn given_input(&self, params: &AgregatorParams) -> Input {
        self.given.input(params.priority, self.was_known)
    }

    /// Works out the motion from what was given in this cycle, numbers that can be computed with, or NaN: whether it moves
    /// the joint. A velocity alone says nothing of a joint whose position nobody knows.
    pub fn apply(&mut self, params: &AgregatorParams, period: f64) -> bool {
        let given = self.given_input(params);
        if !given.effort.is_nan() {
            self.effort = given.effort;
        }
        if !given.is_motion() || given.position.is_nan() && !self.was_known {
            return false;
        }
        let Input { position, velocity, .. } = given;
        self.velocity_is_given = !velocity.is_nan();
        let integrated = self.integrator.state().clamp(-LARGEST, LARGEST);
        let wanted = if position.is_nan() { integrated } else { position };
        let position =
            if params.limits == LimitPolicy::Clamp { self.bounds.position(wanted) } else { wanted };
        let last = self.last.filter(|_| velocity.is_nan());
        self.cycles = last.map_or(1, |last| last.cycles(position, params.longest_spread(), period));
        let velocity = match self.last {
            // Held at a limit it does not move outward.
            _ if velocity * (wanted - position) > 0.0 => 0.0,
            _ if !velocity.is_nan() => velocity,
            Some(last) if last.is_one(period) => self.differentiator.output(&position).unwrap_or(0.0),
            // Over the time since it was last given one: a gap is no speed.
            Some(last) => (position - last.position) / last.seconds,
            // Nothing before it: it starts from here, at rest.
            None => 0.0,
        };
        // More than the joint can do is a step of its source. It is bounded here, before anything is made of it.
        let velocity = self.bounds.velocity(velocity);
        let acceleration = match self.last {
            Some(last) if last.is_one(period) => self.acceleration.output(&velocity).unwrap_or(0.0),
            Some(last) => (velocity - last.velocity) / last.seconds,
            None => 0.0,
        };
        let acceleration = self.bounds.acceleration(acceleration);
        self.motion = Motion { position, velocity, acceleration };
        self.is_known = true;
        true
    }

    /// The cycle ends: a joint that was given nothing is predicted, and every filter takes its step.
    pub fn end_cycle(&mut self, params: &AgregatorParams, period: f64) {
        let given = self.given_input(params);
        self.given = Given::NONE;
        self.effort = given.effort;
        if given.position.is_nan() && (given.velocity.is_nan() || !self.was_known) {
            self.cycles = self.cycles.saturating_sub(1).max(1);
            self.predict(params, period);
            self.last.iter_mut().for_each(|last| last.wait(period));
        } else {
            self.record(given, period);
        }
        self.was_known = self.is_known;
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
        let has_velocity = !given.velocity.is_nan();
        let intervals = self.last.map_or([f64::INFINITY; 2], |last| [last.cycles, last.intervals[0]]);
        let is_spread = self.cycles > 1;
        let seconds = period;
        self.last = Some(LastGiven {
            position,
            velocity,
            acceleration,
            has_velocity,
            seconds,
            cycles: 1.0,
            intervals,
            is_spread,
            is_recent: true,
            fell_out: 0.0,
        });
        self.braking_from = None;
    }

    fn predict(&mut self, params: &AgregatorParams, period: f64) {
        let Motion { position, velocity, .. } = self.motion;
        let method = self.method(params, period);
        let (wanted, velocity) = match method {
            UpdateMethod::Hold => (position, velocity),
            UpdateMethod::HoldZeroVelocity => (position, 0.0),
            UpdateMethod::Extrapolate => (position + period * velocity, velocity),
            UpdateMethod::Brake => {
                let from = *self.braking_from.get_or_insert(velocity.abs());
                let braking = self.bounds.acceleration(from / params.brake_time);
                let slower = (velocity.abs() - braking * period).max(0.0).copysign(velocity);
                (position + period * 0.5 * (velocity + slower), slower)
            }
        };
        // A prediction never leaves the limits, whatever the policy for messages is, nor what can be computed with.
        let within = if self.bounds.allow(position) { self.bounds.position(wanted) } else { wanted };
        let next = within.clamp(-LARGEST, LARGEST);
        let velocity = if next == wanted { velocity } else { 0.0 };
        let acceleration = self.bounds.acceleration(self.acceleration.output(&velocity).unwrap_or(0.0));
        self.motion = Motion { position: next, velocity, acceleration };
        let _ = self.acceleration.update(&velocity);
        let _ = self.integrator.start(&next);
        if matches!(method, UpdateMethod::Extrapolate | UpdateMethod::Brake) {
            let _ = self.integrator.update(&velocity);
        }
    }

    /// What it does without an input. A joint of which only positions are known is to be there, and nowhere else: it is never
    /// thrown on. But a source that gave a motion cycle by cycle and misses the first is late, not at rest.
    fn method(&self, params: &AgregatorParams, period: f64) -> UpdateMethod {
        let is_motion = self.motion.acceleration.abs() < self.bounds.acceleration;
        let is_late = |last: LastGiven| last.is_one(period) && last.intervals[0] == 1.0 && is_motion;
        match self.last {
            Some(last) if last.has_velocity => params.update_method,
            Some(last) if is_late(last) && params.update_method != UpdateMethod::HoldZeroVelocity => {
                UpdateMethod::Hold
            }
            _ => UpdateMethod::HoldZeroVelocity,
        }
    }

    /// How far an input is from where the joint would be if its source had stood while the beat was away, and if it had gone on; none if it
    /// says nothing of that.
    pub fn off(&self, input: Input) -> Option<[f64; 2]> {
        let last = self.last.filter(|last| last.fell_out > 0.0 && !input.position.is_nan())?;
        Some(last.off(input.position, input.velocity))
    }

    /// Whether its source went on while the beat was away.
    pub fn settle(&mut self, went_on: bool) {
        self.last.iter_mut().for_each(|last| last.settle(went_on));
    }

    /// So much time fell out of the beat, s: nobody could give anything in it.
    pub fn fall_out(&mut self, seconds: f64) {
        self.last.iter_mut().for_each(|last| last.fell_out += seconds);
    }

    /// Nobody knows what happened meanwhile: it is at rest where it was wanted.
    pub fn stall(&mut self) {
        self.restart(self.motion.position);
    }

    /// The joint is at rest at `position`, and nothing was given before.
    pub fn restart(&mut self, position: f64) {
        self.motion = Motion { position, ..Motion::default() };
        (self.given, self.last, self.braking_from, self.cycles) = (Given::NONE, None, None, 1);
        self.effort = f64::NAN;
        self.was_known = self.is_known;
        let _ = self.integrator.start(&position);
        let _ = self.differentiator.start(&position);
        let _ = self.acceleration.start(&0.0);
    }
}

//! The buffer in which the pose comes together, in the form in which it is published.

use crate::approach::Approach;
use crate::bounds::Bounds;
use crate::given::{Given, Origin};
use crate::input::Input;
use crate::joint::JointBuffer;
use crate::note::Note;
use crate::params::{AgregatorParams, LimitPolicy, PublishOn};
use cycle_lib::STALL;
use robot_model_lib::Joint;

/// Rounding is no excess.
const SLACK: f64 = 1.0 + 1e-9;

/// The complete pose, joints in the model's order.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// rad or m.
    pub position: &'a [f64],
    /// rad/s or m/s.
    pub velocity: &'a [f64],
    /// rad/s² or m/s².
    pub acceleration: &'a [f64],
    /// N·m or N; NaN for a joint that nobody gives any, empty while nobody gives any at all.
    pub effort: &'a [f64],
}

#[derive(Debug)]
pub(crate) struct PoseBuffer {
    joints: Vec<JointBuffer>,
    approaches: Vec<Approach>,
    period: f64,
    /// There was a `sync`; until then each message about a joint is a cycle of its own.
    has_beat: bool,
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    effort: Vec<f64>,
    has_effort: bool,
}

impl PoseBuffer {
    pub fn new(joints: &[Joint], params: &AgregatorParams, period: f64) -> filters_lib::Result<Self> {
        let buffer = |j: &Joint| JointBuffer::new(Bounds::new(&j.limits, params), params, period);
        let joints = joints.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
        let zeros = vec![0.0; joints.len()];
        Ok(PoseBuffer {
            approaches: vec![Approach::NOWHERE; joints.len()],
            period,
            has_beat: false,
            position: joints.iter().map(|j| j.motion().position).collect(),
            velocity: zeros.clone(),
            acceleration: zeros,
            effort: vec![f64::NAN; joints.len()],
            has_effort: false,
            joints,
        })
    }

    /// New methods or a new period for all joints, or for none.
    pub fn set_params(&mut self, params: &AgregatorParams, period: f64) -> filters_lib::Result<()> {
        params.integrator(period).check()?;
        params.differentiator(period).check()?;
        for (joint, acceleration) in self.joints.iter_mut().zip(&mut self.acceleration) {
            joint.set_params(params, period)?;
            // What is shown until the joint gets something may be above a lower limit.
            *acceleration = joint.bounds.acceleration(*acceleration);
        }
        self.period = period;
        Ok(())
    }

    /// Duration of a cycle, s.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// Which joints have had no position yet, by index.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        self.joints.iter().enumerate().filter(|(_, joint)| !joint.is_known).map(|(i, _)| i)
    }

    /// For each joint whether it was given something in the last cycle.
    pub fn commanded(&self) -> impl Iterator<Item = bool> {
        self.joints.iter().map(JointBuffer::is_commanded)
    }

    pub fn pose(&self) -> Option<Pose<'_>> {
        self.missing().next().is_none().then_some(Pose {
            position: &self.position,
            velocity: &self.velocity,
            acceleration: &self.acceleration,
            effort: if self.has_effort { &self.effort } else { &[] },
        })
    }

    /// A message of this origin gives a joint something.
    pub fn give(
        &mut self,
        (index, name): (usize, &str),
        (input, origin): (Input, Origin),
        params: &AgregatorParams,
        note: &mut dyn FnMut(Note<'_>),
    ) {
        if !self.has_beat && params.publish_on != PublishOn::Sync && !self.joints[index].given.is_none() {
            self.end_cycle(index, params);
        }
        if let Some(conflict) = self.joints[index].given.merge(input, origin, params.priority) {
            note(conflict.note(name));
        }
        self.apply((index, name), input, params, note);
    }

    /// Inputs of one source, for these joints. Whether it stood or went on while the beat was away they tell together: one joint alone may turn
    /// round, or rest.
    pub fn settle(&mut self, inputs: impl Iterator<Item = (usize, Input)> + Clone) {
        let off = inputs.clone().filter_map(|(index, input)| self.joints[index].off(input));
        let sums = off.fold([0.0; 2], |[stood, on], off| [stood + off[0] * off[0], on + off[1] * off[1]]);
        for (index, _) in inputs.filter(|(_, input)| !input.position.is_nan()) {
            self.joints[index].settle(sums[1] < sums[0]);
        }
    }

    /// What was kept for a joint is of the cycle that has begun.
    pub fn give_kept(
        &mut self,
        (index, name): (usize, &str),
        kept: Given,
        params: &AgregatorParams,
        note: &mut dyn FnMut(Note<'_>),
    ) {
        self.joints[index].given = kept;
        let input = self.joints[index].given_input(params);
        self.apply((index, name), input, params, note);
    }

    /// Shows what a joint does with all that it was given, of which `input` is new.
    fn apply(
        &mut self,
        (index, name): (usize, &str),
        input: Input,
        params: &AgregatorParams,
        note: &mut dyn FnMut(Note<'_>),
    ) {
        let joint = &mut self.joints[index];
        let clamped = params.limits == LimitPolicy::Clamp;
        if params.limits != LimitPolicy::Off && !joint.bounds.allow(input.position) {
            note(Note::OutOfLimits { joint: name, position: input.position, clamped });
        }
        let moves = joint.apply(params, self.period) && input.is_motion();
        self.effort[index] = joint.effort();
        self.has_effort |= !joint.effort().is_nan();
        if !moves {
            return;
        }
        if params.speed_limits != LimitPolicy::Off {
            let speed = self.approaches[index].speed_to(joint.motion().position, self.period);
            let (limit, clamped) = (joint.bounds.speed, params.speed_limits == LimitPolicy::Clamp);
            if speed > SLACK * limit {
                note(Note::TooFast { joint: name, speed, limit, clamped });
            }
        }
        self.show(index, params);
    }

    /// So many cycles end for every joint, one by one: what was given is of the first, the others are predicted. A joint
    /// that may go a certain way in one cycle may go as many times that way in all of them, unless it was a stall: then it
    /// goes on from where it was shown, at rest.
    pub fn end_cycles(&mut self, cycles: i64, params: &AgregatorParams) {
        self.has_beat = true;
        self.has_effort &= cycles <= 0;
        let is_stall = cycles > STALL;
        for index in 0..self.joints.len() {
            if is_stall {
                self.joints[index].end_cycle(params, self.period);
                self.joints[index].stall();
                self.approaches[index].stall();
                self.show_last(index, params);
            }
            for _ in 0..if is_stall { 0 } else { cycles } {
                self.end_cycle(index, params);
            }
            self.has_effort |= !self.effort[index].is_nan();
        }
    }

    fn end_cycle(&mut self, index: usize, params: &AgregatorParams) {
        self.joints[index].end_cycle(params, self.period);
        self.show_last(index, params);
    }

    /// Shows what a joint does at the end of a cycle.
    fn show_last(&mut self, index: usize, params: &AgregatorParams) {
        let shown = self.show(index, params);
        if self.joints[index].is_known {
            let wanted = self.joints[index].motion().position;
            self.approaches[index].end_cycle(shown, wanted, self.period);
        }
    }

    /// So many cycles fell out of the beat.
    pub fn fall_out(&mut self, cycles: i64) {
        let seconds = cycles as f64 * self.period;
        self.joints.iter_mut().for_each(|joint| joint.fall_out(seconds));
    }

    /// Time went back: every joint is at rest where it was shown last.
    pub fn restart(&mut self) {
        for index in 0..self.joints.len() {
            self.rest(index, self.position[index]);
        }
        self.has_effort = false;
    }

    /// A joint is where it was measured, at rest, and nothing was given before.
    pub fn take_measured(&mut self, index: usize, position: f64, limits: LimitPolicy) {
        let joint = &mut self.joints[index];
        joint.is_known = true;
        let position = if limits == LimitPolicy::Clamp { joint.bounds.position(position) } else { position };
        self.rest(index, position);
    }

    fn rest(&mut self, index: usize, position: f64) {
        self.joints[index].restart(position);
        if self.joints[index].is_known {
            self.approaches[index] = Approach::rest(position);
        }
        (self.position[index], self.velocity[index], self.acceleration[index]) = (position, 0.0, 0.0);
        self.effort[index] = f64::NAN;
    }

    /// What is published of a joint: its motion or, with `speed_limits`, the way there, however many cycles that takes.
    fn show(&mut self, index: usize, params: &AgregatorParams) -> crate::joint::Motion {
        let joint = &self.joints[index];
        let shown = if params.speed_limits == LimitPolicy::Clamp {
            self.approaches[index].step(joint, self.period)
        } else {
            joint.motion()
        };
        self.position[index] = shown.position;
        self.velocity[index] = shown.velocity;
        self.acceleration[index] = shown.acceleration;
        self.effort[index] = joint.effort();
        shown
    }
}

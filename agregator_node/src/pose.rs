//! The buffer in which the pose comes together, in the form in which it is published.

use crate::input::Input;
use crate::joint::{JointBuffer, Motion};
use crate::note::Note;
use crate::params::{AgregatorParams, LimitPolicy};
use robot_model_lib::Joint;

/// Rounding is no excess.
const SLACK: f64 = 1.0 + 1e-9;
/// Cycles that fell out are predicted one by one up to so many; after more the joints are where they are.
const PREDICTED_AT_MOST: i64 = 100;

/// The complete pose, joints in the model's order.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// rad or m.
    pub position: &'a [f64],
    /// rad/s or m/s.
    pub velocity: &'a [f64],
    /// rad/s² or m/s².
    pub acceleration: &'a [f64],
    /// N·m or N; empty while no source has sent any.
    pub effort: &'a [f64],
}

#[derive(Debug)]
pub(crate) struct PoseBuffer {
    joints: Vec<JointBuffer>,
    /// Velocity limits of the joints, and where each was shown when the cycle began; NaN for one that was nowhere yet.
    speed: Vec<f64>,
    cycle_start: Vec<f64>,
    period: f64,
    speed_limits: LimitPolicy,
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    effort: Vec<f64>,
    has_effort: bool,
}

impl PoseBuffer {
    pub fn new(joints: &[Joint], params: &AgregatorParams, period: f64) -> filters_lib::Result<Self> {
        let buffer = |j: &Joint| JointBuffer::new(j.limits.lower, j.limits.upper, params, period);
        // A limit of zero is one that nobody filled in.
        let speed = |j: &Joint| if j.limits.velocity > 0.0 { j.limits.velocity } else { f64::INFINITY };
        let speed = joints.iter().map(speed).collect();
        let joints = joints.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
        let zeros = vec![0.0; joints.len()];
        Ok(PoseBuffer {
            speed,
            cycle_start: vec![f64::NAN; joints.len()],
            period,
            speed_limits: params.speed_limits,
            position: joints.iter().map(|j| j.motion().position).collect(),
            velocity: zeros.clone(),
            acceleration: zeros.clone(),
            effort: zeros,
            has_effort: false,
            joints,
        })
    }

    /// New methods or a new period for all joints, or for none.
    pub fn set_params(&mut self, params: &AgregatorParams, period: f64) -> filters_lib::Result<()> {
        params.integrator(period).check()?;
        params.differentiator(period).check()?;
        self.joints.iter_mut().try_for_each(|joint| joint.set_params(params, period))?;
        (self.period, self.speed_limits) = (period, params.speed_limits);
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

    /// One joint is given something.
    pub fn give(
        &mut self,
        index: usize,
        name: &str,
        input: Input,
        limits: LimitPolicy,
        note: &mut dyn FnMut(Note<'_>),
    ) {
        let joint = &mut self.joints[index];
        let clamped = limits == LimitPolicy::Clamp;
        if limits != LimitPolicy::Off && !joint.allows(input.position) {
            note(Note::OutOfLimits { joint: name, position: input.position, clamped });
        }
        if !input.effort.is_nan() {
            self.effort[index] = input.effort;
            self.has_effort = true;
        }
        if !joint.give(input, clamped, self.period) {
            return;
        }
        let away = (joint.motion().position - self.cycle_start[index]).abs() / self.period;
        if self.speed_limits != LimitPolicy::Off && away > SLACK * self.speed[index] {
            let (limit, clamped) = (self.speed[index], self.speed_limits == LimitPolicy::Clamp);
            note(Note::TooFast { joint: name, speed: away, limit, clamped });
        }
        self.show(index);
    }

    /// So many cycles end for every joint, one by one: what was given is of the first, the others are predicted. A joint
    /// that may go a certain way in one cycle may go as many times that way in all of them.
    pub fn end_cycles(&mut self, cycles: i64, params: &AgregatorParams) {
        let predicted = cycles.min(PREDICTED_AT_MOST);
        let rest = cycles.saturating_sub(predicted) as f64 * self.period;
        for index in 0..self.joints.len() {
            for _ in 0..predicted {
                self.joints[index].end_cycle(params, self.period);
                self.show(index);
                if self.joints[index].is_known {
                    self.cycle_start[index] = self.position[index];
                }
            }
            if rest > 0.0 {
                self.joints[index].wait(rest);
            }
        }
    }

    /// Time went back: every joint is at rest where it was shown last.
    pub fn restart(&mut self) {
        for (index, joint) in self.joints.iter_mut().enumerate() {
            joint.restart(self.position[index]);
            (self.velocity[index], self.acceleration[index]) = (0.0, 0.0);
            if joint.is_known {
                self.cycle_start[index] = self.position[index];
            }
        }
    }

    /// What is published of a joint: its motion or, with `speed_limits`, the way there as fast as the joint can, however
    /// many cycles that takes.
    fn show(&mut self, index: usize) {
        let Motion { mut position, mut velocity, acceleration } = self.joints[index].motion();
        let (start, reach) = (self.cycle_start[index], self.speed[index] * self.period);
        // A start that is not known yet compares as false.
        if self.speed_limits == LimitPolicy::Clamp && (position - start).abs() > SLACK * reach {
            velocity = self.speed[index].copysign(position - start);
            position = start + reach.copysign(position - start);
        }
        self.position[index] = position;
        self.velocity[index] = velocity;
        self.acceleration[index] = acceleration;
    }
}

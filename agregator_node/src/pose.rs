//! The buffer in which the pose comes together, in the form in which it is published.

use crate::joint::{JointBuffer, Told};
use crate::note::Note;
use crate::params::{AgregatorParams, LimitPolicy};
use robot_model_lib::Joint;

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
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    effort: Vec<f64>,
    has_effort: bool,
}

impl PoseBuffer {
    pub fn new(joints: &[Joint], params: &AgregatorParams, period: f64) -> filters_lib::Result<Self> {
        let buffer = |j: &Joint| JointBuffer::new(j.limits.lower, j.limits.upper, params, period);
        let joints = joints.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
        let zeros = vec![0.0; joints.len()];
        Ok(PoseBuffer {
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
        self.joints.iter_mut().try_for_each(|joint| joint.set_params(params, period))
    }

    /// Which joints have had no position yet, by index.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        self.joints.iter().enumerate().filter(|(_, joint)| !joint.is_known).map(|(i, _)| i)
    }

    pub fn pose(&self) -> Option<Pose<'_>> {
        self.missing().next().is_none().then_some(Pose {
            position: &self.position,
            velocity: &self.velocity,
            acceleration: &self.acceleration,
            effort: if self.has_effort { &self.effort } else { &[] },
        })
    }

    /// One joint is told something.
    pub fn tell(
        &mut self,
        index: usize,
        name: &str,
        told: Told,
        limits: LimitPolicy,
        period: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) {
        let joint = &mut self.joints[index];
        let clamped = limits == LimitPolicy::Clamp;
        if limits != LimitPolicy::Off && !joint.allows(told.position) {
            note(Note::OutOfLimits { joint: name, position: told.position, clamped });
        }
        if !joint.tell(told, clamped, period) {
            note(Note::TooLarge { joint: name });
        }
        if !told.effort.is_nan() {
            self.effort[index] = told.effort;
            self.has_effort = true;
        }
        self.show(index);
    }

    /// The cycle ends for every joint.
    pub fn end_cycle(&mut self, params: &AgregatorParams, period: f64) {
        for index in 0..self.joints.len() {
            self.joints[index].end_cycle(params, period);
            self.show(index);
        }
    }

    fn show(&mut self, index: usize) {
        let motion = self.joints[index].motion();
        self.position[index] = motion.position;
        self.velocity[index] = motion.velocity;
        self.acceleration[index] = motion.acceleration;
    }
}

//! How fast and how high the joints can step. To find out takes some milliseconds: a robot that walks has it done beside its control
//! thread, and steps as before until then.

use crate::body_pose::BodyPose;
use crate::gait_speed::GaitSpeed;
use crate::legs::Legs;
use crate::pace::GaitLimits;
use crate::posture::Base;
use crate::stepper::Stride;
use crate::swing_probe::SwingProbe;
use robot_model_lib::RobotModel;
use std::sync::Arc;

/// Steps that are out of reach are tried again so much smaller, and so many times.
const SHORTER: f64 = 0.7;
const SMALLER: usize = 8;
/// Joints that let a gait walk no more than this share of what its strides would are those of a stretched leg: near that, joints move fast and feet do not.
const STRETCHED: f64 = 0.25;

/// Tells robots apart: what one learns is true for its own joints only. Equal to its copies, and to no other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pupil(Arc<()>);

impl PartialEq for Pupil {
    fn eq(&self, other: &Pupil) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Everything that the answer depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// Who asked.
    pub pupil: Pupil,
    /// The steps that parameters ask for.
    pub asked: Stride,
    /// Where the body is above them.
    pub body: BodyPose,
    /// Of every joint while a foot swings, rad/s².
    pub acceleration: f64,
}

/// A question with the legs to try it.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub(crate) question: Question,
    pub(crate) model: RobotModel,
    pub(crate) legs: Legs,
    /// The joints from which feet are sought.
    pub(crate) zero: Vec<f64>,
}

/// What was learnt.
#[derive(Clone, Debug)]
pub struct Learned {
    pub(crate) question: Question,
    pub(crate) stride: Stride,
}

impl Lesson {
    /// Tries the steps: those that a leg cannot reach, or only stretched, are made shorter and lower.
    pub fn learn(mut self) -> Learned {
        let Question { asked, body, acceleration, .. } = self.question.clone();
        let (base, mut smaller) = (Base::rest(body), asked);
        let mut found: Option<(Stride, GaitLimits)> = None;
        for _ in 0..SMALLER {
            let (model, legs) = (&self.model, &mut self.legs);
            let mut probe = SwingProbe { model, legs, base, stride: &smaller, acceleration };
            if let Some(planes) = probe.planes(&self.zero) {
                let (speed, lift) = GaitSpeed::new(planes, &smaller.homes);
                let stride = Stride { speed, lift: lift * smaller.lift, ..smaller.clone() };
                let (limits, free) = (GaitLimits::of(&stride), GaitLimits::of(&smaller));
                if found.as_ref().is_none_or(|(_, best)| limits.forward > best.forward) {
                    found = Some((stride, limits));
                }
                if limits.forward > STRETCHED * free.forward {
                    break;
                }
            }
            (smaller.longest, smaller.lift) = (SHORTER * smaller.longest, SHORTER * smaller.lift);
        }
        // Without any it does not even stand where it should: it steps as little as was tried.
        let stride = found.map_or(smaller, |(stride, _)| stride);
        Learned { question: self.question, stride }
    }
}

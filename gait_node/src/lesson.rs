//! How fast and how high the joints can step. To find out takes some milliseconds: a robot that walks has it done beside its control
//! thread, and steps as before until then.

use crate::body_pose::BodyPose;
use crate::foot::Foot;
use crate::foot_reach::FootReach;
use crate::gait_speed::GaitSpeed;
use crate::ground::Velocity;
use crate::legs::Legs;
use crate::pace::GaitLimits;
use crate::posture::Base;
use crate::stability::Unswayed;
use crate::stances::{Stance, Stances};
use crate::steps::Steps;
use crate::stride::Stride;
use crate::sway::{BodySway, Sway};
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
    /// Where the body is above them, and when it sits.
    pub body: BodyPose,
    pub sit: Option<BodyPose>,
    /// Of every joint while a foot swings, rad/s².
    pub acceleration: f64,
    /// How far the weight shall be inside the polygon of the feet, m.
    pub margin: f64,
}

/// A question with the legs to try it.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub(crate) question: Question,
    pub(crate) model: RobotModel,
    pub(crate) legs: Legs,
    /// The joints from which feet are sought.
    pub(crate) zero: Vec<f64>,
    /// The sway to begin from, and the weight.
    pub(crate) sway: Sway,
    pub(crate) weight: Unswayed,
}

/// What was learnt.
#[derive(Clone, Debug)]
pub struct Learned {
    pub(crate) question: Question,
    pub(crate) body: BodyPose,
    pub(crate) sit: Option<BodyPose>,
    pub(crate) stride: Stride,
    pub(crate) sway: Sway,
    /// How far the weight shall be inside, m; 0 for a body that does not sway.
    pub(crate) margin: f64,
}

impl Lesson {
    /// Tries the stance, the steps, and how far the body can sway above them.
    pub fn learn(mut self) -> Learned {
        let Question { body, sit, mut margin, ref asked, .. } = self.question;
        let mut stances = Stances { legs: &mut self.legs, zero: &self.zero };
        let stance = stances.nearest(Stance { body, homes: asked.homes.clone() });
        let body = stance.body;
        let sit = sit.map(|sit| body.toward(&sit, stances.share(&stance, &sit, false)));
        let mut stride = self.steps(&stance, None);
        if margin > 0.0 {
            let (legs, base) = (&mut self.legs, Base::rest(body));
            let feet: Vec<Foot> = stride.homes.iter().map(|home| Foot::standing(*home)).collect();
            legs.place(&base, &feet, &mut self.zero, |_| ());
            stride.reach = FootReach::of(legs, &base, &stride, &self.zero);
            let steps = Steps::of(&stride, &stride.pattern, Velocity::ZERO, self.weight.response);
            let sway = self.sway.clone().planned(steps, self.weight.place, margin);
            if sway.least_margin() > 0.0 {
                let swayed = self.steps(&stance, Some(&sway));
                // With joints that the sway leaves nothing of, feet would drag or not step at all.
                if leaves(GaitLimits::of(&stride), GaitLimits::of(&swayed)) > STRETCHED {
                    stride = Stride { reach: stride.reach, ..swayed };
                } else {
                    margin = 0.0;
                }
            }
            self.sway = sway;
        }
        Learned { question: self.question, body, sit, stride, sway: self.sway, margin }
    }

    /// Those that a leg cannot reach, or only stretched, are made shorter and lower.
    fn steps(&mut self, stance: &Stance, sway: Option<&Sway>) -> Stride {
        let (base, acceleration) = (Base::rest(stance.body), self.question.acceleration);
        let sway = BodySway { weight: sway, response: self.weight.response };
        let mut smaller = Stride { homes: stance.homes.clone(), ..self.question.asked.clone() };
        let mut found: Option<(Stride, GaitLimits)> = None;
        for _ in 0..SMALLER {
            let (model, legs) = (&self.model, &mut self.legs);
            let mut probe = SwingProbe { model, legs, base, sway, stride: &smaller, acceleration };
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
        found.map_or(smaller, |(stride, _)| stride)
    }
}

/// The least share of what a gait can walk, and of how high it steps, that is left of it in another.
fn leaves(free: GaitLimits, left: GaitLimits) -> f64 {
    let parts = |limits: GaitLimits| [limits.forward, limits.left, limits.turn, limits.lift];
    parts(left).into_iter().zip(parts(free)).map(|(left, free)| left / free).fold(1.0, f64::min)
}

//! Other parameters, and what the legs learn for them.

use super::{Level, Locomotion};
use crate::body_pose::BodyPose;
use crate::gestures::Gesture;
use crate::ground::Velocity;
use crate::legs::Legs;
use crate::lesson::{Learned, Lesson, Question};
use crate::params::GaitParams;
use crate::settings::{body_speed, stride};
use filters_lib::Motion;
use nalgebra::Vector3;
use param_lib::ParamError;
use robot_model_lib::{JointSlot, RobotModel};

/// The posture that is sitting.
const SIT: &str = "sit";

/// How far the body is shifted to see how its weight follows, m.
const SHIFT: f64 = 0.01;

impl Locomotion {
    /// Shifts the body a little, to see how its weight follows.
    pub(super) fn learn_sway(&mut self) {
        self.rest(Level::Stand);
        let shifted = [Vector3::x(), Vector3::y()].map(|way| {
            let mut joints = self.stance.clone();
            let base = self.posture.base(&Velocity::ZERO, &Motion { x: way * SHIFT, v: Vector3::zeros() });
            self.legs.place(&base, self.stepper.feet(), &mut joints, |_| ());
            joints
        });
        self.balance.learn_response(&self.stance, [&shifted[0], &shifted[1]], SHIFT);
    }

    /// Takes other parameters; what moves goes on smoothly. It steps in another way when it has learnt what its joints can do there.
    pub fn set_params(
        &mut self,
        model: &RobotModel,
        params: &GaitParams,
    ) -> Result<Option<Lesson>, ParamError> {
        let asked = stride(params, self.legs.homes())?;
        for (name, _) in &params.gestures.0 {
            let unfit = |why: &str| Err(ParamError::unfit(format!("gestures.{name}"), why));
            match model.find_joint(name) {
                JointSlot::Joint { index, .. } if is_leg_joint(&self.legs, model, index) => {
                    return unfit("the joint belongs to a leg");
                }
                JointSlot::Joint { .. } => {}
                _ => return unfit("the robot has no such joint"),
            }
        }
        self.gestures.set(|joint| {
            let name = &model.joints()[joint].name;
            let found = params.gestures.0.iter().find(|(joint, _)| joint == name);
            found.map_or(Gesture::default(), |(_, gesture)| Gesture::from(gesture))
        });
        self.body_speed = body_speed(params);
        let body = BodyPose::wanted(params, self.legs.height());
        let (pupil, acceleration, margin) =
            (self.pupil.clone(), params.swing_acceleration, params.sway_margin);
        let sit = params.postures.0.iter().find(|(name, _)| name == SIT).map(|(_, sit)| sit.into());
        Ok(self.ask(model, Question { pupil, asked, body, sit, acceleration, margin }))
    }

    /// The question that parameters ask, unless it was asked before.
    fn ask(&mut self, model: &RobotModel, question: Question) -> Option<Lesson> {
        if self.question.as_ref() == Some(&question) {
            return None;
        }
        (self.question, self.is_learning) = (Some(question.clone()), true);
        let (legs, zero, (sway, weight)) = (self.legs.clone(), self.zero.clone(), self.balance.plan());
        Some(Lesson { question, model: model.clone(), legs, zero, sway: sway.clone(), weight })
    }

    /// Steps as was learnt, unless something else has been asked since, or another robot learnt it.
    pub fn learned(&mut self, learned: Learned) {
        if self.question.as_ref() == Some(&learned.question) {
            (self.body, self.sit, self.stride) = (learned.body, learned.sit, learned.stride);
            self.is_learning = false;
            self.balance.follow(learned.sway, learned.margin);
        }
    }
}

pub(super) fn is_leg_joint(legs: &Legs, model: &RobotModel, joint: usize) -> bool {
    legs.chains().any(|chain| model.chains()[chain].joints.contains(&joint))
}

//! The robot on its feet: steps over the ground, the body above them, and the joints that follow.

mod learning;
mod rest;
mod shortfalls;

use crate::balance::Balance;
use crate::body_pose::BodyPose;
use crate::gestures::Gestures;
use crate::ground::Velocity;
use crate::joint_command::JointCommand;
use crate::legs::{Legs, Reach};
use crate::lesson::{Pupil, Question};
use crate::pace::{GaitLimits, Slowed};
use crate::params::GaitParams;
use crate::posture::Posture;
use crate::settings::{body_speed, stride};
use crate::stability::Stability;
use crate::stepper::{LongSwing, Stepper};
use crate::stride::Stride;
use learning::is_leg_joint;
use nalgebra::Vector2;
use param_lib::ParamError;
use robot_model_lib::RobotModel;

/// How high the body is above its feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As parameters say, with the lean.
    Stand,
    /// As parameters say: whoever leads the body must not keep it from coming there.
    Upright,
    /// In the posture `sit`.
    Sit,
}

/// Feet, body and gestures of one robot.
#[derive(Clone, Debug)]
pub struct Locomotion {
    legs: Legs,
    /// What was last asked of the joints, and the steps that they can do.
    pupil: Pupil,
    question: Option<Question>,
    /// Whether its answer is not there yet.
    is_learning: bool,
    stride: Stride,
    stepper: Stepper,
    posture: Posture,
    gestures: Gestures,
    balance: Balance,
    body: BodyPose,
    /// What is added to the body's pose while it stands or walks.
    lean: BodyPose,
    sit: Option<BodyPose>,
    body_speed: [f64; 2],
    /// All joints within their limits and as near to zero as these allow.
    zero: Vec<f64>,
    /// The joints with which it stands.
    stance: Vec<f64>,
}

impl Locomotion {
    /// Stands.
    pub fn new(model: &RobotModel, params: &GaitParams, period: f64) -> Result<Locomotion, ParamError> {
        let legs = Legs::new(model);
        if legs.chains().count() < 2 {
            let why = "a walking robot needs two or more with a default_contact";
            return Err(ParamError::unfit("chains", why));
        }
        let (stride, body) = (stride(params, legs.homes())?, BodyPose::wanted(params, legs.height()));
        let zero: Vec<f64> = model.joints().iter().map(|joint| joint.limits.clamp(0.0)).collect();
        let others = (0..zero.len()).filter(|joint| !is_leg_joint(&legs, model, *joint));
        let others = others.map(|joint| (joint, model.joints()[joint].limits));
        let unfit = |e: filters_lib::Error| ParamError::unfit("period", e.to_string());
        let mut locomotion = Locomotion {
            stepper: Stepper::new(&stride, period).map_err(unfit)?,
            posture: Posture::new(body, body_speed(params), period).map_err(unfit)?,
            gestures: Gestures::new(others, period).map_err(unfit)?,
            balance: Balance::new(model, params.sway_margin, period).map_err(unfit)?,
            body_speed: body_speed(params),
            stance: zero.clone(),
            zero,
            sit: None,
            lean: BodyPose::default(),
            legs,
            pupil: Pupil::default(),
            question: None,
            is_learning: false,
            stride,
            body,
        };
        locomotion.learn_sway();
        let lesson = locomotion.set_params(model, params)?;
        lesson.into_iter().for_each(|lesson| locomotion.learned(lesson.learn()));
        Ok(locomotion)
    }

    /// From now on this is added to the body's pose while it stands or walks, smoothly.
    pub fn lean(&mut self, pose: BodyPose) {
        self.lean = pose;
    }

    /// Whether it knows how to sit.
    pub fn can_sit(&self) -> bool {
        self.sit.is_some()
    }

    fn wanted(&self, level: Level) -> BodyPose {
        match (level, self.sit) {
            (Level::Sit, Some(sit)) => sit,
            (Level::Upright, _) => self.body,
            _ => self.body.plus(&self.lean),
        }
    }

    /// Whether the body has come to a level.
    pub fn is_at(&self, level: Level) -> bool {
        self.posture.is_at(self.wanted(level))
    }

    /// Gestures go on from where the joints are.
    pub fn start(&mut self, joints: &JointCommand) {
        self.gestures.start(&joints.position, &joints.velocity);
    }

    /// Goes on for a time with a command, or with feet that stay where they are, the body on its way to a level.
    pub fn step(
        &mut self,
        command: Option<Velocity>,
        level: Level,
        time: f64,
        joints: &mut JointCommand,
        reach: impl FnMut(Reach),
    ) -> Result<(), filters_lib::Error> {
        if let Some(command) = command {
            // One that stands sets off when it knows how.
            let waits = self.is_learning && self.is_standing();
            let command = if waits { Velocity::ZERO } else { command };
            self.stepper.step(command, &self.stride, self.balance.weight_to_carry(), time)?;
        }
        self.posture.step(self.wanted(level), self.body_speed, time)?;
        let (velocity, JointCommand { position: q, velocity: qd }) = (self.velocity(), joints);
        let phase = (!self.is_standing()).then(|| self.stepper.turns().phase());
        self.gestures.step(phase, velocity.turn, time, q, qd)?;
        self.balance.step(&self.stepper, &self.stride, time)?;
        let (base, feet) = (self.posture.base(&velocity, self.balance.sway()), self.stepper.feet());
        self.legs.place(&base, feet, q, reach);
        self.legs.velocities(&base, feet, q, qd);
        self.balance.look(&base, feet, q);
        Ok(())
    }

    /// The body's velocity over the ground.
    pub fn velocity(&self) -> Velocity {
        self.stepper.velocity()
    }

    /// What the gait can walk.
    pub fn gait_limits(&self) -> GaitLimits {
        // Asked for, and learnt that it cannot be.
        let wanted = self.question.as_ref().is_some_and(|asked| asked.margin > 0.0);
        let none = (wanted && !self.is_learning).then_some(0.0);
        GaitLimits { margin: self.balance.least_margin().or(none), ..GaitLimits::of(&self.stride) }
    }

    /// What became of the last command, when it was more than the gait can walk.
    pub fn slowed(&self) -> Option<Slowed> {
        self.stepper.slowed()
    }

    /// The chain of a foot that lifted for much longer than the gait has it, and how long.
    pub fn long_swing(&self) -> Option<(usize, LongSwing)> {
        let swing = self.stepper.long_swing()?;
        Some((self.legs.chains().nth(swing.leg)?, swing))
    }

    /// Whether the body rests on all feet, at home.
    pub fn is_standing(&self) -> bool {
        self.stepper.is_standing()
    }

    /// How safely it stands on its feet.
    pub fn stability(&self) -> Stability {
        self.balance.stability()
    }

    /// How far the body is from above its feet because it sways, along its heading and to its left, m.
    pub fn sway(&self) -> Vector2<f64> {
        self.balance.sway().x.xy()
    }

    /// The chains of the legs, each with whether its foot stands.
    pub fn supports(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        self.legs.chains().zip(self.stepper.feet().iter().map(|foot| foot.stands()))
    }
}

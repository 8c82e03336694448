//! The whole: from commands and motions to one pose per cycle.

mod advance;
mod doing;
mod learn;
mod on_foot;
mod orders;
mod playing;

use crate::activity::Activity;
use crate::battery::Battery;
use crate::first_pose::FirstPose;
use crate::ground::Velocity;
use crate::guard::{Excess, Guard};
use crate::joint_command::JointCommand;
use crate::joint_move::JointMove;
use crate::lesson::{Learned, Lesson};
use crate::locomotion::Locomotion;
use crate::note::Note;
use crate::pace::GaitLimits;
use crate::params::GaitParams;
use crate::play::{DropReason, Play, PlayId};
use crate::stability::Stability;
use crate::torque::TorqueWatch;
use doing::Doing;
use nalgebra::Vector2;
use param_lib::ParamError;
use robot_model_lib::RobotModel;

/// The gait of one robot: told what to do, it gives one pose per cycle.
#[derive(Clone, Debug)]
pub struct Walker {
    model: RobotModel,
    params: GaitParams,
    doing: Doing,
    locomotion: Locomotion,
    joint_move: JointMove,
    guard: Guard,
    joints: JointCommand,
    supports: Vec<Option<f64>>,
    command: Velocity,
    command_age: f64,
    /// A motion to be played next, and whether it shall sit down when it stands.
    next: Option<Play>,
    sit: bool,
    /// Whether it shall halt when it stands.
    hold: bool,
    /// The name of the last motion, and of the last one that came to its end.
    last_play: PlayId,
    ended_play: Option<PlayId>,
    /// Why a motion was dropped, if one was.
    drop_reason: DropReason,
    battery: Battery,
    torque: TorqueWatch,
}

impl Walker {
    /// For a robot, with cycles of `period` until they say otherwise.
    pub fn new(model: RobotModel, params: GaitParams, period: f64) -> Result<Walker, ParamError> {
        let limits: Vec<_> = model.joints().iter().map(|joint| joint.limits).collect();
        let joints = JointCommand::rest(limits.iter().map(|limits| limits.clamp(0.0)).collect());
        let locomotion = Locomotion::new(&model, &params, period)?;
        let leg_joints = locomotion.supports().flat_map(|(chain, _)| model.chains()[chain].joints.clone());
        Ok(Walker {
            doing: Doing::Waiting(FirstPose::new(limits.len(), !params.wait_for_pose)),
            torque: TorqueWatch::new(limits.len(), leg_joints.collect()),
            joint_move: JointMove::new(limits.len()),
            guard: Guard::new(limits, &joints.position),
            supports: vec![None; model.chains().len()],
            command: Velocity::ZERO,
            command_age: 0.0,
            next: None,
            sit: false,
            hold: false,
            last_play: PlayId::default(),
            ended_play: None,
            drop_reason: DropReason::default(),
            battery: Battery::default(),
            locomotion,
            joints,
            params,
            model,
        })
    }

    /// Takes other parameters, and learns at once what they ask of the joints.
    pub fn set_params(&mut self, params: GaitParams) -> Result<(), ParamError> {
        let lesson = self.change_params(params)?;
        lesson.into_iter().for_each(|lesson| self.learned(lesson.learn()));
        Ok(())
    }

    /// Takes other parameters; what moves goes on smoothly. What it has to learn for them takes milliseconds, wherever that is done;
    /// until it is [`Walker::learned`] a robot that walks steps as before, and one that stands does not set off.
    pub fn change_params(&mut self, params: GaitParams) -> Result<Option<Lesson>, ParamError> {
        let lesson = self.locomotion.set_params(&self.model, &params)?;
        self.params = params;
        Ok(lesson)
    }

    /// Steps as was learnt, unless parameters have changed since.
    pub fn learned(&mut self, learned: Learned) {
        self.locomotion.learned(learned);
    }

    /// The robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// What it does.
    pub fn activity(&self) -> Activity {
        self.doing.activity()
    }

    /// The velocity of the body over the ground.
    pub fn velocity(&self) -> Velocity {
        self.locomotion.velocity()
    }

    /// What the gait can walk: commands beyond are scaled down.
    pub fn gait_limits(&self) -> GaitLimits {
        self.locomotion.gait_limits()
    }

    /// What is less than parameters ask for.
    pub fn shortfalls(&self) -> impl Iterator<Item = Note<'_>> {
        self.gait_limits().notes(&self.params).chain(self.locomotion.shortfalls())
    }

    /// How safely it stands on its feet; nothing while its joints move without them.
    pub fn stability(&self) -> Option<Stability> {
        let on_foot =
            matches!(self.doing, Doing::Standing | Doing::Walking | Doing::Sitting | Doing::GettingUp);
        on_foot.then(|| self.locomotion.stability())
    }

    /// How far the body is from above its feet because it sways, along its heading and to its left, m.
    pub fn sway(&self) -> Vector2<f64> {
        self.locomotion.sway()
    }

    /// Positions of all joints, in the model's order.
    pub fn positions(&self) -> &[f64] {
        &self.joints.position
    }

    /// Velocities of all joints, in the model's order.
    pub fn velocities(&self) -> &[f64] {
        &self.joints.velocity
    }

    /// Support of each chain, as far as it is known.
    pub fn supports(&self) -> &[Option<f64>] {
        &self.supports
    }

    /// One cycle, in which the motion goes on by so many periods. Gives whether there is a pose to be published.
    pub fn step(&mut self, period: f64, periods: f64, note: &mut dyn FnMut(Note<'_>)) -> bool {
        let time = period * periods;
        if !(period > 0.0 && periods > 0.0 && time.is_finite()) {
            return false;
        }
        self.command_age += time;
        if self.command_age > self.params.command_timeout {
            self.command = Velocity::ZERO;
        }
        if let Some(voltage) = self.battery.step(self.params.low_battery, time)
            && self.sit()
        {
            self.battery.say();
            note(Note::LowBattery { voltage });
        }
        // No input makes a filter fail that was checked before; should it be, the pose stays as it was.
        if let Err(e) = self.advance(time, note) {
            note(Note::Fault(&e));
        }
        if !self.doing.has_pose() {
            return false;
        }
        let joints = self.model.joints();
        let held = |Excess { joint, speed }| {
            note(Note::TooFast { joint: &joints[joint].name, speed, limit: joints[joint].limits.velocity });
        };
        self.guard.pass(&mut self.joints.position, &mut self.joints.velocity, time, held);
        true
    }
}

//! The whole: from commands and motions to one pose per cycle.

mod advance;
mod doing;

use crate::activity::Activity;
use crate::battery::Battery;
use crate::first_pose::{FirstPose, Source};
use crate::ground::Velocity;
use crate::guard::{Excess, Guard};
use crate::joint_command::JointCommand;
use crate::joint_move::JointMove;
use crate::locomotion::Locomotion;
use crate::motion::Motion;
use crate::note::Note;
use crate::params::GaitParams;
use crate::play::{Play, Progress};
use crate::torque::{Hold, TorqueWatch};
use doing::Doing;
use param_lib::ParamError;
use robot_model_lib::{MessageError, RobotModel};

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
            battery: Battery::default(),
            locomotion,
            joints,
            params,
            model,
        })
    }

    /// Takes other parameters; what moves goes on smoothly.
    pub fn set_params(&mut self, params: GaitParams) -> Result<(), ParamError> {
        self.locomotion.set_params(&self.model, &params)?;
        self.params = params;
        Ok(())
    }

    /// The robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Learns the pose that the joints have; of use only while it waits for one. A refused message changes nothing.
    pub fn pose(&mut self, source: Source, names: &[String], positions: &[f64]) -> Result<(), MessageError> {
        match &mut self.doing {
            Doing::Waiting(first) | Doing::Limp { first, .. } => {
                first.take(source, &self.model, names, positions, &mut self.joints.position)
            }
            _ => Ok(()),
        }
    }

    /// Learns which joints have torque. Without it in its legs the robot follows whoever moves it; when it is back, it gets up
    /// from there. Arrays that disagree are refused.
    pub fn torque(&mut self, names: &[String], on: &[bool]) -> bool {
        let taken = self.torque.take(&self.model, names, on);
        let hold = self.torque.hold();
        match &mut self.doing {
            Doing::Limp { first, held, .. } => {
                let firm = hold == Hold::Firm;
                if firm && !std::mem::replace(held, firm) {
                    first.forget();
                }
                *held = firm;
            }
            _ if hold == Hold::Limp => self.go_limp(),
            _ => {}
        }
        taken
    }

    /// Learns the battery's voltage.
    pub fn battery(&mut self, voltage: f64) {
        self.battery.take(voltage);
    }

    /// Joints whose pose is not known yet.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let first = match &self.doing {
            Doing::Waiting(first) | Doing::Limp { first, .. } => Some(first),
            _ => None,
        };
        first.into_iter().flat_map(FirstPose::missing).map(|joint| self.model.joints()[joint].name.as_str())
    }

    /// What it waits for before it moves, in words.
    pub fn waits_for(&self) -> String {
        let list = |names: &[&str]| if names.len() > 6 { "most joints".into() } else { names.join(", ") };
        let without: Vec<&str> =
            self.torque.without().map(|joint| self.model.joints()[joint].name.as_str()).collect();
        let unknown: Vec<&str> = self.unknown().collect();
        if matches!(self.doing, Doing::Limp { held: false, .. }) {
            return format!("these have no torque: {}", list(&without));
        }
        if unknown.is_empty() {
            return "all joints are measured; waiting for cycles of sync, in which a pose that is commanded already could \
                    come on joints"
                .into();
        }
        format!(
            "neither joints nor joint_states tell where these are: {}; wait_for_pose:=false starts without",
            list(&unknown)
        )
    }

    /// A wanted velocity; what is no number is refused.
    pub fn command(&mut self, velocity: Velocity) -> bool {
        if velocity.is_finite() {
            (self.command, self.command_age) = (velocity, 0.0);
        }
        velocity.is_finite()
    }

    /// Plays a motion as soon as the robot stands. One that is played ends at once, and the next begins from there.
    pub fn play(&mut self, motion: Motion) {
        (self.next, self.sit) = (Some(Play::new(motion)), false);
    }

    /// Ends whatever it does; the robot stands.
    pub fn stand(&mut self) {
        self.forget_wishes();
        match self.doing {
            Doing::Entering(_) | Doing::Playing(_) | Doing::Halted(_) => self.rise(),
            Doing::Sitting => self.doing = Doing::GettingUp,
            _ => {}
        }
    }

    /// Ends whatever it does; the robot stands, and sits down on its feet. Gives whether it can.
    pub fn sit(&mut self) -> bool {
        if !self.locomotion.can_sit() || matches!(self.doing, Doing::Waiting(_) | Doing::Limp { .. }) {
            return false;
        }
        if matches!(self.doing, Doing::Sitting) {
            return true;
        }
        self.stand();
        if matches!(self.doing, Doing::GettingUp) {
            self.doing = Doing::Sitting;
        }
        self.sit = true;
        true
    }

    /// Brakes all joints, which stay where they come to rest; a walk ends with its last steps.
    pub fn halt(&mut self) {
        self.forget_wishes();
        let play = match std::mem::replace(&mut self.doing, Doing::Standing) {
            Doing::Entering(play) | Doing::Playing(play) => Some(play),
            Doing::Rising(_) | Doing::Sitting | Doing::GettingUp => None,
            other => return self.doing = other,
        };
        self.begin_move(0.0, |_| None);
        self.doing = Doing::Halted(play);
    }

    /// Goes on with the motion that was halted. Gives whether there is one.
    pub fn resume(&mut self) -> bool {
        match std::mem::replace(&mut self.doing, Doing::Halted(None)) {
            Doing::Halted(Some(play)) => self.enter(play, 0.0),
            other => {
                self.doing = other;
                return false;
            }
        }
        true
    }

    /// What it does.
    pub fn activity(&self) -> Activity {
        self.doing.activity()
    }

    /// How far the motion is that is entered, played or halted.
    pub fn progress(&self) -> Option<Progress<'_>> {
        match &self.doing {
            Doing::Entering(play) => Some(play.progress(-self.joint_move.left(), false)),
            Doing::Playing(play) => Some(play.progress(play.since, false)),
            Doing::Halted(Some(play)) => Some(play.progress(play.since, true)),
            _ => None,
        }
    }

    /// The velocity of the body over the ground.
    pub fn velocity(&self) -> Velocity {
        self.locomotion.velocity()
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

//! The whole: from commands and motions to one pose per cycle.

use crate::activity::Activity;
use crate::brake::Brake;
use crate::first_pose::{FirstPose, Source};
use crate::ground::Velocity;
use crate::guard::{Excess, Guard};
use crate::joint_command::JointCommand;
use crate::joint_move::{JointMove, MoveLimits};
use crate::legs::Reach;
use crate::locomotion::Locomotion;
use crate::motion::Motion;
use crate::note::Note;
use crate::params::GaitParams;
use crate::segment::State;
use param_lib::ParamError;
use robot_model_lib::{MessageError, RobotModel};

/// Joints this near to a pose are there, rad.
const THERE: f64 = 1e-6;
/// What a joint may be outside its limits without a word, rad: servos measure in steps of this size.
const OUTSIDE: f64 = 0.006;

/// What it is about, with what belongs to that alone.
///
/// ```text
///   Waiting ──▶ Rising ──▶ Standing ◀──▶ Walking
///                 ▲           │
///                 └─ Playing ◀┴─ Entering ◀─┐
///                       └──────────────────┘  another motion
/// ```
#[derive(Clone, Debug)]
enum Doing {
    Waiting(FirstPose),
    /// All joints move together to the posture in which it stands.
    Rising,
    Standing,
    Walking,
    /// All joints move together to the start of a motion.
    Entering(Motion),
    /// The motion, and the time since its start, s.
    Playing(Motion, f64),
}

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
    next: Option<Motion>,
}

impl Walker {
    /// For a robot, with cycles of `period` until they say otherwise.
    pub fn new(model: RobotModel, params: GaitParams, period: f64) -> Result<Walker, ParamError> {
        let limits: Vec<_> = model.joints().iter().map(|joint| joint.limits).collect();
        let joints = JointCommand::rest(limits.iter().map(|limits| limits.clamp(0.0)).collect());
        Ok(Walker {
            doing: Doing::Waiting(FirstPose::new(limits.len(), !params.wait_for_pose)),
            locomotion: Locomotion::new(&model, &params, period)?,
            joint_move: JointMove::new(limits.len()),
            guard: Guard::new(limits, &joints.position),
            supports: vec![None; model.chains().len()],
            command: Velocity::ZERO,
            command_age: 0.0,
            next: None,
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
            Doing::Waiting(first) => {
                first.take(source, &self.model, names, positions, &mut self.joints.position)
            }
            _ => Ok(()),
        }
    }

    /// Joints whose pose is not known yet.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let first = if let Doing::Waiting(first) = &self.doing { Some(first) } else { None };
        first.into_iter().flat_map(FirstPose::missing).map(|joint| self.model.joints()[joint].name.as_str())
    }

    /// What it waits for before it moves, in words.
    pub fn waits_for(&self) -> String {
        let names: Vec<&str> = self.unknown().collect();
        let list = match names.len() {
            0 => {
                return "all joints are measured; waiting for cycles of sync, in which a pose that is commanded \
                        already could come on joints"
                    .into();
            }
            1..=6 => names.join(", "),
            _ => "most joints".into(),
        };
        format!(
            "neither joints nor joint_states tell where these are: {list}; wait_for_pose:=false starts without"
        )
    }

    /// A wanted velocity; what is no number is refused.
    pub fn command(&mut self, velocity: Velocity) -> bool {
        if velocity.is_finite() {
            (self.command, self.command_age) = (velocity, 0.0);
        }
        velocity.is_finite()
    }

    /// Plays a motion as soon as the robot stands. One that is played ends at once.
    pub fn play(&mut self, motion: Motion) {
        self.next = Some(motion);
    }

    /// Ends what is played; the robot stands up.
    pub fn halt(&mut self) {
        self.next = None;
        self.command = Velocity::ZERO;
        if matches!(self.doing, Doing::Entering(_) | Doing::Playing(..)) {
            self.rise();
        }
    }

    /// What it does.
    pub fn activity(&self) -> Activity {
        match self.doing {
            Doing::Waiting(_) => Activity::Waiting,
            Doing::Rising => Activity::Rising,
            Doing::Standing => Activity::Standing,
            Doing::Walking => Activity::Walking,
            Doing::Entering(_) | Doing::Playing(..) => Activity::Playing,
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
        // No input makes a filter fail that was checked before; should it be, the pose stays as it was.
        if let Err(e) = self.advance(time, note) {
            note(Note::Fault(&e));
        }
        if matches!(self.doing, Doing::Waiting(_)) {
            return false;
        }
        let joints = self.model.joints();
        let held = |Excess { joint, speed }| {
            note(Note::TooFast { joint: &joints[joint].name, speed, limit: joints[joint].limits.velocity });
        };
        self.guard.pass(&mut self.joints.position, &mut self.joints.velocity, time, held);
        true
    }

    fn advance(&mut self, time: f64, note: &mut dyn FnMut(Note<'_>)) -> Result<(), filters_lib::Error> {
        if let Doing::Waiting(first) = &mut self.doing {
            if !first.is_ready() {
                return Ok(());
            }
            let is_commanded = first.is_commanded();
            self.wake(is_commanded, note);
        }
        // Taken out, for what follows may put another in its place.
        match std::mem::replace(&mut self.doing, Doing::Rising) {
            Doing::Waiting(first) => self.doing = Doing::Waiting(first),
            Doing::Rising => {
                if !self.move_on(time) {
                    self.stand();
                }
            }
            Doing::Standing | Doing::Walking => {
                self.go_on_foot(time, note)?;
                // What is left of a change of posture goes on until all joints can stop where they are.
                if matches!(self.doing, Doing::Standing) && self.has_room() {
                    self.enter_next();
                }
            }
            Doing::Entering(motion) => {
                if self.move_on(time) {
                    self.doing = Doing::Entering(motion);
                } else {
                    self.play_on(motion, self.joint_move.beyond());
                }
            }
            Doing::Playing(motion, since) => self.play_on(motion, since + time),
        }
        Ok(())
    }

    /// Begins, from the pose that is known now.
    fn wake(&mut self, is_commanded: bool, note: &mut dyn FnMut(Note<'_>)) {
        self.guard.start(&self.joints.position);
        for (joint, &position) in self.model.joints().iter().zip(&self.joints.position) {
            let limit = joint.limits.clamp(position);
            if (position - limit).abs() > OUTSIDE {
                note(Note::Outside { joint: &joint.name, position, limit });
            }
        }
        // Joints that are commanded already are those of an earlier life: the supports that it gave are over. Else nobody
        // has spoken of supports, and whoever needs them finds out himself.
        if self.params.wait_for_pose && is_commanded {
            self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(0.0));
        }
        self.rise();
    }

    /// Sets out for the posture in which it stands.
    fn rise(&mut self) {
        let stance = self.locomotion.stand();
        if self.joints.rests_at(stance, THERE) {
            return self.stand();
        }
        let how = move_limits(&self.params, self.params.rise_time);
        let to = |joint: usize| Some(State::rest(stance[joint]));
        self.joint_move.begin(|joint| self.joints.state(joint), to, how, self.guard.limits());
        self.doing = Doing::Rising;
    }

    fn stand(&mut self) {
        self.locomotion.start(&self.joints);
        self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(1.0));
        self.doing = Doing::Standing;
    }

    /// Goes on with a move of all joints; gives whether it is under way still.
    fn move_on(&mut self, time: f64) -> bool {
        let under_way = self.joint_move.advance(time);
        self.joint_move.write(&mut self.joints.position, &mut self.joints.velocity);
        under_way
    }

    fn go_on_foot(&mut self, time: f64, note: &mut dyn FnMut(Note<'_>)) -> Result<(), filters_lib::Error> {
        let command = if self.next.is_some() { Velocity::ZERO } else { self.command };
        let chains = self.model.chains();
        let stepped = self.locomotion.step(command, time, &mut self.joints, |Reach { chain, miss }| {
            if miss > 0.0 {
                note(Note::OutOfReach { leg: &chains[chain].name, miss });
            }
        });
        let is_standing = self.locomotion.is_standing();
        self.doing = if is_standing { Doing::Standing } else { Doing::Walking };
        for (chain, stands) in self.locomotion.supports() {
            self.supports[chain] = Some(f64::from(stands));
        }
        stepped
    }

    /// Whether every joint can brake before its limit.
    fn has_room(&self) -> bool {
        let acceleration = self.params.joint_acceleration;
        let mut joints = self.guard.limits().iter().enumerate();
        joints.all(|(joint, limits)| Brake::fits(&self.joints.state(joint), acceleration, limits))
    }

    /// Sets out for the start of the motion that waits.
    fn enter_next(&mut self) {
        let Some(motion) = self.next.take() else { return };
        let how = move_limits(&self.params, motion.entry_time());
        let from = |joint: usize| self.joints.state(joint);
        self.joint_move.begin(from, |joint| motion.start(joint), how, self.guard.limits());
        // On its way a leg stands if it stood and shall stand: one that is lifted leaves the ground at once, one that comes down
        // is there at the end.
        for (chain, first) in motion.supports(0.0) {
            self.supports[chain] = Some(self.supports[chain].map_or(0.0, |now| now.min(first)));
        }
        self.doing = Doing::Entering(motion);
    }

    fn play_on(&mut self, motion: Motion, since: f64) {
        motion.write(since, &mut self.joints.position, &mut self.joints.velocity);
        motion.supports(since).for_each(|(chain, support)| self.supports[chain] = Some(support));
        let over = since - motion.duration();
        if self.next.is_some() {
            self.enter_next();
        } else if over >= 0.0 {
            self.rise();
        } else {
            self.doing = Doing::Playing(motion, since);
            return;
        }
        // The motion gave its end; what is left of the cycle belongs to what comes after.
        if over > 0.0 && matches!(self.doing, Doing::Rising | Doing::Entering(_)) {
            self.move_on(over);
        }
    }
}

/// How all joints may move together.
fn move_limits(params: &GaitParams, duration: f64) -> MoveLimits {
    MoveLimits { duration, speed: params.rise_speed, acceleration: params.joint_acceleration }
}

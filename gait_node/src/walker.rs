//! The whole: from commands and motions to one pose per cycle.

use crate::activity::Activity;
use crate::brake::Brake;
use crate::first_pose::{FirstPose, Source};
use crate::gestures::{Gesture, Gestures};
use crate::ground::Velocity;
use crate::guard::{Excess, Guard};
use crate::joint_move::{JointMove, MoveLimits};
use crate::legs::{Legs, Reach};
use crate::motion::Motion;
use crate::note::Note;
use crate::params::GaitParams;
use crate::posture::Posture;
use crate::segment::State;
use crate::settings::{posture, speed, stride};
use crate::stepper::{Stepper, Stride};
use param_lib::ParamError;
use robot_model_lib::{JointSlot, Limits, MessageError, RobotModel};

/// Joints this near to a pose are there, rad.
const THERE: f64 = 1e-6;
/// What a joint may be outside its limits without a word, rad: servos measure in steps of this size.
const OUTSIDE: f64 = 0.006;

#[derive(Clone, Debug)]
enum Phase {
    Waiting,
    Rising,
    Walking,
    Entering(Motion),
    Playing(Motion, f64),
}

/// The gait of one robot: told what to do, it gives one pose per cycle.
#[derive(Clone, Debug)]
pub struct Walker {
    model: RobotModel,
    params: GaitParams,
    limits: Vec<Limits>,
    period: f64,
    phase: Phase,
    legs: Legs,
    stride: Stride,
    stepper: Stepper,
    posture: Posture,
    gestures: Gestures,
    way: JointMove,
    guard: Guard,
    q: Vec<f64>,
    qd: Vec<f64>,
    stand: Vec<f64>,
    supports: Vec<Option<f64>>,
    command: Velocity,
    command_age: f64,
    next: Option<Motion>,
    first_pose: FirstPose,
}

impl Walker {
    /// For a robot, with cycles of `period` until they say otherwise.
    pub fn new(model: RobotModel, params: GaitParams, period: f64) -> Result<Walker, ParamError> {
        let limits: Vec<Limits> = model.joints().iter().map(|joint| joint.limits).collect();
        let q: Vec<f64> = limits.iter().map(|limits| limits.clamp(0.0)).collect();
        let legs = Legs::new(&model);
        if legs.chains().count() < 2 {
            return Err(ParamError::unfit(
                "chains",
                "a walking robot needs two or more with a default_contact",
            ));
        }
        let stride = stride(&params, legs.homes())?;
        let leg_joints: Vec<_> = legs.chains().map(|chain| model.chains()[chain].joints.clone()).collect();
        let others = (0..q.len()).filter(|joint| !leg_joints.iter().any(|leg| leg.contains(joint)));
        let joints = q.len();
        let unfit = |e: filters_lib::Error| ParamError::unfit("period", e.to_string());
        let mut walker = Walker {
            stepper: Stepper::new(&stride, period).map_err(unfit)?,
            posture: Posture::new(posture(&params, legs.height()), speed(&params), period).map_err(unfit)?,
            gestures: Gestures::new(others.map(|joint| (joint, limits[joint])), period).map_err(unfit)?,
            way: JointMove::new(joints),
            guard: Guard::new(limits.clone(), &q),
            qd: vec![0.0; joints],
            stand: q.clone(),
            supports: vec![None; model.chains().len()],
            first_pose: FirstPose::new(joints, !params.wait_for_pose),
            command: Velocity::ZERO,
            command_age: 0.0,
            next: None,
            phase: Phase::Waiting,
            params: GaitParams::default(),
            q,
            model,
            limits,
            legs,
            stride,
            period,
        };
        walker.set_params(params)?;
        Ok(walker)
    }

    /// Takes other parameters; what moves goes on smoothly.
    pub fn set_params(&mut self, params: GaitParams) -> Result<(), ParamError> {
        let stride = stride(&params, self.legs.homes())?;
        let gesture = |joint: usize| {
            let name = &self.model.joints()[joint].name;
            let found = params.gestures.0.iter().find(|(joint, _)| joint == name).map(|(_, gesture)| gesture);
            found.map_or(Gesture::default(), |g| Gesture {
                centre: g.centre,
                swing: g.swing,
                beats: g.beats as f64,
                turn: g.turn,
            })
        };
        for (name, _) in &params.gestures.0 {
            let JointSlot::Joint { index, .. } = self.model.find_joint(name) else {
                return Err(ParamError::unfit(format!("gestures.{name}"), "the robot has no such joint"));
            };
            if self.is_leg_joint(index) {
                return Err(ParamError::unfit(format!("gestures.{name}"), "the joint belongs to a leg"));
            }
        }
        self.gestures.set(gesture);
        self.stride = stride;
        self.params = params;
        Ok(())
    }

    fn is_leg_joint(&self, joint: usize) -> bool {
        self.legs.chains().any(|chain| self.model.chains()[chain].joints.contains(&joint))
    }

    /// The robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Learns the pose that the joints have; of use only while it waits for one. A refused message changes nothing.
    pub fn pose(&mut self, source: Source, names: &[String], positions: &[f64]) -> Result<(), MessageError> {
        if !matches!(self.phase, Phase::Waiting) {
            return Ok(());
        }
        self.first_pose.take(source, &self.model, names, positions, &mut self.q)
    }

    /// Joints whose pose is not known yet.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.first_pose.missing().map(|joint| self.model.joints()[joint].name.as_str())
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
        if matches!(self.phase, Phase::Entering(_) | Phase::Playing(..)) {
            self.rise();
        }
    }

    /// What it does.
    pub fn activity(&self) -> Activity {
        match self.phase {
            Phase::Waiting => Activity::Waiting,
            Phase::Rising => Activity::Rising,
            Phase::Walking if self.stepper.is_standing() => Activity::Standing,
            Phase::Walking => Activity::Walking,
            Phase::Entering(_) | Phase::Playing(..) => Activity::Playing,
        }
    }

    /// The velocity of the body over the ground.
    pub fn velocity(&self) -> Velocity {
        self.stepper.velocity()
    }

    /// Positions of all joints, sorted.
    pub fn positions(&self) -> &[f64] {
        &self.q
    }

    /// Velocities of all joints, sorted.
    pub fn velocities(&self) -> &[f64] {
        &self.qd
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
        self.period = time;
        self.command_age += time;
        if self.command_age > self.params.command_timeout {
            self.command = Velocity::ZERO;
        }
        if matches!(self.phase, Phase::Waiting) && !self.wake(note) {
            return false;
        }
        // No input makes a filter fail that was checked before; should it be, the pose stays as it was.
        if let Err(e) = self.advance(note) {
            note(Note::Fault(&e));
        }
        let joints = self.model.joints();
        let held = |Excess { joint, speed }| {
            note(Note::TooFast { joint: &joints[joint].name, speed, limit: joints[joint].limits.velocity });
        };
        self.guard.pass(&mut self.q, &mut self.qd, time, held);
        true
    }

    /// Begins, when it is time.
    fn wake(&mut self, note: &mut dyn FnMut(Note<'_>)) -> bool {
        let ready = self.first_pose.is_ready();
        if ready {
            self.guard = Guard::new(self.limits.clone(), &self.q);
            for (joint, &position) in self.model.joints().iter().zip(&self.q) {
                let limit = joint.limits.clamp(position);
                if (position - limit).abs() > OUTSIDE {
                    note(Note::Outside { joint: &joint.name, position, limit });
                }
            }
            // Joints that are commanded already are those of an earlier life: the supports that it gave are over. Else nobody
            // has spoken of supports, and whoever needs them finds out himself.
            if self.params.wait_for_pose && self.first_pose.is_commanded() {
                self.legs.chains().for_each(|chain| self.supports[chain] = Some(0.0));
            }
            self.rise();
        }
        ready
    }

    /// How all joints may move together.
    fn move_limits(&self, duration: f64) -> MoveLimits {
        MoveLimits { duration, speed: self.params.rise_speed, acceleration: self.params.joint_acceleration }
    }

    /// Whether every joint can brake before its limit.
    fn has_room(&self) -> bool {
        let states = self.q.iter().zip(&self.qd).map(|(q, qd)| State { v: *qd, ..State::rest(*q) });
        states.zip(&self.limits).all(|(s, limits)| Brake::fits(&s, self.params.joint_acceleration, limits))
    }

    /// Sets out for the posture in which it stands.
    fn rise(&mut self) {
        let still = self.qd.iter().all(|speed| *speed == 0.0);
        self.find_stand();
        if still && self.q.iter().zip(&self.stand).all(|(q, stand)| (q - stand).abs() < THERE) {
            self.stand_still();
            return;
        }
        let how = self.move_limits(self.params.rise_time);
        let (q, qd, stand) = (&self.q, &self.qd, &self.stand);
        let from = |joint: usize| State { v: qd[joint], ..State::rest(q[joint]) };
        self.way.begin(from, |joint| Some(State::rest(stand[joint])), how, &self.limits);
        self.phase = Phase::Rising;
    }

    /// The joints with which it stands.
    fn find_stand(&mut self) {
        self.posture.stand(posture(&self.params, self.legs.height()));
        self.stepper.stand(&self.stride);
        for (stand, limits) in self.stand.iter_mut().zip(&self.limits) {
            *stand = limits.clamp(0.0);
        }
        self.gestures.rest().for_each(|(joint, rest)| self.stand[joint] = rest);
        self.legs.place(&self.posture.base(&Velocity::ZERO), self.stepper.feet(), &mut self.stand, |_| ());
    }

    fn stand_still(&mut self) {
        self.phase = Phase::Walking;
        self.gestures.start(&self.q, &self.qd);
        self.legs.chains().for_each(|chain| self.supports[chain] = Some(1.0));
    }

    fn advance(&mut self, note: &mut dyn FnMut(Note<'_>)) -> Result<(), filters_lib::Error> {
        // Taken out, for what follows may put another in its place.
        match std::mem::replace(&mut self.phase, Phase::Rising) {
            Phase::Waiting => self.phase = Phase::Waiting,
            Phase::Rising => {
                if !self.move_on() {
                    self.stand_still();
                }
            }
            Phase::Walking => {
                self.phase = Phase::Walking;
                self.walk(note)?;
                // What is left of a change of posture goes on until all joints can stop where they are.
                if self.stepper.is_standing() && self.has_room() {
                    self.enter_next();
                }
            }
            Phase::Entering(motion) => {
                if self.move_on() {
                    self.phase = Phase::Entering(motion);
                } else {
                    self.play_on(motion, self.way.beyond());
                }
            }
            Phase::Playing(motion, time) => self.play_on(motion, time + self.period),
        }
        Ok(())
    }

    /// Goes on with a move of all joints; gives whether it is under way still.
    fn move_on(&mut self) -> bool {
        let under_way = self.way.advance(self.period);
        self.way.write(&mut self.q, &mut self.qd);
        under_way
    }

    fn walk(&mut self, note: &mut dyn FnMut(Note<'_>)) -> Result<(), filters_lib::Error> {
        let period = self.period;
        let command = if self.next.is_some() { Velocity::ZERO } else { self.command };
        self.stepper.step(command, &self.stride, period)?;
        self.posture.step(posture(&self.params, self.legs.height()), speed(&self.params), period)?;
        let velocity = self.stepper.velocity();
        let phase = (!self.stepper.is_standing()).then(|| self.stepper.phase());
        self.gestures.step(phase, velocity.turn, period, &mut self.q, &mut self.qd)?;
        let (base, feet) = (self.posture.base(&velocity), self.stepper.feet());
        let chains = self.model.chains();
        self.legs.place(&base, feet, &mut self.q, |Reach { chain, miss }| {
            if miss > 0.0 {
                note(Note::OutOfReach { leg: &chains[chain].name, miss });
            }
        });
        self.legs.velocities(&base, feet, &self.q, &mut self.qd);
        for (chain, foot) in self.legs.chains().zip(feet) {
            self.supports[chain] = Some(if foot.stands() { 1.0 } else { 0.0 });
        }
        Ok(())
    }

    /// Sets out for the start of the motion that waits.
    fn enter_next(&mut self) {
        let Some(motion) = self.next.take() else { return };
        let how = self.move_limits(motion.entry_time());
        let (q, qd) = (&self.q, &self.qd);
        let from = |joint: usize| State { v: qd[joint], ..State::rest(q[joint]) };
        self.way.begin(from, |joint| motion.start(joint), how, &self.limits);
        // On its way a leg stands if it stood and shall stand: one that is lifted leaves the ground at once, one that comes down
        // is there at the end.
        for (chain, first) in motion.supports(0.0) {
            self.supports[chain] = Some(self.supports[chain].map_or(0.0, |now| now.min(first)));
        }
        self.phase = Phase::Entering(motion);
    }

    fn play_on(&mut self, motion: Motion, time: f64) {
        motion.write(time, &mut self.q, &mut self.qd);
        motion.supports(time).for_each(|(chain, support)| self.supports[chain] = Some(support));
        let over = time - motion.duration();
        if self.next.is_some() {
            self.enter_next();
        } else if over >= 0.0 {
            self.rise();
        } else {
            self.phase = Phase::Playing(motion, time);
            return;
        }
        // The motion gave its end; what is left of the cycle belongs to what comes after.
        if over > 0.0 && matches!(self.phase, Phase::Rising | Phase::Entering(_)) {
            self.way.advance(over);
            self.way.write(&mut self.q, &mut self.qd);
        }
    }
}

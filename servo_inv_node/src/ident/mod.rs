//! Identification of servos: which alphas explain what goals did to positions.

mod ahead;
mod constrained;
mod delay;
mod fit;
mod rls;
mod session;
mod setpoint;
mod window;

pub use ahead::ramp_lag;
pub use rls::Rls;
pub use session::{Outcome, Session};
pub use setpoint::{Profile, Setpoint, Signal};
pub use window::{Sample, Smoothed, Window};

use crate::desired::Refusal;
use crate::inverse::BadVoltage;
use crate::joints::{Joints, Seen};
use crate::model::ServoModel;
use crate::params::SavedServo;
use robot_model_lib::{Field, check_fields};

/// What can be tuned while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Weight of a window that is one older.
    pub forgetting: f64,
    /// Slower motion is not used, rad/s.
    pub min_velocity: f64,
    /// Width of the smoothing, s.
    pub window: f64,
    /// A servo is identified from no fewer windows.
    pub min_samples: u64,
    /// From the stamp of a goal until the servo follows it, s.
    pub goal_delay: f64,
    /// A model is for the delay that the motion shows, instead of `goal_delay`.
    pub find_delay: bool,
    /// How a servo goes to its goal.
    pub goal_profile: Profile,
    /// Goals are servo angles.
    pub apply_kgear: bool,
    /// Measured positions are servo angles.
    pub measured_kgear: bool,
    /// A battery message with less is not believed, V.
    pub min_voltage: f64,
    /// Nor one with more, V.
    pub max_voltage: f64,
}

/// The least correlation of a servo that follows its goals. It is the cosine of the phase: up to some 85° behind, since a leg joint
/// whose goals pass over a slow line comes that late in a fast gait. What is reversed lies beyond, what is unrelated near 0.
const LEAST_CORRELATION: f64 = 0.1;

/// The most that a model may leave of the deflection it explains. A servo's leaves encoder steps and what the gears do, a few percent;
/// positions of another joint that goes alike leave most of their difference.
const MOST_UNEXPLAINED: f64 = 0.5;

/// What is left of the motion of a stiff servo, rad: a part of an encoder's step, however little its deflection is.
const SMALL: f64 = 0.002;

/// An order that cannot be carried out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentError {
    /// Not one of the servos.
    #[error("joint \"{0}\" is not among the servos to identify")]
    Unknown(String),
    /// There is no servo at all.
    #[error("there is no servo yet: set the parameter joints, or send goals")]
    NoServo,
    /// Its identification was started before.
    #[error("joint \"{0}\" is being identified already: stop or abort it first")]
    Running(String),
    /// Its identification was not started.
    #[error("joint \"{0}\" is not being identified: start it first")]
    NotRunning(String),
    /// Stopped too early; it goes on.
    #[error(
        "joint \"{joint}\" has {samples} windows of motion of {wanted}: move it faster or longer, or abort; it goes on"
    )]
    TooFew {
        /// Name of the joint.
        joint: String,
        /// How many there are.
        samples: u64,
        /// How many it takes.
        wanted: u64,
    },
    /// The joint moves, but not by its goals.
    #[error(
        "joint \"{0}\" moves while its goals stand: is its torque off, or does somebody turn it? Nothing is learnt; it ends"
    )]
    GoalsStand(String),
    /// The joint moves otherwise than its goals.
    #[error(
        "joint \"{joint}\" does not follow its goals (correlation {correlation:.2}, at least {LEAST_CORRELATION} is wanted): are its \
         positions reversed, late, or another joint's? Nothing is learnt; it ends"
    )]
    Unrelated {
        /// Name of the joint.
        joint: String,
        /// Of the velocities of goals and positions.
        correlation: f64,
    },
    /// The joint follows its goals, but not as a servo does.
    #[error(
        "joint \"{joint}\": no servo model explains its motion, the best leaves {left:.6} rad of a deflection of {deflection:.6}: are its \
         positions another joint's, or does it carry a load that nobody told? Nothing is learnt; it ends"
    )]
    Unexplained {
        /// Name of the joint.
        joint: String,
        /// What the best model leaves, rad.
        left: f64,
        /// Of how much, rad.
        deflection: f64,
    },
    /// What was found is worse than what is in use.
    #[error(
        "joint \"{joint}\": the model in use stays, it leaves {before:.6} rad over {samples} windows, the one found {after:.6}; \
         it ends: start again for another try"
    )]
    Worse {
        /// Name of the joint.
        joint: String,
        /// How many windows.
        samples: u64,
        /// What the model in use leaves, rad.
        before: f64,
        /// What the one found leaves, rad.
        after: f64,
    },
}

/// What an identification found beside the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The pure delay that the model is for, s.
    pub delay: f64,
    /// The playtime of the goals that were seen, s.
    pub playtime: f64,
    /// How far ahead goals with this playtime should lie that come from the model, s.
    pub ahead_of_model: f64,
    /// How far ahead goals should lie that come without one, s.
    pub ahead_alone: f64,
}

/// A servo and what is known of it.
#[derive(Clone, Debug)]
pub struct Servo {
    /// Name of the joint that it moves.
    pub joint: String,
    /// Its model: as declared, or as found since.
    pub model: ServoModel,
    /// What was found with it.
    pub found: Option<Found>,
    /// What is going on.
    pub session: Option<Session>,
}

/// The core of `servo_ident`.
#[derive(Clone, Debug)]
pub struct Identification {
    settings: Settings,
    models: Vec<(String, ServoModel)>,
    default_model: ServoModel,
    servos: Vec<Servo>,
    any_joint: bool,
    voltage: f64,
    battery_heard: bool,
    goals: Route,
    efforts: Route,
    positions: Route,
}

impl Identification {
    /// For these joints, or for all that have goals when there are none; with what is known of their models.
    pub fn new(
        settings: Settings,
        joints: &[String],
        default_model: ServoModel,
        models: Vec<(String, ServoModel)>,
        voltage: f64,
    ) -> Identification {
        let mut identification = Identification {
            settings,
            models,
            default_model,
            servos: vec![],
            any_joint: joints.is_empty(),
            voltage,
            battery_heard: false,
            goals: Route::default(),
            efforts: Route::default(),
            positions: Route::default(),
        };
        joints.iter().for_each(|joint| identification.add(joint));
        identification
    }

    fn add(&mut self, joint: &str) {
        if self.servos.iter().any(|s| s.joint == joint) {
            return;
        }
        let known = self.models.iter().find(|(name, _)| name == joint);
        let model = known.map_or(self.default_model, |(_, model)| *model);
        self.servos.push(Servo { joint: joint.into(), model, found: None, session: None });
        for route in [&mut self.goals, &mut self.efforts, &mut self.positions] {
            *route = Route::default();
        }
    }

    /// The servos, with what is known of them.
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// All that is worth keeping: what was found, and models that were declared. A first guess is neither.
    pub fn saved(&self) -> Vec<SavedServo> {
        let found = self.servos.iter().filter(|s| s.found.is_some());
        let found = found.map(|s| SavedServo { joint: s.joint.clone(), model: s.model, found: s.found });
        let is_found = |joint: &String| self.servos.iter().any(|s| s.joint == *joint && s.found.is_some());
        let declared = self.models.iter().filter(|(joint, _)| !is_found(joint)).cloned();
        let declared = declared.map(|(joint, model)| SavedServo { joint, model, found: None });
        found.chain(declared).collect()
    }

    /// New settings, from the next measurement on.
    pub fn set(&mut self, settings: Settings, voltage: f64) {
        if settings.goal_delay != self.settings.goal_delay {
            // Whoever sets it knows it better.
            self.servos.iter_mut().for_each(|servo| servo.found = None);
        }
        self.settings = settings;
        if !self.battery_heard {
            self.voltage = voltage;
        }
    }

    fn servo(&mut self, joint: &str) -> Result<&mut Servo, IdentError> {
        let found = self.servos.iter_mut().find(|s| s.joint == joint);
        found.ok_or_else(|| IdentError::Unknown(joint.into()))
    }

    /// Begins to identify a servo.
    pub fn start(&mut self, joint: &str) -> Result<(), IdentError> {
        let goal_delay = self.settings.goal_delay;
        let servo = self.servo(joint)?;
        if servo.session.is_some() {
            return Err(IdentError::Running(joint.into()));
        }
        let delay = servo.found.map_or(goal_delay, |found| found.delay);
        servo.session = Some(Session::new(servo.model, delay));
        Ok(())
    }

    /// Ends it and takes the model found as the servo's own, unless it explains the motion worse than that.
    pub fn stop(&mut self, joint: &str) -> Result<Outcome, IdentError> {
        let settings = self.settings;
        let servo = self.servo(joint)?;
        let session = servo.session.as_ref().ok_or_else(|| IdentError::NotRunning(joint.into()))?;
        let outcome = session.outcome(&settings).ok_or_else(|| IdentError::TooFew {
            joint: joint.into(),
            samples: session.used(),
            wanted: settings.min_samples,
        })?;
        let correlation = session.correlation();
        servo.session = None;
        match correlation {
            None => return Err(IdentError::GoalsStand(joint.into())),
            Some(correlation) if correlation < LEAST_CORRELATION => {
                return Err(IdentError::Unrelated { joint: joint.into(), correlation });
            }
            Some(_) => {}
        }
        let Outcome {
            samples, deflection, position_error_before: before, position_error_after: after, ..
        } = outcome;
        if after > (MOST_UNEXPLAINED * deflection).max(SMALL) {
            return Err(IdentError::Unexplained { joint: joint.into(), left: after, deflection });
        }
        if after > before {
            return Err(IdentError::Worse { joint: joint.into(), samples, before, after });
        }
        servo.model = outcome.model;
        let Outcome { goal_delay: delay, playtime, ahead_of_model, ahead_alone, .. } = outcome;
        servo.found = Some(Found { delay, playtime, ahead_of_model, ahead_alone });
        Ok(outcome)
    }

    /// Ends it and forgets what was found.
    pub fn abort(&mut self, joint: &str) -> Result<(), IdentError> {
        let servo = self.servo(joint)?;
        servo.session.take().map(|_| ()).ok_or_else(|| IdentError::NotRunning(joint.into()))
    }

    /// The battery's voltage, V. One that cannot be leaves the last good value.
    pub fn battery(&mut self, voltage: f64) -> Result<(), BadVoltage> {
        let credible = self.settings.min_voltage..=self.settings.max_voltage;
        if !(voltage > 0.0 && credible.contains(&voltage)) {
            return Err(BadVoltage { voltage, kept: self.voltage });
        }
        self.battery_heard = true;
        self.voltage = voltage;
        Ok(())
    }

    /// Goals, as they were sent to the servos.
    pub fn goals(
        &mut self,
        at_s: f64,
        joints: &[String],
        target: &[f64],
        playtime: &[f64],
    ) -> Result<(), Refusal> {
        let fields = [Field::new("target_pos", target), Field::new("playtime", playtime).or_empty()];
        check_fields(joints, &fields)?;
        if self.any_joint && self.goals.joints.compare(joints)? != Seen::Same {
            joints.iter().for_each(|joint| self.add(joint));
        }
        self.goals.follow(joints, &self.servos)?;
        for (i, session) in self.goals.sessions(&mut self.servos) {
            session.goal(at_s, target[i], playtime.get(i).copied().unwrap_or(0.0), &self.settings);
        }
        Ok(())
    }

    /// Desired states, for the torque in them; a joint without one has none.
    pub fn efforts(&mut self, at_s: f64, joints: &[String], effort: &[f64]) -> Result<(), Refusal> {
        check_fields(joints, &[Field::new("effort", effort).or_empty().or_nan()])?;
        self.efforts.follow(joints, &self.servos)?;
        for (i, session) in self.efforts.sessions(&mut self.servos) {
            let effort = effort.get(i).copied().filter(|e| !e.is_nan()).unwrap_or(0.0);
            session.effort(at_s, effort);
        }
        Ok(())
    }

    /// Measured positions; NaN for a joint that was not measured.
    pub fn positions(&mut self, at_s: f64, joints: &[String], position: &[f64]) -> Result<(), Refusal> {
        check_fields(joints, &[Field::new("position", position).or_empty().or_nan()])?;
        self.positions.follow(joints, &self.servos)?;
        for (i, session) in self.positions.sessions(&mut self.servos) {
            if let Some(position) = position.get(i).copied().filter(|p| !p.is_nan()) {
                session.measured(at_s, position, self.voltage, &self.settings);
            }
        }
        Ok(())
    }
}

/// Which place in the messages of a topic belongs to which servo; built when the joints of the topic change.
#[derive(Clone, Debug, Default)]
struct Route {
    joints: Joints,
    /// For each servo its place in the message.
    places: Vec<Option<usize>>,
}

impl Route {
    fn follow(&mut self, joints: &[String], servos: &[Servo]) -> Result<(), Refusal> {
        if self.joints.compare(joints)? == Seen::Same && self.places.len() == servos.len() {
            return Ok(());
        }
        self.joints.adopt(joints);
        self.places.clear();
        self.places.extend(servos.iter().map(|servo| self.joints.find(&servo.joint)));
        Ok(())
    }

    /// The running sessions that a message concerns, each with its place in it.
    fn sessions<'s>(&'s self, servos: &'s mut [Servo]) -> impl Iterator<Item = (usize, &'s mut Session)> {
        let pairs = servos.iter_mut().zip(&self.places);
        pairs.filter_map(|(servo, place)| Some(((*place)?, servo.session.as_mut()?)))
    }
}

//! Servo models, and which joint has which.

use crate::desired::{LARGEST, Point};

/// Gains and gears below this are none.
const LEAST: f64 = 1e-6;

/// Static model of a servo with a proportional regulator, fed with the voltage V:
///
/// kp·(q_ref − q)·V = alpha0·q̈ + alpha1·q̇ + alpha2·sign(q̇) + alpha3·torque,   goal = kgear·q_ref
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoModel {
    /// Gain of the servo's own regulator.
    pub kp: f64,
    /// Servo angle per joint angle.
    pub kgear: f64,
    /// Inertia, viscous friction, Coulomb friction, torque.
    pub alpha: [f64; 4],
}

impl ServoModel {
    /// A servo that is where its goal is.
    pub const IDEAL: ServoModel = ServoModel { kp: 1.0, kgear: 1.0, alpha: [0.0; 4] };

    /// The q_ref that makes the servo do what `point` wants, from the model equation, with this sign of the velocity.
    #[inline]
    pub fn reference(&self, point: &Point, voltage: f64, sign: f64) -> f64 {
        let [inertia, viscous, coulomb, torque] = self.alpha;
        let load =
            inertia * point.acceleration + viscous * point.velocity + coulomb * sign + torque * point.effort;
        point.position + load / (self.kp * voltage)
    }

    /// The part of q_ref that makes up for full Coulomb friction.
    #[inline]
    pub fn friction(&self, voltage: f64) -> f64 {
        self.alpha[2] / (self.kp * voltage)
    }

    /// Whether the numbers can be a servo's.
    pub fn check(&self, joint: &str) -> Result<(), BadModel> {
        let bad = |field, value, wanted| Err(BadModel::Value { joint: joint.into(), field, value, wanted });
        for (field, value) in [("kp", self.kp), ("kgear", self.kgear)] {
            if !(LEAST..=LARGEST).contains(&value) {
                return bad(field, value, "a number greater than 0 (1e-6 … 1e9)");
            }
        }
        let fields = ["alpha[0]", "alpha[1]", "alpha[2]", "alpha[3]"];
        match fields.into_iter().zip(self.alpha).find(|(_, a)| !(-LARGEST..=LARGEST).contains(a)) {
            Some((field, value)) => bad(field, value, "a finite number (-1e9 … 1e9)"),
            None => Ok(()),
        }
    }
}

/// Sign of a velocity; 0 within the dead zone, its edge included.
#[inline]
pub fn sign(velocity: f64, dead_zone: f64) -> f64 {
    if velocity.abs() <= dead_zone { 0.0 } else { 1f64.copysign(velocity) }
}

/// The sign without its step: beyond the dead zone it rises from 0 to 1 within `smoothing`.
#[inline]
pub fn smooth_sign(velocity: f64, dead_zone: f64, smoothing: f64) -> f64 {
    ((velocity.abs() - dead_zone) / smoothing).clamp(0.0, 1.0).copysign(velocity)
}

/// A model that was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadModel {
    /// A number that cannot be.
    #[error("servo model of joint \"{joint}\": {field} = {value} must be {wanted}")]
    Value {
        /// Name of the joint.
        joint: String,
        /// Name of the field.
        field: &'static str,
        /// What it says.
        value: f64,
        /// What it may be.
        wanted: &'static str,
    },
    /// Two models for one joint.
    #[error("servo model of joint \"{joint}\" stands twice")]
    Twice {
        /// Name of the joint.
        joint: String,
    },
    /// A model for no joint.
    #[error("a servo model names no joint")]
    NoName,
}

/// All models, and the list of them in the order of the joints.
#[derive(Clone, Debug)]
pub struct Models {
    default: ServoModel,
    named: Vec<(String, ServoModel)>,
    /// For each joint the place of its model in `named`; none: it has the default.
    index: Vec<Option<usize>>,
    /// For each joint its model.
    ordered: Vec<ServoModel>,
}

impl Models {
    /// Models by joint name, and the one for all other joints.
    pub fn new(default: ServoModel, named: Vec<(String, ServoModel)>) -> Result<Models, BadModel> {
        default.check("default_servo_model")?;
        for (i, (joint, model)) in named.iter().enumerate() {
            check_named(joint, model)?;
            if named[..i].iter().any(|(other, _)| other == joint) {
                return Err(BadModel::Twice { joint: joint.clone() });
            }
        }
        Ok(Models { default, named, index: vec![], ordered: vec![] })
    }

    /// Builds the index for these joints: the only place where names are looked up.
    pub fn order(&mut self, joints: &[String]) {
        self.index.clear();
        self.index.extend(joints.iter().map(|j| self.named.iter().position(|(name, _)| name == j)));
        self.reorder();
    }

    fn reorder(&mut self) {
        self.ordered.clear();
        let model = |place: &Option<usize>| place.map_or(self.default, |p| self.named[p].1);
        self.ordered.extend(self.index.iter().map(model));
    }

    /// The models in the order of the joints.
    pub fn ordered(&self) -> &[ServoModel] {
        &self.ordered
    }

    /// Replaces a joint's model or adds one.
    pub fn put(&mut self, joint: String, model: ServoModel, joints: &[String]) -> Result<(), BadModel> {
        check_named(&joint, &model)?;
        match self.named.iter_mut().find(|(name, _)| *name == joint) {
            Some((_, old)) => *old = model,
            None => self.named.push((joint, model)),
        }
        self.order(joints);
        Ok(())
    }

    /// Replaces the model of all other joints.
    pub fn put_default(&mut self, model: ServoModel) -> Result<(), BadModel> {
        model.check("default_servo_model")?;
        self.default = model;
        self.reorder();
        Ok(())
    }

    /// The joints that have the default model.
    pub fn joints_without_model(&self, joints: &[String]) -> Vec<String> {
        joints.iter().zip(&self.index).filter(|(_, i)| i.is_none()).map(|(j, _)| j.clone()).collect()
    }

    /// The names of models that no joint has.
    pub fn models_without_joint(&self) -> Vec<String> {
        let used = |place: usize| self.index.contains(&Some(place));
        self.named.iter().enumerate().filter(|(p, _)| !used(*p)).map(|(_, (name, _))| name.clone()).collect()
    }
}

/// Whether a model and the name of its joint can be.
pub fn check_named(joint: &str, model: &ServoModel) -> Result<(), BadModel> {
    if joint.is_empty() {
        return Err(BadModel::NoName);
    }
    model.check(joint)
}

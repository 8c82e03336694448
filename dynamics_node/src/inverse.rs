//! The effort of each pose, message by message.

use nalgebra::Vector3;
use robot_model_lib::{BaseMotion, ModelError, RobotModel, WholeBody};

use crate::attitude::Attitude;
use crate::pose::{PoseArrays, PoseIntake};
use crate::supports::Supports;
use crate::{DynamicsParams, Refused};

/// Poses that are farther apart, s, have nothing to do with each other: loads and low-pass begin anew.
const GAP: f64 = 1.0;

/// Messages that are older than the last by more than this, s, mean that time was set back: a looped bag.
pub(crate) const TIME_JUMP: f64 = 0.1;

/// An effort that was more than its joint can give.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Index of the joint.
    pub joint: usize,
    /// What the motion would take, N·m or N.
    pub wanted: f64,
    /// What the joint gives at most, N·m or N.
    pub limit: f64,
}

/// How the last pose was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// What the ground carries, N.
    pub normal_force: f64,
    /// What it should carry and cannot, N.
    pub missing_force: f64,
    /// The joint that comes nearest to its limit, of those that have one: its index, effort and limit.
    pub worst: Option<(usize, f64, f64)>,
    /// The joint that is farthest beyond.
    pub held: Option<Held>,
}

/// The inverse dynamics of one robot, fed with messages as they come.
#[derive(Debug, Clone)]
pub struct InverseDynamics {
    model: RobotModel,
    body: WholeBody,
    pose: PoseIntake,
    supports: Supports,
    attitude: Attitude,
    settings: Settings,
    /// Time of the last pose, ns.
    last: Option<i64>,
    still: Vec<f64>,
    /// Through the low-pass, model joint order.
    smooth: Vec<f64>,
    /// In the order of the message.
    efforts: Vec<f64>,
    summary: Summary,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    acceleration: bool,
    effort_time: f64,
    support_time: f64,
    support_timeout: f64,
    body_timeout: f64,
}

impl InverseDynamics {
    /// For a robot. Fails when the mass of a link is malformed.
    pub fn new(model: RobotModel, params: &DynamicsParams) -> Result<Self, ModelError> {
        let zeros = vec![0.0; model.joints().len()];
        let mut body = WholeBody::new(&model)?;
        body.set_gravity(params.gravity);
        Ok(Self {
            body,
            pose: PoseIntake::new(&model),
            supports: Supports::new(&model),
            attitude: Attitude::new(&params.base_frame),
            settings: params.into(),
            last: None,
            still: zeros.clone(),
            smooth: zeros,
            efforts: Vec::new(),
            summary: Summary::default(),
            model,
        })
    }

    /// Takes changed parameters, from the next pose on.
    pub fn set_params(&mut self, params: &DynamicsParams) {
        self.body.set_gravity(params.gravity);
        self.settings = params.into();
    }

    /// The robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Mass of the robot, kg.
    pub fn mass(&self) -> f64 {
        self.body.mass()
    }

    /// Supports of a time (ns); they hold until the next.
    pub fn support<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<(), Refused> {
        self.supports.take(stamp, names, contacts, supports)
    }

    /// Orientations (x y z w) of named frames in the world at a time (ns).
    pub fn body<S: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        turns: impl ExactSizeIterator<Item = [f64; 4]>,
    ) -> Result<(), Refused> {
        self.attitude.take(stamp, names, turns)
    }

    /// The efforts of a pose of a time (ns), one for each of its names: what the motion takes, plus the effort that the
    /// message itself gives, within the joint's limit. Names that are no joint of the robot keep theirs. Always finite.
    pub fn efforts<S: AsRef<str>>(
        &mut self,
        stamp: i64,
        pose: &PoseArrays<'_, S>,
    ) -> Result<&[f64], Refused> {
        let settings = self.settings;
        let source = self.pose.take(&self.model, pose)?;
        let since = self.last.map(|last| stamp.saturating_sub(last) as f64 * 1e-9);
        // One that was overtaken has its own efforts, but time does not run back for it.
        let step = since.filter(|since| (-TIME_JUMP..=GAP).contains(since)).map(|since| since.max(0.0));
        if step.is_none() {
            self.supports.turn_back(stamp);
        }
        self.last = self.last.filter(|_| step.is_some()).max(Some(stamp));
        let part = |time: f64| match step {
            Some(step) if time > 0.0 => step / time,
            _ => 1.0,
        };
        let standing =
            self.supports.at(stamp, settings.support_timeout, part(settings.support_time).min(1.0));
        let base = BaseMotion {
            orientation: self.attitude.at(stamp, settings.body_timeout),
            ..BaseMotion::default()
        };
        let ddq = if settings.acceleration { &self.pose.ddq } else { &self.still };
        let found = self.body.efforts([&self.pose.q, &self.pose.dq, ddq], &base, standing);
        let keep = match step {
            Some(step) if settings.effort_time > 0.0 => (-step / settings.effort_time).exp(),
            _ => 0.0,
        };
        for (smooth, new) in self.smooth.iter_mut().zip(found.joints).filter(|(_, new)| new.is_finite()) {
            *smooth = new + keep * (*smooth - new);
        }
        let up = base.orientation.inverse_transform_vector(&Vector3::z());
        self.summary = Summary { missing_force: found.base.force.norm(), ..Summary::default() };
        self.summary.normal_force = self.body.ground_forces().iter().map(|at| at.force.dot(&up)).sum();
        self.efforts.clear();
        for (at, place) in self.pose.places(source).iter().enumerate() {
            let given = pose.effort.get(at).copied().filter(|effort| effort.is_finite()).unwrap_or(0.0);
            let Some(joint) = *place else {
                self.efforts.push(given);
                continue;
            };
            let (wanted, limit) = (self.smooth[joint] + given, self.model.joints()[joint].limits.effort);
            self.efforts.push(wanted.clamp(-limit, limit));
            self.summary.note(joint, wanted, limit);
        }
        Ok(&self.efforts)
    }

    /// How the last pose was.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl Summary {
    fn note(&mut self, joint: usize, wanted: f64, limit: f64) {
        if !limit.is_finite() {
            return;
        }
        let load = wanted.abs() / limit;
        if self.worst.is_none_or(|(_, effort, limit)| load > effort.abs() / limit) {
            self.worst = Some((joint, wanted, limit));
            if load > 1.0 {
                self.held = Some(Held { joint, wanted, limit });
            }
        }
    }
}

impl From<&DynamicsParams> for Settings {
    fn from(params: &DynamicsParams) -> Self {
        Self {
            acceleration: params.acceleration,
            effort_time: params.effort_time,
            support_time: params.support_time,
            support_timeout: params.support_timeout,
            body_timeout: params.body_timeout,
        }
    }
}

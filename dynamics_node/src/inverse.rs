//! The effort of each pose, message by message.

use cycle_lib::SyncRelation;
use filters_lib::Handover;
use nalgebra::{UnitQuaternion, Vector3};
use robot_model_lib::{BaseMotion, ModelError, RobotModel, WholeBody};

use crate::attitude::Attitude;
use crate::lean::Lean;
use crate::pose::{PoseArrays, PoseIntake};
use crate::supports::Supports;
use crate::time::{Moment, Timeline};
use crate::transfer::{Change, Parts, Transfer, part};
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
    lean: Lean,
    settings: Settings,
    time: Timeline,
    /// When the last pose was made.
    last: Option<Moment>,
    still: Vec<f64>,
    /// Through the low-pass, model joint order.
    smooth: Vec<f64>,
    transfer: Transfer,
    /// What the last pose was reckoned with: another sort of reckoning is no jump.
    reckoning: Reckoning,
    /// What the ground carries, and what it cannot, from feet to feet.
    ground: [Handover; 2],
    /// In the order of the message.
    efforts: Vec<f64>,
    summary: Summary,
}

/// What efforts are made of beside the motion.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reckoning {
    enabled: bool,
    knows_lean: bool,
    acceleration: bool,
    gravity: f64,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    enabled: bool,
    gravity: f64,
    fade_time: f64,
    acceleration: bool,
    effort_time: f64,
    support_time: f64,
    support_timeout: f64,
    body_timeout: f64,
    imu_timeout: f64,
    lean_time: f64,
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
            lean: Lean::default(),
            settings: params.into(),
            time: Timeline::new(),
            last: None,
            transfer: Transfer::new(zeros.len()),
            reckoning: Reckoning {
                enabled: params.enabled,
                knows_lean: false,
                acceleration: params.acceleration,
                gravity: params.gravity,
            },
            ground: [Handover::default(); 2],
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

    /// Poses up to a time (ns) went out without efforts, since the robot was not known: these come in their time.
    pub fn begin_without_efforts(&mut self, stamp: i64) {
        self.last = Some(self.time.moment(stamp));
        self.reckoning.enabled = false;
    }

    /// A cycle of this number began at a time (ns) and lasts for `period`, s. Where there are `sync`s, the time between poses is that of
    /// their cycles: those that fell out of the beat are no time in which a foot could leave.
    pub fn sync(&mut self, number: u32, start_ns: i64, period: f64) {
        if self.time.sync(number, start_ns, period) == SyncRelation::Back {
            self.supports.turn_back(&self.time, start_ns);
            self.last = None;
        }
    }

    /// Whether poses pass as they are: efforts are switched off, and have faded.
    pub fn is_passive(&self) -> bool {
        !self.settings.enabled && !self.transfer.is_under_way()
    }

    /// The robot whose efforts these are.
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
        self.supports.take((&self.time, self.time.moment(stamp)), names, contacts, supports)
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

    /// A sample of an inertial sensor at a time (ns), in the axes of `frame` (a link that is fixed to the base; empty: the base):
    /// angular velocity, rad/s, and acceleration less gravity, m/s².
    pub fn imu(&mut self, stamp: i64, frame: &str, gyro: [f64; 3], accel: [f64; 3]) -> Result<(), Refused> {
        self.lean.take(&self.model, (stamp, frame), [gyro, accel], self.settings.lean_time)
    }

    /// The efforts of a pose of a time (ns), one for each of its names: what the motion takes, plus the effort that the
    /// message itself gives, within the joint's limit. Names that are no joint of the robot keep theirs. Always finite.
    pub fn efforts<S: AsRef<str>>(
        &mut self,
        stamp: i64,
        pose: &PoseArrays<'_, S>,
    ) -> Result<&[f64], Refused> {
        let source = self.pose.take(&self.model, pose)?;
        let now = self.time.moment(stamp);
        let step = self.advance(now);
        self.summary = Summary::default();
        let settings = self.settings;
        let parts = Parts { feet: part(step, settings.support_time), fade: part(step, settings.fade_time) };
        let change = self.reckon(now, step, parts);
        self.transfer.own(&self.smooth, change, parts);
        self.efforts.clear();
        for (at, place) in self.pose.places(source).iter().enumerate() {
            let given = pose.effort.get(at).copied().filter(|effort| effort.is_finite());
            let Some(joint) = *place else {
                self.efforts.push(given.unwrap_or(0.0));
                continue;
            };
            let wanted = self.transfer.total(joint, given, parts);
            let limit = self.model.joints()[joint].limits.effort;
            self.efforts.push(wanted.clamp(-limit, limit));
            self.summary.note(joint, wanted, limit);
        }
        Ok(&self.efforts)
    }

    /// Goes on to a pose; gives how long that took, s, unless everything begins anew.
    fn advance(&mut self, now: Moment) -> Option<f64> {
        let since = self.last.map(|last| self.time.since(last, now));
        if since.is_some_and(|since| since < -TIME_JUMP) {
            self.supports.turn_back(&self.time, now.stamp);
        }
        let step = since.filter(|since| (-TIME_JUMP..=GAP).contains(since));
        // One that was overtaken has its own efforts, but time does not run back for it.
        if step.is_none_or(|step| step >= 0.0) {
            self.last = Some(now);
        }
        step.map(|step| step.max(0.0))
    }

    /// Works out what the motion takes, into `smooth`; gives what makes it jump.
    fn reckon(&mut self, now: Moment, step: Option<f64>, parts: Parts) -> Option<Change> {
        let settings = self.settings;
        let stamp = now.stamp;
        let lean = self.lean.at(stamp, settings.imu_timeout, settings.lean_time);
        let lean = lean.or_else(|| self.attitude.at(stamp, settings.body_timeout));
        let Settings { enabled, acceleration, gravity, .. } = settings;
        let reckoning = Reckoning { enabled, knows_lean: lean.is_some(), acceleration, gravity };
        let is_another = std::mem::replace(&mut self.reckoning, reckoning) != reckoning;
        let (standing, has_changed) = self.supports.at((&self.time, now), settings.support_timeout);
        self.lean.stands_on(standing.iter().flatten().count(), stamp);
        let change = match (is_another, has_changed) {
            (true, _) => Some(Change::Reckoning),
            (false, true) if enabled => Some(Change::Feet),
            _ => None,
        };
        if !enabled {
            self.smooth.fill(0.0);
            return change;
        }
        let base = BaseMotion {
            orientation: lean.unwrap_or_else(UnitQuaternion::identity),
            ..BaseMotion::default()
        };
        let ddq = if acceleration { &self.pose.ddq } else { &self.still };
        let found = self.body.efforts([&self.pose.q[..], &self.pose.dq, ddq], &base, standing);
        let keep = match step {
            // A change has its own time.
            Some(step) if settings.effort_time > 0.0 && change.is_none() => {
                (-step / settings.effort_time).exp()
            }
            _ => 0.0,
        };
        for (smooth, new) in self.smooth.iter_mut().zip(found.joints).filter(|(_, new)| new.is_finite()) {
            *smooth = new + keep * (*smooth - new);
        }
        let up = base.orientation.inverse_transform_vector(&Vector3::z());
        let missing = found.base.force.norm();
        let carried: f64 = self.body.ground_forces().iter().map(|at| at.force.dot(&up)).sum();
        let [normal, lacking] = &mut self.ground;
        self.summary.normal_force = normal.step(carried, change == Some(Change::Feet), parts.feet);
        self.summary.missing_force = lacking.step(missing, change == Some(Change::Feet), parts.feet);
        change
    }

    /// The efforts of the last pose.
    pub fn last_efforts(&self) -> &[f64] {
        &self.efforts
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
            enabled: params.enabled,
            gravity: params.gravity,
            fade_time: params.fade_time,
            acceleration: params.acceleration,
            effort_time: params.effort_time,
            support_time: params.support_time,
            support_timeout: params.support_timeout,
            body_timeout: params.body_timeout,
            imu_timeout: params.imu_timeout,
            lean_time: params.lean_time,
        }
    }
}

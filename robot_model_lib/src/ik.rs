//! Inverse kinematics of one chain: from where the hoof shall be to its joints.

use std::ops::Range;

use crate::ik_goal::Miss;
use crate::ik_step::ROWS;
use crate::{IkGoal, Kinematics, Limits, RobotModel};

/// When a solution is good enough and how long to look for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IkOptions {
    /// The position counts as reached within this, m.
    pub position_tolerance: f64,
    /// The orientation counts as reached within this, rad.
    pub angle_tolerance: f64,
    /// Most steps of each descent.
    pub max_iterations: usize,
    /// How often to start anew, from elsewhere within the limits, when the warm start leads into a
    /// dead end. 0 bounds the time of a call to one descent.
    pub restarts: usize,
    /// A turn of one radian weighs as much as this distance, m, while both are being reduced.
    pub arm: f64,
}

impl Default for IkOptions {
    fn default() -> Self {
        Self { position_tolerance: 1e-10, angle_tolerance: 1e-9, max_iterations: 60, restarts: 30, arm: 0.1 }
    }
}

/// How far a call got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IkStatus {
    /// The goal is reached within both tolerances.
    Reached,
    /// The position is reached, and the orientation is as near as the joints allow from there.
    PositionReached,
    /// The goal is out of reach: this is the nearest position that was found.
    Nearest,
    /// The goal or the start is not finite; the joints were left as they were.
    Refused,
}

/// What a call found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IkResult {
    /// How far it got.
    pub status: IkStatus,
    /// Distance of the contact's centre from the goal, m.
    pub position_error: f64,
    /// Angle left between the contact and the goal, rad; 0 when only a position was asked for.
    pub angle_error: f64,
    /// How many times the kinematics were computed.
    pub evaluations: usize,
}

/// Inverse kinematics of one chain; built once, then [`ChainIk::solve`] allocates nothing.
#[derive(Debug, Clone)]
pub struct ChainIk {
    pub(crate) kinematics: Kinematics,
    pub(crate) options: IkOptions,
    pub(crate) chain: usize,
    pub(crate) joints: Range<usize>,
    pub(crate) limits: Vec<Limits>,
    /// Fractions of the golden ratio's kin: starting points that fill the limits evenly.
    stride: Vec<f64>,
    /// All joints of the model, of which only the chain's own change.
    pub(crate) q: Vec<f64>,
    /// The chain's joints before a step.
    pub(crate) kept: Vec<f64>,
    /// The same before a step of the second descent.
    pub(crate) anchor: Vec<f64>,
    pub(crate) step: Vec<f64>,
    /// The chain's joints at the best place so far.
    best: Vec<f64>,
    /// The Jacobian with its weights.
    pub(crate) columns: Vec<[f64; ROWS]>,
    /// Joints that do not press against a limit.
    pub(crate) free: Vec<bool>,
    pub(crate) evaluations: usize,
}

impl ChainIk {
    /// For the chain of this index in [`RobotModel::chains`].
    ///
    /// # Panics
    /// When the index is not below the number of chains.
    pub fn new(model: &RobotModel, chain: usize, options: IkOptions) -> Self {
        let joints = model.chains()[chain].joints.clone();
        let n = joints.len();
        // The root of x^(n+1) = x + 1 (Roberts' R sequence).
        let ratio = (0..64).fold(2.0_f64, |x, _| (1.0 + x).powf(1.0 / (n as f64 + 1.0)));
        Self {
            kinematics: Kinematics::of_chains(model, [chain]),
            options,
            chain,
            limits: model.joints()[joints.clone()].iter().map(|joint| joint.limits).collect(),
            stride: (1..=n).map(|joint| ratio.powf(-(joint as f64)).fract()).collect(),
            q: vec![0.0; model.joints().len()],
            kept: vec![0.0; n],
            anchor: vec![0.0; n],
            step: vec![0.0; n],
            best: vec![0.0; n],
            columns: vec![[0.0; ROWS]; n],
            free: vec![true; n],
            joints,
            evaluations: 0,
        }
    }

    /// Moves the chain's joints in `q` (all joints, sorted order) so that its contact meets the
    /// goal. `q` is the warm start; joints of other chains are read where the chain depends on
    /// them and never changed. The result lies within the limits, whatever the start.
    ///
    /// # Panics
    /// When `q` has not one value per joint of the model.
    pub fn solve(&mut self, goal: &IkGoal, q: &mut [f64]) -> IkResult {
        assert_eq!(q.len(), self.q.len(), "one position per joint");
        if !goal.is_finite() || !q.iter().all(|value| value.is_finite()) {
            let (position_error, angle_error) = (f64::NAN, f64::NAN);
            return IkResult { status: IkStatus::Refused, position_error, angle_error, evaluations: 0 };
        }
        self.evaluations = 0;
        self.q.copy_from_slice(q);
        for (value, limits) in self.q[self.joints.clone()].iter_mut().zip(&self.limits) {
            *value = limits.clamp(*value);
        }
        let mut best = self.descend(goal);
        self.best.copy_from_slice(&self.q[self.joints.clone()]);
        for attempt in 0..self.options.restarts {
            if !self.worth_another(goal, &best) {
                break;
            }
            self.start_elsewhere(attempt);
            let found = self.descend(goal);
            if self.better(&found, &best) {
                best = found;
                self.best.copy_from_slice(&self.q[self.joints.clone()]);
            }
        }
        q[self.joints.clone()].copy_from_slice(&self.best);
        IkResult {
            status: self.status(&best),
            position_error: best.position.norm(),
            angle_error: best.angle.norm(),
            evaluations: self.evaluations,
        }
    }

    /// A further start can help when the position was missed, or the orientation although the
    /// chain has the joints for it.
    fn worth_another(&self, goal: &IkGoal, best: &Miss) -> bool {
        match self.status(best) {
            IkStatus::Reached => false,
            IkStatus::PositionReached => self.limits.len() >= goal.freedom(),
            _ => true,
        }
    }

    fn better(&self, found: &Miss, best: &Miss) -> bool {
        let tolerance = self.options.position_tolerance;
        let (found_far, best_far) = (found.position.norm(), best.position.norm());
        if found_far <= tolerance && best_far <= tolerance {
            found.angle.norm() < best.angle.norm()
        } else {
            found_far < best_far
        }
    }

    fn status(&self, miss: &Miss) -> IkStatus {
        if miss.position.norm() > self.options.position_tolerance {
            IkStatus::Nearest
        } else if miss.angle.norm() > self.options.angle_tolerance {
            IkStatus::PositionReached
        } else {
            IkStatus::Reached
        }
    }

    /// First the middle of the limits, then points that spread evenly between them.
    fn start_elsewhere(&mut self, attempt: usize) {
        let joints = self.q[self.joints.clone()].iter_mut().zip(&self.limits).zip(&self.stride);
        for ((value, limits), stride) in joints {
            let share = (0.5 + attempt as f64 * stride).fract();
            let (lower, upper) = (limits.lower.max(-OPEN_RANGE), limits.upper.min(OPEN_RANGE));
            *value = limits.clamp(lower + share * (upper - lower));
        }
    }
}

/// Where a joint has no limits, starting points are sought within a full turn (or as many metres).
const OPEN_RANGE: f64 = std::f64::consts::PI;

//! Recorded motions: joints that pass given positions at given times, and legs that stand or not meanwhile.

use crate::motion_error::MotionError;
use crate::motion_fit::Fit;
use crate::motion_rules::{Adjustments, MotionRules};
use crate::segment::{Segment, State};
use crate::trajectory::{SUPPORT, Trajectory};
use robot_model_lib::{JointSlot, RobotModel};

/// A stretch lands a hair beyond what is needed, so that rounding does not exceed a limit.
const HAIR: f64 = 1.0 + 1e-9;
/// States this near are the same, rad and rad/s.
const SAME: f64 = 1e-9;

/// A motion of one robot, ready to be played.
#[derive(Clone, Debug)]
pub struct Motion {
    times: Vec<f64>,
    joints: Vec<usize>,
    /// Piece by piece, in each joint by joint.
    ways: Vec<Segment>,
    start: Vec<State>,
    supports: Vec<(usize, Vec<f64>)>,
    adjustments: Adjustments,
    name: String,
    repeats: bool,
    holds: bool,
}

impl Motion {
    /// Checks everything and makes it ready, fitted to what the joints can as the rules say.
    pub fn new(
        trajectory: &Trajectory,
        model: &RobotModel,
        rules: &MotionRules,
    ) -> Result<Motion, MotionError> {
        trajectory.check()?;
        let mut times: Vec<f64> = trajectory.times.iter().map(|time| time / rules.speed).collect();
        let (mut supports, mut tracks) = (vec![], vec![]);
        let (interpolation, adjusted) = (trajectory.interpolation, Adjustments::default());
        let mut fit = Fit { rules, interpolation, times: &times, adjusted };
        for given in &trajectory.tracks {
            if let Some(chain) = given.name.strip_prefix(SUPPORT) {
                let found =
                    model.find_chain(chain).filter(|&at| model.chains()[at].default_contact.is_some());
                let chain = found.ok_or_else(|| MotionError::Unknown(given.name.clone(), "leg"))?;
                supports.push((chain, given.supports()?.to_vec()));
                continue;
            }
            let JointSlot::Joint { index, .. } = model.find_joint(&given.name) else {
                return Err(MotionError::Unknown(given.name.clone(), "joint"));
            };
            tracks.push(fit.track(given, index, &model.joints()[index])?);
        }
        if tracks.is_empty() {
            return Err(MotionError::Empty("joints"));
        }
        for track in &tracks {
            fit.find_stretch(track)?;
        }
        // A leg that moves and of which nothing is said is not known to stand: nobody may lean on it.
        for (chain, leg) in model.chains().iter().enumerate().filter(|(_, leg)| leg.default_contact.is_some())
        {
            let is_moved = tracks.iter().any(|track| leg.joints.contains(&track.index));
            if is_moved && !supports.iter().any(|(given, _)| *given == chain) {
                supports.push((chain, vec![0.0; trajectory.times.len()]));
            }
        }
        let adjustments = fit.adjusted;
        let stretch = if adjustments.stretch() > 1.0 { HAIR * adjustments.stretch() } else { 1.0 };
        let first = times[0];
        times.iter_mut().for_each(|time| *time = first + stretch * (*time - first));
        for state in tracks.iter_mut().flat_map(|track| &mut track.states) {
            *state = State { p: state.p, v: state.v / stretch, a: state.a / (stretch * stretch) };
        }
        let pieces = times.windows(2).enumerate().flat_map(|(at, ends)| {
            let duration = ends[1] - ends[0];
            tracks
                .iter()
                .map(move |track| interpolation.segment(track.states[at], track.states[at + 1], duration))
        });
        Ok(Motion {
            ways: pieces.collect(),
            joints: tracks.iter().map(|track| track.index).collect(),
            start: tracks.iter().map(|track| track.states[0]).collect(),
            times,
            supports,
            adjustments,
            name: String::new(),
            repeats: false,
            holds: false,
        })
    }

    /// With a name, for those who follow its progress.
    pub fn named(self, name: impl Into<String>) -> Motion {
        Motion { name: name.into(), ..self }
    }

    /// Played again and again, or once.
    pub fn repeated(self, repeats: bool) -> Motion {
        Motion { repeats, ..self }
    }

    /// Ends in its last pose, and stays there; or the robot stands up.
    pub fn holding(self, holds: bool) -> Motion {
        Motion { holds, ..self }
    }

    pub(crate) fn holds(&self) -> bool {
        self.holds
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn repeats(&self) -> bool {
        self.repeats
    }

    /// Whether it ends as it begins, so that it can be repeated without a pause.
    pub(crate) fn is_closed(&self) -> bool {
        let count = self.joints.len();
        let pairs = self.ways.iter().rev().take(count).rev().zip(&self.start);
        pairs.clone().count() == count
            && pairs
                .map(|(way, start)| (way.end(), start))
                .all(|(end, start)| (end.p - start.p).abs() < SAME && (end.v - start.v).abs() < SAME)
    }

    /// What was changed so that the robot can play it.
    pub fn adjustments(&self) -> &Adjustments {
        &self.adjustments
    }

    /// Time to get to its start from any pose, s.
    pub fn entry_time(&self) -> f64 {
        self.times[0]
    }

    /// When it ends, counted from its start, s.
    pub fn duration(&self) -> f64 {
        self.times[self.times.len() - 1] - self.times[0]
    }

    /// The state of a joint at a time since the start, if the motion moves it.
    pub(crate) fn state(&self, joint: usize, time: f64) -> Option<State> {
        let at = self.joints.iter().position(|&own| own == joint)?;
        Some(if time > 0.0 { self.state_of(at, self.piece(time)) } else { self.start[at] })
    }

    /// The state of the motion's joint number `at`, in a piece, at a time since that began.
    fn state_of(&self, at: usize, (piece, inside): (usize, f64)) -> State {
        // A motion of a single time has no pieces: it is a pose.
        match self.ways.get(piece * self.joints.len() + at) {
            Some(way) => way.at(inside),
            None => State::rest(self.start[at].p),
        }
    }

    /// Joints at a time since the start; those that it does not move are left alone.
    pub fn write(&self, time: f64, q: &mut [f64], qd: &mut [f64]) {
        let piece = self.piece(time);
        for (at, &joint) in self.joints.iter().enumerate() {
            let state = self.state_of(at, piece);
            (q[joint], qd[joint]) = (state.p, state.v);
        }
    }

    /// Supports of the legs that it moves or speaks of, at a time since the start.
    pub fn supports(&self, time: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        let at = time + self.times[0];
        // A hair early is in time: cycles are summed up.
        let passed = self.times.iter().rposition(|&t| t <= at + 1e-9).unwrap_or(0);
        self.supports.iter().map(move |(chain, supports)| (*chain, supports[passed]))
    }

    /// The piece at a time, and the time since it began.
    fn piece(&self, time: f64) -> (usize, f64) {
        let at = time + self.times[0];
        let last = self.times.len().saturating_sub(2);
        let piece = self.times.partition_point(|&t| t <= at).saturating_sub(1).min(last);
        (piece, at - self.times[piece])
    }
}

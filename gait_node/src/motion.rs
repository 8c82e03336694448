//! Recorded motions: joints that pass given positions at given times, and legs that stand or not meanwhile.

use crate::motion_error::MotionError;
use crate::motion_fit::Fit;
use crate::motion_rules::{Adjustments, MotionRules};
use crate::score::Score;
use crate::segment::{Segment, State};
use robot_model_lib::{JointSlot, RobotModel};

/// What the names of support channels begin with.
const SUPPORT: &str = "support/";
/// A stretch lands a hair beyond what is needed, so that rounding does not exceed a limit.
const HAIR: f64 = 1.0 + 1e-9;

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
}

impl Motion {
    /// Checks everything and makes it ready, fitted to what the joints can as the rules say.
    pub fn new(score: &Score, model: &RobotModel, rules: &MotionRules) -> Result<Motion, MotionError> {
        score.check()?;
        let mut times: Vec<f64> = score.times.iter().map(|time| time / rules.speed).collect();
        let (mut supports, mut tracks) = (vec![], vec![]);
        let (interpolation, adjusted) = (score.interpolation, Adjustments::default());
        let mut fit = Fit { rules, interpolation, times: &times, adjusted };
        for channel in &score.channels {
            if let Some(chain) = channel.name.strip_prefix(SUPPORT) {
                let found =
                    model.find_chain(chain).filter(|&at| model.chains()[at].default_contact.is_some());
                let chain = found.ok_or_else(|| MotionError::Unknown(channel.name.clone(), "leg"))?;
                supports.push((chain, channel.supports()?.to_vec()));
                continue;
            }
            let JointSlot::Joint { index, .. } = model.find_joint(&channel.name) else {
                return Err(MotionError::Unknown(channel.name.clone(), "joint"));
            };
            tracks.push(fit.track(channel, index, &model.joints()[index])?);
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
                supports.push((chain, vec![0.0; score.times.len()]));
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
        })
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

    /// The state of a joint at the start, if the motion moves it.
    pub fn start(&self, joint: usize) -> Option<State> {
        self.joints.iter().position(|&own| own == joint).map(|at| self.start[at])
    }

    /// Joints at a time since the start; those that it does not move are left alone.
    pub fn write(&self, time: f64, q: &mut [f64], qd: &mut [f64]) {
        let piece = self.piece(time);
        let inside = time + self.times[0] - self.times[piece];
        for (at, &joint) in self.joints.iter().enumerate() {
            // A motion of a single time has no pieces: it is a pose.
            let state = match self.ways.get(piece * self.joints.len() + at) {
                Some(way) => way.at(inside),
                None => State::rest(self.start[at].p),
            };
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

    fn piece(&self, time: f64) -> usize {
        let at = time + self.times[0];
        let last = self.times.len().saturating_sub(2);
        self.times.partition_point(|&t| t <= at).saturating_sub(1).min(last)
    }
}

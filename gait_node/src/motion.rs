//! Recorded motions: joints that pass given positions at given times, and legs that stand or not meanwhile.

use crate::guard::Guard;
use crate::segment::{Segment, State};
use param_lib::choices;
use robot_model_lib::{JointSlot, RobotModel};

/// What the names of support channels begin with.
const SUPPORT: &str = "support/";

choices! {
    /// How a joint goes from one position to the next.
    pub enum Interpolation {
        /// Smooth in velocity, never beyond the positions.
        Cubic = "cubic",
        /// Smooth in acceleration too.
        Quintic = "quintic",
    }
}

/// One joint's part of a motion, or one leg's support; all arrays are as long as the times, or empty where that is allowed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channel {
    /// A joint, or `support/` and a chain.
    pub name: String,
    /// Positions, rad; or supports, 0…1.
    pub position: Vec<f64>,
    /// Velocities, rad/s; empty: chosen so that the joint does not pass its positions.
    pub velocity: Vec<f64>,
    /// Accelerations, rad/s²; empty: zero.
    pub acceleration: Vec<f64>,
}

/// A motion as it was written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// How joints go from one position to the next.
    pub interpolation: Interpolation,
    /// When the positions are reached, s; the first is the time to get there from the pose at the start.
    pub times: Vec<f64>,
    /// What moves.
    pub channels: Vec<Channel>,
}

/// Why a motion is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// Nothing to do.
    #[error("no {0}")]
    Empty(&'static str),
    /// Times must grow.
    #[error("times: number {number} is {time} s after {before} s; times must grow, from 0 s or later")]
    Times {
        /// Which, from 1.
        number: usize,
        /// What it is.
        time: f64,
        /// The one before.
        before: f64,
    },
    /// The robot has no such joint or leg.
    #[error("\"{0}\": the robot has no such {1}")]
    Unknown(String, &'static str),
    /// A channel stands twice.
    #[error("\"{0}\" stands twice")]
    Twice(String),
    /// Arrays of different lengths.
    #[error("\"{name}\": {found} {what} for {times} times")]
    Length {
        /// Whose.
        name: String,
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there should be.
        times: usize,
    },
    /// Not a number.
    #[error("\"{name}\": {what} number {number} is {value}")]
    NotFinite {
        /// Whose.
        name: String,
        /// Which array.
        what: &'static str,
        /// Which, from 1.
        number: usize,
        /// What it is.
        value: f64,
    },
    /// Outside of the joint's limits.
    #[error("\"{name}\": {position:.4} rad at {time:.3} s is outside its limits {lower} … {upper} rad")]
    Limits {
        /// Whose.
        name: String,
        /// When.
        time: f64,
        /// Where.
        position: f64,
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// Faster than the joint can.
    #[error(
        "\"{name}\": {speed:.3} rad/s at {time:.3} s is faster than its limit {limit} rad/s; give it more time"
    )]
    Speed {
        /// Whose.
        name: String,
        /// When.
        time: f64,
        /// How fast.
        speed: f64,
        /// Its limit.
        limit: f64,
    },
}

/// A motion of one robot, ready to be played.
#[derive(Clone, Debug)]
pub struct Motion {
    times: Vec<f64>,
    joints: Vec<usize>,
    /// Piece by piece, in each joint by joint.
    ways: Vec<Segment>,
    start: Vec<State>,
    supports: Vec<(usize, Vec<f64>)>,
}

impl Motion {
    /// Checks everything and makes it ready.
    pub fn new(score: &Score, model: &RobotModel) -> Result<Motion, MotionError> {
        check_times(&score.times)?;
        let mut motion = Motion {
            times: score.times.clone(),
            joints: vec![],
            ways: vec![],
            start: vec![],
            supports: vec![],
        };
        let mut states = vec![];
        for (number, channel) in score.channels.iter().enumerate() {
            if score.channels[..number].iter().any(|other| other.name == channel.name) {
                return Err(MotionError::Twice(channel.name.clone()));
            }
            check_channel(channel, score.times.len())?;
            if let Some(chain) = channel.name.strip_prefix(SUPPORT) {
                let found =
                    model.find_chain(chain).filter(|&chain| model.chains()[chain].default_contact.is_some());
                let chain = found.ok_or_else(|| MotionError::Unknown(channel.name.clone(), "leg"))?;
                motion.supports.push((chain, channel.position.clone()));
                continue;
            }
            let JointSlot::Joint { index, .. } = model.find_joint(&channel.name) else {
                return Err(MotionError::Unknown(channel.name.clone(), "joint"));
            };
            motion.joints.push(index);
            states.push(knots(channel, &score.times));
        }
        if motion.joints.is_empty() {
            return Err(MotionError::Empty("joints"));
        }
        motion.start = states.iter().map(|states| states[0]).collect();
        for (piece, times) in score.times.windows(2).enumerate() {
            for (&joint, states) in motion.joints.iter().zip(&states) {
                let (from, to, time) = (states[piece], states[piece + 1], times[1] - times[0]);
                let way = match score.interpolation {
                    Interpolation::Cubic => Segment::cubic(from, to, time),
                    Interpolation::Quintic => Segment::quintic(from, to, time),
                };
                check_way(&way, times[0], &model.joints()[joint])?;
                motion.ways.push(way);
            }
        }
        for (&joint, state) in motion.joints.iter().zip(&motion.start) {
            check_way(&Segment::rest(state.p), score.times[0], &model.joints()[joint])?;
        }
        Ok(motion)
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

    /// Supports of chains at a time since the start.
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

fn check_times(times: &[f64]) -> Result<(), MotionError> {
    if times.is_empty() {
        return Err(MotionError::Empty("times"));
    }
    let mut before = -f64::MIN_POSITIVE;
    for (at, &time) in times.iter().enumerate() {
        // Not greater: NaN is refused too.
        if !(time > before && time.is_finite()) {
            return Err(MotionError::Times { number: at + 1, time, before: before.max(0.0) });
        }
        before = time;
    }
    Ok(())
}

fn check_channel(channel: &Channel, times: usize) -> Result<(), MotionError> {
    let name = || channel.name.clone();
    let arrays = [
        ("positions", &channel.position, false),
        ("velocities", &channel.velocity, true),
        ("accelerations", &channel.acceleration, true),
    ];
    for (what, values, may_be_empty) in arrays {
        if values.len() != times && !(may_be_empty && values.is_empty()) {
            return Err(MotionError::Length { name: name(), what, found: values.len(), times });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(MotionError::NotFinite { name: name(), what, number: at + 1, value: values[at] });
        }
    }
    Ok(())
}

fn check_way(way: &Segment, start: f64, joint: &robot_model_lib::Joint) -> Result<(), MotionError> {
    let (limits, name) = (&joint.limits, || joint.name.clone());
    let limit = Guard::speed(limits);
    for (position, inside) in way.range() {
        if position < limits.lower - 1e-9 || position > limits.upper + 1e-9 {
            let (time, lower, upper) = (start + inside, limits.lower, limits.upper);
            return Err(MotionError::Limits { name: name(), time, position, lower, upper });
        }
    }
    let (speed, inside) = way.top_speed();
    if speed > limit {
        return Err(MotionError::Speed { name: name(), time: start + inside, speed, limit });
    }
    Ok(())
}

/// The states that a joint passes. Where no velocities are given: at rest at the ends and wherever it turns back, else the
/// weighted harmonic mean of the slopes on both sides, with which a cubic does not pass its positions (F. N. Fritsch,
/// J. Butland 1984).
fn knots(channel: &Channel, times: &[f64]) -> Vec<State> {
    let p = &channel.position;
    let slope = |k: usize| (p[k + 1] - p[k]) / (times[k + 1] - times[k]);
    let velocity = |k: usize| {
        if !channel.velocity.is_empty() {
            return channel.velocity[k];
        }
        if k == 0 || k + 1 == times.len() || slope(k - 1) * slope(k) <= 0.0 {
            return 0.0;
        }
        let (before, after) = (times[k] - times[k - 1], times[k + 1] - times[k]);
        let (w1, w2) = (2.0 * after + before, after + 2.0 * before);
        (w1 + w2) / (w1 / slope(k - 1) + w2 / slope(k))
    };
    let acceleration = |k: usize| channel.acceleration.get(k).copied().unwrap_or(0.0);
    (0..times.len()).map(|k| State { p: p[k], v: velocity(k), a: acceleration(k) }).collect()
}

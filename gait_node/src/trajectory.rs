//! Motions as they were written down.

use crate::motion_error::MotionError;
use crate::segment::{Segment, State};
use param_lib::choices;
use robot_model_lib::check_names;

/// What the names of support tracks begin with.
pub(crate) const SUPPORT: &str = "support/";
/// Times lie this far apart at least, s: what is nearer together is rounding, not motion.
const LEAST_GAP: f64 = 1e-6;
/// No motion takes longer, s.
const LONGEST: f64 = 1e6;

choices! {
    /// How a joint goes from one position to the next.
    pub enum Interpolation {
        /// Smooth in velocity, never beyond the positions.
        Cubic = "cubic",
        /// Smooth in acceleration too.
        Quintic = "quintic",
    }
}

impl Interpolation {
    /// The way between two states.
    pub(crate) fn segment(self, from: State, to: State, duration: f64) -> Segment {
        match self {
            Interpolation::Cubic => Segment::cubic(from, to, duration),
            Interpolation::Quintic => Segment::quintic(from, to, duration),
        }
    }
}

/// One joint's part of a motion, or one leg's support; all arrays are as long as the times, or empty where that is allowed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointTrack {
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
pub struct Trajectory {
    /// How joints go from one position to the next.
    pub interpolation: Interpolation,
    /// When the positions are reached, s; the first is the time to get there from the pose at the start.
    pub times: Vec<f64>,
    /// What moves.
    pub tracks: Vec<JointTrack>,
}

impl Trajectory {
    /// The same, from its end to its start; the time to get to its first positions stays.
    pub fn reverse(&mut self) {
        let (first, last) = (self.times.first().copied(), self.times.last().copied());
        if let (Some(first), Some(last)) = (first, last) {
            self.times.iter_mut().for_each(|time| *time = first + (last - *time));
            self.times.reverse();
        }
        for track in &mut self.tracks {
            track.position.reverse();
            track.velocity.iter_mut().for_each(|v| *v = -*v);
            track.velocity.reverse();
            track.acceleration.reverse();
            // A support holds from its time until the next.
            if track.name.starts_with(SUPPORT) && track.position.len() > 1 {
                track.position.rotate_left(1);
                let end = track.position.len() - 1;
                track.position[end] = track.position[end - 1];
            }
        }
    }

    /// Whether times grow, names differ, and every array is complete and finite.
    pub(crate) fn check(&self) -> Result<(), MotionError> {
        check_times(&self.times)?;
        let names: Vec<&str> = self.tracks.iter().map(|track| track.name.as_str()).collect();
        check_names(&names)?;
        self.tracks.iter().try_for_each(|track| track.check(self.times.len()))
    }
}

impl JointTrack {
    fn check(&self, times: usize) -> Result<(), MotionError> {
        let name = || self.name.clone();
        let arrays = [
            ("positions", &self.position, false),
            ("velocities", &self.velocity, true),
            ("accelerations", &self.acceleration, true),
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

    /// The supports of a leg.
    pub(crate) fn supports(&self) -> Result<&[f64], MotionError> {
        match self.position.iter().position(|support| !(0.0..=1.0).contains(support)) {
            None => Ok(&self.position),
            Some(at) => Err(MotionError::Support {
                name: self.name.clone(),
                number: at + 1,
                value: self.position[at],
            }),
        }
    }

    /// The states that a joint passes when it is played `speed` times as fast, at `times`. Where no velocities are given: at
    /// rest at the ends and wherever it turns back, else the weighted harmonic mean of the slopes on both sides, with which a
    /// cubic does not pass its positions (F. N. Fritsch, J. Butland 1984).
    pub(crate) fn states(&self, times: &[f64], speed: f64) -> Vec<State> {
        let p = &self.position;
        if let [p] = p[..] {
            // A pose.
            return vec![State::rest(p)];
        }
        let slope = |k: usize| (p[k + 1] - p[k]) / (times[k + 1] - times[k]);
        let velocity = |k: usize| {
            if !self.velocity.is_empty() {
                return speed * self.velocity[k];
            }
            if k == 0 || k + 1 == times.len() || slope(k - 1) * slope(k) <= 0.0 {
                return 0.0;
            }
            let (before, after) = (times[k] - times[k - 1], times[k + 1] - times[k]);
            let (w1, w2) = (2.0 * after + before, after + 2.0 * before);
            (w1 + w2) / (w1 / slope(k - 1) + w2 / slope(k))
        };
        let acceleration = |k: usize| self.acceleration.get(k).map_or(0.0, |a| speed * speed * a);
        (0..times.len()).map(|k| State { p: p[k], v: velocity(k), a: acceleration(k) }).collect()
    }
}

fn check_times(times: &[f64]) -> Result<(), MotionError> {
    if times.is_empty() {
        return Err(MotionError::Empty("times"));
    }
    let mut before = -LEAST_GAP;
    for (at, &time) in times.iter().enumerate() {
        // Not in the range: NaN is refused too.
        if !(before + LEAST_GAP..=LONGEST).contains(&time) {
            return Err(MotionError::Times { number: at + 1, time, before: before.max(0.0) });
        }
        before = time;
    }
    Ok(())
}

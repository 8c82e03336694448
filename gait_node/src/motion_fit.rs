//! Fits a motion to what joints can, as far as the rules allow.

use crate::brake::Brake;
use crate::guard::Guard;
use crate::motion_error::MotionError;
use crate::motion_rules::{Adjustments, MotionLimits, MotionRules};
use crate::segment::{Segment, State};
use crate::trajectory::{Interpolation, JointTrack};
use robot_model_lib::{Joint, Limits};

/// Rounding is no excess, rad.
const ROUNDING: f64 = 1e-9;
/// After so many halvings of a speed it is zero.
const HALVINGS: usize = 24;
/// A motion that would have to take more times as long is another one: most likely two of its times lie too near together.
const MOST_STRETCH: f64 = 100.0;

/// The states of one joint at the motion's times.
#[derive(Clone, Debug)]
pub struct Track<'a> {
    /// The joint's index in the model.
    pub index: usize,
    /// The joint.
    pub joint: &'a Joint,
    /// Its states.
    pub states: Vec<State>,
}

/// A motion being fitted.
#[derive(Debug)]
pub struct Fit<'a> {
    /// The rules.
    pub rules: &'a MotionRules,
    /// How joints go from one position to the next.
    pub interpolation: Interpolation,
    /// The motion's times, at the speed of the rules, s.
    pub times: &'a [f64],
    /// What was changed so far.
    pub adjusted: Adjustments,
}

impl Fit<'_> {
    /// The part of a joint, fitted in everything but its duration.
    pub fn track<'j>(
        &mut self,
        given: &JointTrack,
        index: usize,
        joint: &'j Joint,
    ) -> Result<Track<'j>, MotionError> {
        let mut positions = given.clone();
        let mut moved = vec![];
        for (at, p) in positions.position.iter_mut().enumerate() {
            let (position, time) = (*p, self.written(self.times[at]));
            *p = joint.limits.clamp(position);
            let by = (position - *p).abs();
            if by > self.rules.reach().max(ROUNDING) {
                return Err(outside(joint, time, position));
            }
            if by > ROUNDING {
                self.adjusted.moved_onto_limit(&joint.name, time, by);
                moved.push(at);
            }
        }
        let mut states = positions.states(self.times, self.rules.speed);
        // Whatever speed it should have there leads out of the limits or belongs to another shape.
        moved.into_iter().for_each(|at| states[at] = State::rest(states[at].p));
        let mut track = Track { index, joint, states };
        self.leave_room(&mut track)?;
        self.stay_between(&mut track)?;
        Ok(track)
    }

    /// The piece of a joint's way from a point to the next.
    pub fn piece(&self, track: &Track<'_>, at: usize) -> Segment {
        let duration = self.times[at + 1] - self.times[at];
        self.interpolation.segment(track.states[at], track.states[at + 1], duration)
    }

    /// A motion that begins or ends at speed needs room to get there or to brake.
    fn leave_room(&mut self, track: &mut Track<'_>) -> Result<(), MotionError> {
        let last = track.states.len() - 1;
        for (at, sign) in [(0, -1.0), (last, 1.0)] {
            let State { v, .. } = track.states[at];
            let outward = State { v: sign * v, ..track.states[at] };
            if Brake::fits(&outward, self.rules.acceleration, &track.joint.limits) {
                continue;
            }
            if self.rules.limits == MotionLimits::Refuse {
                let time = self.written(self.times[at]);
                return Err(MotionError::Room { name: track.joint.name.clone(), time, speed: v.abs() });
            }
            let most = Brake::most(&outward, self.rules.acceleration, &track.joint.limits);
            track.states[at].v = most.copysign(v);
            self.adjusted.slowed += 1;
        }
        Ok(())
    }

    /// Speeds are lowered where the curve would leave the limits between two points: with none at both it does not.
    fn stay_between(&mut self, track: &mut Track<'_>) -> Result<(), MotionError> {
        let mut halvings = vec![0; track.states.len()];
        let mut at = 0;
        while at + 1 < track.states.len() {
            let Some((position, inside)) = beyond(&self.piece(track, at), &track.joint.limits) else {
                at += 1;
                continue;
            };
            let by = (position - track.joint.limits.clamp(position)).abs();
            if by > self.rules.reach() && halvings[at] + halvings[at + 1] == 0 {
                return Err(outside(track.joint, self.written(self.times[at] + inside), position));
            }
            let near = at + usize::from(2.0 * inside > self.times[at + 1] - self.times[at]);
            let rests = |at: usize| track.states[at].v == 0.0 && track.states[at].a == 0.0;
            let slower = if rests(near) { 2 * at + 1 - near } else { near };
            if rests(slower) {
                // From rest to rest it passes neither end: what is seen is the rounding of large numbers.
                at += 1;
                continue;
            }
            let State { p, v, a } = track.states[slower];
            halvings[slower] += 1;
            let is_slow = halvings[slower] > HALVINGS;
            track.states[slower] =
                if is_slow { State::rest(p) } else { State { p, v: 0.5 * v, a: 0.25 * a } };
            // The piece before shares the point: what is slower at one end may pass the other.
            at = slower.saturating_sub(1).min(at);
        }
        self.adjusted.slowed += halvings.iter().filter(|count| **count > 0).count();
        Ok(())
    }

    /// Finds out how much longer the motion must take so that a joint can follow.
    pub fn find_stretch(&mut self, track: &Track<'_>) -> Result<(), MotionError> {
        let (name, top) = (&track.joint.name, Guard::speed(&track.joint.limits));
        let hardest = self.rules.acceleration;
        for at in 0..track.states.len() - 1 {
            let piece = self.piece(track, at);
            let (speed, inside) = piece.top_speed();
            let time = self.written(self.times[at] + inside);
            let too_fast = || MotionError::Speed { name: name.clone(), time, speed, limit: top };
            let cause = || format!("{name}: {speed:.2} rad/s at {time:.3} s, limit {top}");
            self.stretch(name, time, speed / top, too_fast, cause)?;
            let (acceleration, inside) = piece.top_acceleration();
            let time = self.written(self.times[at] + inside);
            let too_hard =
                || MotionError::Acceleration { name: name.clone(), time, acceleration, limit: hardest };
            let cause =
                || format!("{name}: {acceleration:.1} rad/s² at {time:.3} s, joint_acceleration {hardest}");
            self.stretch(name, time, (acceleration / hardest).sqrt(), too_hard, cause)?;
        }
        Ok(())
    }

    /// The motion must take so many times as long, as far as that is allowed.
    fn stretch(
        &mut self,
        name: &str,
        time: f64,
        by: f64,
        too_much: impl FnOnce() -> MotionError,
        cause: impl FnOnce() -> String,
    ) -> Result<(), MotionError> {
        if by > 1.0 && self.rules.limits == MotionLimits::Refuse {
            return Err(too_much());
        }
        // What is too large to be a number is refused too.
        if by.is_nan() || by > MOST_STRETCH {
            return Err(MotionError::Stretch { name: name.into(), time, by, most: MOST_STRETCH });
        }
        self.adjusted.stretched(by, cause);
        Ok(())
    }

    /// The time that was written down.
    fn written(&self, time: f64) -> f64 {
        time * self.rules.speed
    }
}

/// Where a way is furthest beyond its limits, if anywhere: position and time.
fn beyond(way: &Segment, limits: &Limits) -> Option<(f64, f64)> {
    let by = |(p, _): &(f64, f64)| (p - limits.clamp(*p)).abs();
    let furthest = way.range().into_iter().max_by(|a, b| by(a).total_cmp(&by(b)))?;
    (by(&furthest) > ROUNDING).then_some(furthest)
}

fn outside(joint: &Joint, time: f64, position: f64) -> MotionError {
    let Limits { lower, upper, .. } = joint.limits;
    MotionError::Limits { name: joint.name.clone(), time, position, lower, upper }
}

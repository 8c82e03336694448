//! A move of all joints from whatever they do to a pose: they brake, go there together, and run up to the speed with which
//! they shall arrive.

use crate::brake::Brake;
use crate::guard::Guard;
use crate::segment::{Segment, State, TOP_ACCELERATION, TOP_SPEED};
use robot_model_lib::Limits;

/// A move takes as long as its speed asks for; this keeps the arithmetic finite, s.
const LONGEST: f64 = 1e9;
/// Share of its top speed that a joint uses on a move.
const SHARE: f64 = 0.95;

/// How fast joints may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveLimits {
    /// The move takes this long at least, braking and run-up aside, s.
    pub duration: f64,
    /// Highest speed between braking and run-up, rad/s.
    pub speed: f64,
    /// Highest acceleration, rad/s².
    pub acceleration: f64,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    brake: Brake,
    between: Segment,
    /// The run-up, seen backwards in time: from the goal to rest.
    run_up: Brake,
}

/// All joints on their way.
///
/// Braking and run-up have constant acceleration; between them lies a quintic from rest to rest, of the same duration for
/// all joints. A joint within its limits that can brake there never leaves them: a quintic from rest to rest does not pass
/// its ends.
#[derive(Clone, Debug)]
pub struct JointMove {
    ways: Vec<Way>,
    /// Durations of the three parts, s.
    parts: [f64; 3],
    time: f64,
}

impl JointMove {
    /// For a robot of so many joints; nothing moves.
    pub fn new(joints: usize) -> JointMove {
        let rest = Brake::rest(0.0);
        let way = Way { brake: rest, between: Segment::rest(0.0), run_up: rest };
        JointMove { ways: vec![way; joints], parts: [0.0; 3], time: 0.0 }
    }

    /// Begins anew: from `from` to `to`, or to rest as soon as possible where there is no goal.
    pub fn begin(
        &mut self,
        from: impl Fn(usize) -> State,
        to: impl Fn(usize) -> Option<State>,
        how: MoveLimits,
        limits: &[Limits],
    ) {
        self.time = 0.0;
        let mut parts = [0.0, how.duration.max(1e-3), 0.0];
        let brake = |joint: usize, limits: &Limits| Brake::new(from(joint), how.acceleration, limits);
        // All brake as long as the slowest of them: so each goes on in proportion to the others, and feet that stand stay together.
        parts[0] = limits
            .iter()
            .enumerate()
            .map(|(joint, limits)| brake(joint, limits).duration())
            .fold(0.0, f64::max);
        for (joint, limits) in limits.iter().enumerate() {
            let brake = brake(joint, limits).lasting(parts[0], limits);
            let goal = to(joint).unwrap_or(State::rest(brake.end()));
            let run_up = Brake::new(State { v: -goal.v, ..goal }, how.acceleration, limits);
            let way = (run_up.end() - brake.end()).abs();
            let speed = how.speed.min(SHARE * Guard::speed(limits));
            let needed = (TOP_SPEED * way / speed).max((TOP_ACCELERATION * way / how.acceleration).sqrt());
            parts[1] = needed.min(LONGEST).max(parts[1]);
            parts[2] = run_up.duration().max(parts[2]);
            self.ways[joint] = Way { brake, between: Segment::rest(brake.end()), run_up };
        }
        for way in &mut self.ways {
            let (from, to) = (State::rest(way.brake.end()), State::rest(way.run_up.end()));
            way.between = Segment::quintic(from, to, parts[1]);
        }
        self.parts = parts;
    }

    /// Goes on for one period; gives whether it is under way still.
    pub fn advance(&mut self, period: f64) -> bool {
        self.time += period;
        self.time < self.duration() - 1e-9
    }

    fn duration(&self) -> f64 {
        self.parts.iter().sum()
    }

    /// Where the joints are.
    pub fn write(&self, q: &mut [f64], qd: &mut [f64]) {
        let (between, left) = (self.time - self.parts[0], self.duration() - self.time);
        for ((q, qd), way) in q.iter_mut().zip(qd).zip(&self.ways) {
            let state = if between < 0.0 {
                way.brake.at(self.time)
            } else if between < self.parts[1] {
                way.between.at(between)
            } else {
                let back = way.run_up.at(left.max(0.0));
                State { v: 0.0 - back.v, ..back }
            };
            (*q, *qd) = (state.p, state.v);
        }
    }

    /// Time until its end, s.
    pub fn left(&self) -> f64 {
        (self.duration() - self.time).max(0.0)
    }

    /// Time beyond its end, s.
    pub fn beyond(&self) -> f64 {
        (self.time - self.duration()).max(0.0)
    }
}

#[cfg(test)]
mod tests;

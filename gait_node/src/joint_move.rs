//! A move of all joints from whatever they do to a pose: they brake, go there together, and run up to the speed with which
//! they shall arrive.

use crate::brake::Brake;
use crate::guard::Guard;
use crate::segment::{Segment, State};
use robot_model_lib::Limits;

/// A move takes as long as its speed asks for; this keeps the arithmetic finite, s.
const LONGEST: f64 = 1e9;
/// Share of its top speed that a joint uses on a move.
const SHARE: f64 = 0.95;
/// Top speed of a quintic from rest to rest, in ways per duration; its top acceleration, in ways per duration².
const TOP_SPEED: f64 = 15.0 / 8.0;
const TOP_ACCELERATION: f64 = 5.773_502_691_896_258;

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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits { lower: -1.0, upper: 1.2, velocity: 6.0, effort: 1.0 };
    const ACCELERATION: f64 = 40.0;

    /// A state from which a joint can brake within its limits.
    fn state() -> impl Strategy<Value = State> {
        (0.0..1.0_f64, -6.0..6.0_f64).prop_map(|(share, v)| {
            let way = v * v / (2.0 * ACCELERATION);
            let (lower, upper) = (
                LIMITS.lower + if v < 0.0 { way } else { 0.0 },
                LIMITS.upper - if v > 0.0 { way } else { 0.0 },
            );
            State { v, ..State::rest(lower + share * (upper - lower)) }
        })
    }

    /// A state to which a joint can run up, and from which it can brake, within its limits: one of a motion.
    fn goal() -> impl Strategy<Value = State> {
        (0.0..1.0_f64, -6.0..6.0_f64).prop_map(|(share, v)| {
            let way = v * v / (2.0 * ACCELERATION);
            State { v, ..State::rest(LIMITS.lower + way + share * (LIMITS.upper - LIMITS.lower - 2.0 * way)) }
        })
    }

    proptest! {
        /// From any state to any other, and to a third from anywhere on that way: within position, speed and acceleration.
        #[test]
        fn no_move_leaves_any_limit_although_another_interrupts_it(
            from in state(), to in goal(), then in goal(), share in 0.0..1.0_f64, stop: bool,
            duration in 0.01..1.0_f64, speed in 0.3..6.0_f64, period in 0.001..0.02_f64
        ) {
            let how = MoveLimits { duration, speed, acceleration: ACCELERATION };
            let mut way = JointMove::new(1);
            way.begin(|_| from, |_| Some(to), how, &[LIMITS]);
            let whole = way.duration();
            let (mut q, mut qd) = ([from.p], [from.v]);
            let mut interrupted = false;
            loop {
                let (p, v) = (q[0], qd[0]);
                let under_way = way.advance(period);
                if !under_way {
                    break;
                }
                way.write(&mut q, &mut qd);
                prop_assert!(q[0] >= LIMITS.lower - 1e-9 && q[0] <= LIMITS.upper + 1e-9, "{}", q[0]);
                prop_assert!(qd[0].abs() <= LIMITS.velocity + 1e-9);
                prop_assert!((qd[0] - v).abs() <= ACCELERATION * period * (1.0 + 1e-6), "{} {}", v, qd[0]);
                prop_assert!((q[0] - p - v * period).abs() <= 0.5 * ACCELERATION * period * period * (1.0 + 1e-6));
                if !interrupted && way.time > share * whole {
                    interrupted = true;
                    let here = State { v: qd[0], ..State::rest(q[0]) };
                    way.begin(|_| here, |_| (!stop).then_some(then), how, &[LIMITS]);
                }
            }
            way.time = way.duration();
            way.write(&mut q, &mut qd);
            let end = if interrupted { then } else { to };
            if interrupted && stop {
                prop_assert!(qd[0] == 0.0);
            } else {
                prop_assert!((q[0] - end.p).abs() < 1e-12 && (qd[0] - end.v).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_long_way_is_not_hurried() {
        let limits =
            [Limits { lower: -3.0, upper: 3.0, ..LIMITS }, Limits { velocity: 0.02, ..LIMITS }, Limits::NONE];
        for (goals, speed) in [([2.9, 0.0, 0.0], 0.05), ([0.0, 1.2, 0.0], 1.0), ([0.0, 0.0, 500.0], 1.0)] {
            let mut way = JointMove::new(3);
            let how = MoveLimits { duration: 0.5, speed, acceleration: 50.0 };
            way.begin(|_| State::rest(0.0), |joint| Some(State::rest(goals[joint])), how, &limits);
            let (mut q, mut qd) = ([0.0; 3], [0.0; 3]);
            while way.advance(0.1) {
                way.write(&mut q, &mut qd);
                for (qd, limits) in qd.iter().zip(&limits) {
                    assert!(qd.abs() <= speed.min(Guard::speed(limits)) + 1e-9, "{goals:?}: {qd}");
                }
            }
        }
    }

    #[test]
    fn it_takes_as_long_as_the_slowest_joint_needs() {
        let limits = [Limits::NONE, Limits { velocity: 0.5, ..Limits::NONE }];
        let mut way = JointMove::new(2);
        let how = MoveLimits { duration: 0.5, speed: 2.0, acceleration: 20.0 };
        let from = |joint: usize| State { v: 0.2 * joint as f64, ..State::rest(1.0) };
        way.begin(from, |joint| Some(State::rest(1.0 + joint as f64)), how, &limits);
        // 0.01 s of braking takes 0.001 rad of the way.
        let expected = 0.01 + TOP_SPEED * 0.999 / (SHARE * 0.5);
        assert!((way.duration() - expected).abs() < 1e-12, "{}", way.duration());
    }
}

//! A smooth move of all joints from where they are to a pose.

use crate::guard::Guard;
use crate::segment::{Segment, State};
use robot_model_lib::Limits;

/// Nobody waits longer for a move, s.
const LONGEST: f64 = 60.0;
/// A move that is too fast is tried again so many times as long.
const LONGER: f64 = 1.2;

/// All joints on their way, at rest in the end unless told otherwise.
#[derive(Clone, Debug)]
pub struct JointMove {
    ways: Vec<Segment>,
    duration: f64,
    time: f64,
}

impl JointMove {
    /// For a robot of so many joints; nothing moves.
    pub fn new(joints: usize) -> JointMove {
        JointMove { ways: vec![Segment::rest(0.0); joints], duration: 0.0, time: 0.0 }
    }

    /// Begins anew: from `from` to `to` in `duration` or, where that would be faster than `speed` or than the joint can, as
    /// much longer as is needed.
    pub fn begin(
        &mut self,
        from: impl Fn(usize) -> State,
        to: impl Fn(usize) -> State,
        duration: f64,
        speed: f64,
        limits: &[Limits],
    ) {
        self.time = 0.0;
        self.duration = duration.max(1e-3);
        for (joint, limits) in limits.iter().enumerate() {
            let (from, to) = (from(joint), to(joint));
            // What it does at the ends anyway is not too fast.
            let top = speed.min(0.95 * Guard::speed(limits)).max(1.01 * from.v.abs().max(to.v.abs()));
            while Segment::quintic(from, to, self.duration).top_speed() > top && self.duration < LONGEST {
                self.duration *= LONGER;
            }
        }
        for (joint, way) in self.ways.iter_mut().enumerate() {
            *way = Segment::quintic(from(joint), to(joint), self.duration);
        }
    }

    /// Goes on for one period; gives whether it is under way still.
    pub fn advance(&mut self, period: f64) -> bool {
        self.time += period;
        self.time < self.duration - 1e-9
    }

    /// Where the joints are.
    pub fn write(&self, q: &mut [f64], qd: &mut [f64]) {
        for ((q, qd), way) in q.iter_mut().zip(qd).zip(&self.ways) {
            let state = way.at(self.time.min(self.duration));
            (*q, *qd) = (state.p, state.v);
        }
    }

    /// Time beyond its end, s.
    pub fn beyond(&self) -> f64 {
        (self.time - self.duration).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_as_long_as_the_slowest_joint_needs() {
        let limits = [Limits::NONE, Limits { velocity: 0.5, ..Limits::NONE }];
        let mut way = JointMove::new(2);
        way.begin(
            |j| State { v: 0.2 * j as f64, ..State::rest(1.0) },
            |j| State::rest(1.0 + j as f64),
            0.5,
            2.0,
            &limits,
        );
        let (mut q, mut qd, mut before, mut cycles) = ([0.0; 2], [0.0; 2], [1.0, 1.0], 0);
        while way.advance(0.01) {
            way.write(&mut q, &mut qd);
            assert!((q[1] - before[1]).abs() <= 0.5 * 0.01 && q[0] == 1.0);
            (before, cycles) = (q, cycles + 1);
        }
        way.write(&mut q, &mut qd);
        assert_eq!((q, qd), ([1.0, 2.0], [0.0; 2]));
        assert!(cycles > 300, "1 rad at 0.475 rad/s with 15/8 of the mean speed at the top: {cycles}");
    }
}

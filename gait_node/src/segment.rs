//! Smooth ways between two states on a line.

use crate::polynomial::{Coefficients, derivative, extremes};

/// Top speed of a quintic from rest to rest, in ways per duration; its top acceleration, in ways per duration².
pub const TOP_SPEED: f64 = 15.0 / 8.0;
pub const TOP_ACCELERATION: f64 = 5.773_502_691_896_258;

/// Where something is on a line, how fast, and how that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Position.
    pub p: f64,
    /// Velocity.
    pub v: f64,
    /// Acceleration.
    pub a: f64,
}

impl State {
    /// At rest.
    pub const fn rest(p: f64) -> State {
        State { p, v: 0.0, a: 0.0 }
    }
}

/// A polynomial between two states, p(s) = Σ cᵢ·sⁱ with s = t/duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    c: Coefficients,
    duration: f64,
    end: State,
}

impl Segment {
    /// Stays there.
    pub const fn rest(p: f64) -> Segment {
        Segment { c: [p, 0.0, 0.0, 0.0, 0.0, 0.0], duration: 1.0, end: State::rest(p) }
    }

    /// Position and velocity at both ends. `duration` is above zero.
    pub fn cubic(from: State, to: State, duration: f64) -> Segment {
        let (d, v0, v1) = (to.p - from.p, from.v * duration, to.v * duration);
        let c = [from.p, v0, 3.0 * d - 2.0 * v0 - v1, v0 + v1 - 2.0 * d, 0.0, 0.0];
        Segment { c, duration, end: to }
    }

    /// Position, velocity and acceleration at both ends. `duration` is above zero.
    pub fn quintic(from: State, to: State, duration: f64) -> Segment {
        let (v0, a0) = (from.v * duration, from.a * duration * duration);
        let d = to.p - from.p - v0 - 0.5 * a0;
        let dv = to.v * duration - v0 - a0;
        let da = to.a * duration * duration - a0;
        let c = [
            from.p,
            v0,
            0.5 * a0,
            10.0 * d - 4.0 * dv + 0.5 * da,
            -15.0 * d + 7.0 * dv - da,
            6.0 * d - 3.0 * dv + 0.5 * da,
        ];
        Segment { c, duration, end: to }
    }

    /// The state at its end.
    pub fn end(&self) -> State {
        self.end
    }

    /// The state at a time; before the start that of the start, from the end on that of the end.
    pub fn at(&self, time: f64) -> State {
        if time >= self.duration {
            return self.end;
        }
        let s = (time / self.duration).max(0.0);
        let [c0, c1, c2, c3, c4, c5] = self.c;
        State {
            p: c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))),
            v: (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / self.duration,
            a: (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)))
                / (self.duration * self.duration),
        }
    }

    /// The lowest and the highest position on the way, each with its time.
    pub fn range(&self) -> [(f64, f64); 2] {
        extremes(&self.c).map(|(p, s)| (p, s * self.duration))
    }

    /// The highest speed on the way, and when.
    pub fn top_speed(&self) -> (f64, f64) {
        self.top(&derivative(&self.c), self.duration)
    }

    /// The highest acceleration on the way, up or down, and when.
    pub fn top_acceleration(&self) -> (f64, f64) {
        self.top(&derivative(&derivative(&self.c)), self.duration * self.duration)
    }

    fn top(&self, c: &Coefficients, unit: f64) -> (f64, f64) {
        let [low, high] = extremes(c);
        let (value, s) = if -low.0 > high.0 { low } else { high };
        (value.abs() / unit, s * self.duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn state() -> impl Strategy<Value = State> {
        (-2.0..2.0, -3.0..3.0, -5.0..5.0_f64).prop_map(|(p, v, a)| State { p, v, a })
    }

    proptest! {
        #[test]
        fn both_ends_are_met_and_the_derivatives_are_derivatives(
            from in state(), to in state(), duration in 0.05..3.0_f64, share in 0.01..0.99_f64
        ) {
            for (segment, quintic) in [(Segment::cubic(from, to, duration), false), (Segment::quintic(from, to, duration), true)] {
                // Approached from inside, for the end itself is stored.
                let (first, last) = (segment.at(0.0), segment.at(duration * (1.0 - 1e-9)));
                prop_assert!((first.p - from.p).abs() < 1e-12 && (last.p - to.p).abs() < 1e-6);
                prop_assert!((first.v - from.v).abs() < 1e-9 && (last.v - to.v).abs() < 1e-4);
                if quintic {
                    prop_assert!((first.a - from.a).abs() < 1e-9 && (last.a - to.a).abs() < 1e-2 / duration);
                }
                let (t, h) = (share * duration, 1e-5 * duration);
                let (before, here, after) = (segment.at(t - h), segment.at(t), segment.at(t + h));
                let size = 1.0 + (from.p.abs() + to.p.abs() + from.v.abs() + to.v.abs() + from.a.abs() + to.a.abs()) / duration.powi(3);
                prop_assert!(((after.p - before.p) / (2.0 * h) - here.v).abs() < 1e-5 * size);
                prop_assert!(((after.v - before.v) / (2.0 * h) - here.a).abs() < 1e-4 * size);
            }
        }
    }

    #[test]
    fn rest_to_rest_is_the_way_of_least_jerk() {
        // 10s³ − 15s⁴ + 6s⁵; its top speed is 15/8 of the mean (Flash and Hogan 1985).
        let segment = Segment::quintic(State::rest(0.0), State::rest(2.0), 4.0);
        assert!((segment.at(1.0).p - 2.0 * (10.0 / 64.0 - 15.0 / 256.0 + 6.0 / 1024.0)).abs() < 1e-15);
        // And its top acceleration 10/√3 ways per duration².
        assert!((segment.top_speed().0 - 15.0 / 8.0 * 0.5).abs() < 1e-15);
        assert!((segment.top_acceleration().0 - 10.0 / 3.0_f64.sqrt() * 2.0 / 16.0).abs() < 1e-15);
    }
}

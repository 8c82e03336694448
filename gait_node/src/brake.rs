//! Braking to rest with constant deceleration.

use crate::segment::State;
use robot_model_lib::Limits;

/// A joint that brakes: p + v·t − ½·a·t²·sign(v), until it rests at p + v·|v|/(2a).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brake {
    from: State,
    deceleration: f64,
}

impl Brake {
    /// Rests there.
    pub const fn rest(p: f64) -> Brake {
        Brake { from: State::rest(p), deceleration: 1.0 }
    }

    /// From a state, with `acceleration` (above zero); harder only where the joint's limit would not hold otherwise.
    pub fn new(from: State, acceleration: f64, limits: &Limits) -> Brake {
        let room = room(&from, limits).max(0.0);
        // 0/0, at rest on the limit, is no reason to brake harder: max() ignores it.
        let deceleration = acceleration.max(0.5 * from.v * from.v / room);
        Brake { from, deceleration }
    }

    /// The same from there in `duration` (s), if that is longer and its limit leaves the room.
    pub fn lasting(self, duration: f64, limits: &Limits) -> Brake {
        let slower = Brake { deceleration: self.from.v.abs() / duration, ..self };
        let fits = Brake::fits(&self.from, slower.deceleration, limits);
        if duration > self.duration() && self.from.v != 0.0 && fits { slower } else { self }
    }

    /// Whether a joint can brake with `acceleration` before its limit.
    pub fn fits(from: &State, acceleration: f64, limits: &Limits) -> bool {
        from.v == 0.0 || 0.5 * from.v * from.v <= acceleration * room(from, limits)
    }

    /// The highest speed in a state's direction with which that is so, rad/s.
    pub fn most(from: &State, acceleration: f64, limits: &Limits) -> f64 {
        // A hair less, so that it fits.
        (2.0 * acceleration * room(from, limits).max(0.0)).sqrt() * (1.0 - 1e-12)
    }

    /// How long it takes, s.
    pub fn duration(&self) -> f64 {
        self.from.v.abs() / self.deceleration
    }

    /// Where it comes to rest.
    pub fn end(&self) -> f64 {
        self.from.p + 0.5 * self.from.v * self.duration()
    }

    /// The state at a time.
    pub fn at(&self, time: f64) -> State {
        if time >= self.duration() {
            return State::rest(self.end());
        }
        let State { p, v, .. } = self.from;
        let a = -self.deceleration.copysign(v);
        State { p: p + time * (v + 0.5 * a * time), v: v + a * time, a }
    }
}

/// The way to the limit ahead.
fn room(from: &State, limits: &Limits) -> f64 {
    if from.v > 0.0 { limits.upper - from.p } else { from.p - limits.lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_v_over_a_and_v_squared_over_2a() {
        let brake = Brake::new(State { v: -3.0, ..State::rest(1.0) }, 10.0, &Limits::NONE);
        assert!((brake.duration() - 0.3).abs() < 1e-15 && (brake.end() - 0.55).abs() < 1e-15);
        let half = brake.at(0.15);
        assert!((half.p - (1.0 - 0.45 + 0.1125)).abs() < 1e-15 && (half.v + 1.5).abs() < 1e-15);
        assert_eq!(brake.at(0.3), State::rest(brake.end()));
    }

    #[test]
    fn it_lasts_longer_where_the_limit_leaves_the_room_only() {
        let limits = Limits { lower: -1.0, upper: 1.0, velocity: 7.0, effort: 1.0 };
        for (p, duration, given) in [(0.0, 0.4, 0.4), (0.0, 0.1, 0.2), (0.7, 0.4, 0.2), (0.9, 0.4, 0.1)] {
            let brake =
                Brake::new(State { v: 2.0, ..State::rest(p) }, 10.0, &limits).lasting(duration, &limits);
            assert!((brake.duration() - given).abs() < 1e-12, "{p}: {}", brake.duration());
            assert!(brake.end() <= 1.0 + 1e-12);
        }
        let rest = Brake::rest(0.5).lasting(0.0, &limits);
        assert_eq!((rest.duration(), rest.end()), (0.0, 0.5));
    }

    #[test]
    fn a_limit_that_is_too_near_is_not_passed() {
        let limits = Limits { lower: -1.0, upper: 1.0, velocity: 7.0, effort: 1.0 };
        for (p, v) in [(0.99, 5.0), (1.0, 5.0), (-1.0, -2.0), (1.1, 3.0)] {
            let from = State { v, ..State::rest(p) };
            assert!(!Brake::fits(&from, 10.0, &limits));
            let end = Brake::new(from, 10.0, &limits).end();
            assert!(end.abs() <= f64::max(1.0, p.abs()) + 1e-15, "{end}");
        }
        assert!(Brake::fits(&State { v: -5.0, ..State::rest(0.9) }, 10.0, &limits));
        assert_eq!(Brake::new(State::rest(1.0), 10.0, &limits).end(), 1.0);
    }
}

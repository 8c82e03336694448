//! Where the servo's own regulator wants to be, and other signals at the times at which positions were measured.

use param_lib::choices;
use std::collections::VecDeque;

/// Messages that come out of order are late by less, s; beyond, time went back.
const LATE: f64 = 0.5;

/// As many messages wait for measurements; a bridge that measures more slowly than this is none.
const WAITING: usize = 512;

choices! {
    /// How a servo goes to its goal.
    pub enum Profile { Ramp = "ramp", Step = "step" }
}

#[derive(Clone, Copy, Debug)]
struct Goal {
    at_s: f64,
    target: f64,
    playtime: f64,
}

/// The servo's trajectory generator, run again: a goal moves the setpoint from where it is to the target, at a constant
/// speed, within the playtime.
#[derive(Clone, Debug)]
pub struct Setpoint {
    waiting: VecDeque<Goal>,
    obeyed: Option<(Goal, f64)>,
    /// When the first goal is reached. Until then nobody knows where the setpoint is.
    known_from_s: f64,
}

impl Default for Setpoint {
    fn default() -> Self {
        Setpoint { waiting: VecDeque::with_capacity(WAITING), obeyed: None, known_from_s: f64::INFINITY }
    }
}

impl Setpoint {
    /// A goal, obeyed from `at_s` on. One that comes after its successor is of no use; when time went back, all before it are
    /// not.
    pub fn push(&mut self, at_s: f64, target: f64, playtime: f64) {
        let newest = self.waiting.back().or(self.obeyed.as_ref().map(|(goal, _)| goal));
        match newest.map_or(0.0, |newest| newest.at_s - at_s) {
            late if late > LATE => {
                self.waiting.clear();
                self.obeyed = None;
                self.known_from_s = f64::INFINITY;
            }
            late if late > 0.0 => return,
            _ => {}
        }
        if self.waiting.len() == WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(Goal { at_s, target, playtime });
    }

    /// Where the setpoint is at a time; times never go back. None before the first goal is reached.
    pub fn at(&mut self, at_s: f64, profile: Profile) -> Option<f64> {
        while let Some(goal) = self.waiting.front().copied().filter(|g| g.at_s <= at_s) {
            self.waiting.pop_front();
            if self.obeyed.is_none() {
                self.known_from_s = goal.at_s + if profile == Profile::Ramp { goal.playtime } else { 0.0 };
            }
            let from = self.position(goal.at_s, profile).unwrap_or(goal.target);
            self.obeyed = Some((goal, from));
        }
        self.position(at_s, profile).filter(|_| at_s >= self.known_from_s)
    }

    fn position(&self, at_s: f64, profile: Profile) -> Option<f64> {
        let (goal, from) = self.obeyed?;
        let elapsed = at_s - goal.at_s;
        if elapsed < 0.0 {
            // Measurements went back in time before the goals do.
            return None;
        }
        Some(match profile {
            Profile::Ramp if elapsed < goal.playtime => from + (goal.target - from) * elapsed / goal.playtime,
            _ => goal.target,
        })
    }
}

/// A signal that comes in messages; in between, the cubic through the two neighbours with the slopes that their own
/// neighbours give (Catmull–Rom). Straight lines would cut the corners, by more than the friction of a servo.
#[derive(Clone, Debug)]
pub struct Signal {
    points: VecDeque<(f64, f64)>,
}

impl Default for Signal {
    fn default() -> Self {
        Signal { points: VecDeque::with_capacity(WAITING) }
    }
}

impl Signal {
    /// The signal's value at a time. Another one of the newest time replaces it, one that comes after its successor is of no use;
    /// when time went back, all before it are not.
    pub fn push(&mut self, at_s: f64, value: f64) {
        match self.points.back().map(|(last, _)| last - at_s) {
            Some(late) if late > LATE => self.points.clear(),
            Some(late) if late > 0.0 => return,
            Some(0.0) => drop(self.points.pop_back()),
            _ => {}
        }
        if self.points.len() == WAITING {
            self.points.pop_front();
        }
        self.points.push_back((at_s, value));
    }

    /// Whether nothing ever came.
    pub fn is_silent(&self) -> bool {
        self.points.is_empty()
    }

    /// Its value at a time; times never go back. None before the first message; after the last, the value there.
    pub fn at(&mut self, at_s: f64) -> Option<f64> {
        // One point behind the interval is kept for the slope.
        while self.points.get(2).is_some_and(|(next, _)| *next <= at_s) {
            self.points.pop_front();
        }
        let start = usize::from(self.points.get(1).is_some_and(|(next, _)| *next <= at_s));
        let &(t0, x0) = self.points.get(start).filter(|(t, _)| *t <= at_s)?;
        let Some(&(t1, x1)) = self.points.get(start + 1).filter(|_| at_s > t0) else {
            return Some(x0);
        };
        let slope = |(ta, xa): (f64, f64), (tb, xb): (f64, f64)| (xb - xa) / (tb - ta);
        let before = start.checked_sub(1).and_then(|i| self.points.get(i)).copied().unwrap_or((t0, x0));
        let after = self.points.get(start + 2).copied().unwrap_or((t1, x1));
        let (width, u) = (t1 - t0, (at_s - t0) / (t1 - t0));
        let (m0, m1) = (width * slope(before, (t1, x1)), width * slope((t0, x0), after));
        let rise = x1 - x0;
        Some(x0 + u * rise + u * (1.0 - u) * ((1.0 - u) * (m0 - rise) + u * (rise - m1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setpoint_reaches_its_goal_at_the_end_of_the_playtime() {
        let mut setpoint = Setpoint::default();
        assert_eq!(setpoint.at(0.0, Profile::Ramp), None);
        setpoint.push(1.0, 0.5, 0.1);
        assert_eq!(setpoint.at(1.05, Profile::Ramp), None);
        setpoint.push(2.0, 1.5, 0.2);
        // Half way the third goal takes over from where the setpoint is.
        setpoint.push(2.1, 2.0, 0.1);
        let expected =
            [(1.5, 0.5), (2.0, 0.5), (2.05, 0.75), (2.1, 1.0), (2.15, 1.5), (2.2, 2.0), (9.0, 2.0)];
        for (at, position) in expected {
            let found = setpoint.at(at, Profile::Ramp).unwrap();
            assert!((found - position).abs() < 1e-12, "{found} instead of {position} at {at}");
        }
    }

    #[test]
    fn a_late_goal_is_left_out_and_time_that_goes_back_starts_anew() {
        let mut setpoint = Setpoint::default();
        setpoint.push(5.0, 0.5, 0.0);
        setpoint.push(5.2, 0.7, 0.0);
        setpoint.push(5.1, 9.0, 0.0);
        assert_eq!([5.15, 5.3].map(|t| setpoint.at(t, Profile::Ramp)), [Some(0.5), Some(0.7)]);
        assert_eq!(setpoint.at(1.0, Profile::Ramp), None, "of a goal that is yet to come");
        setpoint.push(1.0, 0.1, 0.1);
        assert_eq!([1.05, 1.1].map(|t| setpoint.at(t, Profile::Ramp)), [None, Some(0.1)]);
    }

    #[test]
    fn a_step_is_there_at_once() {
        let mut setpoint = Setpoint::default();
        setpoint.push(1.0, 0.5, 0.1);
        assert_eq!([0.9, 1.0].map(|t| setpoint.at(t, Profile::Step)), [None, Some(0.5)]);
    }

    #[test]
    fn a_signal_goes_through_its_messages_and_follows_a_parabola_in_between() {
        let mut signal = Signal::default();
        assert_eq!(signal.at(0.0), None);
        for k in 0..6 {
            let t = f64::from(k);
            signal.push(t, t * t);
        }
        // The slope at a point, from its neighbours, is exact for a parabola, except at the ends.
        for k in 10..40 {
            let t = f64::from(k) * 0.1;
            assert!((signal.at(t).unwrap() - t * t).abs() < 1e-12, "{t}");
        }
        assert_eq!([5.0, 9.0].map(|t| signal.at(t)), [Some(25.0), Some(25.0)]);
    }

    #[test]
    fn a_signal_takes_the_last_of_one_time_leaves_out_late_ones_and_starts_anew_when_time_goes_back() {
        let mut signal = Signal::default();
        for (t, x) in [(1.0, 9.0), (1.0, 10.0), (2.0, 20.0), (1.5, 99.0), (2.0, 30.0)] {
            signal.push(t, x);
        }
        assert_eq!([1.0, 1.5, 2.0].map(|t| signal.at(t)), [Some(10.0), Some(20.0), Some(30.0)]);
        signal.push(0.5, 1.0);
        assert_eq!([0.4, 0.5, 2.0].map(|t| signal.at(t)), [None, Some(1.0), Some(1.0)]);
    }

    #[test]
    fn a_signal_holds_after_its_last_message_and_between_two_is_straight() {
        let mut signal = Signal::default();
        signal.push(1.0, 10.0);
        assert_eq!([0.5, 3.0].map(|t| signal.at(t)), [None, Some(10.0)]);
        signal.push(5.0, 30.0);
        assert_eq!([3.0, 4.0].map(|t| signal.at(t)), [Some(20.0), Some(25.0)]);
    }
}

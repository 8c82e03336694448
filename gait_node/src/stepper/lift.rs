//! Which feet begin to swing, and for how long.

use super::{LongSwing, Stepper};
use crate::foot::Foot;
use crate::gait_speed::GaitSpeed;
use crate::ground::Velocity;
use crate::room::first_to_lift;
use crate::stride::Stride;
use crate::support_polygon::margin;
use nalgebra::{Point2, Vector2};

/// A swing that takes so many times as long as the gait has it is told.
const LONG: f64 = 2.0;
/// No leg waits longer for that, s.
const LONGEST_WAIT: f64 = 1.5;

impl Stepper {
    /// Feet whose time has come begin to swing, if enough others stand.
    pub(super) fn lift_feet(&mut self, stride: &Stride, weight: Option<(Point2<f64>, f64)>, period: f64) {
        let moving = self.velocity() != Velocity::ZERO;
        let all_stand = self.feet.iter().all(Foot::stands);
        let at_home = self.feet.iter().zip(&stride.homes).all(|(foot, home)| foot.is_at(home));
        // Another gait begins when all feet of this one stand; until then none lifts.
        let changing = self.is_changing(stride);
        if all_stand && (changing || !self.turns.is_stepping()) {
            let first = first_to_lift(&self.feet, stride, &self.velocity());
            self.turns.begin(&stride.pattern, first, period);
        }
        if all_stand && !moving && at_home {
            self.turns.end();
        }
        if !self.turns.is_stepping() {
            return;
        }
        // A gait that is about to end goes on as it was; what is said of speed and lift is said of the next.
        let speed = (*self.turns.pattern() == stride.pattern).then_some(&stride.speed);
        if speed.is_some() {
            self.lift = stride.lift;
        }
        let (lift, half_stance) = (self.lift, 0.5 * self.turns.pattern().stance_time());
        let velocities = [self.velocity(), self.target];
        let (feet, swing_time, waited) =
            (&mut self.feet, self.turns.pattern().swing_time(period), self.unbalanced);
        let (mut unbalanced, mut long_swing) = (false, None);
        self.turns.call(period, |leg| {
            if !moving && feet[leg].is_at(&stride.homes[leg]) {
                return true;
            }
            let standing = feet.iter().filter(|foot| foot.stands()).count();
            let enough = standing > 2.min(feet.len() - 1);
            // A swing that takes longer than those of the gait is waited for: never more legs are in the air than the gait has there.
            let in_turn = !feet.iter().any(|foot| foot.is_overdue(swing_time));
            if !(feet[leg].stands() && enough && in_turn && (all_stand || !changing)) {
                return false;
            }
            if waited < LONGEST_WAIT
                && weight.is_some_and(|(weight, least)| margin_without(feet, leg, &weight) <= least)
            {
                unbalanced = true;
                return false;
            }
            let times = velocities.map(|velocity| {
                let end = velocity.after(swing_time + half_stance) * stride.homes[leg];
                let way = end.translation.vector - feet[leg].place.translation.vector;
                speed.map_or(1.0, |speed| times_as_long(&way, speed, stride.pattern.period))
            });
            let times = times[0].max(times[1]);
            let duration = (times * swing_time / period - 1e-9).ceil() * period;
            feet[leg].lift(duration, lift);
            if times > long_swing.map_or(LONG, |longest: LongSwing| longest.times) {
                long_swing = Some(LongSwing { leg, duration, times });
            }
            true
        });
        self.long_swing = long_swing;
        self.unbalanced = if unbalanced { self.unbalanced + period } else { 0.0 };
    }
}

/// How many times as long as others a swing has to be that takes a foot further than those of a steady walk do.
fn times_as_long(way: &Vector2<f64>, speed: &GaitSpeed, period: f64) -> f64 {
    let steady = Velocity { forward: way.x / period, left: way.y / period, turn: 0.0 };
    (1.0 / speed.share(&steady).0).max(1.0)
}

/// How far the weight is inside the polygon of the feet that stand beside a leg's.
fn margin_without(feet: &[Foot], leg: usize, weight: &Point2<f64>) -> f64 {
    let others = feet.iter().enumerate().filter(move |(at, foot)| *at != leg && foot.stands());
    margin(weight, others.map(|(_, foot)| Point2::from(foot.place.translation.vector)))
}

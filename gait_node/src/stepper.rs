//! Walking: where each hoof is over the ground while the body moves as it is told.

use crate::foot::Foot;
use crate::foot_reach::FootReach;
use crate::gait_speed::GaitSpeed;
use crate::ground::Velocity;
use crate::pace::{Pace, Slowed, fastest};
use crate::pattern::Pattern;
use crate::room::{first_to_lift, room};
use crate::support_polygon::margin;
use crate::turns::Turns;
use nalgebra::{Isometry2, Point2, Vector2};

/// The share of a command that is followed while a leg waits for the weight to be over the others.
const CREEP: f64 = 0.1;
/// A swing that takes so many times as long as the gait has it is told.
const LONG: f64 = 2.0;
/// No leg waits longer for that, s.
const LONGEST_WAIT: f64 = 1.5;

/// What walking is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The gait.
    pub pattern: Pattern,
    /// Where the hooves stand when the body stands, seen from the body.
    pub homes: Vec<Isometry2<f64>>,
    /// How high a hoof is lifted, m.
    pub lift: f64,
    /// The longest way of a hoof over the ground while it stands, m: faster commands are scaled down to it.
    pub longest: f64,
    /// Of the body, m/s².
    pub acceleration: f64,
    /// Of the body, rad/s².
    pub turn_acceleration: f64,
    /// What the joints can do; without, any speed.
    pub speed: GaitSpeed,
    /// How far from home each foot can be, for a body that sways; empty for any distance.
    pub reach: Vec<FootReach>,
}

/// A foot that lifted for longer than the gait has it, because it is far from where it shall stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongSwing {
    /// The leg.
    pub leg: usize,
    /// How long, s.
    pub duration: f64,
    /// How many times as long as the gait has it.
    pub times: f64,
}

/// The feet and the body above them.
///
/// Everything is seen from the body: hooves that stand move backwards below it, by exactly the way that the body goes. Between two
/// cycles the body moves with the mean of both velocities.
#[derive(Clone, Debug)]
pub struct Stepper {
    feet: Vec<Foot>,
    pace: Pace,
    turns: Turns,
    /// The velocity that it is on its way to.
    target: Velocity,
    /// How high feet are lifted in the gait that it steps in, m.
    lift: f64,
    /// How long a leg has waited for the weight to be over the others, s.
    unbalanced: f64,
    long_swing: Option<LongSwing>,
}

impl Stepper {
    /// Stands at the homes.
    pub fn new(stride: &Stride, period: f64) -> Result<Stepper, filters_lib::Error> {
        Ok(Stepper {
            feet: stride.homes.iter().map(|home| Foot::standing(*home)).collect(),
            pace: Pace::new(stride, period)?,
            turns: Turns::new(stride.pattern.clone(), stride.homes.len()),
            target: Velocity::ZERO,
            lift: stride.lift,
            unbalanced: 0.0,
            long_swing: None,
        })
    }

    /// Stands at the homes, from now on.
    pub fn stand(&mut self, stride: &Stride) {
        self.pace.rest();
        self.turns.end();
        self.unbalanced = 0.0;
        for (foot, home) in self.feet.iter_mut().zip(&stride.homes) {
            *foot = Foot::standing(*home);
        }
    }

    /// The feet.
    pub fn feet(&self) -> &[Foot] {
        &self.feet
    }

    /// The body's velocity.
    pub fn velocity(&self) -> Velocity {
        self.pace.velocity()
    }

    /// What became of the last command, when it was more than the gait can walk.
    pub fn slowed(&self) -> Option<Slowed> {
        self.pace.slowed()
    }

    /// The foot that lifted in the last cycle for much longer than the gait has it, of several the one for the longest time.
    pub fn long_swing(&self) -> Option<LongSwing> {
        self.long_swing
    }

    /// The gait that it steps in, and where in it.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Where the feet stand that carry the body, and go on to do so when those that wait to lift are gone.
    pub fn carrying(&self) -> impl Iterator<Item = Point2<f64>> + Clone + '_ {
        let feet =
            self.feet.iter().enumerate().filter(|(leg, foot)| foot.stands() && !self.turns.is_due(*leg));
        feet.map(|(_, foot)| Point2::from(foot.place.translation.vector))
    }

    /// Whether the body rests on all hooves, at home.
    pub fn is_standing(&self) -> bool {
        !self.turns.is_stepping() && self.velocity() == Velocity::ZERO
    }

    /// One cycle with a command. With `weight` (where the weight is over the ground, seen from the body, and how far inside it
    /// shall be, m) no leg lifts before the others carry it.
    pub fn step(
        &mut self,
        command: Velocity,
        stride: &Stride,
        weight: Option<(Point2<f64>, f64)>,
        period: f64,
    ) -> Result<(), filters_lib::Error> {
        let before = self.velocity();
        self.long_swing = None;
        self.turns.retime(&stride.pattern);
        let command = if self.unbalanced > 0.0 { command.scaled(CREEP) } else { command };
        self.target = self.within_reach(command, stride);
        self.pace.follow(self.target, stride, period)?;
        let way = before.mean(&self.velocity()).after(period);
        let half_stance = 0.5 * self.turns.pattern().stance_time();
        for (foot, home) in self.feet.iter_mut().zip(&stride.homes) {
            // The hoof shall be at its home when half of its stance is over.
            foot.fly(|left| before.after(left + half_stance) * home, period);
            foot.carry(&way);
        }
        self.lift(stride, weight, period);
        Ok(())
    }

    /// As much of a command as the gait can walk, with feet that stay near enough to their homes.
    fn within_reach(&mut self, command: Velocity, stride: &Stride) -> Velocity {
        let command = self.pace.bound(command, stride);
        if !self.turns.is_stepping() {
            return command;
        }
        let most = if self.is_changing(stride) {
            // No foot lifts until all stand, and none of them was told of a higher speed.
            fastest(&self.velocity(), stride) / fastest(&command, stride).max(f64::MIN_POSITIVE)
        } else {
            room(&self.feet, stride, &command, |leg| self.turns.lifts_in(leg))
        };
        if most < 1.0 { command.scaled(most) } else { command }
    }

    /// Whether another gait shall begin. As long as the body is too fast for that, this one goes on.
    fn is_changing(&self, stride: &Stride) -> bool {
        *self.turns.pattern() != stride.pattern && self.pace.fits(stride)
    }

    /// Hooves whose time has come begin to swing, if enough others stand.
    fn lift(&mut self, stride: &Stride, weight: Option<(Point2<f64>, f64)>, period: f64) {
        let moving = self.velocity() != Velocity::ZERO;
        let all_stand = self.feet.iter().all(Foot::stands);
        let at_home = self.feet.iter().zip(&stride.homes).all(|(foot, home)| foot.is_at(home));
        // Another gait begins when all hooves of this one stand; until then none lifts.
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

#[cfg(test)]
mod tests;

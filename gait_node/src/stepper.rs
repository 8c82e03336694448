//! Walking: where each hoof is over the ground while the body moves as it is told.

use crate::foot::Foot;
use crate::ground::Velocity;
use crate::pace::Pace;
use crate::pattern::Pattern;
use crate::support_polygon::margin;
use crate::turns::Turns;
use nalgebra::{Isometry2, Point2};

/// The share of a command that is followed while a leg waits for the weight to be over the others.
const CREEP: f64 = 0.1;
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
    /// How long a leg has waited for the weight to be over the others, s.
    unbalanced: f64,
}

impl Stepper {
    /// Stands at the homes.
    pub fn new(stride: &Stride, period: f64) -> Result<Stepper, filters_lib::Error> {
        Ok(Stepper {
            feet: stride.homes.iter().map(|home| Foot::standing(*home)).collect(),
            pace: Pace::new(stride, period)?,
            turns: Turns::new(stride.pattern.clone(), stride.homes.len()),
            unbalanced: 0.0,
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
        self.turns.retime(&stride.pattern);
        let command = if self.unbalanced > 0.0 { command.scaled(CREEP) } else { command };
        self.pace.follow(command, stride, period)?;
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

    /// Hooves whose time has come begin to swing, if enough others stand.
    fn lift(&mut self, stride: &Stride, weight: Option<(Point2<f64>, f64)>, period: f64) {
        let moving = self.velocity() != Velocity::ZERO;
        let all_stand = self.feet.iter().all(Foot::stands);
        let at_home = self.feet.iter().zip(&stride.homes).all(|(foot, home)| foot.is_at(home));
        // Another gait begins when all hooves of this one stand; until then none lifts.
        let changing = *self.turns.pattern() != stride.pattern;
        if all_stand && (changing || !self.turns.is_stepping()) {
            self.turns.begin(&stride.pattern, period);
        }
        if all_stand && !moving && at_home {
            self.turns.end();
        }
        if !self.turns.is_stepping() {
            return;
        }
        let (feet, swing_time, waited) =
            (&mut self.feet, self.turns.pattern().swing_time(period), self.unbalanced);
        let mut unbalanced = false;
        self.turns.call(period, |leg| {
            if !moving && feet[leg].is_at(&stride.homes[leg]) {
                return true;
            }
            let standing = feet.iter().filter(|foot| foot.stands()).count();
            let enough = standing > 2.min(feet.len() - 1);
            if !(feet[leg].stands() && enough && (all_stand || !changing)) {
                return false;
            }
            if waited < LONGEST_WAIT
                && weight.is_some_and(|(weight, least)| margin_without(feet, leg, &weight) <= least)
            {
                unbalanced = true;
                return false;
            }
            feet[leg].lift(swing_time, stride.lift);
            true
        });
        self.unbalanced = if unbalanced { self.unbalanced + period } else { 0.0 };
    }
}

/// How far the weight is inside the polygon of the feet that stand beside a leg's.
fn margin_without(feet: &[Foot], leg: usize, weight: &Point2<f64>) -> f64 {
    let others = feet.iter().enumerate().filter(move |(at, foot)| *at != leg && foot.stands());
    margin(weight, others.map(|(_, foot)| Point2::from(foot.place.translation.vector)))
}

#[cfg(test)]
mod tests;

//! Walking: where each foot is over the ground while the body moves as it is told.

mod lift;

use crate::foot::Foot;
use crate::ground::Velocity;
use crate::pace::{Pace, Slowed, fastest};
use crate::room::room;
use crate::stride::Stride;
use crate::turns::Turns;
use nalgebra::Point2;

/// The share of a command that is followed while a leg waits for the weight to be over the others.
const CREEP: f64 = 0.1;

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
/// Everything is seen from the body: feet that stand move backwards below it, by exactly the way that the body goes. Between two
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

    /// Whether the body rests on all feet, at home.
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
        // Of a gait that is about to end nothing is known any more: what is said of speed is said of the next.
        let is_own = *self.turns.pattern() == stride.pattern;
        let can = |demand| !is_own || stride.speed.can(demand, &stride.pattern);
        for (foot, home) in self.feet.iter_mut().zip(&stride.homes) {
            // The foot shall be at its home when half of its stance is over.
            foot.fly(|left| before.after(left + half_stance) * home, period, can);
            foot.carry(&way);
        }
        self.lift_feet(stride, weight, period);
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
}

#[cfg(test)]
mod tests;

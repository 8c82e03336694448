//! The poses in which the robot rests on its feet.

use super::{Level, Locomotion};
use crate::ground::Velocity;
use crate::joint_command::JointCommand;

impl Locomotion {
    /// From which level the joints would get up to their stance: one that is nearer to sitting must not slide its feet.
    pub fn level(&mut self, joints: &JointCommand) -> Level {
        let height = self.legs.height_of(&joints.position);
        self.level_of(height)
    }

    fn level_of(&self, height: f64) -> Level {
        match self.sit {
            Some(sit) if height < 0.5 * (sit.z + self.body.z) => Level::Sit,
            _ => Level::Stand,
        }
    }

    /// Rests with its feet at home, from now on; gives the joints with which it does.
    pub fn rest(&mut self, level: Level) -> &[f64] {
        self.posture.stand(self.wanted(level));
        self.stepper.stand(&self.stride);
        self.balance.stand();
        self.place()
    }

    /// Rests as it did when it was on its feet last, if that was at this level. Feet that stand stay where they are only so: what was asked
    /// for since then, it does on them.
    pub fn rest_again(&mut self, level: Level) -> &[f64] {
        if self.level_of(self.posture.height()) != level {
            return self.rest(level);
        }
        self.posture.stop();
        self.balance.stop();
        self.place()
    }

    fn place(&mut self) -> &[f64] {
        self.stance.copy_from_slice(&self.zero);
        self.gestures.rest().for_each(|(joint, rest)| self.stance[joint] = rest);
        let base = self.posture.base(&Velocity::ZERO, self.balance.sway());
        self.legs.place(&base, self.stepper.feet(), &mut self.stance, |_| ());
        &self.stance
    }
}

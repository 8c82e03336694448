//! On its feet: getting up to a stance, standing, walking, sitting down.

use super::Walker;
use super::doing::Doing;
use crate::ground::Velocity;
use crate::joint_move::MoveLimits;
use crate::legs::Reach;
use crate::locomotion::Level;
use crate::note::Note;
use crate::pace::Slowed;
use crate::segment::State;
use crate::stepper::LongSwing;

/// Joints this near to a pose are there, rad.
const THERE: f64 = 1e-6;

impl Walker {
    /// Sets out for the posture in which it stands; from below by way of sitting, so that its feet do not slide.
    pub(super) fn rise(&mut self) {
        let level = self.locomotion.level(&self.joints);
        let standing =
            self.locomotion.supports().filter(|(chain, _)| self.supports[*chain] == Some(1.0)).count();
        let stance =
            if standing > 1 { self.locomotion.rest_again(level) } else { self.locomotion.rest(level) };
        if self.joints.rests_at(stance, THERE) {
            return self.stand_on_feet(level);
        }
        let (speed, acceleration) = (self.params.rise_speed, self.params.joint_acceleration);
        let how = MoveLimits { duration: self.params.rise_time, speed, acceleration };
        let to = |joint: usize| Some(State::rest(stance[joint]));
        self.joint_move.begin(|joint| self.joints.state(joint), to, how, self.guard.limits());
        self.doing = Doing::Rising(level);
    }

    pub(super) fn stand_on_feet(&mut self, level: Level) {
        self.locomotion.start(&self.joints);
        self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(1.0));
        self.doing = match level {
            Level::Sit if self.sit => Doing::Sitting,
            Level::Stand if self.locomotion.is_at(Level::Stand) => Doing::Standing,
            _ => Doing::GettingUp,
        };
    }

    pub(super) fn walk(
        &mut self,
        time: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<(), filters_lib::Error> {
        let must_stop = self.next.is_some() || self.sit || self.hold;
        let command = if must_stop { Velocity::ZERO } else { self.command };
        let stepped = self.go_on_foot(Some(command), Level::Stand, time, note);
        if let Some(Slowed { share, joint }) = self.locomotion.slowed() {
            let joint = joint.map(|joint| self.model.joints()[joint].name.as_str());
            note(Note::Slowed { share, joint });
        }
        if let Some((chain, LongSwing { duration, times, .. })) = self.locomotion.long_swing() {
            note(Note::LongSwing { leg: &self.model.chains()[chain].name, duration, times });
        }
        let is_standing = self.locomotion.is_standing();
        self.doing = if is_standing { Doing::Standing } else { Doing::Walking };
        // What is left of a change of posture goes on until all joints can stop where they are.
        if is_standing && self.has_room() {
            self.enter_next();
        }
        if is_standing && self.sit {
            self.doing = Doing::Sitting;
        }
        if is_standing && self.has_room() && std::mem::take(&mut self.hold) {
            self.begin_move(0.0, |_| None);
            self.doing = Doing::Halted(None);
        }
        stepped
    }

    pub(super) fn go_on_foot(
        &mut self,
        command: Option<Velocity>,
        level: Level,
        time: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<(), filters_lib::Error> {
        let chains = self.model.chains();
        let reach = |Reach { chain, miss, .. }| {
            if miss > 0.0 {
                note(Note::OutOfReach { leg: &chains[chain].name, miss });
            }
        };
        self.locomotion.step(command, level, time, &mut self.joints, reach)?;
        for (chain, stands) in self.locomotion.supports() {
            self.supports[chain] = Some(f64::from(stands));
        }
        Ok(())
    }
}

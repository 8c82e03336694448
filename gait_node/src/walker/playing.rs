//! Motions: all joints move together to where one begins, and follow it to its end.

use super::Walker;
use super::doing::Doing;
use crate::brake::Brake;
use crate::joint_move::MoveLimits;
use crate::play::Play;
use crate::segment::State;

impl Walker {
    /// All joints set out together, for a state or for rest.
    pub(super) fn begin_move(&mut self, duration: f64, to: impl Fn(usize) -> Option<State>) {
        let (speed, acceleration) = (self.params.rise_speed, self.params.joint_acceleration);
        let how = MoveLimits { duration, speed, acceleration };
        self.joint_move.begin(|joint| self.joints.state(joint), to, how, self.guard.limits());
    }

    /// Goes on with a move of all joints; gives whether it is under way still.
    pub(super) fn move_on(&mut self, time: f64) -> bool {
        let under_way = self.joint_move.advance(time);
        self.joint_move.write(&mut self.joints.position, &mut self.joints.velocity);
        under_way
    }

    /// Whether every joint can brake before its limit.
    pub(super) fn has_room(&self) -> bool {
        let acceleration = self.params.joint_acceleration;
        let mut joints = self.guard.limits().iter().enumerate();
        joints.all(|(joint, limits)| Brake::fits(&self.joints.state(joint), acceleration, limits))
    }

    /// Sets out for the start of the motion that waits.
    pub(super) fn enter_next(&mut self) {
        if let Some(play) = self.next.take() {
            let duration = play.motion.entry_time();
            self.enter(play, duration);
        }
    }

    /// Sets out for where a motion begins or goes on, in `duration` (s) at least.
    pub(super) fn enter(&mut self, play: Play, duration: f64) {
        self.begin_move(duration, |joint| play.motion.state(joint, play.since));
        // On its way a leg stands if it stood and shall stand: one that is lifted leaves the ground at once, one that comes down
        // is there at the end.
        for (chain, first) in play.motion.supports(play.since) {
            self.supports[chain] = Some(self.supports[chain].map_or(0.0, |now| now.min(first)));
        }
        self.ended_play = None;
        self.doing = Doing::Entering(play);
    }

    pub(super) fn play_on(&mut self, play: Play) {
        play.motion.write(play.since, &mut self.joints.position, &mut self.joints.velocity);
        play.motion.supports(play.since).for_each(|(chain, support)| self.supports[chain] = Some(support));
        let over = play.since - play.motion.duration();
        let (play_id, holds) = (play.id, play.motion.holds());
        if self.next.is_some() {
            self.enter_next();
        } else if over < 0.0 {
            self.doing = Doing::Playing(play);
            return;
        } else if let Some(again) = play.again() {
            if again.motion.is_closed() {
                // A short one may come round several times in a cycle.
                let more = (over / again.motion.duration()).floor();
                let rounds = again.rounds.saturating_add(more as u32);
                let since =
                    (over - more * again.motion.duration()).clamp(0.0, again.motion.duration().next_down());
                return self.play_on(Play { since, rounds, ..again });
            }
            self.enter(again, 0.0);
        } else {
            self.ended_play = Some(play_id);
            if holds {
                self.begin_move(0.0, |_| None);
                self.doing = Doing::Halted(None);
            } else {
                self.rise();
            }
        }
        // The motion gave its end; what is left of the cycle belongs to what comes after.
        if over > 0.0 && matches!(self.doing, Doing::Rising(_) | Doing::Entering(_) | Doing::Halted(_)) {
            self.move_on(over);
        }
    }
}

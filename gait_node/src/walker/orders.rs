//! What the robot is told to do.

use super::Walker;
use super::doing::Doing;
use crate::body_pose::BodyPose;
use crate::ground::Velocity;
use crate::motion::Motion;
use crate::play::{DropReason, Play, PlayId, PlayState, Progress};

impl Walker {
    /// A wanted velocity; what is no number is refused.
    pub fn command(&mut self, velocity: Velocity) -> bool {
        if velocity.is_finite() {
            (self.command, self.command_age) = (velocity, 0.0);
        }
        velocity.is_finite()
    }

    /// The body leans by this much more than parameters say, while it stands or walks.
    pub fn lean(&mut self, pose: BodyPose) {
        self.locomotion.lean(pose);
    }

    /// Plays a motion as soon as the robot stands. One that is entered or played ends at once, and the next begins from there.
    /// Without torque it is dropped: nobody wants it played whenever that comes back.
    pub fn play(&mut self, motion: Motion) -> PlayId {
        self.last_play = self.last_play.next();
        if !matches!(self.doing, Doing::Limp { .. }) {
            (self.next, self.sit, self.hold) = (Some(Play::new(motion, self.last_play)), false, false);
            self.drop_reason = DropReason::Replaced;
        }
        self.last_play
    }

    /// What has become of a motion.
    pub fn play_state(&self, id: PlayId) -> PlayState {
        let under_way = match &self.doing {
            Doing::Entering(play) | Doing::Playing(play) | Doing::Halted(Some(play)) => play.id == id,
            _ => false,
        };
        if self.next.as_ref().is_some_and(|play| play.id == id) {
            PlayState::Waiting
        } else if under_way {
            PlayState::UnderWay
        } else if self.ended_play == Some(id) {
            PlayState::Ended
        } else {
            PlayState::Dropped
        }
    }

    /// Why the motion that was dropped last was.
    pub fn drop_reason(&self) -> DropReason {
        self.drop_reason
    }

    /// Drops a motion: one that is under way brakes, and the joints stay where they come to rest.
    pub fn cancel(&mut self, id: PlayId) {
        match self.play_state(id) {
            PlayState::Waiting => {
                self.next = None;
                // The one whose place it took is over, too.
                if matches!(self.doing, Doing::Entering(_) | Doing::Playing(_)) {
                    self.halt();
                    self.doing = Doing::Halted(None);
                }
            }
            PlayState::UnderWay => {
                self.halt();
                self.doing = Doing::Halted(None);
            }
            PlayState::Ended | PlayState::Dropped => return,
        }
        self.drop_reason = DropReason::Cancelled;
    }

    /// Whether joints that were halted move still.
    pub fn is_braking(&self) -> bool {
        matches!(self.doing, Doing::Halted(_)) && self.joint_move.left() > 0.0
    }

    /// Ends whatever it does; the robot stands.
    pub fn stand(&mut self) {
        self.forget_wishes(DropReason::Stand);
        match self.doing {
            Doing::Entering(_) | Doing::Playing(_) | Doing::Halted(_) => self.rise(),
            Doing::Sitting => self.doing = Doing::GettingUp,
            _ => {}
        }
    }

    /// Ends whatever it does; the robot stands, and sits down on its feet. Gives whether it can.
    pub fn sit(&mut self) -> bool {
        if !self.locomotion.can_sit() || matches!(self.doing, Doing::Waiting(_) | Doing::Limp { .. }) {
            return false;
        }
        if matches!(self.doing, Doing::Sitting) {
            self.forget_wishes(DropReason::Sit);
            return true;
        }
        self.stand();
        if matches!(self.doing, Doing::GettingUp) {
            self.doing = Doing::Sitting;
        }
        (self.sit, self.drop_reason) = (true, DropReason::Sit);
        true
    }

    /// Brakes all joints, which stay where they come to rest; a walk ends with its last steps. It holds until it is told to stand, to
    /// sit, to play or to go on with its motion, whatever velocities are commanded meanwhile. A motion that waits to begin is dropped: whoever halts a
    /// robot wants none of what it was about to do. Gives its name.
    pub fn halt(&mut self) -> Option<String> {
        let waited = self.next.as_ref().map(|play| play.motion.name().to_string());
        self.forget_wishes(DropReason::Halted);
        let play = match std::mem::replace(&mut self.doing, Doing::Standing) {
            Doing::Entering(play) | Doing::Playing(play) => Some(play),
            Doing::Rising(_) | Doing::Sitting | Doing::GettingUp => None,
            other => {
                self.hold = matches!(other, Doing::Standing | Doing::Walking);
                self.doing = other;
                return waited;
            }
        };
        self.begin_move(0.0, |_| None);
        self.doing = Doing::Halted(play);
        waited
    }

    /// Goes on with the motion that was halted. Gives whether there is one.
    pub fn resume(&mut self) -> bool {
        match std::mem::replace(&mut self.doing, Doing::Halted(None)) {
            Doing::Halted(Some(play)) => self.enter(play, 0.0),
            other => {
                self.doing = other;
                return false;
            }
        }
        true
    }

    /// How far the motion is that is entered, played or halted.
    pub fn progress(&self) -> Option<Progress<'_>> {
        match &self.doing {
            Doing::Entering(play) => Some(play.progress(-self.joint_move.left(), false)),
            Doing::Playing(play) => Some(play.progress(play.since, false)),
            Doing::Halted(Some(play)) => Some(play.progress(play.since, true)),
            _ => None,
        }
    }

    pub(super) fn forget_wishes(&mut self, reason: DropReason) {
        self.drop_reason = reason;
        (self.next, self.sit, self.hold, self.command) = (None, false, false, Velocity::ZERO);
        self.ended_play = None;
    }
}

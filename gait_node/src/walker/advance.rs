//! From one cycle to the next, and from one state to another.

use super::Walker;
use super::doing::Doing;
use crate::brake::Brake;
use crate::first_pose::FirstPose;
use crate::ground::Velocity;
use crate::joint_move::MoveLimits;
use crate::legs::Reach;
use crate::locomotion::Level;
use crate::note::Note;
use crate::play::Play;
use crate::segment::State;

/// Joints this near to a pose are there, rad.
const THERE: f64 = 1e-6;
/// What a joint may be outside its limits without a word, rad: servos measure in steps of this size.
const OUTSIDE: f64 = 0.006;

impl Walker {
    pub(super) fn advance(
        &mut self,
        time: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<(), filters_lib::Error> {
        self.begin(note);
        // Taken out, for what follows may put another in its place.
        match std::mem::replace(&mut self.doing, Doing::Standing) {
            waiting @ Doing::Waiting(_) => self.doing = waiting,
            limp @ Doing::Limp { .. } => {
                self.joints.velocity.fill(0.0);
                self.guard.start(&self.joints.position);
                self.doing = limp;
            }
            Doing::Rising(level) => {
                if self.move_on(time) {
                    self.doing = Doing::Rising(level);
                } else {
                    self.stand_on_feet(level);
                }
            }
            Doing::Standing | Doing::Walking => self.walk(time, note)?,
            Doing::Sitting => {
                self.doing = if self.next.is_some() { Doing::GettingUp } else { Doing::Sitting };
                self.go_on_foot(None, Level::Sit, time, note)?;
            }
            Doing::GettingUp => {
                self.doing = Doing::GettingUp;
                self.go_on_foot(None, Level::Stand, time, note)?;
                if self.locomotion.is_at(Level::Stand) {
                    self.doing = Doing::Standing;
                }
            }
            Doing::Entering(play) => {
                if self.move_on(time) {
                    self.doing = Doing::Entering(play);
                } else {
                    let since = play.since + self.joint_move.beyond();
                    self.play_on(Play { since, ..play });
                }
            }
            Doing::Playing(play) => self.play_on(Play { since: play.since + time, ..play }),
            Doing::Halted(play) => {
                self.doing = Doing::Halted(play);
                if !self.move_on(time) {
                    self.enter_next();
                }
            }
        }
        Ok(())
    }

    /// Begins, when the pose of the joints is known.
    fn begin(&mut self, note: &mut dyn FnMut(Note<'_>)) {
        let said = match &mut self.doing {
            Doing::Waiting(first) => {
                if !first.is_ready() {
                    return;
                }
                self.params.wait_for_pose && first.is_commanded()
            }
            Doing::Limp { first, known, held } => {
                let is_measured = first.missing().next().is_none();
                *known |= is_measured;
                if !(*held && is_measured) {
                    return;
                }
                true
            }
            _ => return,
        };
        self.guard.start(&self.joints.position);
        for (joint, &position) in self.model.joints().iter().zip(&self.joints.position) {
            let limit = joint.limits.clamp(position);
            if (position - limit).abs() > OUTSIDE {
                note(Note::Outside { joint: &joint.name, position, limit });
            }
        }
        // Joints that are commanded already are those of an earlier life: the supports that it gave are over. Else nobody
        // has spoken of supports, and whoever needs them finds out himself.
        if said {
            self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(0.0));
        }
        self.rise();
    }

    pub(super) fn forget_wishes(&mut self) {
        (self.next, self.sit, self.command) = (None, false, Velocity::ZERO);
    }

    /// Torque is gone: whatever it did is over, and no leg carries anything.
    pub(super) fn go_limp(&mut self) {
        self.forget_wishes();
        let first = FirstPose::measured(self.joints.position.len());
        self.doing = Doing::Limp { first, known: false, held: false };
        self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(0.0));
    }

    /// All joints set out together, for a state or for rest.
    pub(super) fn begin_move(&mut self, duration: f64, to: impl Fn(usize) -> Option<State>) {
        let (speed, acceleration) = (self.params.rise_speed, self.params.joint_acceleration);
        let how = MoveLimits { duration, speed, acceleration };
        self.joint_move.begin(|joint| self.joints.state(joint), to, how, self.guard.limits());
    }

    /// Goes on with a move of all joints; gives whether it is under way still.
    fn move_on(&mut self, time: f64) -> bool {
        let under_way = self.joint_move.advance(time);
        self.joint_move.write(&mut self.joints.position, &mut self.joints.velocity);
        under_way
    }

    /// Sets out for the posture in which it stands; from below by way of sitting, so that its feet do not slide.
    pub(super) fn rise(&mut self) {
        let level = self.locomotion.level(&self.joints);
        let stance = self.locomotion.rest(level);
        if self.joints.rests_at(stance, THERE) {
            return self.stand_on_feet(level);
        }
        let (speed, acceleration) = (self.params.rise_speed, self.params.joint_acceleration);
        let how = MoveLimits { duration: self.params.rise_time, speed, acceleration };
        let to = |joint: usize| Some(State::rest(stance[joint]));
        self.joint_move.begin(|joint| self.joints.state(joint), to, how, self.guard.limits());
        self.doing = Doing::Rising(level);
    }

    fn stand_on_feet(&mut self, level: Level) {
        self.locomotion.start(&self.joints);
        self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(1.0));
        self.doing = match level {
            Level::Stand => Doing::Standing,
            Level::Sit if self.sit => Doing::Sitting,
            Level::Sit => Doing::GettingUp,
        };
    }

    fn walk(&mut self, time: f64, note: &mut dyn FnMut(Note<'_>)) -> Result<(), filters_lib::Error> {
        let command = if self.next.is_some() || self.sit { Velocity::ZERO } else { self.command };
        let stepped = self.go_on_foot(Some(command), Level::Stand, time, note);
        let is_standing = self.locomotion.is_standing();
        self.doing = if is_standing { Doing::Standing } else { Doing::Walking };
        // What is left of a change of posture goes on until all joints can stop where they are.
        if is_standing && self.has_room() {
            self.enter_next();
        }
        if is_standing && self.sit {
            self.doing = Doing::Sitting;
        }
        stepped
    }

    fn go_on_foot(
        &mut self,
        command: Option<Velocity>,
        level: Level,
        time: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<(), filters_lib::Error> {
        let chains = self.model.chains();
        let reach = |Reach { chain, miss }| {
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

    /// Whether every joint can brake before its limit.
    fn has_room(&self) -> bool {
        let acceleration = self.params.joint_acceleration;
        let mut joints = self.guard.limits().iter().enumerate();
        joints.all(|(joint, limits)| Brake::fits(&self.joints.state(joint), acceleration, limits))
    }

    /// Sets out for the start of the motion that waits.
    fn enter_next(&mut self) {
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
        self.doing = Doing::Entering(play);
    }

    fn play_on(&mut self, play: Play) {
        play.motion.write(play.since, &mut self.joints.position, &mut self.joints.velocity);
        play.motion.supports(play.since).for_each(|(chain, support)| self.supports[chain] = Some(support));
        let over = play.since - play.motion.duration();
        if self.next.is_some() {
            self.enter_next();
        } else if over < 0.0 {
            self.doing = Doing::Playing(play);
            return;
        } else if let Some(again) = play.again() {
            if again.motion.is_closed() {
                return self.play_on(Play { since: over, ..again });
            }
            self.enter(again, 0.0);
        } else {
            self.rise();
        }
        // The motion gave its end; what is left of the cycle belongs to what comes after.
        if over > 0.0 && matches!(self.doing, Doing::Rising(_) | Doing::Entering(_)) {
            self.move_on(over);
        }
    }
}

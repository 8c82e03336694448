//! From one cycle to the next, and from one state to another.

use super::Walker;
use super::doing::Doing;
use crate::locomotion::Level;
use crate::note::Note;
use crate::play::Play;

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
                self.go_on_foot(None, Level::Upright, time, note)?;
                if self.locomotion.is_at(Level::Upright) {
                    self.doing = Doing::Standing;
                }
            }
            Doing::Entering(play) => {
                if self.next.is_some() {
                    // The next one begins from wherever the joints are.
                    self.enter_next();
                    self.move_on(time);
                } else if self.move_on(time) {
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
}

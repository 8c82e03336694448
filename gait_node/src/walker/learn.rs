//! What the robot learns of itself: where its joints are, whether they hold, how full its battery is.

use super::Walker;
use super::doing::Doing;
use crate::first_pose::{FirstPose, Source};
use crate::note::Note;
use crate::play::DropReason;
use crate::torque::Hold;
use robot_model_lib::MessageError;

/// What a joint may be outside its limits without a word, rad: servos measure in steps of this size.
const OUTSIDE: f64 = 0.006;

impl Walker {
    /// Learns the pose that the joints have; of use only while it waits for one. A refused message changes nothing.
    pub fn pose(&mut self, source: Source, names: &[String], positions: &[f64]) -> Result<(), MessageError> {
        match &mut self.doing {
            Doing::Waiting(first) | Doing::Limp { first, .. } => {
                first.take(source, &self.model, names, positions, &mut self.joints.position)
            }
            _ => Ok(()),
        }
    }

    /// Learns which joints have torque. Without it in its legs the robot follows whoever moves it; when it is back, it gets up
    /// from there. Arrays that disagree are refused.
    pub fn torque(&mut self, names: &[String], on: &[bool]) -> bool {
        let taken = self.torque.take(&self.model, names, on);
        let hold = self.torque.hold();
        match &mut self.doing {
            Doing::Limp { first, held, .. } => {
                let firm = hold == Hold::Firm;
                if firm && !std::mem::replace(held, firm) {
                    first.forget();
                }
                *held = firm;
            }
            _ if hold == Hold::Limp => self.go_limp(),
            _ => {}
        }
        taken
    }

    /// Learns the battery's voltage.
    pub fn battery(&mut self, voltage: f64) {
        self.battery.take(voltage);
    }

    /// Joints whose pose is not known yet.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let first = match &self.doing {
            Doing::Waiting(first) | Doing::Limp { first, .. } => Some(first),
            _ => None,
        };
        first.into_iter().flat_map(FirstPose::missing).map(|joint| self.model.joints()[joint].name.as_str())
    }

    /// What it waits for before it moves, in words.
    pub fn waits_for(&self) -> String {
        let list = |names: &[&str]| if names.len() > 6 { "most joints".into() } else { names.join(", ") };
        let without: Vec<&str> =
            self.torque.without().map(|joint| self.model.joints()[joint].name.as_str()).collect();
        let unknown: Vec<&str> = self.unknown().collect();
        if matches!(self.doing, Doing::Limp { held: false, .. }) {
            return format!("these have no torque: {}", list(&without));
        }
        if unknown.is_empty() {
            return "all joints are measured; waiting for cycles of sync, in which a pose that is commanded already could \
                    come on joints"
                .into();
        }
        format!(
            "neither joints nor joint_states tell where these are: {}; wait_for_pose:=false starts without",
            list(&unknown)
        )
    }

    /// Begins, when the pose of the joints is known.
    pub(super) fn begin(&mut self, note: &mut dyn FnMut(Note<'_>)) {
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

    /// Torque is gone: whatever it did is over, and no leg carries anything.
    pub(super) fn go_limp(&mut self) {
        self.forget_wishes(DropReason::Torque);
        self.joints.velocity.fill(0.0);
        let first = FirstPose::measured(self.joints.position.len());
        self.doing = Doing::Limp { first, known: false, held: false };
        self.locomotion.supports().for_each(|(chain, _)| self.supports[chain] = Some(0.0));
    }
}

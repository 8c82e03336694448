//! A pose becomes targets: q_ref by the models, then the lead.

use super::{ServoInverse, Settings};
use crate::desired::Desired;
use crate::history::{History, Wanted};
use crate::joints::{Seen, reorder};
use crate::lead::Lead;
use crate::model::Models;
use crate::notice::Notice;

impl ServoInverse {
    /// A pose that comes too late for goals is still what those after it are compared with.
    pub(super) fn keep_older(&mut self, seen: Seen, index: i64, desired: Desired<'_>) {
        if seen == Seen::Same
            && let Some(previous) = self.history.insert_older(index)
        {
            let (voltage, dead_zone) = (self.voltage, self.settings.sign_dead_zone);
            fill(previous, &self.models, desired, voltage, dead_zone);
        }
    }

    pub(super) fn work_out(&mut self, desired: Desired<'_>) {
        let (voltage, dead_zone) = (self.voltage, self.settings.sign_dead_zone);
        if std::mem::take(&mut self.stale) {
            for (wanted, model) in self.history.previous.iter_mut().zip(self.models.ordered()) {
                wanted.reference = model.reference(&wanted.point, voltage, dead_zone);
            }
        }
        fill(&mut self.history.latest, &self.models, desired, voltage, dead_zone);
    }

    pub(super) fn aim(&mut self) {
        let History { latest, previous, .. } = &self.history;
        match self.history.interval() {
            None => {
                for (target, now) in self.target.iter_mut().zip(latest) {
                    *target = now.reference;
                }
            }
            Some((from, to)) => {
                let cycles = to.saturating_sub(from) as f64;
                let Settings { lead, max_step, .. } = self.settings;
                let lead = Lead { lead, span: self.cycles.span(from, to), max_step: max_step * cycles };
                let mut jump = None;
                let both = latest.iter().zip(previous).enumerate();
                for (target, (joint, (now, before))) in self.target.iter_mut().zip(both) {
                    let step = now.reference - before.reference;
                    if lead.is_jump(step) && jump.is_none() {
                        jump = Some(Notice::Jump { joint, by: step });
                    }
                    *target = lead.target(now.reference, before.reference);
                }
                self.notices.extend(jump);
            }
        }
        if self.settings.apply_kgear {
            for (target, model) in self.target.iter_mut().zip(self.models.ordered()) {
                *target *= model.kgear;
            }
        }
    }

    /// Makes the message's joints ours.
    pub(super) fn follow(&mut self, seen: Seen, names: &[String]) {
        match seen {
            Seen::Same => return,
            Seen::Reordered(places) => {
                reorder(&mut self.history.latest, &places);
                reorder(&mut self.history.previous, &places);
                self.joints.adopt(names);
                self.models.order(names);
                return;
            }
            Seen::Changed { came, went } => {
                let before = self.joints.names().len();
                if before > 0 {
                    self.notices.push(Notice::JointsChanged { before, now: names.len(), came, went });
                }
            }
        }
        self.joints.adopt(names);
        self.models.order(names);
        self.history.resize(names.len());
        self.target.resize(names.len(), 0.0);
        if self.name_models {
            let joints = self.models.joints_without_model(names);
            if !joints.is_empty() {
                self.notices.push(Notice::DefaultModel { joints });
            }
            let joints = self.models.models_without_joint();
            if !joints.is_empty() {
                self.notices.push(Notice::SurplusModel { joints });
            }
        }
    }
}

/// Works out q_ref for every joint of a message.
fn fill(poses: &mut [Wanted], models: &Models, desired: Desired<'_>, voltage: f64, dead_zone: f64) {
    for ((wanted, model), point) in poses.iter_mut().zip(models.ordered()).zip(desired.points()) {
        *wanted = Wanted { point, reference: model.reference(&point, voltage, dead_zone) };
    }
}

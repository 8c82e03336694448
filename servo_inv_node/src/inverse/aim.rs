//! A pose becomes targets: q_ref by the models, then the lead.

use super::{ServoInverse, Settings};
use crate::bounds::Bounds;
use crate::desired::{Desired, Point};
use crate::history::{History, Wanted};
use crate::joints::{Seen, reorder};
use crate::lead::Lead;
use crate::model::{Models, ServoModel, sign, smooth_sign};
use crate::notice::Notice;

impl ServoInverse {
    /// A pose that comes too late for goals is still what those after it are compared with.
    pub(super) fn keep_older(&mut self, seen: Seen, index: i64, desired: Desired<'_>) {
        if seen == Seen::Same
            && let Some(previous) = self.history.insert_older(index)
        {
            let inverse =
                Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
            inverse.fill(previous, &self.models, desired);
        }
    }

    pub(super) fn work_out(&mut self, desired: Desired<'_>) {
        let inverse =
            Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
        if std::mem::take(&mut self.stale) {
            for (wanted, model) in self.history.previous.iter_mut().zip(self.models.ordered()) {
                wanted.reference = inverse.reference(model, &wanted.point);
            }
        }
        inverse.fill(&mut self.history.latest, &self.models, desired);
    }

    pub(super) fn aim(&mut self) {
        let interval = self.history.interval();
        let span = interval.map(|(from, to)| self.cycles.span(from, to));
        let cycles = interval.map_or(0.0, |(from, to)| to.saturating_sub(from) as f64);
        let max_step = self.settings.max_step * cycles;
        let (mut jump, mut held) = (None, None);
        let inverse =
            Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
        let History { latest, previous, .. } = &self.history;
        for (joint, (now, before)) in latest.iter().zip(previous).enumerate() {
            let ahead = self.timing.ahead()[joint];
            let lead = span.map(|span| Lead { lead: ahead, span, max_step });
            let (mut wanted, mut velocity) = (now.reference, now.point.velocity);
            if let Some(lead) = lead {
                let by = now.reference - before.reference;
                if !lead.is_jump(by) {
                    wanted = lead.target(now.reference, before.reference);
                    velocity = lead.led(velocity, before.point.velocity);
                } else if jump.is_none() {
                    jump = Some(Notice::Jump { joint, by });
                }
            }
            let friction = inverse.smooth_friction(&self.models.ordered()[joint], velocity);
            let (wanted, reference) = (wanted + friction, now.reference + friction);
            let (goal, bound) = self.bounds.hold(joint, reference, wanted, ahead);
            if let Some(bound) = bound.filter(|_| held.is_none()) {
                held = Some(Notice::Held { joint, wanted, goal, bound });
            }
            self.target[joint] = goal;
        }
        self.notices.extend(jump);
        self.notices.extend(held);
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
                self.adopt(names);
                return;
            }
            Seen::Changed { came, went } => {
                let before = self.joints.names().len();
                if before > 0 {
                    self.notices.push(Notice::JointsChanged { before, now: names.len(), came, went });
                }
            }
        }
        self.adopt(names);
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

    fn adopt(&mut self, names: &[String]) {
        self.joints.adopt(names);
        self.models.order(names);
        self.timing.order(names, self.settings.lead, self.settings.delay);
        self.bounds.order(names);
    }
}

/// What q_ref depends on beside the model.
struct Inverse<'s> {
    voltage: f64,
    bounds: &'s Bounds,
    settings: &'s Settings,
}

impl Inverse<'_> {
    /// Works out q_ref for every joint of a message.
    fn fill(&self, poses: &mut [Wanted], models: &Models, desired: Desired<'_>) {
        let both = models.ordered().iter().zip(desired.points()).enumerate();
        for (wanted, (joint, (model, point))) in poses.iter_mut().zip(both) {
            let point = self.bounds.temper(joint, point, self.settings.max_acceleration);
            *wanted = Wanted { point, reference: self.reference(model, &point) };
        }
    }

    /// q_ref, which is led; without smooth friction.
    #[inline]
    fn reference(&self, model: &ServoModel, point: &Point) -> f64 {
        let smooth = self.settings.sign_smoothing > 0.0;
        let sign = if smooth { 0.0 } else { sign(point.velocity, self.settings.sign_dead_zone) };
        model.reference(point, self.voltage, sign)
    }

    /// What smooth friction adds at a velocity. It is not led with q_ref: the lead would take its rise for a motion that goes
    /// on, beyond all friction that there is. The velocity is led instead.
    #[inline]
    fn smooth_friction(&self, model: &ServoModel, velocity: f64) -> f64 {
        let Settings { sign_dead_zone, sign_smoothing, .. } = *self.settings;
        if sign_smoothing > 0.0 && model.alpha[2] != 0.0 {
            model.friction(self.voltage) * smooth_sign(velocity, sign_dead_zone, sign_smoothing)
        } else {
            0.0
        }
    }
}

//! A pose becomes targets: q_ref by the models, then the lead.

use super::effort;
use super::{ServoInverse, Settings};
use crate::bounds::{Aim, Bounds};
use crate::desired::{Desired, Point};
use crate::history::{History, Wanted};
use crate::joints::{Seen, reorder};
use crate::lead::Lead;
use crate::model::{Models, ServoModel, sign, smooth_sign};
use crate::notice::Notice;
use crate::timing::playtime;
use cycle_lib::STALL;

impl ServoInverse {
    /// A pose that comes too late for goals is still what those after it are compared with.
    pub(super) fn keep_older(&mut self, seen: Seen, index: i64, desired: Desired<'_>) {
        if seen == Seen::Same
            && let Some(previous) = self.history.insert_older(index)
        {
            let inverse =
                Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
            let efforts =
                self.efforts.iter().zip(desired.efforts()).map(|(effort, given)| effort.beside(given));
            let points = desired.points().zip(efforts).map(|(point, effort)| Point { effort, ..point });
            inverse.fill(previous, &self.models, points);
        }
    }

    /// Works out q_ref of a pose that comes so long after the one before, s; none: it begins anew.
    pub(super) fn work_out(&mut self, desired: Desired<'_>, since: Option<f64>) {
        let inverse =
            Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
        if std::mem::take(&mut self.stale) {
            for (wanted, model) in self.history.previous.iter_mut().zip(self.models.ordered()) {
                wanted.reference = inverse.reference(model, &wanted.point);
            }
        }
        let part = effort::part(since, self.settings.effort_fade_time);
        let efforts =
            self.efforts.iter_mut().zip(desired.efforts()).map(|(effort, given)| effort.take(given, part));
        let points = desired.points().zip(efforts).map(|(point, effort)| Point { effort, ..point });
        inverse.fill(&mut self.history.latest, &self.models, points);
    }

    /// Sets the targets and how long servos may take to them; `passed` is the time since those of the cycle before, s.
    pub(super) fn aim(&mut self, passed: f64, is_anew: bool) {
        let interval = self.history.interval();
        let span = interval.map(|(from, to)| self.cycles.span(from, to));
        let cycles = interval.map_or(0.0, |(from, to)| to.saturating_sub(from) as f64);
        let max_step = self.settings.max_step * cycles;
        let period = self.cycles.period();
        let (mut jump, mut held) = (None, None);
        let inverse =
            Inverse { voltage: self.supply.voltage(), bounds: &self.bounds, settings: &self.settings };
        // How long the beat was away before a pose whose `sync` has yet to come nobody knows: it goes on as the pose before.
        let is_time_known = interval.is_none_or(|(_, to)| !self.cycles.is_beyond_next(to));
        let History { latest, previous, .. } = &mut self.history;
        for (joint, (now, before)) in latest.iter_mut().zip(previous).enumerate() {
            let ahead = self.timing.ahead()[joint];
            let playtime = playtime(self.settings.playtime, self.timing.lead()[joint], period);
            let lead = span.map(|span| Lead { lead: ahead, span, max_step });
            let (mut wanted, mut velocity) = (now.reference, now.point.velocity);
            if let Some(lead) = lead {
                let by = now.reference - before.reference;
                let way = now.point.position - before.point.position;
                // Longer than a stall nobody goes on: what is farther away then was set there.
                let went_on = lead.span.min(STALL as f64 * period);
                if lead.is_jump(by) || self.bounds.is_jump(joint, way, went_on) {
                    jump = jump.or(Some(Notice::Jump { joint, by }));
                } else if let Some(rates) = before.rates.filter(|_| !is_time_known) {
                    wanted += rates[0] * ahead;
                    velocity += rates[1] * ahead;
                    now.rates = Some(rates);
                } else {
                    now.rates = Some([by, velocity - before.point.velocity].map(|step| step / lead.span));
                    wanted = lead.target(now.reference, before.reference);
                    velocity = lead.led(velocity, before.point.velocity);
                }
            }
            let model = &self.models.ordered()[joint];
            let friction = inverse.smooth_friction(model, velocity);
            let (wanted, reference) = (wanted + friction, now.reference + friction);
            let gear = if self.settings.apply_kgear { model.kgear } else { 1.0 };
            let before = self.sent.before(joint).map(|sent| sent / gear);
            let max_speed = self.settings.max_goal_speed;
            // However long the pause was, the servo has no longer for its goal than that lasts, or a cycle.
            let passed = if is_anew { passed } else { passed.min(playtime.max(period)) };
            let (goal, bound) =
                self.bounds.hold(joint, Aim { wanted, reference, ahead, before, passed, max_speed });
            if let Some(bound) = bound.filter(|_| held.is_none()) {
                held = Some(Notice::Held { joint, wanted, goal, bound });
            }
            self.target[joint] = goal * gear;
            self.playtime[joint] = playtime;
            self.sent.put(joint, goal * gear);
        }
        self.notices.extend(jump);
        self.notices.extend(held);
    }

    /// Makes the message's joints ours.
    pub(super) fn follow(&mut self, seen: Seen, names: &[String]) {
        match seen {
            Seen::Same => return,
            Seen::Reordered(places) => {
                reorder(&mut self.history.latest, &places);
                reorder(&mut self.history.previous, &places);
                reorder(&mut self.efforts, &places);
                self.sent.reorder(places.iter().map(|place| Some(*place)));
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
        // What a joint that stays was sent, and loaded with, it still is.
        let places: Vec<_> = names.iter().map(|name| self.joints.find(name)).collect();
        self.sent.reorder(places.iter().copied());
        let before = std::mem::take(&mut self.efforts);
        let effort = |place: &Option<usize>| place.and_then(|place| before.get(place)).copied();
        self.efforts.extend(places.iter().map(|place| effort(place).unwrap_or_default()));
        self.adopt(names);
        self.history.resize(names.len());
        self.target.resize(names.len(), 0.0);
        self.playtime.resize(names.len(), 0.0);
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
    fn fill(&self, poses: &mut [Wanted], models: &Models, points: impl Iterator<Item = Point>) {
        let both = models.ordered().iter().zip(points).enumerate();
        for (wanted, (joint, (model, point))) in poses.iter_mut().zip(both) {
            let point = self.bounds.temper(joint, point, self.settings.max_acceleration);
            *wanted = Wanted { point, reference: self.reference(model, &point), rates: None };
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

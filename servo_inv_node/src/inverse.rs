//! From desired states to goals: the servo model inverted, then the lead.
//!
//! `servo_inv_lead` is the same thing with a servo that is where its goal is: [`ServoModel::IDEAL`].

use crate::cycle::{Begun, Cycle, Place};
use crate::desired::{Desired, Point, Refusal};
use crate::joints::{Joints, Seen, reorder};
use crate::lead::Lead;
use crate::model::{BadModel, Models, ServoModel, check_named};
use crate::notice::Notice;

/// What can be tuned while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Duration of a cycle unless `sync` says otherwise, s.
    pub period: f64,
    /// How far ahead goals are, s.
    pub lead: f64,
    /// A longer step within a cycle is a jump, rad or m.
    pub max_step: f64,
    /// A source that was silent for longer starts anew, s.
    pub timeout: f64,
    /// No friction is assumed at speeds up to this, rad/s.
    pub sign_dead_zone: f64,
    /// Whether goals are servo angles.
    pub apply_kgear: bool,
    /// Supply of the servos until the battery says otherwise, V.
    pub battery_voltage: f64,
    /// A battery message with less is not believed, V.
    pub min_voltage: f64,
}

/// Goals for all joints, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Goals<'a> {
    /// rad or m.
    pub target: &'a [f64],
    /// The same for all, s.
    pub playtime: f64,
    /// What the log should hear.
    pub notices: &'a [Notice],
}

/// A battery message that was not believed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("battery voltage {voltage} V is not credible; {kept} V stays")]
pub struct BadVoltage {
    /// What the message says.
    pub voltage: f64,
    /// What is used.
    pub kept: f64,
}

/// One joint's desired state and the q_ref that the model makes of it.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    point: Point,
    reference: f64,
}

/// The core of `servo_inv_param` and `servo_inv_lead`.
#[derive(Clone, Debug)]
pub struct ServoInverse {
    settings: Settings,
    models: Models,
    voltage: f64,
    battery_heard: bool,
    /// Take effect in the next cycle.
    next_settings: Option<Settings>,
    next_default: Option<ServoModel>,
    next_models: Vec<(String, ServoModel)>,

    cycle: Cycle,
    joints: Joints,
    last_ns: i64,
    /// Of the last message, and of the last one of the previous cycle.
    latest: Vec<Wanted>,
    previous: Vec<Wanted>,
    latest_known: bool,
    previous_known: bool,
    /// The model or the voltage changed since `previous` was worked out.
    stale: bool,
    target: Vec<f64>,
    notices: Vec<Notice>,
    name_models: bool,
}

impl ServoInverse {
    /// For servos with these models.
    pub fn new(settings: Settings, models: Models) -> ServoInverse {
        ServoInverse {
            settings,
            models,
            voltage: settings.battery_voltage,
            battery_heard: false,
            next_settings: None,
            next_default: None,
            next_models: vec![],
            cycle: Cycle::default(),
            joints: Joints::default(),
            last_ns: 0,
            latest: vec![],
            previous: vec![],
            latest_known: false,
            previous_known: false,
            stale: false,
            target: vec![],
            notices: Vec::with_capacity(4),
            name_models: true,
        }
    }

    /// For servos that are where their goals are; nobody misses their models.
    pub fn ideal(settings: Settings) -> Result<ServoInverse, BadModel> {
        let models = Models::new(ServoModel::IDEAL, vec![])?;
        Ok(ServoInverse { name_models: false, ..ServoInverse::new(settings, models) })
    }

    /// A cycle begins: what was wanted last is now the previous cycle's.
    pub fn sync(&mut self, start_ns: i64, period: f64) {
        let begun = self.cycle.begin(start_ns, period);
        if begun != Begun::Already {
            self.end_cycle();
        }
        if begun == Begun::Back {
            self.forget();
        }
    }

    /// The battery's voltage, V. One that cannot be leaves the last good value.
    pub fn battery(&mut self, voltage: f64) -> Result<(), BadVoltage> {
        if !(voltage.is_finite() && voltage > 0.0 && voltage >= self.settings.min_voltage) {
            return Err(BadVoltage { voltage, kept: self.voltage });
        }
        self.battery_heard = true;
        self.set_voltage(voltage);
        Ok(())
    }

    /// Replaces or adds a model, in the next cycle.
    pub fn put_model(&mut self, joint: &str, model: ServoModel) -> Result<(), BadModel> {
        check_named(joint, &model)?;
        match self.next_models.iter_mut().find(|(name, _)| name == joint) {
            Some((_, next)) => *next = model,
            None => self.next_models.push((joint.into(), model)),
        }
        Ok(())
    }

    /// Replaces the model of joints without one, in the next cycle.
    pub fn put_default_model(&mut self, model: ServoModel) -> Result<(), BadModel> {
        model.check("default_servo_model")?;
        self.next_default = Some(model);
        Ok(())
    }

    /// New settings, in the next cycle.
    pub fn set(&mut self, settings: Settings) {
        self.next_settings = Some(settings);
    }

    /// The voltage in use, V.
    pub fn voltage(&self) -> f64 {
        self.voltage
    }

    /// The joints as last seen.
    pub fn joints(&self) -> &[String] {
        self.joints.names()
    }

    /// The goals for one message of desired states of time `at_ns`. A refused message changes nothing.
    pub fn step(&mut self, desired: Desired<'_>, at_ns: i64) -> Result<Goals<'_>, Refusal> {
        desired.check()?;
        let seen = self.joints.compare(desired.name)?;
        self.notices.clear();
        self.follow(seen, desired.name);
        let place = self.cycle.place(at_ns, self.settings.period);
        if place == Place::Early {
            self.cycle.assume(at_ns, self.settings.period);
        }
        if matches!(place, Place::Early | Place::Unsynced) {
            self.end_cycle();
        }
        self.check_silence(at_ns);
        self.work_out(desired);
        let lead = self.lead(place);
        self.aim(&lead);
        self.last_ns = at_ns;
        self.latest_known = true;
        if place == Place::Late {
            // It is the desired state of the cycle that has just ended.
            self.latch();
        }
        Ok(Goals { target: &self.target, playtime: lead.playtime(), notices: &self.notices })
    }

    fn lead(&self, place: Place) -> Lead {
        let Settings { lead, period, max_step, .. } = self.settings;
        Lead {
            lead,
            period: self.cycle.period(place, period),
            cycles: self.cycle.since_previous(place),
            max_step,
        }
    }

    fn work_out(&mut self, desired: Desired<'_>) {
        let (voltage, dead_zone) = (self.voltage, self.settings.sign_dead_zone);
        let models = self.models.ordered();
        if std::mem::take(&mut self.stale) {
            for (wanted, model) in self.previous.iter_mut().zip(models) {
                wanted.reference = model.reference(&wanted.point, voltage, dead_zone);
            }
        }
        for ((wanted, model), point) in self.latest.iter_mut().zip(models).zip(desired.points()) {
            *wanted = Wanted { point, reference: model.reference(&point, voltage, dead_zone) };
        }
    }

    fn aim(&mut self, lead: &Lead) {
        if self.previous_known {
            let mut jump = None;
            let both = self.latest.iter().zip(&self.previous).enumerate();
            for (target, (joint, (now, before))) in self.target.iter_mut().zip(both) {
                let step = now.reference - before.reference;
                if lead.is_jump(step) && jump.is_none() {
                    jump = Some(Notice::Jump { joint, by: step });
                }
                *target = lead.target(now.reference, before.reference);
            }
            self.notices.extend(jump);
        } else {
            for (target, now) in self.target.iter_mut().zip(&self.latest) {
                *target = now.reference;
            }
        }
        if self.settings.apply_kgear {
            for (target, model) in self.target.iter_mut().zip(self.models.ordered()) {
                *target *= model.kgear;
            }
        }
    }

    /// Makes the message's joints ours.
    fn follow(&mut self, seen: Seen, names: &[String]) {
        match seen {
            Seen::Same => return,
            Seen::Reordered(places) => {
                reorder(&mut self.latest, &places);
                reorder(&mut self.previous, &places);
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
        for list in [&mut self.latest, &mut self.previous] {
            list.clear();
            list.resize(names.len(), Wanted::default());
        }
        self.target.resize(names.len(), 0.0);
        self.forget();
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

    /// A source that comes back may be anywhere: the way from where it was is not motion.
    fn check_silence(&mut self, at_ns: i64) {
        let seconds = at_ns.saturating_sub(self.last_ns) as f64 * 1e-9;
        if self.latest_known && seconds.abs() > self.settings.timeout {
            self.forget();
            self.notices.push(Notice::Silence { seconds });
        }
    }

    fn end_cycle(&mut self) {
        self.latch();
        if let Some(settings) = self.next_settings.take() {
            self.settings = settings;
            self.stale = true;
            if !self.battery_heard {
                self.set_voltage(settings.battery_voltage);
            }
        }
        // What was put was checked before, so nothing can be refused here.
        if let Some(model) = self.next_default.take() {
            self.stale |= self.models.put_default(model).is_ok();
        }
        for (joint, model) in self.next_models.drain(..) {
            self.stale |= self.models.put(joint, model, self.joints.names()).is_ok();
        }
    }

    fn latch(&mut self) {
        if self.latest_known {
            self.previous.copy_from_slice(&self.latest);
        }
        self.previous_known = self.latest_known;
    }

    fn forget(&mut self) {
        self.latest_known = false;
        self.previous_known = false;
    }

    /// Only motion is led: with another voltage the previous cycle's q_ref is worked out again, or the change of q_ref by
    /// voltage would look like speed.
    fn set_voltage(&mut self, voltage: f64) {
        self.voltage = voltage;
        self.stale = true;
    }
}

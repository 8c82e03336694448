//! From desired states to goals: the servo model inverted, then the lead.
//!
//! `servo_inv_lead` is the same thing with a servo that is where its goal is: [`ServoModel::IDEAL`].

use crate::bounds::Bounds;
use crate::desired::{Desired, Refusal};
use crate::history::{History, Relation};
use crate::joints::Joints;
use crate::model::{BadModel, Models, ServoModel};
use crate::notice::Notice;
use crate::sent::Sent;
use crate::settings::Pending;
pub use crate::settings::{BadVoltage, Settings};
use crate::supply::Supply;
use crate::timing::{JointTiming, Timing};
use cycle_lib::{Cycles, SyncRelation};
use robot_model_lib::Limits;

mod aim;
mod effort;
use effort::Effort;

/// Goals for all joints, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Goals<'a> {
    /// rad or m.
    pub target: &'a [f64],
    /// How long each servo may take, s.
    pub playtime: &'a [f64],
    /// What the log should hear.
    pub notices: &'a [Notice],
}

/// The core of `servo_inv_param` and `servo_inv_lead`.
#[derive(Clone, Debug)]
pub struct ServoInverse {
    settings: Settings,
    models: Models,
    pending: Pending,
    supply: Supply,

    cycles: Cycles,
    /// The robot's time, s: since the first pose, without silences and what fell out of the beat.
    time: f64,
    /// The newest cycle of which a `sync` or a pose has come.
    entered: i64,
    joints: Joints,
    timing: Timing,
    bounds: Bounds,
    history: History,
    sent: Sent,
    efforts: Vec<Effort>,
    /// The model or the voltage changed since the previous pose's q_ref was worked out.
    stale: bool,
    target: Vec<f64>,
    playtime: Vec<f64>,
    notices: Vec<Notice>,
    name_models: bool,
    skipped: u64,
}

impl ServoInverse {
    /// For servos with these models.
    pub fn new(settings: Settings, models: Models) -> ServoInverse {
        ServoInverse {
            settings,
            models,
            pending: Pending::default(),
            supply: Supply::new(&settings),
            cycles: Cycles::new(settings.period),
            time: 0.0,
            entered: 0,
            joints: Joints::default(),
            timing: Timing::default(),
            bounds: Bounds::default(),
            history: History::default(),
            sent: Sent::default(),
            efforts: vec![],
            stale: false,
            target: vec![],
            playtime: vec![],
            notices: Vec::with_capacity(4),
            name_models: true,
            skipped: 0,
        }
    }

    /// For servos that are where their goals are; nobody misses their models.
    pub fn ideal(settings: Settings) -> Result<ServoInverse, BadModel> {
        let models = Models::new(ServoModel::IDEAL, vec![])?;
        Ok(ServoInverse { name_models: false, ..ServoInverse::new(settings, models) })
    }

    /// A `sync`: it says where cycles begin and how long they are.
    pub fn sync(&mut self, number: u32, start_ns: i64, period: f64) -> SyncRelation {
        let (is_first, assumed) = (!self.cycles.is_synced(), self.cycles.period());
        let relation = self.cycles.sync(number, start_ns, period);
        match relation {
            SyncRelation::Old => {}
            SyncRelation::Back => {
                self.forget();
                self.enter_anew(self.cycles.current());
            }
            // Until now poses were counted; from now on their stamps say of which cycle they are.
            SyncRelation::Next { .. } if is_first => {
                let latest = self.history.stamp_ns().map(|ns| self.cycles.index(ns));
                let longer = self.cycles.period() / assumed;
                latest.into_iter().for_each(|index| self.history.renumber(index, longer));
                self.enter_anew(latest.unwrap_or(0).max(self.cycles.current()));
            }
            SyncRelation::Next { .. } => {
                // The clock was set back: what was before is as long ago as it was.
                let moved_ns = self.cycles.moved_ns();
                self.history.move_clock(moved_ns);
                self.sent.move_clock(moved_ns);
                self.enter(self.cycles.current());
            }
        }
        relation
    }

    /// The battery's voltage, V. One that cannot be leaves the last good value.
    pub fn battery(&mut self, voltage: f64) -> Result<(), BadVoltage> {
        self.supply.measure(voltage, self.settings.min_voltage..=self.settings.max_voltage)
    }

    /// Replaces or adds a model, in the next cycle.
    pub fn put_model(&mut self, joint: &str, model: ServoModel) -> Result<(), BadModel> {
        self.pending.put_model(joint, model)
    }

    /// Replaces the model of joints without one, in the next cycle.
    pub fn put_default_model(&mut self, model: ServoModel) -> Result<(), BadModel> {
        self.pending.put_default_model(model)
    }

    /// New settings, in the next cycle.
    pub fn set(&mut self, settings: Settings) {
        self.pending.settings = Some(settings);
    }

    /// What joints have of lead and delay of their own, in the next cycle.
    pub fn set_timing(&mut self, own: Vec<JointTiming>) {
        self.pending.timing = Some(own);
    }

    /// The limits of the robot's joints, in the next cycle: goals keep to them.
    pub fn set_limits(&mut self, limits: Vec<(String, Limits)>) {
        self.pending.limits = Some(limits);
    }

    /// The voltage in use, V.
    pub fn voltage(&self) -> f64 {
        self.supply.voltage()
    }

    /// The joints as last seen.
    pub fn joints(&self) -> &[String] {
        self.joints.names()
    }

    /// Poses that were skipped because a newer one had come before them.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The goals for a pose of time `at_ns`; none for one that is older than the newest, whose time is over. A refused
    /// message changes nothing.
    pub fn step(&mut self, desired: Desired<'_>, at_ns: i64) -> Result<Option<Goals<'_>>, Refusal> {
        desired.check()?;
        let seen = self.joints.compare(desired.name)?;
        self.notices.clear();
        let index = self.index(at_ns);
        let period = self.cycles.period();
        let relation = self.history.relate(index, at_ns, &self.cycles, self.settings.timeout);
        match relation {
            Relation::Older => {
                self.skipped += 1;
                self.keep_older(seen, index, desired);
                return Ok(None);
            }
            Relation::Apart { seconds } => {
                self.forget();
                self.notices.push(Notice::Silence { seconds });
                self.enter_anew(index);
            }
            Relation::Newer | Relation::Again => self.enter(index),
        }
        self.follow(seen, desired.name);
        let away = self.history.away(index, &self.cycles);
        // The robot's time: what fell out of the beat is none.
        let since = self.history.stamp_ns().map(|newest| match at_ns.saturating_sub(newest) {
            // Without `sync`, stamps that stand still are cycles all the same.
            0 if relation == Relation::Newer => period,
            since => since as f64 * 1e-9 - away,
        });
        self.history.advance(index, at_ns);
        // Only motion is led: with another voltage the previous cycle's q_ref is worked out again, or the change of q_ref by
        // voltage would look like speed.
        self.time += since.unwrap_or(period).max(0.0);
        self.stale |= self.supply.advance(self.time);
        self.work_out(desired, since);
        let passed = self.sent.begin(at_ns, relation == Relation::Again, period);
        // A source that was away for longer starts anew, and its first goal is its pose.
        self.aim(passed, passed - away > self.settings.timeout);
        Ok(Some(Goals { target: &self.target, playtime: &self.playtime, notices: &self.notices }))
    }

    /// The cycle of a pose. Without `sync` each one is of a cycle of its own, which its stamp places after the last one.
    fn index(&self, at_ns: i64) -> i64 {
        if self.cycles.is_synced() {
            return self.cycles.index(at_ns);
        }
        let Some(newest) = self.history.stamp_ns() else { return self.entered.saturating_add(1) };
        match at_ns.saturating_sub(newest) {
            // However close they are, each is a cycle; in a gap as many are missing as it is long.
            since @ 0.. => {
                let cycles = (since as f64 * 1e-9 / self.cycles.period()).round().max(1.0);
                self.entered.saturating_add(cycles as i64)
            }
            _ => self.entered.saturating_sub(1),
        }
    }

    /// Something of this cycle has come: if it is the first of a newer one, what waits for the next cycle takes effect.
    fn enter(&mut self, index: i64) {
        if index > self.entered {
            self.enter_anew(index);
        }
    }

    fn enter_anew(&mut self, index: i64) {
        self.entered = index;
        let settings = self.pending.settings.take();
        if let Some(settings) = settings {
            self.supply.set(&settings, &self.settings);
            self.settings = settings;
            self.cycles.set_default_period(settings.period);
            self.stale = true;
        }
        let own = self.pending.timing.take();
        if settings.is_some() || own.is_some() {
            own.into_iter().for_each(|own| self.timing.set(own));
            self.timing.order(self.joints.names(), self.settings.lead, self.settings.delay);
        }
        if let Some(limits) = self.pending.limits.take() {
            self.bounds.set(limits, self.joints.names());
        }
        self.stale |= self.pending.apply_models(&mut self.models, self.joints.names());
    }

    /// What comes next has nothing to do with what came before.
    fn forget(&mut self) {
        self.history.forget();
        self.supply.restart();
    }
}

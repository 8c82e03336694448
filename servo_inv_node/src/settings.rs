//! What can be tuned while it runs, and what waits for the next cycle.

use crate::model::{BadModel, Models, ServoModel, check_named};
use crate::timing::JointTiming;
use robot_model_lib::Limits;

/// What can be tuned while it runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Duration of a cycle unless `sync` says otherwise, s.
    pub period: f64,
    /// How far ahead goals are, s.
    pub lead: f64,
    /// The servos' own lag, by which goals lie farther ahead, s.
    pub delay: f64,
    /// Duration of every goal, s; 0: lead and period.
    pub playtime: f64,
    /// A longer step within a cycle is a jump, rad or m.
    pub max_step: f64,
    /// A source that was silent for longer starts anew, s.
    pub timeout: f64,
    /// The highest acceleration of a joint that a goal makes up for, rad/s².
    pub max_acceleration: f64,
    /// Goals go no faster than so many times the speed of their joints.
    pub max_goal_speed: f64,
    /// In this time an effort that messages leave out fades, and comes back, s.
    pub effort_fade_time: f64,
    /// No friction is assumed at speeds up to this, rad/s.
    pub sign_dead_zone: f64,
    /// Beyond the dead zone friction rises to its full value within this, rad/s; 0: at once.
    pub sign_smoothing: f64,
    /// Whether goals are servo angles.
    pub apply_kgear: bool,
    /// Supply of the servos until the battery says otherwise, V.
    pub battery_voltage: f64,
    /// A battery message with less is not believed, V.
    pub min_voltage: f64,
    /// Nor one with more, V.
    pub max_voltage: f64,
    /// Goals follow the battery with this lag, s; 0: at once.
    pub voltage_time_constant: f64,
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

/// Changes that take effect in the next cycle: goals of one cycle are all made alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pending {
    pub settings: Option<Settings>,
    pub timing: Option<Vec<JointTiming>>,
    pub limits: Option<Vec<(String, Limits)>>,
    default: Option<ServoModel>,
    models: Vec<(String, ServoModel)>,
}

impl Pending {
    /// Keeps a model for a joint, the last one that came.
    pub fn put_model(&mut self, joint: &str, model: ServoModel) -> Result<(), BadModel> {
        check_named(joint, &model)?;
        match self.models.iter_mut().find(|(name, _)| name == joint) {
            Some((_, next)) => *next = model,
            None => self.models.push((joint.into(), model)),
        }
        Ok(())
    }

    /// Keeps a model for joints without one.
    pub fn put_default_model(&mut self, model: ServoModel) -> Result<(), BadModel> {
        model.check("default_servo_model")?;
        self.default = Some(model);
        Ok(())
    }

    /// Puts the kept models in force; whether there were any.
    pub fn apply_models(&mut self, models: &mut Models, joints: &[String]) -> bool {
        // What was kept was checked before, so nothing can be refused here.
        let mut changed = self.default.take().is_some_and(|model| models.put_default(model).is_ok());
        for (joint, model) in self.models.drain(..) {
            changed |= models.put(joint, model, joints).is_ok();
        }
        changed
    }
}

//! What each node can be told.

use crate::ident::{self, Found, Profile};
use crate::inverse::Settings;
use crate::model::{BadModel, Models, ServoModel};
use crate::timing::JointTiming;
use param_lib::{Flat, Group, Nested, Override, ParamError, Params as _, Spec, Table, Value, params};
use robot_model_lib::RobotParams;

params! {
    /// Lead and delay of one joint.
    pub struct JointTimingParams {
        /// How far ahead its goals are; -1: as those of all.
        lead: f64 = -1.0, unit "s", range -1.0..=1.0, slider 0.0..=0.1;
        /// Its servo's own lag; -1: as that of all.
        delay: f64 = -1.0, unit "s", range -1.0..=1.0, slider 0.0..=0.1;
    }
}

params! {
    /// What `servo_inv_lead` can be told.
    pub struct LeadParams {
        /// Duration of the control cycle where sync does not give it.
        period: f64 = 0.056, unit "s", range 0.0005..=1.0;
        /// How far ahead of the trajectory goals are.
        lead: f64 = 0.056, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// The servos' own lag: goals lie farther ahead by it.
        delay: f64 = 0.0, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// Duration of every goal, in steps of 11.2 ms; 0: lead + period.
        playtime: f64 = 0.0, unit "s", range 0.0..=2.8, slider 0.0..=0.2;
        /// Lead and delay of joints that differ from the others.
        joints: Group<JointTimingParams> = Group::default();
        /// The robot: goals keep to the limits and speeds of its joints.
        robot: Flat<RobotParams> = Flat::default();
        /// A longer step of the trajectory within one cycle is a jump: the goal is its end, without lead.
        max_step: f64 = 1.0, unit "rad", range 0.001..=1000.0;
        /// A source that was silent for longer starts anew: its first goal is without lead.
        timeout: f64 = 1.0, unit "s", range 0.01..=1000.0;
        /// Goals go no faster than so many times their joint's speed; more than 1 lets them gain their lead while a motion speeds up.
        max_goal_speed: f64 = 1.5, range 1.0..=2.0;
        /// Over how long lag and error of measured positions are taken, for the diagnostics.
        tracking_window: f64 = 5.0, unit "s", range 0.5..=60.0;
    }
}

params! {
    /// Model of one servo.
    pub struct ServoModelParams {
        /// Gain of the servo's own regulator.
        kp: f64 = 100.0, unit "1/(V rad)", range 0.001..=1000000.0;
        /// Servo angle per joint angle.
        kgear: f64 = 1.0, range 0.001..=1000.0;
        /// Inertia (s²/rad), viscous friction (s/rad), Coulomb friction, torque (1/(N m)); zeros: the servo is where its
        /// goal is.
        alpha: [f64; 4] = [0.0; 4], range -1000000.0..=1000000.0;
    }
}

params! {
    /// What `servo_inv_param` can be told.
    pub struct InverseParams {
        /// Duration of the control cycle where sync does not give it.
        period: f64 = 0.056, unit "s", range 0.0005..=1.0;
        /// How far ahead of the trajectory goals are; 0 in torque mode.
        lead: f64 = 0.056, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// The servos' own lag: goals lie farther ahead by it.
        delay: f64 = 0.0, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// Duration of every goal, in steps of 11.2 ms; 0: lead + period.
        playtime: f64 = 0.0, unit "s", range 0.0..=2.8, slider 0.0..=0.2;
        /// Lead and delay of joints that differ from the others.
        joints: Group<JointTimingParams> = Group::default();
        /// The robot: goals keep to the limits and speeds of its joints.
        robot: Flat<RobotParams> = Flat::default();
        /// A longer step of the trajectory within one cycle is a jump: the goal is its end, without lead.
        max_step: f64 = 1.0, unit "rad", range 0.001..=1000.0;
        /// A source that was silent for longer starts anew: its first goal is without lead.
        timeout: f64 = 1.0, unit "s", range 0.01..=1000.0;
        /// Goals go no faster than so many times their joint's speed; more than 1 lets them gain their lead while a motion speeds up.
        max_goal_speed: f64 = 1.5, range 1.0..=2.0;
        /// Over how long lag and error of measured positions are taken, for the diagnostics.
        tracking_window: f64 = 5.0, unit "s", range 0.5..=60.0;
        /// The highest acceleration that a goal makes up for; more is taken for a step of the trajectory.
        max_acceleration: f64 = 200.0, unit "rad/s²", range 1.0..=100000.0;
        /// In this time an effort that messages leave out fades, and comes back when they give it again; 0: at once, which kicks.
        effort_fade_time: f64 = 0.2, unit "s", range 0.0..=10.0;
        /// Up to this speed no Coulomb friction is assumed.
        sign_dead_zone: f64 = 0.01, unit "rad/s", range 0.0..=10.0;
        /// From there on the assumed friction rises to its full value within this speed; 0: at once, which kicks.
        sign_smoothing: f64 = 0.1, unit "rad/s", range 0.0..=10.0;
        /// Goals are servo angles; false when the bridge does the gearing.
        apply_kgear: bool = true;
        /// Supply of the servos until a battery message comes.
        battery_voltage: f64 = 12.0, unit "V", range 1.0..=100.0, slider 1.0..=21.0;
        /// A battery message with less is not believed: no servo runs on it.
        min_voltage: f64 = 1.0, unit "V", range 0.1..=100.0;
        /// Nor is one with more: no servo stands it, a driver that counts in millivolts sends it.
        max_voltage: f64 = 60.0, unit "V", range 1.0..=1000.0, slider 1.0..=101.0;
        /// Time constant of the low-pass between battery and goals: a pack that sags does not jerk them; 0: none.
        voltage_time_constant: f64 = 0.5, unit "s", range 0.0..=100.0;
        /// Model of the servos that have none of their own.
        default_servo_model: Nested<ServoModelParams> = Nested::default();
        /// Models of the servos by joint.
        servo_models: Group<ServoModelParams> = Group::default();
    }
    validate self => credible_voltages(self.min_voltage, self.max_voltage)
}

params! {
    /// What `servo_ident` can be told.
    pub struct IdentParams {
        /// The joints to identify, each with services of its own; empty: all joints that have goals.
        joints: Vec<String> = vec![], read_only true;
        /// Weight of a window of motion that is one older (they follow each other by a quarter); 1 forgets nothing.
        forgetting: f64 = 0.995, range 0.9..=1.0;
        /// Slower motion is not used.
        min_velocity: f64 = 0.1, unit "rad/s", range 0.001..=10.0;
        /// Motion is smoothed over this time, all signals alike, which leaves the alphas as they are.
        window: f64 = 0.16, unit "s", range 0.02..=2.0;
        /// A servo is identified from no fewer windows of motion.
        min_samples: i64 = 50, range 10..=1000000;
        /// From the stamp of a goal until the servo follows it.
        goal_delay: f64 = 0.0, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// Take the delay that the motion shows instead, where it does.
        find_delay: bool = true;
        /// How a servo goes to its goal: at a constant speed within the playtime, or at once.
        goal_profile: Profile = Profile::Ramp;
        /// Goals are servo angles, as servo_inv_param sends them.
        apply_kgear: bool = true;
        /// Measured positions are servo angles too.
        measured_kgear: bool = false;
        /// Supply of the servos until a battery message comes.
        battery_voltage: f64 = 12.0, unit "V", range 1.0..=100.0, slider 1.0..=21.0;
        /// A battery message with less is not believed: no servo runs on it.
        min_voltage: f64 = 1.0, unit "V", range 0.1..=100.0;
        /// Nor is one with more: no servo stands it, a driver that counts in millivolts sends it.
        max_voltage: f64 = 60.0, unit "V", range 1.0..=1000.0, slider 1.0..=101.0;
        /// Where ~/save writes the models, as a parameter file for servo_inv_param.
        save_file: String = "servo_models.yaml".into();
        /// kp, kgear and first guess of the alphas for servos that have no model of their own.
        default_servo_model: Nested<ServoModelParams> = Nested::default();
        /// kp, kgear and first guess of the alphas by joint.
        servo_models: Group<ServoModelParams> = Group::default();
    }
    validate self => credible_voltages(self.min_voltage, self.max_voltage)
}

params! {
    /// What `servo_ident` saves: nothing but what it found, so that it can be loaded after any other file.
    pub struct SavedParams {
        /// Duration of every goal; how far ahead they lie is for this one.
        playtime: f64 = 0.0, unit "s", range 0.0..=2.8, slider 0.0..=0.2;
        /// Lead and delay of joints.
        joints: Group<JointTimingParams> = Group::default();
        /// Models of the servos by joint.
        servo_models: Group<ServoModelParams> = Group::default();
    }
}

impl From<&LeadParams> for Settings {
    fn from(p: &LeadParams) -> Settings {
        Settings {
            period: p.period,
            lead: p.lead,
            delay: p.delay,
            playtime: p.playtime,
            max_step: p.max_step,
            timeout: p.timeout,
            max_goal_speed: p.max_goal_speed,
            // The ideal servo has neither friction nor gear, and its supply does not matter.
            sign_dead_zone: 0.0,
            sign_smoothing: 0.0,
            max_acceleration: 0.0,
            effort_fade_time: 0.0,
            apply_kgear: false,
            battery_voltage: 1.0,
            min_voltage: 1.0,
            max_voltage: 1.0,
            voltage_time_constant: 0.0,
        }
    }
}

impl From<&InverseParams> for Settings {
    fn from(p: &InverseParams) -> Settings {
        Settings {
            period: p.period,
            lead: p.lead,
            delay: p.delay,
            playtime: p.playtime,
            max_step: p.max_step,
            timeout: p.timeout,
            sign_dead_zone: p.sign_dead_zone,
            sign_smoothing: p.sign_smoothing,
            max_goal_speed: p.max_goal_speed,
            max_acceleration: p.max_acceleration,
            effort_fade_time: p.effort_fade_time,
            apply_kgear: p.apply_kgear,
            battery_voltage: p.battery_voltage,
            min_voltage: p.min_voltage,
            max_voltage: p.max_voltage,
            voltage_time_constant: p.voltage_time_constant,
        }
    }
}

impl From<&ServoModelParams> for ServoModel {
    fn from(p: &ServoModelParams) -> ServoModel {
        ServoModel { kp: p.kp, kgear: p.kgear, alpha: p.alpha }
    }
}

impl From<&ServoModel> for ServoModelParams {
    fn from(m: &ServoModel) -> ServoModelParams {
        ServoModelParams { kp: m.kp, kgear: m.kgear, alpha: m.alpha }
    }
}

impl From<&IdentParams> for ident::Settings {
    fn from(p: &IdentParams) -> ident::Settings {
        ident::Settings {
            forgetting: p.forgetting,
            min_velocity: p.min_velocity,
            window: p.window,
            min_samples: p.min_samples.unsigned_abs(),
            goal_delay: p.goal_delay,
            find_delay: p.find_delay,
            goal_profile: p.goal_profile,
            apply_kgear: p.apply_kgear,
            measured_kgear: p.measured_kgear,
            min_voltage: p.min_voltage,
            max_voltage: p.max_voltage,
        }
    }
}

fn credible_voltages(least: f64, most: f64) -> Result<(), ParamError> {
    match least < most {
        true => Ok(()),
        false => Err(ParamError::unfit("max_voltage", format!("must be more than min_voltage, {least} V"))),
    }
}

/// What parameters say of lead and delay of single joints.
pub fn timing(joints: &Group<JointTimingParams>) -> Vec<JointTiming> {
    let own = |value: f64| (value >= 0.0).then_some(value);
    let named = joints.0.iter();
    named
        .map(|(joint, p)| JointTiming { joint: joint.clone(), lead: own(p.lead), delay: own(p.delay) })
        .collect()
}

/// The models that parameters declare.
pub fn models(
    default: &Nested<ServoModelParams>,
    named: &Group<ServoModelParams>,
) -> Result<Models, BadModel> {
    let named = named.0.iter().map(|(joint, p)| (joint.clone(), p.into())).collect();
    Models::new((&default.0).into(), named)
}

/// The models that differ from those of `before`: a model that came on the topic stays when other parameters change.
pub fn changed_models<'a>(
    now: &'a Group<ServoModelParams>,
    before: &'a Group<ServoModelParams>,
) -> impl Iterator<Item = (&'a str, ServoModel)> {
    let changed = now.0.iter().filter(|entry| !before.0.contains(entry));
    changed.map(|(joint, p)| (joint.as_str(), p.into()))
}

/// The parameters of a joint's model.
pub fn model_values(joint: &str, model: &ServoModel) -> [(String, Value); 3] {
    let ServoModel { kp, kgear, alpha } = *model;
    let fields =
        [("kp", Value::Float(kp)), ("kgear", Value::Float(kgear)), ("alpha", Value::Floats(alpha.to_vec()))];
    fields.map(|(field, value)| (format!("servo_models.{joint}.{field}"), value))
}

/// What is known of a servo, for a parameter file.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedServo {
    /// Name of the joint.
    pub joint: String,
    /// The model that was found for its servo.
    pub model: ServoModel,
    /// What was found with it.
    pub found: Option<Found>,
}

/// Parts servos into those that parameters can hold and those that they cannot, each with the reason.
pub fn storable(servos: Vec<SavedServo>) -> (Vec<SavedServo>, Vec<String>) {
    let (mut good, mut bad) = (vec![], vec![]);
    for servo in servos {
        match servos_file(std::slice::from_ref(&servo)) {
            Ok(_) => good.push(servo),
            Err(reason) => bad.push(reason.to_string()),
        }
    }
    (good, bad)
}

/// The parameter file with these servos: models for `servo_inv_param` and `servo_ident`, and for the two that send goals how far
/// ahead these lie, all of it as delay. Sections for nodes by name, since these win over those for all nodes.
pub fn servos_file(servos: &[SavedServo]) -> Result<String, ParamError> {
    let ahead = |s: &SavedServo, ahead: f64| {
        // No goal lies behind its pose: a sensor that is ahead of its time says so, no servo does.
        [("lead", 0.0), ("delay", ahead.clamp(0.0, 1.0))]
            .map(|(f, v)| (format!("joints.{}.{f}", s.joint), Value::Float(v)))
    };
    let models = || servos.iter().flat_map(|s| model_values(&s.joint, &s.model));
    let timing =
        |of: fn(Found) -> f64| servos.iter().filter_map(move |s| Some(ahead(s, of(s.found?)))).flatten();
    let found = || servos.iter().filter_map(|s| s.found);
    let playtime = found().map(|found| found.playtime).fold(0.0, f64::max);
    let playtime = || found().next().map(|_| ("playtime".to_owned(), Value::Float(playtime))).into_iter();
    let by_model = playtime().chain(timing(|found| found.ahead_of_model)).chain(models()).collect();
    let alone = playtime().chain(timing(|found| found.ahead_alone)).collect();
    let sections: [(&str, Vec<_>); 3] =
        [("servo_inv_param", by_model), ("servo_inv_lead", alone), ("servo_ident", models().collect())];
    sections.into_iter().filter(|(_, values)| !values.is_empty()).map(section).collect()
}

fn section((node, values): (&str, Vec<(String, Value)>)) -> Result<String, ParamError> {
    let exact = |(name, value)| Override { name, value, exact: true };
    let overrides: Vec<_> = values.into_iter().map(exact).collect();
    // Nothing but what is known.
    let known = |spec: &Spec| spec.is_template() || overrides.iter().any(|o| o.name == spec.name);
    let specs = SavedParams::specs().into_iter().filter(known).collect();
    Ok(Table::declare_all(specs, &overrides)?.to_yaml(node))
}

//! Models and voltage: where they come from, when they count, and what is refused.
#![allow(clippy::unwrap_used)]

use param_lib::{Group, Overrides, Params, Table};
use servo_inv_node::desired::Desired;
use servo_inv_node::ident::Found;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel, sign};
use servo_inv_node::notice::Notice;
use servo_inv_node::params::{
    IdentParams, InverseParams, LeadParams, SavedServo, ServoModelParams, changed_models, servos_file, timing,
};
use servo_inv_node::timing::JointTiming;

const CYCLE: i64 = 10_000_000;

/// At a voltage of 1 and a velocity of 1 its q_ref is ahead by `alpha1`.
fn viscous(alpha1: f64) -> ServoModel {
    ServoModel { kp: 1.0, kgear: 1.0, alpha: [0.0, alpha1, 0.0, 0.0] }
}

fn settings() -> Settings {
    let params = InverseParams {
        period: 0.01,
        lead: 0.0,
        battery_voltage: 1.0,
        voltage_time_constant: 0.0,
        max_step: 1000.0,
        ..InverseParams::default()
    };
    Settings::from(&params)
}

fn inverse(named: &[(&str, f64)]) -> ServoInverse {
    let named = named.iter().map(|(joint, alpha1)| (joint.to_string(), viscous(*alpha1))).collect();
    ServoInverse::new(settings(), Models::new(viscous(0.5), named).unwrap())
}

/// Goals for joints that stand at 0 and should move at 1.
fn step(inverse: &mut ServoInverse, k: i64, joints: &[&str]) -> (Vec<f64>, Vec<Notice>) {
    let name: Vec<String> = joints.iter().map(|j| j.to_string()).collect();
    let (position, velocity) = (vec![0.0; name.len()], vec![1.0; name.len()]);
    let desired = Desired { name: &name, position: &position, velocity: &velocity, ..Desired::default() };
    let goals = inverse.step(desired, k * CYCLE).unwrap().unwrap();
    (goals.target.to_vec(), goals.notices.to_vec())
}

#[test]
fn models_find_their_joints_in_any_order_and_others_have_the_default() {
    let mut inverse = inverse(&[("a", 1.0), ("b", 2.0), ("x", 9.0)]);
    let (targets, notices) = step(&mut inverse, 1, &["b", "c", "a"]);
    assert_eq!(targets, [2.0, 0.5, 1.0]);
    let without = Notice::DefaultModel { joints: vec!["c".into()] };
    let surplus = Notice::SurplusModel { joints: vec!["x".into()] };
    assert_eq!(without.to_string(), "no servo model for c: default_servo_model is used");
    assert_eq!(surplus.to_string(), "servo models for joints that are not there: x");
    assert_eq!(notices, [without, surplus]);
    let (targets, notices) = step(&mut inverse, 2, &["a", "b", "c"]);
    assert_eq!((targets, notices), (vec![1.0, 2.0, 0.5], vec![]));
}

#[test]
fn a_model_counts_from_the_cycle_after() {
    let mut inverse = inverse(&[("a", 1.0)]);
    inverse.sync(0, CYCLE, 0.01);
    assert_eq!(step(&mut inverse, 1, &["a", "b"]).0, [1.0, 0.5]);
    inverse.put_model("a", viscous(3.0)).unwrap();
    inverse.put_model("b", viscous(4.0)).unwrap();
    assert_eq!(step(&mut inverse, 1, &["a", "b"]).0, [1.0, 0.5]);
    inverse.sync(0, 2 * CYCLE, 0.01);
    assert_eq!(step(&mut inverse, 2, &["a", "b"]).0, [3.0, 4.0]);
    // Without sync the next message is the next cycle; of two models the later one counts.
    inverse.put_model("a", viscous(5.0)).unwrap();
    inverse.put_model("a", viscous(6.0)).unwrap();
    assert_eq!(step(&mut inverse, 9, &["a", "b"]).0, [6.0, 4.0]);
    inverse.put_default_model(viscous(7.0)).unwrap();
    assert_eq!(step(&mut inverse, 20, &["a", "b", "c"]).0, [6.0, 4.0, 7.0]);
}

#[test]
fn a_new_model_or_voltage_is_no_motion_and_is_not_led() {
    let led = Settings { lead: 0.1, ..settings() };
    let mut inverse = ServoInverse::new(led, Models::new(viscous(0.5), vec![]).unwrap());
    step(&mut inverse, 1, &["a"]);
    inverse.put_model("a", viscous(3.0)).unwrap();
    assert_eq!(step(&mut inverse, 2, &["a"]).0, [3.0]);
    inverse.battery(2.0).unwrap();
    assert_eq!(step(&mut inverse, 3, &["a"]).0, [1.5]);
}

#[test]
fn impossible_models_are_refused_and_named() {
    let good = viscous(1.0);
    let bad = [
        (ServoModel { kp: 0.0, ..good }, "kp = 0"),
        (ServoModel { kp: -1.0, ..good }, "kp = -1"),
        (ServoModel { kp: f64::NAN, ..good }, "kp = NaN"),
        (ServoModel { kgear: 0.0, ..good }, "kgear = 0"),
        (ServoModel { kgear: -2.0, ..good }, "kgear = -2"),
        (ServoModel { kgear: f64::INFINITY, ..good }, "kgear = inf"),
        (ServoModel { alpha: [0.0, 0.0, f64::NAN, 0.0], ..good }, "alpha[2] = NaN"),
        (ServoModel { alpha: [f64::NEG_INFINITY, 0.0, 0.0, 0.0], ..good }, "alpha[0] = -inf"),
    ];
    for (model, reason) in bad {
        let mut inverse = inverse(&[("knee", 1.0)]);
        let text = inverse.put_model("knee", model).unwrap_err().to_string();
        assert!(text.contains("\"knee\"") && text.contains(reason), "{text}");
        assert_eq!(step(&mut inverse, 1, &["knee"]).0, [1.0]);
        assert!(Models::new(model, vec![]).is_err() && inverse.put_default_model(model).is_err());
        assert!(Models::new(good, vec![("knee".into(), model)]).is_err());
    }
    assert_eq!(inverse(&[]).put_model("", good).unwrap_err().to_string(), "a servo model names no joint");
}

#[test]
fn two_models_for_one_joint_are_an_error_at_the_start() {
    let twice = vec![("knee".to_string(), viscous(1.0)), ("knee".to_string(), viscous(2.0))];
    let error = Models::new(viscous(1.0), twice).unwrap_err();
    assert_eq!(error.to_string(), "servo model of joint \"knee\" stands twice");
    let file = "servo_inv_param: {ros__parameters: {servo_models: {knee: {kp: 1.0}, knee: {kp: 2.0}}}}";
    assert!(Overrides::from_text(file).unwrap_err().to_string().contains("\"knee\" stands twice"));
}

#[test]
fn an_impossible_voltage_keeps_the_last_good_one() {
    let mut inverse = inverse(&[("a", 1.0)]);
    for bad in [0.0, -7.4, f64::NAN, f64::INFINITY, 0.2] {
        let error = inverse.battery(bad).unwrap_err();
        assert_eq!((error.kept, inverse.voltage()), (1.0, 1.0));
    }
    assert_eq!(step(&mut inverse, 1, &["a"]).0, [1.0]);
    inverse.battery(8.0).unwrap();
    assert_eq!(step(&mut inverse, 2, &["a"]).0, [0.125]);
    let text = inverse.battery(f64::NAN).unwrap_err().to_string();
    assert_eq!(text, "battery voltage NaN V is not credible; 8 V stays");
    assert_eq!(step(&mut inverse, 3, &["a"]).0, [0.125]);
}

#[test]
fn the_parameter_voltage_counts_until_the_battery_speaks() {
    let mut inverse = inverse(&[("a", 1.0)]);
    inverse.set(Settings { battery_voltage: 4.0, ..settings() });
    assert_eq!(step(&mut inverse, 1, &["a"]).0, [0.25]);
    inverse.battery(2.0).unwrap();
    inverse.set(Settings { battery_voltage: 5.0, ..settings() });
    assert_eq!(step(&mut inverse, 2, &["a"]).0, [0.5]);
}

#[test]
fn sign_is_zero_in_its_dead_zone() {
    assert_eq!([-0.2, -0.1, 0.0, 0.1, 0.2].map(|v| sign(v, 0.1)), [-1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!([-1e-300, -0.0, 0.0, 1e-300].map(|v| sign(v, 0.0)), [-1.0, 0.0, 0.0, 1.0]);
}

fn group(models: &[(&str, f64)]) -> Group<ServoModelParams> {
    Group(models.iter().map(|(joint, alpha1)| (joint.to_string(), (&viscous(*alpha1)).into())).collect())
}

#[test]
fn only_models_whose_parameters_changed_replace_those_from_the_topic() {
    let (before, now) = (group(&[("a", 1.0), ("b", 2.0)]), group(&[("a", 1.0), ("b", 3.0)]));
    assert_eq!(changed_models(&now, &before).collect::<Vec<_>>(), [("b", viscous(3.0))]);
    assert_eq!(changed_models(&now, &now).count(), 0);
}

fn read<P: Params>(text: &str, node: &str) -> P {
    let overrides = Overrides::from_text(text).unwrap().for_node(node);
    let table = Table::declare_all(P::specs(), &overrides).unwrap();
    assert!(overrides.iter().all(|o| table.get(&o.name).is_some()), "{overrides:?}");
    P::read(&table).unwrap()
}

#[test]
fn what_is_saved_is_a_parameter_file_for_each_node_that_it_concerns() {
    let knee = ServoModel { kp: 100.0, kgear: 2.155, alpha: [1.39, 52.1, 7.09, 212.0] };
    let found = Found { delay: 0.002, playtime: 0.0112, ahead_of_model: 0.013, ahead_alone: 0.1 + 0.2 };
    let saved = [
        SavedServo { joint: "knee".into(), model: knee, found: Some(found) },
        SavedServo { joint: "tail".into(), model: viscous(0.1 + 0.2), found: None },
    ];
    let text = servos_file(&saved).unwrap();
    let own = |delay| [JointTiming { joint: "knee".into(), lead: Some(0.0), delay: Some(delay) }];
    // Behind the node's own file, which names the node.
    let config =
        format!("servo_inv_param: {{ros__parameters: {{servo_models: {{knee: {{kp: 7.0}}}}}}}}\n{text}");
    for (text, node) in [(&text, "/pony/servo_inv_param"), (&config, "/servo_inv_param")] {
        let params: InverseParams = read(text, node);
        let models = params.servo_models.0.iter().map(|(joint, p)| (joint.as_str(), ServoModel::from(p)));
        assert_eq!(models.collect::<Vec<_>>(), [("knee", knee), ("tail", viscous(0.1 + 0.2))]);
        assert_eq!((timing(&params.joints), params.playtime), (own(0.013).to_vec(), 0.0112));
    }
    assert_eq!(timing(&read::<LeadParams>(&text, "/servo_inv_lead").joints), own(0.1 + 0.2));
    let known = read::<IdentParams>(&text, "/servo_ident").servo_models;
    assert_eq!(known.0.len(), 2);
}

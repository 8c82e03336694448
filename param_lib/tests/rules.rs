//! Each rule of declaring, checking and setting, one by one.
#![allow(clippy::unwrap_used)]

use param_lib::{
    Group, Kind, Nested, Overrides, ParamError, Params, Slider, Spec, Table, Value, choices, params,
    to_markdown,
};

choices! {
    /// Words.
    pub enum Mode { Slow = "slow", Fast = "fast" }
}
choices! {
    /// Words, one of which changed.
    pub enum Limit { Clamp = "clamp", Off = "none" was "off" }
}
params! {
    /// What people tune.
    pub struct Tuned {
        /// Fine as it is.
        share: f64 = 0.5, range 0.0..=1.0;
        /// A thousand radians for a slider.
        max_step: f64 = 1.0, unit "rad", range 0.001..=1000.0;
        /// Zero says nothing of what is usual.
        delay: f64 = 0.0, unit "s", range 0.0..=1.0, slider 0.0..=0.1;
        /// What happens.
        limits: Limit = Limit::Clamp;
        /// Which.
        port: String = "/dev/tty".into(), read_only true;
    }
}
params! {
    /// A leg.
    pub struct Leg {
        /// Where it starts.
        first_link: String = String::new(), read_only true;
        /// Weight.
        mass: f64 = 1.0, unit "kg", range 0.0..=10.0;
    }
}
params! {
    /// A robot.
    pub struct Robot {
        /// Duration of a cycle.
        period: f64 = 0.01, unit "s", range 0.001..=1.0;
        /// How many.
        count: i64 = 4, range 1..=8;
        /// How.
        mode: Mode = Mode::Slow;
        /// Four numbers.
        alpha: [f64; 4] = [0.0; 4];
        /// The model.
        model: Nested<Leg> = Nested::default();
        /// The legs.
        legs: Group<Leg> = Group::default();
    }
    validate self => if self.period * self.count as f64 > 4.0 {
        Err(ParamError::unfit("count", "too many legs for this period"))
    } else {
        Ok(())
    }
}

fn table(yaml: &str) -> Result<Table, ParamError> {
    let overrides = Overrides::from_text(yaml)?.for_node("/robot");
    Table::declare_all(Robot::specs(), &overrides)
}

fn refused(name: &str, value: Value) -> String {
    let mut t = table("").unwrap();
    let before = t.to_yaml("robot");
    let error = t.set(&[("count".into(), Value::Int(2)), (name.into(), value)]).unwrap_err();
    assert_eq!(t.to_yaml("robot"), before, "a refused set changed something");
    error.to_string()
}

#[test]
fn a_new_key_of_a_group_is_declared_whole_and_beside_the_others() {
    let mut t = table("robot: {ros__parameters: {legs: {front: {mass: 2.0}}}}").unwrap();
    let templates: Vec<Spec> = Robot::specs().into_iter().filter(Spec::is_template).collect();
    t.declare(Spec::new("use_sim_time", Value::Bool(false), "Time."), None).unwrap();
    t.declare_key(&templates, "legs.rear.mass");
    t.declare_key(&templates, "legs.rear.mass");
    for unfit in ["legs.mass", "legs..mass", "legs.a.b.mass", "arms.left.mass", "period"] {
        t.declare_key(&templates, unfit);
    }
    let names: Vec<_> = t.entries().map(|(spec, _)| spec.name.as_str()).collect();
    let legs = ["legs.front.first_link", "legs.front.mass", "legs.rear.first_link", "legs.rear.mass"];
    assert_eq!(names[names.len() - 5..], [&legs[..], &["use_sim_time"]].concat());
    t.set(&[("legs.rear.mass".into(), Value::Float(3.0))]).unwrap();
    assert!(t.set(&[("legs.rear.mass".into(), Value::Float(11.0))]).is_err(), "its range counts");
    let masses = Robot::read(&t).unwrap().legs.0.into_iter().map(|(name, leg)| (name, leg.mass));
    assert_eq!(masses.collect::<Vec<_>>(), [("front".to_string(), 2.0), ("rear".to_string(), 3.0)]);
}

#[test]
fn defaults_are_read_when_nobody_says_otherwise() {
    assert_eq!(Robot::read(&table("").unwrap()).unwrap(), Robot::default());
}

#[test]
fn a_whole_number_will_do_for_a_double_but_not_the_other_way() {
    let t = table("robot: {ros__parameters: {period: 1, alpha: [1, 2, 3, 4]}}").unwrap();
    let robot = Robot::read(&t).unwrap();
    assert_eq!((robot.period, robot.alpha), (1.0, [1.0, 2.0, 3.0, 4.0]));
    assert_eq!(
        refused("count", Value::Float(3.0)),
        "parameter \"count\" must be of type integer, not double"
    );
}

#[test]
fn refusals_name_the_parameter_and_what_it_may_be() {
    assert_eq!(refused("period", Value::Float(2.0)), "parameter \"period\" = 2 is outside 0.001 … 1 s");
    assert_eq!(
        refused("period", Value::Float(f64::NAN)),
        "parameter \"period\" = NaN must be a finite number, 0.001 … 1"
    );
    assert_eq!(
        refused("period", Value::Text("x".into())),
        "parameter \"period\" must be of type double, not string"
    );
    assert_eq!(
        refused("perod", Value::Float(0.1)),
        "parameter \"perod\" is not declared (did you mean \"period\"?)"
    );
    assert_eq!(refused("xyzzy", Value::Float(0.1)), "parameter \"xyzzy\" is not declared");
    assert_eq!(
        refused("mode", Value::Text("warp".into())),
        "parameter \"mode\" = \"warp\" is none of slow, fast"
    );
    assert_eq!(refused("alpha", Value::Floats(vec![1.0])), "parameter \"alpha\" has 1 elements, not 4");
    assert!(refused("model.first_link", Value::Text("a".into())).contains("read-only"));
}

#[test]
fn a_good_set_is_applied_whole() {
    let mut t = table("").unwrap();
    t.set(&[("period".into(), Value::Int(1)), ("mode".into(), Value::Text("fast".into()))]).unwrap();
    let robot = Robot::read(&t).unwrap();
    assert_eq!((robot.period, robot.mode), (1.0, Mode::Fast));
    assert_eq!(t.get("period").unwrap().kind(), Kind::Float);
}

#[test]
fn rules_between_parameters_are_checked_by_the_struct() {
    let mut t = table("").unwrap();
    t.set(&[("period".into(), Value::Float(1.0)), ("count".into(), Value::Int(8))]).unwrap();
    assert_eq!(
        Robot::read(&t).unwrap_err().to_string(),
        "parameter \"count\": too many legs for this period"
    );
}

#[test]
fn groups_keep_the_order_of_the_file_and_fill_in_defaults() {
    let yaml =
        "robot: {ros__parameters: {legs: {rear: {mass: 2}, front: {first_link: hip}}, model: {mass: 3}}}";
    let robot = Robot::read(&table(yaml).unwrap()).unwrap();
    let rear = Leg { mass: 2.0, ..Leg::default() };
    let front = Leg { first_link: "hip".into(), ..Leg::default() };
    assert_eq!(robot.legs, Group(vec![("rear".into(), rear), ("front".into(), front)]));
    assert_eq!(robot.model.0.mass, 3.0);
}

#[test]
fn a_bad_value_in_a_file_is_refused_at_the_start() {
    let e = table("robot: {ros__parameters: {legs: {rear: {mass: 11}}}}").unwrap_err();
    assert_eq!(e.to_string(), "parameter \"legs.rear.mass\" = 11 is outside 0 … 10 kg");
}

#[test]
fn two_of_one_name_cannot_be_declared() {
    let spec = Spec::new("a", Value::Bool(true), "");
    assert!(matches!(Table::declare_all(vec![spec.clone(), spec], &[]), Err(ParamError::Twice { .. })));
}

#[test]
fn the_printed_yaml_reads_back_as_the_same_table() {
    let t = table(
        "robot: {ros__parameters: {period: 0.5, legs: {rear: {mass: 2}, front: {first_link: 'a \"b\"'}}}}",
    )
    .unwrap();
    let yaml = t.to_yaml("robot");
    assert_eq!(table(&yaml).unwrap().to_yaml("robot"), yaml);
    assert!(yaml.contains("    # Duration of a cycle. [0.001 … 1 s]\n    period: 0.5\n"), "{yaml}");
    assert!(yaml.contains("    legs:\n      rear:\n        # Where it starts. [read-only]\n"), "{yaml}");
}

#[test]
fn the_markdown_table_has_a_row_per_parameter() {
    let rows = to_markdown(&Robot::specs());
    assert!(rows.contains("| `legs.<name>.mass` | `1.0` | 0 … 10 kg | Weight. |"), "{rows}");
    assert!(rows.contains("| `mode` | `slow` | slow \\| fast | How. |"), "{rows}");
}

#[test]
fn every_bad_value_is_told_at_once() {
    let specs = vec![
        Spec { range: Some((0.0, 1.0)), ..Spec::new("a", Value::Float(0.5), "A.") },
        Spec::new("b", Value::Bool(true), "B."),
        Spec::new("c", Value::Int(1), "C."),
    ];
    let given = Overrides::from_text("n:\n  ros__parameters:\n    a: 7.0\n    b: 3\n    c: 2\n").unwrap();
    let error = Table::declare_all(specs, &given.for_node("/n")).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    assert!(lines[0].contains("\"a\" = 7") && lines[1].contains("\"b\""), "{error}");
}

#[test]
fn nan_is_not_set_where_that_is_allowed_and_ranges_read_well() {
    let optional = |min, max| Spec {
        range: Some((min, max)),
        optional: true,
        ..Spec::new("limit", Value::Float(f64::NAN), "Largest value.")
    };
    assert!(optional(0.0, 1.0).check(&Value::Float(f64::NAN)).is_ok());
    assert!(optional(0.0, 1.0).check(&Value::Float(f64::INFINITY)).is_err());
    assert!(optional(0.0, 1.0).check(&Value::Float(2.0)).is_err());
    let rules = |min, max| Spec { optional: false, ..optional(min, max) }.rules();
    assert_eq!(rules(0.5, 1.0), "0.5 … 1");
    assert_eq!(rules(f64::MIN_POSITIVE, 1e9), "> 0 … 1e9");
    assert_eq!(rules(0.0, f64::INFINITY), "≥ 0");
    assert_eq!(rules(f64::NEG_INFINITY, 0.0), "≤ 0");
    assert_eq!(optional(0.0, 1.0).rules(), "0 … 1, .nan = not set");
}

#[test]
fn a_slider_is_fine_enough_and_holds_the_value() {
    let specs = Tuned::specs();
    let slider = |name: &str, value: f64| {
        let spec = specs.iter().find(|spec| spec.name == name).unwrap();
        assert!(spec.check(&Value::Float(value)).is_ok(), "legal, whatever the slider shows");
        let Slider { from, to, step } = spec.slider(&Value::Float(value)).unwrap();
        (from, to, step)
    };
    assert_eq!(slider("share", 0.5), (0.0, 1.0, 0.01));
    assert_eq!(slider("max_step", 1.0), (0.04, 4.04, 0.04));
    assert_eq!(slider("max_step", 30.0), (1.0, 101.0, 1.0));
    assert_eq!(slider("max_step", 0.001), (0.001, 0.101, 0.001));
    assert_eq!(slider("delay", 0.02), (0.0, 0.1, 0.001));
    assert_eq!(slider("delay", 0.3), (0.0, 1.0, 0.01));
    let step = specs.iter().find(|spec| spec.name == "max_step").unwrap();
    assert_eq!(step.description(), "A thousand radians for a slider. [0.001 … 1000 rad]");
}

#[test]
fn a_word_that_changed_is_taken_with_a_note_also_as_yaml_reads_it() {
    let specs = Tuned::specs();
    let limits = specs.iter().find(|spec| spec.name == "limits").unwrap();
    for old in ["off", "\"off\""] {
        let value = param_lib::read_value(old).unwrap();
        assert_eq!(limits.check(&value).unwrap(), Value::Text("none".into()));
        assert_eq!(
            limits.renamed_note(&value).unwrap(),
            "parameter \"limits\": \"off\" is called \"none\" now"
        );
    }
    assert_eq!(limits.renamed_note(&Value::Text("none".into())), None);
    assert!(limits.check(&Value::Bool(true)).is_err() && limits.check(&Value::Text("on".into())).is_err());
    // No word that is chosen is one that YAML takes for something else.
    for word in Limit::WORDS {
        assert_eq!(param_lib::read_value(word).unwrap(), Value::Text((*word).into()));
    }
}

#[test]
fn what_is_read_only_may_be_said_again_but_not_changed() {
    let mut table = Table::declare_all(Tuned::specs(), &[]).unwrap();
    let set = |table: &mut Table, port: &str| table.set(&[("port".into(), Value::Text(port.into()))]);
    assert!(set(&mut table, "/dev/tty").is_ok());
    assert!(matches!(set(&mut table, "/dev/other"), Err(ParamError::ReadOnly { .. })));
}

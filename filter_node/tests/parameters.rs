//! From a parameter file to chains: what loads, what is declared, what is refused and how it says so.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{file, params, table};
use filter_node::{ChainType, FilterParams, Pipeline, set_all};
use param_lib::{Overrides, Params, Table, Value};

const TWO: &str = "\
chains: [force, speed]
tf_timeout: 0.5
force:
  type: wrench
  input: raw
  output: clean
  filter1: {name: smooth, type: control_filters/LowPassFilterWrench, params: {sampling_frequency: 100, damping_frequency: 10, damping_intensity: 0.0}}
speed:
  type: float64
  input: a
  output: b
  sampling_frequency: 100.0
  filter1: {name: steps, type: Lag, params: {tau: 0.5}}
  filter2: {name: limit, type: Saturation, params: {low: -1.0, high: 1.0}}
";

/// Everything that is wrong with a file, line by line.
fn faults(body: &str) -> Vec<String> {
    params(&file(body)).unwrap_err().to_string().lines().map(str::to_string).collect()
}

#[test]
fn chains_are_read_with_their_types_topics_and_filters() {
    let params = params(&file(TWO)).unwrap();
    let [force, speed] = params.chains.as_slice() else { panic!("two chains") };
    assert_eq!((force.name.as_str(), force.kind, force.input.as_str()), ("force", ChainType::Wrench, "raw"));
    assert_eq!((speed.kind, speed.output.as_str(), speed.period()), (ChainType::Float64, "b", 0.01));
    assert_eq!(params.tf_timeout, 0.5);
    assert!(params.chains.iter().all(|line| Pipeline::build(line, &params).is_ok()));
}

#[test]
fn every_parameter_is_declared_with_range_description_and_whether_it_may_change() {
    let table = table(&file(TWO)).unwrap();
    for (spec, _) in table.entries() {
        assert!(spec.doc.len() > 5 && spec.doc.ends_with('.'), "{}: {}", spec.name, spec.doc);
    }
    let spec = |name: &str| table.entry(name).unwrap().0;
    assert_eq!(spec("speed.filter1.params.tau").range, Some((f64::MIN_POSITIVE, 1e6)));
    assert_eq!(spec("speed.filter1.params.tau").unit, "s");
    for fixed in
        ["chains", "force.type", "force.input", "force.output", "force.filter1.name", "force.filter1.type"]
    {
        assert!(spec(fixed).read_only, "{fixed}");
    }
    for live in ["tf_timeout", "speed.sampling_frequency", "force.filter1.params.damping_frequency"] {
        assert!(!spec(live).read_only, "{live}");
    }
}

#[test]
fn the_files_of_control_filters_users_load_unchanged() {
    for (text, node, chain, kind, filters) in [
        (
            include_str!("control_filters.yaml"),
            "force_torque_sensor_broadcaster",
            "sensor_filter_chain",
            "wrench",
            3,
        ),
        (
            include_str!("control_filters_double.yaml"),
            "some_controller",
            "command_filter_chain",
            "float64",
            3,
        ),
    ] {
        let theirs = Overrides::from_text(text).unwrap().for_node(&format!("/{node}"));
        let ours = file(&format!("chains: [{chain}]\n{chain}: {{type: {kind}, input: in, output: out}}\n"));
        let both = [theirs, common::overrides(&ours)].concat();
        let table = Table::declare_all(FilterParams::specs_for(&both).unwrap(), &both).unwrap();
        let params = FilterParams::read(&table).unwrap();
        assert!(Pipeline::build(&params.chains[0], &params).is_ok());
        let names = params.chains[0].filters.iter().filter(|(name, _)| name.ends_with(".name"));
        assert_eq!(names.count(), filters, "{chain}");
    }
}

#[test]
fn every_mistake_has_its_line_which_names_chain_filter_and_parameter() {
    let found = faults("\
chains: [wrist, legs, legs, bare, odd]
wrist:
  type: wrench
  input: w
  output: w
  filter1: {name: spikes, type: Medain, params: {window: 3}}
  filter3: {name: tool, type: GravityCompensation, params: {world_frame: world, sensor_frame: ft, tool: {CoG: [0.0, 0.0], mass: 1.2}}}
  filter4: {name: tool, type: LowPassFilter, params: {sampling_frequency: 1000.0, damping_frequency: -20.5, colour: 3}}
legs:
  type: joint_state
  inptu: joint_states
  output: smooth
  filter1: {name: smooth, type: BiquadLowPass, params: {frequency: 15.0}}
bare: {type: twist, input: t, output: u}
odd: {type: laser, input: l, output: m}
");
    let expected = [
        ["`chains`", "\"legs\"", "twice"],
        ["\"wrist\", filter \"spikes\"", "`wrist.filter1.type`", "no such filter type"],
        ["\"wrist\"", "`wrist.filter2.name`", "without gaps"],
        ["\"wrist\", filter \"tool\"", "`wrist.filter3.params.tool.CoG`", "2 elements"],
        ["\"wrist\", filter \"tool\"", "`wrist.filter4.name`", "another filter has that name"],
        ["\"wrist\", filter \"tool\"", "`wrist.filter4.params.damping_frequency` = -20.5", "> 0"],
        ["\"wrist\", filter \"tool\"", "`wrist.filter4.params.damping_intensity`", "missing"],
        ["\"wrist\", filter \"tool\"", "`wrist.filter4.params.colour`", "unknown"],
        ["\"wrist\"", "`wrist.output` = \"w\"", "endless loop"],
        ["\"legs\"", "`legs.input`", "missing"],
        ["\"legs\"", "legs.inptu", "did you mean \"legs.input\""],
        ["\"legs\", filter \"smooth\"", "`legs.sampling_frequency`", "needs it"],
        ["\"bare\"", "`bare.filter1.name`", "no filter"],
        ["\"odd\"", "odd.type", "float64"],
    ];
    for words in expected {
        assert!(
            found.iter().any(|line| words.iter().all(|word| line.contains(word))),
            "{words:?} is missing from\n{}",
            found.join("\n")
        );
    }
    assert_eq!(found.len(), expected.len(), "{}", found.join("\n"));
}

#[test]
fn topics_may_not_meet_and_may_not_come_back() {
    let chain = |name: &str, from: &str, to: &str| {
        format!(
            "{name}: {{type: float64, input: {from}, output: {to}, filter1: {{name: f, type: Median, params: {{window: 3}}}}}}\n"
        )
    };
    let file = |chains: &[(&str, &str, &str)]| {
        let names: Vec<&str> = chains.iter().map(|c| c.0).collect();
        let bodies: String = chains.iter().map(|(name, from, to)| chain(name, from, to)).collect();
        format!("chains: [{}]\n{bodies}", names.join(", "))
    };
    assert!(params(&common::file(&file(&[("a", "p", "q"), ("b", "q", "r"), ("c", "p", "s")]))).is_ok());
    let meeting = faults(&file(&[("a", "p", "q"), ("b", "r", "q")]));
    assert!(meeting.len() == 1 && meeting[0].contains("also the output of chain \"a\""), "{meeting:?}");
    let circle = faults(&file(&[("a", "p", "q"), ("b", "q", "r"), ("c", "r", "p")]));
    assert!(circle.len() == 3 && circle.iter().all(|line| line.contains("endless loop")), "{circle:?}");
}

#[test]
fn names_that_cannot_be_are_refused() {
    for (body, word) in [
        ("chains: []", "at least one chain"),
        ("tf_timeout: 1.0", "at least one chain"),
        ("chains: [a.b]", "no dot"),
        ("chains: ['']", "must have a name"),
        ("chains: [tf_timeout]\ntf_timeout: 0.1", "the node has a parameter"),
    ] {
        assert!(faults(body).iter().any(|line| line.contains(word)), "{body}: {:?}", faults(body));
    }
}

/// The lines of a file, and its table.
fn running() -> (Vec<Pipeline>, FilterParams, Table) {
    let table = table(&file(TWO)).unwrap();
    let params = FilterParams::read(&table).unwrap();
    let lines = params.chains.iter().map(|line| Pipeline::build(line, &params).unwrap()).collect();
    (lines, params, table)
}

fn feed(lines: &mut [Pipeline], number: f64) -> f64 {
    let Pipeline::Number(chain) = &mut lines[1] else { panic!("the second is of numbers") };
    *chain.take(&number).unwrap()
}

#[test]
fn changes_take_effect_at_once_and_the_state_stays() {
    let (mut lines, params, mut table) = running();
    assert_eq!(feed(&mut lines, 0.0), 0.0);
    feed(&mut lines, 0.5);
    let before = feed(&mut lines, 0.5);
    table
        .set(&[
            ("speed.filter1.params.tau".into(), Value::Float(0.01)),
            ("tf_timeout".into(), Value::Float(1.0)),
        ])
        .unwrap();
    let changed = FilterParams::read(&table).unwrap();
    set_all(&mut lines, &params, &changed).unwrap();
    let first = 0.5 * (1.0 - (-0.01f64 / 0.5).exp());
    assert!((before - first).abs() < 1e-12, "one step of the slow lag");
    // y[k] is the state; the step of the slow lag that came with `before` is in it, then one of the fast lag.
    let second = first + (0.5 - first) * (1.0 - (-0.01f64 / 0.5).exp());
    assert!((feed(&mut lines, 0.5) - second).abs() < 1e-12);
    let third = second + (0.5 - second) * (1.0 - (-0.01f64 / 0.01).exp());
    assert!((feed(&mut lines, 0.5) - third).abs() < 1e-12);
}

#[test]
fn a_set_of_changes_over_two_chains_is_all_or_nothing() {
    let (mut lines, params, mut table) = running();
    feed(&mut lines, 0.25);
    // Each is within its range; low above high is refused by the filter, so the other chain must not change either.
    table
        .set(&[
            ("force.filter1.params.damping_frequency".into(), Value::Float(33.0)),
            ("speed.filter1.params.tau".into(), Value::Float(0.01)),
            ("speed.filter2.params.low".into(), Value::Float(5.0)),
        ])
        .unwrap();
    let wanted = FilterParams::read(&table).unwrap();
    let refused = set_all(&mut lines, &params, &wanted).unwrap_err().to_string();
    assert!(
        refused.starts_with("chain \"speed\", filter \"limit\": parameter `speed.filter2.params.low`"),
        "{refused}"
    );
    let Pipeline::Wrench(_) = &lines[0] else { panic!("the first is of wrenches") };
    let unchanged = Pipeline::build(&params.chains[1], &params).unwrap();
    let mut expected = vec![lines[0].clone(), unchanged];
    feed(&mut expected, 0.25);
    assert_eq!(feed(&mut lines, 1.0), feed(&mut expected, 1.0));
    assert_eq!(feed(&mut lines, 1.0), feed(&mut expected, 1.0), "the lag is as slow as it was");
}

#[test]
fn the_sampling_frequency_may_change_but_not_vanish() {
    let (mut lines, params, mut table) = running();
    let before = table.clone();
    table.set(&[("speed.sampling_frequency".into(), Value::Float(0.0))]).unwrap();
    assert!(FilterParams::read(&table).unwrap_err().to_string().contains("filter \"steps\""));
    table = before;
    table.set(&[("speed.sampling_frequency".into(), Value::Float(10.0))]).unwrap();
    set_all(&mut lines, &params, &FilterParams::read(&table).unwrap()).unwrap();
    feed(&mut lines, 0.0);
    feed(&mut lines, 0.5);
    let expected = 0.5 * (1.0 - (-0.1f64 / 0.5).exp());
    assert!((feed(&mut lines, 0.5) - expected).abs() < 1e-12);
}

mod any_file {
    use super::*;
    use param_lib::Override;
    use proptest::prelude::*;

    const NAMES: [&str; 16] = [
        "chains",
        "tf_timeout",
        "a.type",
        "a.input",
        "a.output",
        "a.fields",
        "a.sampling_frequency",
        "a.filter1.name",
        "a.filter1.type",
        "a.filter1.params.window",
        "a.filter1.params.tool.mass",
        "a.filter1.params.alpha",
        "a.filter2.type",
        "a.filter18446744073709551615.name",
        "a.filter1",
        "a.",
    ];
    const WORDS: [&str; 9] = [
        "",
        "a",
        "wrench",
        "joint_state",
        "Median",
        "GravityCompensation",
        "ExponentialFilter",
        "a.b",
        "\u{0}",
    ];

    fn value() -> impl Strategy<Value = Value> {
        let word = || prop::sample::select(&WORDS[..]).prop_map(str::to_string);
        prop_oneof![
            word().prop_map(Value::Text),
            prop::collection::vec(word(), 0..3).prop_map(Value::Texts),
            any::<i64>().prop_map(Value::Int),
            (-3..10i64).prop_map(Value::Int),
            prop::num::f64::ANY.prop_map(Value::Float),
            prop::collection::vec(prop::num::f64::ANY, 0..4).prop_map(Value::Floats),
            any::<bool>().prop_map(Value::Bool),
        ]
    }

    proptest! {
        /// Whatever a file says, it is declared or refused with lines, and what is declared can be built.
        #[test]
        fn is_read_or_refused_and_never_breaks_anything(
            given in prop::collection::vec((prop::sample::select(&NAMES[..]), value()), 0..14),
        ) {
            let start = [("chains", Value::Texts(vec!["a".into()])), ("a.type", Value::Text("float64".into()))];
            let all = start.into_iter().chain(given);
            let overrides: Vec<Override> =
                all.map(|(name, value)| Override { name: name.into(), value, exact: true }).collect();
            let read = FilterParams::specs_for(&overrides)
                .and_then(|specs| Table::declare_all(specs, &overrides))
                .and_then(|table| FilterParams::read(&table));
            match read {
                Ok(params) => prop_assert!(params.chains.iter().all(|line| Pipeline::build(line, &params).is_ok())),
                Err(error) => prop_assert!(error.to_string().lines().all(|line| !line.is_empty())),
            }
        }
    }
}

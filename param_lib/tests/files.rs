//! Parameter files and arguments, as rcl reads them. The expected values of scalars, patterns and precedence were taken
//! from an rclpy node given the same text (the system tests compare the two again, live).
#![allow(clippy::unwrap_used)]

use param_lib::{Overrides, ParamError, Spec, Table, Value, matches, read_file, read_value};
use proptest::prelude::*;

const FILE: &str = "
/**: {ros__parameters: {a: 1, g: {x: 0x10, y: yes, z: \"5\"}}}
/ns/*: {ros__parameters: {a: 2, star: 1}}
/ns/n: {ros__parameters: {a: 3, exact: 1}}
ns: {n: {ros__parameters: {nested: 1}}}
n: {ros__parameters: {bare: 1}}
/*/n: {ros__parameters: {starn: 1}}
/**/n: {ros__parameters: {sstarn: 1}}
";

fn names(node: &str) -> Vec<String> {
    let overrides = Overrides::from_text(FILE).unwrap().for_node(node);
    let mut names: Vec<String> = overrides.into_iter().map(|o| o.name).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn patterns_cover_what_they_cover_in_rclpy() {
    assert_eq!(names("/n"), ["a", "bare", "g.x", "g.y", "g.z", "sstarn"]);
    assert_eq!(names("/ns/n"), ["a", "exact", "g.x", "g.y", "g.z", "nested", "sstarn", "star", "starn"]);
    assert_eq!(names("/ns/sub/n"), ["a", "g.x", "g.y", "g.z", "sstarn"]);
}

#[test]
fn a_file_for_no_node_of_the_process_is_found_with_the_nearest_name() {
    let dir = std::env::temp_dir().join(format!("param_lib_stray_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("gait.yaml");
    let path = path.to_str().unwrap();
    let stray = |key: &str, nodes: &[&str]| {
        std::fs::write(path, format!("{key}: {{ros__parameters: {{a: 1}}}}")).unwrap();
        let overrides =
            Overrides::from_args(&["--ros-args", "--params-file", path, "-p", "b:=1", "-p", "n:c:=1"])
                .unwrap();
        assert_eq!(overrides.arguments(), ["b"]);
        overrides.stray_files(nodes, &["sync_node"]).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let nodes = ["/r1/agregator_node", "/r1/gait_node"];
    let told = format!(
        "parameter file {path} is for \"/gait_node\" and has nothing for /r1/gait_node (\"/**/gait_node:\" would reach it in any namespace)"
    );
    assert_eq!(stray("gait_node", &nodes), [told]);
    let told = format!("parameter file {path} is for \"/**/gate_node\" and has nothing for /r1/gait_node");
    assert_eq!(stray("/**/gate_node", &nodes), [told]);
    for fits in ["/**/gait_node", "/**", "/r1/*", "/r1/gait_node", "sync_node"] {
        assert_eq!(stray(fits, &nodes), [""; 0], "{fits}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_names_the_node_is_told_from_what_is_for_all() {
    let exact = |key: &str| {
        let overrides = Overrides::from_text(&format!("{key}: {{ros__parameters: {{a: 1}}}}")).unwrap();
        overrides.for_node("/ns/n").first().map(|o| o.exact)
    };
    assert_eq!(
        ["/ns/n", "/**/n", "/*/n", "/**", "/ns/*", "n"].map(exact),
        [Some(true), Some(true), Some(true), Some(false), Some(false), None]
    );
}

#[test]
fn scalars_are_what_rcl_makes_of_them() {
    let cases = [
        ("0x10", Value::Int(16)),
        ("010", Value::Int(8)),
        ("-7", Value::Int(-7)),
        ("99999999999999999999", Value::Float(1e20)),
        ("1e3", Value::Float(1e3)),
        ("1_000", Value::Text("1_000".into())),
        ("inf", Value::Float(f64::INFINITY)),
        ("+.inf", Value::Float(f64::INFINITY)),
        ("yes", Value::Bool(true)),
        ("OFF", Value::Bool(false)),
        ("\"5\"", Value::Text("5".into())),
        ("!!str 5", Value::Text("5".into())),
        ("a b", Value::Text("a b".into())),
        ("[1, 2]", Value::Ints(vec![1, 2])),
        ("[a, b]", Value::Texts(vec!["a".into(), "b".into()])),
        ("[true]", Value::Bools(vec![true])),
        ("[]", Value::Texts(vec![])),
    ];
    for (text, value) in cases {
        assert_eq!(read_value(text).unwrap(), value, "{text}");
    }
    assert!(matches!(read_value(".nan").unwrap(), Value::Float(x) if x.is_nan()));
}

#[test]
fn the_later_section_wins_and_a_bare_p_belongs_to_the_first_double_star() {
    let dir = std::env::temp_dir().join(format!("param_lib_{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("params.yaml");
    std::fs::write(&file, FILE).unwrap();
    let value = |args: &[&str], node: &str| {
        let overrides = Overrides::from_args(args).unwrap().for_node(node);
        overrides.into_iter().rev().find(|o| o.name == "a").map(|o| o.value)
    };
    let file = file.to_str().unwrap();
    assert_eq!(value(&["--ros-args", "--params-file", file, "-p", "a:=9"], "/n"), Some(Value::Int(9)));
    assert_eq!(value(&["--ros-args", "-p", "a:=9", "--params-file", file], "/n"), Some(Value::Int(1)));
    assert_eq!(value(&["--ros-args", "--params-file", file, "-p", "a:=9"], "/ns/n"), Some(Value::Int(3)));
    assert_eq!(value(&["--ros-args", "-p", "n:a:=4"], "/n"), Some(Value::Int(4)));
    assert_eq!(value(&["--ros-args", "-p", "m:a:=4"], "/n"), None);
    assert_eq!(value(&["-p", "a:=4"], "/n"), None, "outside --ros-args it is the program's own");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn every_malformed_file_is_an_error_with_a_line() {
    let bad = [
        "a: [1, 0.5",
        "n: {ros__parameters: {a: }}",
        "n: {ros__parameters: {a: [1, 0.5]}}",
        "n: {ros__parameters: {a: [[1], [2]]}}",
        "n: {ros__parameters: 5}",
        "n: {ros__parameters: {a: 1, a: 2}}",
        "n: 5",
        "ros__parameters: {a: 1}",
        "- 1",
        "x: &a 1\ny: *a",
        "? [1]\n: 2",
        "n: {ros__parameters: {a: 1}}\n---\nm: {ros__parameters: {a: 1}}",
    ];
    for text in bad {
        assert!(
            matches!(read_file(text), Err(ParamError::Yaml { line: 1.., .. })),
            "{text}: {:?}",
            read_file(text)
        );
    }
    assert_eq!(read_file("").unwrap(), vec![]);
    let deep = "a: ".to_string() + &"[".repeat(100_000);
    assert!(read_file(&deep).is_err());
    let deep_maps: String = (0..500).map(|i| format!("{}k{i}:\n", " ".repeat(i))).collect();
    assert!(read_file(&deep_maps).is_err());
    for nul in ["a: {ros__parameters: {b: \"x\\0y\"}}", "a: {ros__parameters: {\"x\\0y\": 1}}"] {
        assert!(read_file(nul).unwrap_err().to_string().contains("NUL"));
    }
}

/// 30 s when every key was compared with all before it; whoever brings that back waits here for minutes.
#[test]
fn a_file_of_200_000_parameters_is_read() {
    let lines: String = (0..200_000).map(|i| format!("    p{i}: {i}\n")).collect();
    let sections = read_file(&format!("a:\n  ros__parameters:\n{lines}")).unwrap();
    assert_eq!(sections[0].params.len(), 200_000);
}

#[test]
fn a_group_has_no_more_keys_than_a_robot_has_joints() {
    let template = Spec::new("servos.*.id", Value::Int(0), "Its id.");
    let lines: String = (0..100_000).map(|i| format!("    servos.joint{i}.id: 1\n")).collect();
    let overrides = Overrides::from_text(&format!("/**:\n  ros__parameters:\n{lines}")).unwrap();
    let refused = Table::declare_all(vec![template], &overrides.for_node("/a")).unwrap_err().to_string();
    assert_eq!(refused, "parameters \"servos.*\": 100000 keys; at most 1000 can be");
}

#[test]
fn bad_arguments_are_named() {
    let refused = |args: &[&str]| Overrides::from_args(args).unwrap_err().to_string();
    assert!(refused(&["--ros-args", "--params-file", "no/such.yaml"]).contains("no/such.yaml"));
    assert!(refused(&["--ros-args", "--params-file"]).contains("--params-file"));
    assert!(refused(&["--ros-args", "-p", "a=1"]).contains("a=1"));
    assert!(refused(&["--ros-args", "-p", ":=1"]).contains("name is missing"));
    assert!(refused(&["--ros-args", "-p", "a:="]).contains("a:="));
}

#[test]
fn stars_stand_for_whole_names() {
    assert!(
        matches("/**", "/n")
            && matches("/**", "/a/b/n")
            && matches("/a/**/n", "/a/n")
            && matches("/*/n", "/a/n")
    );
    assert!(
        !matches("/*", "/a/n") && !matches("/n*", "/n1") && !matches("/a/*", "/a") && !matches("/n", "/a/n")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-a-c0-9:.\\[\\]{}\"'&*!|>?%@ ,\n#/_~]{0,60}") {
        let _ = read_file(&text);
        let _ = read_value(&text);
    }

    #[test]
    fn a_printed_value_reads_back_the_same(floats in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 1..4),
                                           text in "[^\\x00\n]{0,12}", int in any::<i64>(), flag in any::<bool>()) {
        for value in [Value::Floats(floats.clone()), Value::Float(floats[0]), Value::Text(text.clone()),
                      Value::Texts(vec![text.clone()]), Value::Int(int), Value::Bool(flag)] {
            prop_assert_eq!(read_value(&value.to_string()).unwrap(), value);
        }
    }
}

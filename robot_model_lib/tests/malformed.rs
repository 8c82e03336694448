//! Whatever the text, loading ends with a robot or an error, never with a panic or a stack overflow.
#![allow(clippy::unwrap_used)]

mod common;

use std::fmt::Write;

use proptest::prelude::*;
use robot_model_lib::{Kinematics, LinkPoses, ModelConfig, ModelError, RobotModel};

/// A robot that is one long chain, each joint bent by one to the other side.
fn long_chain(links: usize, mimic: bool) -> String {
    let mut text = String::from("<robot name=\"snake\"><link name=\"l0\"/>");
    for link in 1..links {
        let above = link - 1;
        let mimic = if mimic && link > 1 { format!("<mimic joint=\"j{above}\"/>") } else { String::new() };
        write!(
            text,
            "<link name=\"l{link}\"/><joint name=\"j{link}\" type=\"revolute\"><parent link=\"l{above}\"/>\
             <child link=\"l{link}\"/><origin xyz=\"0.001 0 0\"/><axis xyz=\"0 0 1\"/>{mimic}</joint>"
        )
        .unwrap();
    }
    text + "</robot>"
}

#[test]
fn ten_thousand_links_in_a_row_are_a_robot_like_any_other() {
    let config = ModelConfig { chains: vec![common::chain("snake", "l0", "l9999", "")], contacts: vec![] };
    let model = RobotModel::from_urdf(&long_chain(10_000, false), &config).unwrap();
    assert_eq!(model.joints().len(), 9_999);
    let end = Kinematics::new(&model).contact(0).centre;
    assert!((end.x - 9.999).abs() < 1e-9);
    assert!((LinkPoses::new(&model).pose(9_999).translation.vector - end.coords).amax() < 1e-9);
    assert!(matches!(model.to_k(), Err(ModelError::TooDeepForK { depth: 10_000, .. })));
}

#[test]
fn a_row_of_mimics_and_a_deep_tree_for_k_end_well() {
    let model = RobotModel::from_urdf(&long_chain(2_000, true), &ModelConfig::default()).unwrap();
    assert_eq!(model.joints().len(), 1);
    let model = RobotModel::from_urdf(&long_chain(512, false), &ModelConfig::default()).unwrap();
    assert_eq!(model.to_k().unwrap().dof(), 511);
}

#[test]
fn elements_nested_without_end_are_refused() {
    let config = ModelConfig::default();
    for text in ["<a>".repeat(1_000_000), "<robot>".repeat(200_000) + &"</robot>".repeat(200_000)] {
        assert!(matches!(RobotModel::from_urdf(&text, &config), Err(ModelError::NestedTooDeep { .. })));
    }
}

#[test]
fn nesting_cannot_hide_from_the_guard() {
    let deep = "<b>".repeat(300_000);
    for (before, after) in [
        ("<!DOCTYPE r '>", ""),
        ("<!DOCTYPE r '>", "'>"),
        ("<!DOCTYPE r [<!ENTITY a '>'>]>", ""),
        ("<a '>", "'>"),
        ("<a b='>", ""),
        ("<a b=\">", "\" '>"),
        ("<a b=c'>", "'>"),
        ("</a '>", "'>"),
        ("<r></r '>", "'>"),
        ("<?x '>", "?>"),
        ("<!-->", "-->"),
        ("<!--->", "-->"),
        ("<![CDATA[>", "]]>"),
        ("<r><![CDATA>", "]]>"),
        ("<r><!-", "-->"),
    ] {
        let text = format!("{before}{deep}{after}");
        assert!(RobotModel::from_urdf(&text, &ModelConfig::default()).is_err(), "{before}");
    }
}

#[test]
fn text_that_is_no_urdf_is_an_error() {
    for text in
        ["", " ", "robot", "<robot", "<robot>", "<?xml version=\"1.0\"?>", "{\"robot\": 1}", "\u{0}\u{fffd}"]
    {
        assert!(RobotModel::from_urdf(text, &ModelConfig::default()).is_err(), "{text:?}");
    }
}

/// Loads and, if that succeeds, runs.
fn survive(text: &str) {
    let config = common::legs(4, "base_link", "hoof");
    for config in [config, ModelConfig::default()] {
        if let Ok(model) = RobotModel::from_urdf(text, &config) {
            let q = vec![0.3; model.joints().len()];
            Kinematics::new(&model).update(&q);
            LinkPoses::new(&model).update(&q);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_survived(text in ".{0,200}") {
        survive(&text);
    }

    #[test]
    fn tag_soup_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "<robot name=\"r\">", "</robot>", "<link name=\"a\">", "<link name=\"b\"/>", "</link>", "<joint name=\"j\" type=\"revolute\">",
        "</joint>", "<parent link=\"a\"/>", "<child link=\"b\"/>", "<axis xyz=\"0 0 1\"/>", "<axis xyz=\"1e999 0 0\"/>",
        "<limit lower=\"-1\"/>", "<mimic joint=\"j\"/>", "<origin xyz=\"1 2\"/>", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "?>",
        "&amp;", "&#0;", "&", "\"", "'", ">", "<", "text", "<origin quat_xyzw=\"0 0 0 0\"/>", "<!DOCTYPE r [<!ENTITY a \"b\">]>",
    ]), 0..40)) {
        survive(&parts.concat());
    }

    #[test]
    fn a_pony_with_a_damaged_description_is_survived(
        cuts in prop::collection::vec((0..13_000_usize, 0..60_usize, prop::sample::select(vec![
            "", "nan", "-inf", "1e400", "<", "/>", "\"", "base_link", "fixed", "\u{0}", "é",
        ])), 1..4),
    ) {
        let mut text = common::PONY.to_owned();
        for (at, length, put) in cuts {
            let at = at % text.len();
            let end = (at + length).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, put);
            }
        }
        survive(&text);
    }
}

//! What is wrong is refused with a message that names it; what is right is sorted as promised.
#![allow(clippy::unwrap_used)]

mod common;

use common::{chain, contact};
use robot_model_lib::{ContactConfig, JointKind, JointSlot, ModelConfig, RobotModel};

/// A joint of the small robots below.
fn joint(name: &str, kind: &str, parent: &str, child: &str, rest: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{rest}</joint>"
    )
}

fn robot(links: &[&str], joints: &[String]) -> String {
    let links: String = links.iter().map(|link| format!("<link name=\"{link}\"/>")).collect();
    format!("<robot name=\"r\">{links}{}</robot>", joints.concat())
}

/// The error for a URDF with one chain `leg` from `a` to `b`.
fn refusal(urdf: &str) -> String {
    let config = ModelConfig { chains: vec![chain("leg", "a", "b", "")], contacts: vec![] };
    RobotModel::from_urdf(urdf, &config).unwrap_err().to_string()
}

fn with_joint(rest: &str) -> String {
    robot(&["a", "b"], &[joint("j", "revolute", "a", "b", rest)])
}

#[test]
fn a_broken_tree_is_named() {
    let ab = || joint("j", "revolute", "a", "b", "");
    let cases = [
        (robot(&["a", "b", "a"], &[ab()]), "link \"a\" is defined twice"),
        (robot(&["a", "b", "c"], &[ab(), joint("j", "fixed", "b", "c", "")]), "joint \"j\" is defined twice"),
        (robot(&["a", "b", ""], &[ab()]), "link number 3 has an empty name"),
        (
            robot(&["a", "b"], &[joint("j", "revolute", "x", "b", "")]),
            "joint \"j\": parent link \"x\" does not exist",
        ),
        (
            robot(&["a", "b"], &[joint("j", "revolute", "a", "y", "")]),
            "joint \"j\": child link \"y\" does not exist",
        ),
        (
            robot(&["a", "b"], &[ab(), joint("i", "fixed", "a", "b", "")]),
            "link \"b\" is the child of both joint \"j\" and joint \"i\"",
        ),
        (robot(&["a", "b", "c"], &[ab()]), "links \"a\" and \"c\" both have no parent: a robot has one root"),
        (
            robot(&["a", "b"], &[ab(), joint("i", "revolute", "b", "a", "")]),
            "link \"a\" is part of a cycle of joints",
        ),
        (
            robot(&["r", "a", "b"], &[ab(), joint("i", "revolute", "b", "a", "")]),
            "link \"a\" is part of a cycle of joints",
        ),
        (robot(&["a"], &[joint("j", "revolute", "a", "a", "")]), "link \"a\" is part of a cycle of joints"),
        (robot(&[], &[]), "the robot has no links"),
    ];
    for (urdf, expected) in cases {
        assert_eq!(refusal(&urdf), expected);
    }
}

#[test]
fn a_bad_joint_is_named() {
    let cases = [
        (with_joint("<origin xyz=\"0 nan 0\"/>"), "joint \"j\": its origin is not finite"),
        (with_joint("<origin rpy=\"0 inf 0\"/>"), "joint \"j\": its origin is not finite"),
        (with_joint("<axis xyz=\"0 0 0\"/>"), "joint \"j\": its axis has no direction"),
        (with_joint("<axis xyz=\"0 NaN 1\"/>"), "joint \"j\": its axis is not finite"),
        (
            with_joint("<limit lower=\"1\" upper=\"0\" velocity=\"1\"/>"),
            "joint \"j\": the lower limit lies above the upper one",
        ),
        (
            with_joint("<limit lower=\"nan\" upper=\"0\" velocity=\"1\"/>"),
            "joint \"j\": a limit is not a number",
        ),
        (with_joint("<limit velocity=\"-1\"/>"), "joint \"j\": a velocity or effort limit is negative"),
        (with_joint("<mimic joint=\"m\"/>"), "joint \"j\" mimics \"m\", which does not exist"),
        (with_joint("<mimic joint=\"j\"/>"), "joint \"j\" mimics itself, directly or through other joints"),
        (
            with_joint("<mimic joint=\"j\" multiplier=\"nan\"/>"),
            "joint \"j\": its mimic multiplier or offset is not finite",
        ),
        (
            robot(&["a", "b"], &[joint("j", "floating", "a", "b", "")]),
            "joint \"j\": type floating is not supported (use revolute, continuous, prismatic or fixed)",
        ),
        (
            robot(
                &["a", "b", "c"],
                &[
                    joint("j", "revolute", "a", "b", "<mimic joint=\"i\"/>"),
                    joint("i", "fixed", "b", "c", ""),
                ],
            ),
            "joint \"j\" mimics \"i\", which is fixed",
        ),
        (
            robot(
                &["a", "b", "c"],
                &[
                    joint("j", "revolute", "a", "b", "<mimic joint=\"i\"/>"),
                    joint("i", "revolute", "b", "c", "<mimic joint=\"j\"/>"),
                ],
            ),
            "joint \"j\" mimics itself, directly or through other joints",
        ),
    ];
    for (urdf, expected) in cases {
        assert_eq!(refusal(&urdf), expected);
    }
}

#[test]
fn a_bad_chain_or_contact_is_named() {
    let pony = |config: ModelConfig| RobotModel::from_urdf(common::PONY, &config).unwrap_err().to_string();
    let base = || common::legs(2, "base_link", "hoof");
    let with_chain = |added| {
        let mut config = base();
        config.chains.push(added);
        pony(config)
    };
    let with_contact = |added| {
        let mut config = base();
        config.contacts.push(added);
        pony(config)
    };
    assert_eq!(
        with_chain(chain("x", "base_link", "hoof9", "")),
        "chain \"x\": link \"hoof9\" does not exist"
    );
    assert_eq!(with_chain(chain("x", "base", "head", "")), "chain \"x\": link \"base\" does not exist");
    assert_eq!(
        with_chain(chain("x", "head", "leg3_hoof", "")),
        "chain \"x\": link \"leg3_hoof\" is not below \"head\""
    );
    assert_eq!(
        with_chain(chain("x", "head", "head", "")),
        "chain \"x\": link \"head\" is not below \"head\""
    );
    assert_eq!(with_chain(chain("leg1", "base_link", "head", "")), "chain \"leg1\" is defined twice");
    assert_eq!(with_chain(chain("", "base_link", "head", "")), "chain number 3 has an empty name");
    assert_eq!(
        with_chain(chain("x", "base_link", "head", "paw")),
        "chain \"x\": contact \"paw\" does not exist"
    );
    assert_eq!(
        with_chain(chain("x", "leg1_thigh", "leg1_hoof", "")),
        "joint \"leg1_knee\" belongs to both chain \"leg1\" and chain \"x\""
    );
    assert_eq!(with_contact(contact("sole", &[[0.0; 3]])), "contact \"sole\" is defined twice");
    assert_eq!(with_contact(contact("x", &[])), "contact \"x\": it has no points");
    assert_eq!(
        with_contact(contact("x", &[[0.0, f64::NAN, 0.0]])),
        "contact \"x\": a number of its points or normal is not finite"
    );
    let flat = ContactConfig { normal: [0.0; 3], ..contact("x", &[[0.0; 3]]) };
    assert_eq!(with_contact(flat), "contact \"x\": its normal has no direction");
}

#[test]
fn a_robot_or_chain_that_cannot_move_is_refused() {
    let stiff = robot(&["a", "b"], &[joint("j", "fixed", "a", "b", "")]);
    assert_eq!(refusal(&stiff), "chain \"leg\" has no movable joints of its own between \"a\" and \"b\"");
    let error = RobotModel::from_urdf(&stiff, &ModelConfig::default()).unwrap_err();
    assert_eq!(error.to_string(), "the robot has no movable joints");
}

#[test]
fn joints_are_sorted_chain_by_chain_and_the_rest_as_the_urdf_has_them() {
    let mut config = common::legs(4, "base_link", "hoof");
    config.chains.reverse();
    let model = RobotModel::from_urdf(common::PONY, &config).unwrap();
    let names: Vec<&str> = model.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names.len(), 31);
    assert_eq!(names[..2], ["leg4_hip_yaw", "leg4_hip_roll"]);
    assert_eq!(names[18..24].first(), Some(&"leg1_hip_yaw"));
    let rest = [
        "neck_yaw",
        "neck_pitch",
        "head_pitch",
        "left_ear_pitch",
        "right_ear_pitch",
        "tail_yaw",
        "tail_pitch",
    ];
    assert_eq!(names[24..], rest);
    assert_eq!(model.find_joint("leg3_knee"), JointSlot::Joint { index: 9, chain: Some((1, 3)) });
    assert_eq!(model.find_joint("tail_yaw"), JointSlot::Joint { index: 29, chain: None });
    for (index, joint) in model.joints().iter().enumerate() {
        assert_eq!(model.find_joint(&joint.name), JointSlot::Joint { index, chain: joint.chain });
    }
}

#[test]
fn mimic_joints_are_known_but_not_independent() {
    let model = common::telescope();
    let JointSlot::Joint { index: hip, .. } = model.find_joint("leg1_hip") else { unreachable!() };
    assert_eq!(model.find_joint("leg1_claw1_joint"), JointSlot::Mimic { master: hip });
    let names: Vec<&str> = model.joints().iter().map(|joint| joint.name.as_str()).collect();
    let legs =
        ["leg1_hip", "leg1_slide1", "leg1_ankle", "leg2_hip", "leg2_slide1", "leg2_ankle", "waist_turn"];
    assert_eq!(names, legs);
}

#[test]
fn limits_and_kinds_come_from_the_urdf() {
    let model = common::skew();
    let head = model.joints().last().unwrap();
    assert_eq!(
        (head.kind, head.limits.lower, head.limits.upper),
        (JointKind::Continuous, f64::NEG_INFINITY, f64::INFINITY)
    );
    assert_eq!(model.joints()[0].limits.velocity, 6.0);
    assert_eq!(common::telescope().joints()[1].kind, JointKind::Prismatic);
}

#[test]
fn the_pony_stands_on_four_flat_hooves_at_zero() {
    let kinematics = robot_model_lib::Kinematics::of_contacts(&common::pony());
    for leg in 0..4 {
        let contact = kinematics.contact(leg);
        assert!((contact.normal.z + 1.0).abs() < 1e-12);
        assert!((contact.centre.z - kinematics.contact(0).centre.z).abs() < 1e-12);
        let (values, jacobian) = (kinematics.jacobian(leg).into_owned(), kinematics.jacobian(leg));
        let singular = values.columns(0, 6).into_owned().singular_values();
        assert!(singular.min() > 0.02, "{singular} of {jacobian}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = RobotModel::from_urdf_file("no/such.urdf", &ModelConfig::default()).unwrap_err();
    assert!(error.to_string().starts_with("cannot read no/such.urdf: "));
}

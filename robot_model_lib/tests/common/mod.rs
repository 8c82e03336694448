//! Robots for the tests: the pony, the small ones of `tests/urdf`, and random trees.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write;

use robot_model_lib::{ChainConfig, ContactConfig, ModelConfig, RobotModel};
pub use test_lib::Dice;

pub const PONY: &str = include_str!("../../../config/pony.urdf");
pub const HEXAPOD: &str = include_str!("../urdf/hexapod.urdf");
pub const SKEW: &str = include_str!("../urdf/skew.urdf");
pub const TELESCOPE: &str = include_str!("../urdf/telescope.urdf");

pub fn chain(name: &str, first_link: &str, last_link: &str, default_contact: &str) -> ChainConfig {
    ChainConfig {
        name: name.into(),
        first_link: first_link.into(),
        last_link: last_link.into(),
        default_contact: default_contact.into(),
    }
}

pub fn contact(name: &str, points: &[[f64; 3]]) -> ContactConfig {
    ContactConfig { name: name.into(), points: points.to_vec(), ..ContactConfig::default() }
}

/// `legs` chains `leg1`… from `first` to `leg1_<tip>`…, all with one contact.
pub fn legs(legs: usize, first: &str, tip: &str) -> ModelConfig {
    let leg = |number: usize| chain(&format!("leg{number}"), first, &format!("leg{number}_{tip}"), "sole");
    ModelConfig {
        chains: (1..=legs).map(leg).collect(),
        contacts: vec![
            contact("sole", &[[0.035, 0.03, 0.05], [0.035, -0.03, 0.05], [-0.035, 0.0, 0.05]]),
            ContactConfig { normal: [0.0, 0.6, 0.8], ..contact("edge", &[[0.035, 0.03, 0.04]]) },
        ],
    }
}

pub fn pony() -> RobotModel {
    let mut config = legs(4, "base_link", "hoof");
    config.chains.push(chain("head", "base_link", "head", ""));
    config.chains.push(chain("left_ear", "head", "left_ear", ""));
    config.chains.push(chain("tail", "base_link", "tail", ""));
    RobotModel::from_urdf(PONY, &config).unwrap()
}

pub fn hexapod() -> RobotModel {
    RobotModel::from_urdf(HEXAPOD, &legs(6, "base_link", "foot")).unwrap()
}

pub fn skew() -> RobotModel {
    RobotModel::from_urdf(SKEW, &legs(3, "base_link", "foot")).unwrap()
}

pub fn telescope() -> RobotModel {
    RobotModel::from_urdf(TELESCOPE, &legs(2, "waist", "claw1")).unwrap()
}

pub fn all() -> [RobotModel; 4] {
    [pony(), hexapod(), skew(), telescope()]
}

/// A random tree of `links` links with joints of all types, mimics among them, and one chain from
/// a random link to a random link below it.
pub fn random_robot(dice: &mut Dice, links: usize) -> Option<RobotModel> {
    let (text, config) = random_urdf(dice, links);
    // A tree without movable joints in the chain, or a mimic of a fixed joint, is refused: skipped.
    RobotModel::from_urdf(&text, &config).ok()
}

/// The same, with a box of some mass in each link but a few.
pub fn random_heavy_robot(dice: &mut Dice, links: usize) -> Option<RobotModel> {
    let (mut text, config) = random_urdf(dice, links);
    for link in 0..links {
        if dice.below(5) > 0 {
            let body = format!("<link name=\"l{link}\">{}</link>", box_inertial(dice));
            text = text.replace(&format!("<link name=\"l{link}\"/>"), &body);
        }
    }
    RobotModel::from_urdf(&text, &config).ok()
}

/// A homogeneous box somewhere in the link's frame.
fn box_inertial(dice: &mut Dice) -> String {
    let (mass, [a, b, c]) = (dice.within(0.05, 3.0), [0; 3].map(|_| dice.within(0.01, 0.3).powi(2)));
    let join = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
    let (xyz, rpy) = (join(dice.numbers(0.1)), join(dice.numbers(3.0)));
    let [ixx, iyy, izz] = [b + c, a + c, a + b].map(|sum| mass * sum / 12.0);
    format!(
        "<inertial><origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><mass value=\"{mass}\"/>\
         <inertia ixx=\"{ixx}\" ixy=\"0\" ixz=\"0\" iyy=\"{iyy}\" iyz=\"0\" izz=\"{izz}\"/></inertial>"
    )
}

fn random_urdf(dice: &mut Dice, links: usize) -> (String, ModelConfig) {
    let mut text = String::from("<robot name=\"random\"><link name=\"l0\"/>");
    let mut parents = vec![0];
    for link in 1..links {
        // Mostly a chain, sometimes a branch.
        let parent = if dice.below(3) == 0 { dice.below(link) } else { link - 1 };
        parents.push(parent);
        let kind = ["revolute", "continuous", "prismatic", "fixed", "revolute"][dice.below(5)];
        let join = |numbers: [f64; 3]| numbers.map(|number| number.to_string()).join(" ");
        let axis = match dice.below(3) {
            0 => ["1 0 0", "0 -1 0", "0 0 1", "0 0 -1"][dice.below(4)].to_owned(),
            _ => join(dice.numbers(1.0)),
        };
        let (xyz, rpy) = (join(dice.numbers(0.3)), join(dice.numbers(3.0)));
        let mimic = match dice.below(6) {
            0 if link > 1 => {
                format!("<mimic joint=\"j{}\" multiplier=\"-0.7\" offset=\"0.2\"/>", 1 + dice.below(link - 1))
            }
            _ => String::new(),
        };
        write!(
            text,
            "<link name=\"l{link}\"/><joint name=\"j{link}\" type=\"{kind}\"><parent link=\"l{parent}\"/>\
             <child link=\"l{link}\"/><origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/>{mimic}</joint>"
        )
        .unwrap();
    }
    text.push_str("</robot>");
    let last = links - 1;
    let mut first = last;
    for _ in 0..=dice.below(links) {
        first = parents[first];
    }
    let config = ModelConfig {
        chains: vec![chain("limb", &format!("l{first}"), &format!("l{last}"), "sole")],
        contacts: vec![ContactConfig {
            normal: dice.numbers(1.0),
            ..contact("sole", &[dice.numbers(0.1), dice.numbers(0.1)])
        }],
    };
    (text, config)
}

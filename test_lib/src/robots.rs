//! The example robots as `config/` has them. A file that is missing or wrong ends the test.
#![allow(clippy::unwrap_used, clippy::panic)]

use param_lib::{Overrides, Params, Table};
use robot_model_lib::{ModelConfig, RobotModel, RobotParams};

/// The text of a file of `config/`.
pub fn config(file: &str) -> String {
    let path = format!("{}/../config/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a file of `config/` makes of a node's parameters; `node` is the node's name with its slash.
pub fn shipped<P: Params>(file: &str, node: &str) -> P {
    let overrides = Overrides::from_text(&config(file)).unwrap().for_node(node);
    let specs = P::specs_for(&overrides).unwrap();
    P::read(&Table::declare_all(specs, &overrides).unwrap()).unwrap()
}

/// Chains and contacts of `pony`, `hexapod` or `quadruped`.
pub fn chains(robot: &str) -> ModelConfig {
    let file = if robot == "pony" { "robot.yaml".into() } else { format!("{robot}/robot.yaml") };
    RobotParams::from_file_text(&config(&file)).unwrap().config().unwrap()
}

/// `pony`, `hexapod` or `quadruped`.
pub fn robot(name: &str) -> RobotModel {
    RobotModel::from_urdf(&config(&format!("{name}.urdf")), &chains(name)).unwrap()
}

/// Four legs of six joints on flat feet, a head with ears and a tail.
pub fn pony() -> RobotModel {
    robot("pony")
}

/// Six legs of three joints on point feet.
pub fn hexapod() -> RobotModel {
    robot("hexapod")
}

/// Four legs of three joints on point feet.
pub fn quadruped() -> RobotModel {
    robot("quadruped")
}

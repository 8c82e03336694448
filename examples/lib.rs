//! What the examples share: the pony of `config/`, as its files describe it.

use anyhow::Context;
use param_lib::Overrides;
use robot_model_lib::{RobotModel, RobotParams};
use std::path::Path;

/// A file of `config/`.
pub fn config(name: &str) -> anyhow::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config").join(name);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// The pony: its URDF, with chains and contacts as `robot.yaml` names them.
pub fn pony() -> anyhow::Result<RobotModel> {
    let chains = RobotParams::from_file_text(&config("robot.yaml")?)?.config()?;
    Ok(RobotModel::from_urdf(&config("pony.urdf")?, &chains)?)
}

/// What a parameter file says to one node.
pub fn said_to(node: &str, file: &str) -> anyhow::Result<Vec<param_lib::Override>> {
    Ok(Overrides::from_text(&config(file)?)?.for_node(node))
}

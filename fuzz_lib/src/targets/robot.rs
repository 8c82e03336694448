//! The robot that messages are for: the pony, as config/ has it.

use param_lib::{Overrides, Params, Table};
use robot_model_lib::{ModelConfig, RobotModel, RobotParams};

pub(crate) const ROBOT: &str = include_str!("../../../config/robot.yaml");
const URDF: &str = include_str!("../../../config/pony.urdf");

pub(crate) fn config() -> anyhow::Result<ModelConfig> {
    Ok(RobotParams::from_file_text(ROBOT)?.config()?)
}

pub(crate) fn pony() -> anyhow::Result<RobotModel> {
    Ok(RobotModel::from_urdf(URDF, &config()?)?)
}

/// Parameters of a node with these files.
pub(crate) fn params<P: Params>(node: &str, file: &str) -> anyhow::Result<P> {
    let overrides = Overrides::from_text(file)?.for_node(node);
    Ok(P::read(&Table::declare_all(P::specs(), &overrides)?)?)
}

pub(crate) fn joint_names(model: &RobotModel) -> Vec<String> {
    model.joints().iter().map(|joint| joint.name.clone()).collect()
}

pub(crate) fn chain_names(model: &RobotModel) -> Vec<String> {
    model.chains().iter().map(|chain| chain.name.clone()).collect()
}

/// What comes out is finite, whatever went in.
pub(crate) fn assert_finite(what: &str, values: &[f64]) {
    assert!(values.iter().all(|value| value.is_finite()), "{what} is not finite: {values:?}");
}

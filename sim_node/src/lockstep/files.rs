//! A robot as its folder of parameter files has it.

use crate::params::RobotSimParams;
use crate::{Drive, SimError};
use agregator_node::AgregatorParams;
use dynamics_node::DynamicsParams;
use gait_node::GaitParams;
use herkulex_node::params::BridgeParams;
use param_lib::{Overrides, Params, Table};
use robot_model_lib::{ModelConfig, RobotModel, RobotParams};
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::{InverseParams, models};
use std::path::Path;

/// What the nodes of the control path read of a robot, and `robot_sim` of its world.
#[derive(Clone, Debug)]
pub struct RobotFiles {
    pub(super) urdf: String,
    /// Its limbs and where they touch the ground.
    pub config: ModelConfig,
    /// How it walks.
    pub gait: GaitParams,
    pub(super) agregator: AgregatorParams,
    /// How efforts are worked out.
    pub dynamics: DynamicsParams,
    pub(super) inverse: InverseParams,
    pub(super) bridge: BridgeParams,
    pub(super) drives: Vec<Drive>,
    /// What `robot_sim` is given of its world.
    pub world: RobotSimParams,
}

impl RobotFiles {
    /// Reads a folder like `config/`, and the URDF.
    pub fn read(folder: &Path, urdf: &Path) -> Result<RobotFiles, SimError> {
        let bridge = text(&folder.join("herkulex.yaml"))?;
        let robot = text(&folder.join("robot.yaml"))?;
        let robot = RobotParams::from_file_text(&robot).map_err(|e| wrong("robot.yaml", &e))?;
        Ok(RobotFiles {
            urdf: text(urdf)?,
            config: robot.config().map_err(|e| wrong("robot.yaml", &e))?,
            gait: params(folder, "gait.yaml", "/gait_node")?,
            agregator: params(folder, "agregator.yaml", "/agregator_node")?,
            dynamics: params(folder, "dynamics.yaml", "/dynamics_node")?,
            inverse: params(folder, "servo_inv.yaml", "/servo_inv_param")?,
            bridge: params(folder, "herkulex.yaml", "/herkulex_node")?,
            drives: Drive::from_bridge_file(&bridge).map_err(|e| wrong("herkulex.yaml", &e))?,
            world: params(folder, "robot_sim.yaml", "/robot_sim")?,
        })
    }

    /// The robot itself.
    pub fn model(&self) -> Result<RobotModel, SimError> {
        RobotModel::from_urdf(&self.urdf, &self.config).map_err(|e| wrong("URDF", &e))
    }

    pub(super) fn inverse(&self) -> Result<ServoInverse, SimError> {
        let InverseParams { default_servo_model, servo_models, .. } = &self.inverse;
        let models = models(default_servo_model, servo_models).map_err(|e| wrong("servo_inv.yaml", &e))?;
        Ok(ServoInverse::new(Settings::from(&self.inverse), models))
    }
}

fn text(path: &Path) -> Result<String, SimError> {
    std::fs::read_to_string(path).map_err(|e| wrong(&path.display().to_string(), &e))
}

fn params<P: Params>(folder: &Path, file: &str, node: &str) -> Result<P, SimError> {
    let text = text(&folder.join(file))?;
    let read = || P::read(&Table::declare_all(P::specs(), &Overrides::from_text(&text)?.for_node(node))?);
    read().map_err(|e| wrong(file, &e))
}

pub(super) fn wrong(what: &str, reason: &dyn std::fmt::Display) -> SimError {
    SimError::Robot { what: what.into(), reason: reason.to_string() }
}

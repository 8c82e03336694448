//! The robot that a node works for.

use crate::{Log, Node, Setup, qos};
use anyhow::Context as _;
use param_lib::{Override, Value};
use r2r::std_msgs::msg::String as Text;
use robot_model_lib::{RobotModel, RobotParams, compact_xml};

impl<N: Node> Setup<N> {
    /// Gives the node its robot: at once from the parameter `robot_description`, else from the latched topic
    /// `robot_description` of the namespace, again whenever that speaks of another one. A bad parameter ends the start; a bad message is
    /// reported and the robot stays the one that it was.
    pub fn robot(
        &mut self,
        state: &mut N,
        params: &RobotParams,
        load: impl Fn(&mut N, RobotModel) -> anyhow::Result<()> + 'static,
    ) -> anyhow::Result<()> {
        let config = params.config()?;
        let log = self.log();
        let take = move |state: &mut N, urdf: &str| {
            let model = RobotModel::from_urdf(urdf, &config).context("robot_description")?;
            let found = summary(&model);
            load(state, model)?;
            log.info(found);
            anyhow::Ok(())
        };
        if !params.robot_description.is_empty() {
            return take(state, &params.robot_description);
        }
        let log: Log = self.log();
        log.info("waiting for the robot on /robot_description (or give the parameter robot_description)");
        let mut known = String::new();
        self.on("robot_description", qos::LATCHED, move |state: &mut N, text: &Text| {
            if text.data == known {
                return;
            }
            match take(state, &text.data) {
                Ok(()) => known.clone_from(&text.data),
                Err(e) => log.error(format!("{e:#}; waiting for another")),
            }
        })
    }
}

/// The robot's parameter as one line without comments: `ros2 param load` would fall over the colon of a comment in a dump.
pub(crate) fn compact_robot(overrides: &mut [Override]) {
    for o in overrides.iter_mut().filter(|o| o.name == "robot_description") {
        if let Value::Text(urdf) = &mut o.value {
            *urdf = compact_xml(urdf);
        }
    }
}

fn summary(model: &RobotModel) -> String {
    let (name, joints, chains) = (model.name(), model.joints().len(), model.chains().len());
    format!("robot \"{name}\": {joints} joints, {chains} chains")
}

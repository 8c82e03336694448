//! `robot_sim`: the robot on a floor, on ROS.

mod messages;
mod watched;

use crate::params::RobotSimParams;
use crate::{Drive, World};
use anyhow::Context as _;
use herkulex_node::pty::Simulator;
use herkulex_node::sim::{SimBus, Supply};
use messages::Ports;
use nalgebra::Vector3;
use node_lib::r2r::gait_msgs::srv::Push;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Level, Log, Node, Setup, output, service};
use robot_model_lib::{ModelConfig, RobotModel};
use watched::{Figures, Order, Shared, Watched};

/// The robot in its world, with servos on a pseudo-terminal and true values as topics.
pub struct RobotSim {
    shared: Shared,
    simulator: Option<Simulator>,
    params: RobotSimParams,
    config: ModelConfig,
    drives: Vec<Drive>,
    ports: Ports,
    log: Log,
}

impl Node for RobotSim {
    type Params = RobotSimParams;
    const ABOUT: About = About {
        name: "robot_sim",
        purpose: "The robot on a floor, with weight: MuJoCo's physics under simulated HerkuleX servos, whose bus is a pseudo-terminal.\n\
                  Faults on demand: set a parameter while it runs.",
        endpoints: &[
            output("truth/odom", "nav_msgs/Odometry", "where the base really is"),
            output(
                "truth/joint_states",
                "sensor_msgs/JointState",
                "where the joints really are, and what their servos give",
            ),
            output(
                "truth/contacts",
                "gait_msgs/SupportState",
                "share of the weight on each foot; 0 in the air",
            ),
            output(
                "truth/forces",
                "sensor_msgs/MultiDOFJointState",
                "places of the feet and what the ground gives them, in the world",
            ),
            output("truth/fallen", "std_msgs/Bool", "whether the robot has fallen; kept for late readers"),
            output("imu", "sensor_msgs/Imu", "gyro and accelerometer with noise and bias"),
            service("~/push", "gait_msgs/Push", "pushes a link for a while"),
            service("~/reset", "std_srvs/Trigger", "puts the robot back to where it started"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: RobotSimParams) -> anyhow::Result<Self> {
        anyhow::ensure!(
            !params.servo_file.is_empty(),
            "parameter \"servo_file\" must name the bridge's parameter file"
        );
        let text = std::fs::read_to_string(&params.servo_file)
            .with_context(|| format!("parameter \"servo_file\": {}", params.servo_file))?;
        let drives = Drive::from_bridge_file(&text).with_context(|| params.servo_file.clone())?;
        anyhow::ensure!(!drives.is_empty(), "{}: no servos of herkulex_node there", params.servo_file);
        let robot = params.robot.0.clone();
        let mut node = RobotSim {
            shared: Shared::default(),
            simulator: None,
            config: robot.config()?,
            drives,
            ports: Ports::open(setup)?,
            params,
            log: setup.log(),
        };
        setup.robot(&mut node, &robot, |node, model| node.start(&model))?;
        setup.on_params(|node, params| {
            if let Some(simulator) = &node.simulator {
                simulator.set(params.conditions());
            }
            node.params = params.clone();
            Ok(())
        });
        setup.service::<Push::Service>("~/push", |node, request| {
            let force = Vector3::new(request.force.x, request.force.y, request.force.z);
            let result = node.shared.orders.give(Order::Push {
                link: request.link,
                force,
                duration: request.duration,
            });
            Push::Response { success: result.is_ok(), message: result.err().unwrap_or_default() }
        })?;
        setup.service::<Trigger::Service>("~/reset", |node, _| {
            let result = node.shared.orders.give(Order::Reset);
            Trigger::Response { success: result.is_ok(), message: result.err().unwrap_or_default() }
        })?;
        setup.diagnostics(|node, report| {
            let Figures { processor, steps, fallen, waiting, .. } = node.shared.figures();
            report.value("physics steps", steps);
            report.value("processor, % of a core", format!("{:.1}", processor * 100.0));
            if waiting {
                report.say(Level::Warn, "the robot is held until all servos have torque");
            }
            if fallen {
                report.say(Level::Error, "the robot has fallen");
            }
        });
        Ok(node)
    }
}

impl RobotSim {
    fn start(&mut self, model: &RobotModel) -> anyhow::Result<()> {
        // The old one first: it has the port.
        self.simulator = None;
        let params = &self.params;
        let world = World::new(
            model,
            &self.config,
            self.drives.clone(),
            &params.scene(),
            &params.start,
            params.hold_until_torque,
        )?;
        let servos = world.servos();
        let names = self.drives.iter().map(|drive| drive.joint.clone()).collect();
        let ports = self.ports.of_robot(model.link_names().next().unwrap_or_default(), params);
        let watched = Watched::new(world, self.shared.clone(), ports, params, names, self.log.clone());
        let supply: Supply = params.conditions().supply;
        let bus = SimBus::with_plant(params.settings(), servos, supply, watched);
        self.simulator = Some(Simulator::start(bus, params.conditions(), params.link.clone().into())?);
        let count = self.drives.len();
        self.log.info(format!("{count} servos at {} baud on {}", params.baud, params.link));
        Ok(())
    }
}

//! `herkulex_sim`: a bus of HerkuleX servos on a pseudo-terminal.

use crate::pty::Simulator;
use crate::sim_params::SimParams;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{About, Node, Setup, fill_names, input, output, qos};
use param_lib::{Overrides, Params, Table};
use std::process::ExitCode;
use std::time::Duration;

/// Simulated servos on a pseudo-terminal, with their parameters and topics.
pub struct SimNode {
    simulator: Simulator,
}

/// Runs it, with ROS or, with `--plain`, without.
pub fn run() -> ExitCode {
    if std::env::args().nth(1).as_deref() != Some("--plain") {
        return node_lib::run::<SimNode>();
    }
    match plain() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{}: {e:#}", SimNode::ABOUT.name);
            ExitCode::FAILURE
        }
    }
}

/// Without ROS: the same parameters, at the start only.
fn plain() -> anyhow::Result<()> {
    let mut args: Vec<String> = std::env::args().collect();
    args.remove(1);
    let overrides = Overrides::from_args(&args)?.for_node(&format!("/{}", SimNode::ABOUT.name));
    let table = Table::declare_all(SimParams::specs(), &overrides)?;
    // A `/**` section is for all nodes, and may hold what this one does not know.
    if let Some(stray) = overrides.iter().find(|o| o.exact && table.get(&o.name).is_none()) {
        return Err(table.unknown(&stray.name).into());
    }
    let params = SimParams::read(&table)?;
    let simulator = params.start()?;
    println!("{} servos at {} baud on {}", params.ids.len(), params.baud, params.link);
    simulator.join();
    Ok(())
}

impl Node for SimNode {
    type Params = SimParams;
    const ABOUT: About = About {
        name: "herkulex_sim",
        purpose: "A bus of HerkuleX servos on a pseudo-terminal, paced at the baud rate, with faults on demand: set a parameter\n\
                  while it runs. `herkulex_sim --plain …` runs the same without ROS.",
        endpoints: &[
            input("~/load", "sensor_msgs/JointState", "what pulls at the shafts: name = id, effort in N·m"),
            output(
                "~/shafts",
                "sensor_msgs/JointState",
                "where the servos really are: name = id, effort = 1 with torque, 0 without",
            ),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: SimParams) -> anyhow::Result<Self> {
        let mut shafts = setup.port::<JointState>("~/shafts", qos::NEWEST)?;
        let (log, clock) = (setup.log(), setup.clock());
        let simulator = params.start()?;
        setup.on_params(|node, params| {
            node.simulator.set(params.conditions());
            Ok(())
        });
        setup.on("~/load", qos::NEWEST, |node: &mut SimNode, message: &JointState| node.load(message))?;
        setup.every(Duration::from_millis(20), move |node| {
            let truth = node.simulator.truth();
            let ids: Vec<String> = truth.iter().map(|t| t.id.to_string()).collect();
            shafts.send(|message| {
                message.header.stamp = clock.now();
                fill_names(&mut message.name, ids.iter().map(String::as_str));
                message.position.clear();
                message.position.extend(truth.iter().map(|t| t.angle));
                message.effort.clear();
                message.effort.extend(truth.iter().map(|t| f64::from(u8::from(t.on))));
            });
        });
        setup.diagnostics(|node, report| {
            let truth = node.simulator.truth();
            report.value("servos", truth.len()).value("with torque", truth.iter().filter(|t| t.on).count());
        });
        log.info(format!("{} servos at {} baud on {}", params.ids.len(), params.baud, params.link));
        Ok(SimNode { simulator })
    }
}

impl SimNode {
    /// Takes what is a number of a servo's; nothing else can hurt the simulator.
    fn load(&mut self, message: &JointState) {
        for (name, torque) in message.name.iter().zip(&message.effort) {
            if let (Ok(id), true) = (name.parse(), torque.is_finite()) {
                self.simulator.load(id, *torque);
            }
        }
    }
}

//! `herkulex_sim`: a bus of HerkuleX servos on a pseudo-terminal.

use crate::pty::Simulator;
use crate::sim_params::SimParams;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{About, Port, Setup, qos};
use param_lib::{Overrides, Params, Table};
use std::process::ExitCode;
use std::time::Duration;

const ABOUT: About = About {
    name: "herkulex_sim",
    purpose: "A bus of HerkuleX servos on a pseudo-terminal, paced at the baud rate, with faults on demand: set a parameter\n\
              while it runs. `herkulex_sim --plain …` runs the same without ROS.",
    ports: &[Port {
        name: "~/shafts",
        kind: "sensor_msgs/JointState",
        role: "out",
        doc: "where the servos really are: name = id, effort = 1 with torque, 0 without",
    }],
};

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--plain") {
        return match plain() {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => {
                eprintln!("{}: {e:#}", ABOUT.name);
                ExitCode::FAILURE
            }
        };
    }
    node_lib::run(ABOUT, build)
}

/// Without ROS: the same parameters, at the start only.
fn plain() -> anyhow::Result<()> {
    let mut args: Vec<String> = std::env::args().collect();
    args.remove(1);
    let overrides = Overrides::from_args(&args)?.for_node(&format!("/{}", ABOUT.name));
    let table = Table::declare_all(SimParams::specs(), &overrides)?;
    if let Some(stray) = overrides.iter().find(|o| table.get(&o.name).is_none()) {
        return Err(table.unknown(&stray.name).into());
    }
    let params = SimParams::read(&table)?;
    let simulator = params.start()?;
    println!("{} servos at {} baud on {}", params.ids.len(), params.baud, params.link);
    simulator.join();
    Ok(())
}

fn build(setup: &mut Setup<Simulator, SimParams>, params: SimParams) -> anyhow::Result<Simulator> {
    let shafts = setup.publisher::<JointState>("~/shafts", qos::NEWEST)?;
    let (log, clock) = (setup.log(), setup.clock());
    let simulator = params.start()?;
    setup.on_params(|simulator, params| {
        simulator.set(params.conditions());
        Ok(())
    });
    let mut message = JointState::default();
    let unsent = log.clone();
    setup.every(Duration::from_millis(20), move |simulator| {
        let truth = simulator.truth();
        message.header.stamp = clock.now();
        message.name.clear();
        message.name.extend(truth.iter().map(|t| t.id.to_string()));
        message.position.clear();
        message.position.extend(truth.iter().map(|t| t.angle));
        message.effort.clear();
        message.effort.extend(truth.iter().map(|t| f64::from(u8::from(t.on))));
        if let Err(e) = shafts.publish(&message) {
            unsent.error(format!("could not publish: {e}"));
        }
    });
    setup.diagnostics(|simulator, report| {
        let truth = simulator.truth();
        report.value("servos", truth.len()).value("with torque", truth.iter().filter(|t| t.on).count());
    });
    log.info(format!("{} servos at {} baud on {}", params.ids.len(), params.baud, params.link));
    Ok(simulator)
}

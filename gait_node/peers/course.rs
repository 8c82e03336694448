//! Walks a course without ROS and prints the joints of every cycle: a header of names, then positions, for other programs
//! to try. Arguments: URDF, robot.yaml, gait.yaml, then parts of `GAIT:SECONDS:FORWARD:LEFT:TURN`.

use anyhow::{Context, ensure};
use gait_node::{Activity, GaitParams, Velocity, Walker};
use param_lib::{Overrides, Params, Table};
use robot_model_lib::{RobotModel, RobotParams};
use std::io::Write;

const PERIOD: f64 = 0.01;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    ensure!(args.len() > 3, "usage: course URDF ROBOT_YAML GAIT_YAML GAIT:SECONDS:FORWARD:LEFT:TURN…");
    let read = |path: &String| std::fs::read_to_string(path).with_context(|| path.clone());
    let config = RobotParams::from_file_text(&read(&args[1])?)?.config()?;
    let model = RobotModel::from_urdf(&read(&args[0])?, &config)?;
    let overrides = Overrides::from_text(&read(&args[2])?)?.for_node("/gait_node");
    let params = GaitParams::read(&Table::declare_all(GaitParams::specs(), &overrides)?)?;
    let mut walker = Walker::new(model, GaitParams { wait_for_pose: false, ..params.clone() }, PERIOD)?;

    let out = std::io::stdout();
    let mut out = std::io::BufWriter::new(out.lock());
    let names: Vec<&str> = walker.model().joints().iter().map(|joint| joint.name.as_str()).collect();
    writeln!(out, "{}", names.join(" "))?;
    let mut step = |walker: &mut Walker| {
        walker.step(PERIOD, 1.0, &mut |note| eprintln!("{note}"));
        let row: Vec<String> = walker.positions().iter().map(|q| format!("{q:.9}")).collect();
        writeln!(out, "{}", row.join(" "))
    };
    step(&mut walker)?;
    while walker.activity() == Activity::Rising {
        step(&mut walker)?;
    }
    for part in &args[3..] {
        let words: Vec<&str> = part.split(':').collect();
        let [gait, numbers @ ..] = words.as_slice() else { continue };
        let numbers = numbers.iter().map(|n| n.parse::<f64>()).collect::<Result<Vec<_>, _>>()?;
        ensure!(numbers.len() == 4, "{part}: GAIT:SECONDS:FORWARD:LEFT:TURN");
        walker.set_params(GaitParams { gait: (*gait).into(), ..params.clone() })?;
        for _ in 0..(numbers[0] / PERIOD) as usize {
            walker.command(Velocity { forward: numbers[1], left: numbers[2], turn: numbers[3] });
            step(&mut walker)?;
        }
    }
    Ok(())
}

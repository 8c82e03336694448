//! A motion as this robot would play it, sampled without ROS, for programs that draw: lines of a word and its values.
//! Arguments: URDF, robot.yaml, gait.yaml, motion file. What was changed so that the robot can play it goes to stderr, as does why it cannot.

use anyhow::{Context, ensure};
use gait_node::{GaitParams, Motion, MotionRules, read_motion};
use param_lib::{Overrides, Params, Table};
use robot_model_lib::{RobotModel, RobotParams};
use std::io::Write;

const PERIOD: f64 = 0.01;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    ensure!(args.len() == 4, "usage: motion URDF ROBOT_YAML GAIT_YAML MOTION");
    let read = |path: &String| std::fs::read_to_string(path).with_context(|| path.clone());
    let config = RobotParams::from_file_text(&read(&args[1])?)?.config()?;
    let model = RobotModel::from_urdf(&read(&args[0])?, &config)?;
    let overrides = Overrides::from_text(&read(&args[2])?)?.for_node("/gait_node");
    let params = GaitParams::read(&Table::declare_all(GaitParams::specs(), &overrides)?)?;
    let file = std::fs::read(&args[3]).with_context(|| args[3].clone())?;
    let trajectory = read_motion(file).map_err(|e| anyhow::anyhow!("{}: {e}", args[3]))?;
    let motion =
        Motion::new(&trajectory, &model, &MotionRules::from(&params)).with_context(|| args[3].clone())?;
    let adjustments = motion.adjustments().to_string();
    if !adjustments.is_empty() {
        eprintln!("{adjustments}");
    }

    let count = model.joints().len();
    let steps = (motion.duration() / PERIOD).ceil() as usize;
    let times: Vec<f64> = (0..=steps).map(|k| (k as f64 * PERIOD).min(motion.duration())).collect();
    let mut rows = vec![];
    for time in &times {
        // What the motion does not move stays NaN.
        let (mut q, mut qd) = (vec![f64::NAN; count], vec![f64::NAN; count]);
        motion.write(*time, &mut q, &mut qd);
        rows.push((q, qd));
    }
    let out = std::io::stdout();
    let mut out = std::io::BufWriter::new(out.lock());
    let words = |values: &mut dyn Iterator<Item = f64>| {
        values.map(|v| format!("{v:.6}")).collect::<Vec<_>>().join(" ")
    };
    writeln!(out, "times {}", words(&mut times.iter().copied()))?;
    for (at, joint) in model.joints().iter().enumerate().filter(|(at, _)| !rows[0].0[*at].is_nan()) {
        let limits = joint.limits;
        writeln!(out, "joint {} {} {} {}", joint.name, limits.lower, limits.upper, limits.velocity)?;
        writeln!(out, "position {}", words(&mut rows.iter().map(|(q, _)| q[at])))?;
        writeln!(out, "velocity {}", words(&mut rows.iter().map(|(_, qd)| qd[at])))?;
    }
    for (chain, _) in motion.supports(0.0) {
        let at = |time: &f64| motion.supports(*time).find(|(own, _)| *own == chain).map_or(0.0, |(_, s)| s);
        writeln!(out, "support {} {}", model.chains()[chain].name, words(&mut times.iter().map(at)))?;
    }
    Ok(())
}

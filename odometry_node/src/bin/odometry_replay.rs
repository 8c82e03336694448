//! `odometry_replay`: the odometry of a recorded bag.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use odometry_node::OdometryParams;
use odometry_node::replay::{Bag, Replay, Role, Topics, draw, replay};
use param_lib::{Overrides, Params as _, Table};
use robot_model_lib::RobotModel;

const HELP: &str = "odometry_replay

Where the body was, from the joints of a recorded bag: what odometry_node would have said, as fast as the bag can be read.

Usage: odometry_replay BAG --urdf FILE --config FILE [--out FILE] [--plot FILE] …

  BAG              a rosbag2 folder, or one of its files: .mcap or .db3, plain or .zstd
  --urdf FILE      the robot (or robot_description in the config)
  --config FILE    parameters of odometry_node; may stand several times, e.g. robot.yaml and odometry.yaml
  --out FILE       mcap with body, odom, /tf and support_out, and limb_poses and every link when the config asks for them
  --plot FILE      SVG: path with footprints, height, heading, gait diagram
  --compress       compress the mcap (zstd); smaller and slower
  --joints TOPIC   sensor_msgs/JointState             (default: the topic that ends in /joints)
  --support TOPIC  gait_msgs/SupportState             (default: /support; \"\" = search for contacts instead)
  --body-in TOPIC  sensor_msgs/MultiDOFJointState     (default: /body_in; \"\" = none)
  --sync TOPIC     gait_msgs/SyncStep                 (default: /sync; \"\" = none)
  --quiet          no summary and no progress
  --help           this

The same bag and the same files give the same bytes.";

#[derive(Default)]
struct Options {
    bag: Option<PathBuf>,
    urdf: Option<PathBuf>,
    configs: Vec<String>,
    out: Option<PathBuf>,
    plot: Option<PathBuf>,
    compress: bool,
    quiet: bool,
    topics: Topics,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    if args.is_empty() || args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match parse(args.into_iter()).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("odometry_replay: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> anyhow::Result<Options> {
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value; see --help"));
        match arg.as_str() {
            "--urdf" => options.urdf = Some(value()?.into()),
            "--config" => options.configs.push(value()?),
            "--out" => options.out = Some(value()?.into()),
            "--plot" => options.plot = Some(value()?.into()),
            "--joints" => options.topics.give(Role::Joints, &value()?),
            "--support" => options.topics.give(Role::Support, &value()?),
            "--body-in" => options.topics.give(Role::Body, &value()?),
            "--sync" => options.topics.give(Role::Sync, &value()?),
            "--compress" => options.compress = true,
            "--quiet" => options.quiet = true,
            other if other.starts_with("--") => bail!("unknown argument \"{other}\"; see --help"),
            _ if options.bag.is_some() => bail!("a second bag, \"{arg}\"; see --help"),
            _ => options.bag = Some(arg.into()),
        }
    }
    Ok(options)
}

/// The parameters that the node would have with these files.
fn params(configs: &[String]) -> anyhow::Result<OdometryParams> {
    let files = configs.iter().flat_map(|file| ["--params-file", file.as_str()]);
    let args: Vec<&str> = ["odometry_replay", "--ros-args"].into_iter().chain(files).collect();
    let overrides = Overrides::from_args(&args)?.for_node("/odometry_node");
    let table = Table::declare_all(OdometryParams::specs(), &overrides)?;
    for stray in
        overrides.iter().filter(|o| o.exact && o.name != "use_sim_time" && table.get(&o.name).is_none())
    {
        eprintln!("odometry_replay: warning: {}", table.unknown(&stray.name));
    }
    Ok(OdometryParams::read(&table)?)
}

fn model(urdf: Option<&Path>, params: &OdometryParams) -> anyhow::Result<RobotModel> {
    let config = params.robot.0.config()?;
    let description = &params.robot.0.robot_description;
    match urdf {
        Some(path) => RobotModel::from_urdf_file(path, &config).with_context(|| path.display().to_string()),
        None if description.is_empty() => bail!("which robot? give --urdf FILE"),
        None => RobotModel::from_urdf(description, &config).context("robot_description"),
    }
}

fn run(options: &Options) -> anyhow::Result<()> {
    let bag = options.bag.as_deref().context("which bag? see --help")?;
    let params = params(&options.configs)?;
    let job = Replay {
        bag: Bag::open(bag)?,
        topics: options.topics.clone(),
        model: model(options.urdf.as_deref(), &params)?,
        params,
        out: options.out.clone(),
        compress: options.compress,
    };
    let mut bar = Bar { shown: if options.quiet || !std::io::stderr().is_terminal() { u32::MAX } else { 0 } };
    let (summary, warnings) = replay(&job, |share| bar.show(share))?;
    bar.clear();
    if !options.quiet {
        print!("{summary}");
    }
    if let Some(plot) = &options.plot {
        std::fs::write(plot, draw(&summary)).with_context(|| format!("cannot write {}", plot.display()))?;
    }
    for warning in warnings {
        eprintln!("odometry_replay: warning: {warning}");
    }
    Ok(())
}

/// A progress bar, on a terminal only.
struct Bar {
    /// Permille shown; the largest number when there is no terminal.
    shown: u32,
}

impl Bar {
    fn show(&mut self, share: f64) {
        let permille = (share * 1000.0) as u32;
        if self.shown == u32::MAX || permille <= self.shown {
            return;
        }
        self.shown = permille;
        let full = (permille / 25).min(40) as usize;
        eprint!("\r[{}{}] {:5.1} %", "█".repeat(full), "░".repeat(40 - full), share * 100.0);
        let _ = std::io::stderr().flush();
    }

    fn clear(&self) {
        if self.shown != u32::MAX && self.shown > 0 {
            eprint!("\r{:60}\r", "");
        }
    }
}

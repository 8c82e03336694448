//! `odometry_replay`: the odometry of a recorded bag.

mod bar;
mod options;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use odometry_node::OdometryParams;
use odometry_node::replay::{
    Bag, Replay, Trajectory, check_targets, compare, description, draw, replay, write_new,
};
use param_lib::{Overrides, Params as _, Table};
use robot_model_lib::RobotModel;

use bar::Bar;
use options::{HELP, Options, parse};

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

/// The parameters that the node would have with these files and rules.
fn params(options: &Options) -> anyhow::Result<OdometryParams> {
    let files = options.configs.iter().flat_map(|file| ["--params-file", file.as_str()]);
    let rules = options.params.iter().flat_map(|rule| ["-p", rule.as_str()]);
    let args: Vec<&str> = ["odometry_replay", "--ros-args"].into_iter().chain(files).chain(rules).collect();
    let overrides = Overrides::from_args(&args)?.for_node("/odometry_node");
    let table = Table::declare_all(OdometryParams::specs(), &overrides)?;
    // A file may be for many nodes; what stands on the command line is meant for this one.
    let ruled = |name: &str| {
        options.params.iter().any(|rule| rule.split_once(":=").is_some_and(|(given, _)| given == name))
    };
    for stray in overrides.iter().filter(|o| o.name != "use_sim_time" && table.get(&o.name).is_none()) {
        match stray {
            stray if ruled(&stray.name) => bail!("-p {}: {}", stray.name, table.unknown(&stray.name)),
            stray if stray.exact => eprintln!("odometry_replay: warning: {}", table.unknown(&stray.name)),
            _ => {}
        }
    }
    Ok(OdometryParams::read(&table)?)
}

fn model(options: &Options, bag: &Bag, params: &OdometryParams) -> anyhow::Result<RobotModel> {
    let config = params.robot.0.config()?;
    let given = &params.robot.0.robot_description;
    if let Some(path) = &options.urdf {
        return RobotModel::from_urdf_file(path, &config).with_context(|| path.display().to_string());
    }
    if !given.is_empty() {
        return RobotModel::from_urdf(given, &config).context("robot_description");
    }
    match description(bag, &options.topics).context("/robot_description of the bag")? {
        Some(text) => RobotModel::from_urdf(&text, &config).context("/robot_description of the bag"),
        None => bail!("which robot? the bag has no /robot_description; give --urdf FILE"),
    }
}

/// Refuses to write over anything before any work is done.
fn check(options: &Options, bag: &Bag) -> anyhow::Result<()> {
    let mut targets = vec![];
    targets.extend(options.out.as_deref().map(|path| ("--out", path)));
    targets.extend(options.plot.as_deref().map(|path| ("--plot", path)));
    let configs = options.configs.iter().map(Path::new);
    let mut inputs: Vec<&Path> = bag.files().iter().map(|file| file.as_path()).chain(configs).collect();
    inputs.extend(options.bag.as_deref());
    inputs.extend(options.urdf.as_deref());
    let metadata = options.bag.as_ref().map(|bag| bag.join("metadata.yaml"));
    inputs.extend(metadata.as_deref());
    check_targets(&targets, &inputs, options.force)
}

fn run(options: &Options) -> anyhow::Result<()> {
    let params = params(options)?;
    if let Some(bags) = &options.compare {
        return run_compare(options, bags, &params);
    }
    let bag = Bag::open(options.bag.as_deref().context("which bag? see --help")?)?;
    check(options, &bag)?;
    let job = Replay {
        topics: options.topics.clone(),
        model: model(options, &bag, &params)?,
        bag,
        params,
        out: options.out.clone(),
        compress: options.compress,
        force: options.force,
        window: options.window,
    };
    let mut bar = Bar::new(options.quiet);
    let replayed = replay(&job, |share| bar.show(share));
    bar.clear();
    let (summary, warnings) = replayed?;
    if !options.quiet {
        print!("{summary}");
    }
    if let Some(plot) = &options.plot {
        write_new(plot, draw(&summary).as_bytes(), options.force)?;
    }
    for warning in warnings {
        eprintln!("odometry_replay: warning: {warning}");
    }
    Ok(())
}

fn run_compare(
    options: &Options,
    [a, b]: &[std::path::PathBuf; 2],
    params: &OdometryParams,
) -> anyhow::Result<()> {
    let read = |path: &Path, topic: Option<&str>, truth: bool| {
        Trajectory::read(&Bag::open(path)?, topic, truth, params).with_context(|| path.display().to_string())
    };
    let (estimate, odom) = read(a, options.odom.as_deref(), false)?;
    let (truth, true_odom) = read(b, options.truth.as_deref(), true)?;
    let comparison = compare(&estimate, &truth).with_context(|| {
        let (a, b) = (a.display(), b.display());
        format!("{odom} of {a} and {true_odom} of {b} have no times in common: are they of one walk?")
    })?;
    print!("{odom} of {} {comparison}", a.display());
    Ok(())
}

//! `robot_lockstep`: the whole robot in its world without ROS and without a clock, the same every time.

use anyhow::{Context as _, bail};
use sim_node::{Lockstep, PERIOD, Recording, RobotFiles, Terrain};
use std::path::PathBuf;
use std::time::Instant;

const HELP: &str = "robot_lockstep CONFIG URDF [--gait NAME] [--slope DEGREES] [--out FILE.mcap] COMMAND…

The shipped control path, gait to bytes, with the robot in MuJoCo at its other end, in virtual time: the physics wait for every
cycle's goals. The same arguments give the same file, bit for bit.

CONFIG   folder of parameter files, like config/
URDF     the robot
COMMAND  FORWARD,LEFT,TURN,SECONDS in m/s and rad/s, one after another; e.g. 0.06,0,0,10

FILE.mcap is a bag with /joints, /support, /joint_states, /imu, /truth/odom, /truth/joint_states, /truth/contacts and /truth/forces, as a recording of the running robot has them:
odometry_replay FILE.mcap --joints /joint_states compares the odometry with the truth.";

/// What the parameter `slope` of robot_sim allows, 0.8 rad.
const STEEPEST: f64 = 45.0;

struct Options {
    files: RobotFiles,
    gait: String,
    out: Option<PathBuf>,
    commands: Vec<[f64; 4]>,
}

fn options(args: &[String]) -> anyhow::Result<Options> {
    let [config, urdf, rest @ ..] = args else {
        bail!("a folder of parameter files and a URDF are needed; see --help")
    };
    let mut files = RobotFiles::read(config.as_ref(), urdf.as_ref())?;
    let (mut gait, mut out, mut commands) = (files.gait.gait.clone(), None, vec![]);
    let mut rest = rest.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--gait" => gait = value()?.clone(),
            "--out" => out = Some(value()?.into()),
            "--slope" => {
                files.world.terrain = sim_node::params::TerrainName::Slope;
                let degrees = value()?.parse::<f64>().context("--slope")?;
                anyhow::ensure!(degrees.abs() <= STEEPEST, "--slope {degrees}: up to {STEEPEST}° either way");
                files.world.slope = degrees.to_radians();
            }
            command => {
                let numbers: Result<Vec<f64>, _> = command.split(',').map(str::parse).collect();
                let four = numbers.ok().and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
                let four = four.filter(|four| four.iter().all(|number| number.is_finite()));
                let four = four.filter(|[_, _, _, seconds]| (0.0..=86_400.0).contains(seconds));
                commands
                    .push(four.with_context(|| format!("\"{command}\" is no FORWARD,LEFT,TURN,SECONDS"))?);
            }
        }
    }
    Ok(Options { files, gait, out, commands })
}

/// Walks; what was recorded until something went wrong is kept, as it shows what did.
fn walk(options: &Options) -> anyhow::Result<bool> {
    let scene = options.files.world.scene();
    if let Terrain::Slope(angle) = scene.terrain {
        println!("uphill {:.1}°", angle.to_degrees());
    }
    let mut robot = Lockstep::stand(&options.files, &options.gait, &scene)?;
    let mut bag = options.out.as_deref().map(Recording::create).transpose()?;
    let result = go(options, &mut robot, bag.as_mut());
    bag.map(Recording::finish).transpose()?;
    result
}

fn go(options: &Options, robot: &mut Lockstep, mut bag: Option<&mut Recording>) -> anyhow::Result<bool> {
    let (begin, mut time) = (Instant::now(), 0.0);
    for [forward, left, turn, seconds] in &options.commands {
        let before = robot.truth().base;
        for _ in 0..(seconds * 1e9 / PERIOD as f64).round() as u64 {
            let is_up = robot.step([*forward, *left, *turn])?;
            time += PERIOD as f64 * 1e-9;
            bag.as_mut().map_or(Ok(()), |bag| bag.take(robot))?;
            if !is_up {
                println!("fell after {time:.2} s");
                return Ok(false);
            }
        }
        let moved = before.inverse() * robot.truth().base;
        let (at, yaw) = (moved.translation, moved.rotation.euler_angles().2.to_degrees());
        let tilt = robot.take_tilt().to_degrees();
        println!(
            "{forward} {left} m/s {turn} rad/s for {seconds} s: {:.3} {:.3} m, {yaw:.1}°; tilt up to {tilt:.1}°",
            at.x, at.y
        );
    }
    let real = begin.elapsed().as_secs_f64();
    println!("{time:.1} s in {real:.1} s: {:.1} times as fast as real time", time / real.max(1e-9));
    Ok(true)
}

fn main() -> anyhow::Result<std::process::ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() || args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{HELP}");
        return Ok(std::process::ExitCode::SUCCESS);
    }
    let is_up = walk(&options(&args)?)?;
    Ok(if is_up { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE })
}

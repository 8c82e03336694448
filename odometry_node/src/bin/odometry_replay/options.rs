//! What the command line says.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use odometry_node::replay::{Role, Topics, Window};

pub(crate) const HELP: &str = "odometry_replay

Where the body was, from the joints of a recorded bag: what odometry_node would have said, as fast as the bag can be read.

Usage: odometry_replay BAG --config FILE [--urdf FILE] [-p NAME:=VALUE] [--out NAME] [--plot FILE] …
       odometry_replay --compare A B [--odom TOPIC] [--truth TOPIC]

  BAG              a rosbag2 folder, or one of its files: .mcap or .db3, plain or .zstd
  --urdf FILE      the robot (else robot_description in the config, else the bag's /robot_description)
  --config FILE    parameters of odometry_node; may stand several times, e.g. robot.yaml and odometry.yaml
  -p NAME:=VALUE   one parameter; may stand several times, and counts over the files
  --from S, --to S only this part, in seconds since the first joints; supports from before count
  --out NAME       body, odom, /tf and support_out, and limb_poses and every link when the config asks for them:
                   a file when it ends in .mcap, else a rosbag2 folder with metadata.yaml
  --pass TOPIC     this topic of the bag goes to --out as it is; may stand several times; \"*\" = all but those that are written anew
  --plot FILE      SVG: path with footprints and 2σ ellipses (and truth), height, heading, gait diagram
  --force          replace --out and --plot if they exist; never what is read
  --compress       compress the mcap (zstd); smaller and slower
  --joints TOPIC   sensor_msgs/JointState             (default: the topic that ends in /joints)
  --support TOPIC  gait_msgs/SupportState             (default: /support; \"\" = search for contacts instead)
  --body-in TOPIC  sensor_msgs/MultiDOFJointState     (default: /body_in; \"\" = none)
  --sync TOPIC     gait_msgs/SyncStep                 (default: /sync; \"\" = none)
  --imu TOPIC      sensor_msgs/Imu                    (default: /imu; \"\" = none)
  --truth TOPIC    nav_msgs/Odometry or MultiDOFJointState to compare with (default: /truth/odom; \"\" = none)
  --compare A B    estimate in bag A beside the truth in bag B: ATE, RPE, drift per metre (topics: --odom of A, --truth of B)
  --quiet          no summary and no progress
  --help           this

The same bag and the same files give the same bytes.";

#[derive(Default)]
pub(crate) struct Options {
    pub bag: Option<PathBuf>,
    pub urdf: Option<PathBuf>,
    pub configs: Vec<String>,
    /// `name:=value`.
    pub params: Vec<String>,
    pub out: Option<PathBuf>,
    pub plot: Option<PathBuf>,
    pub force: bool,
    pub compress: bool,
    pub quiet: bool,
    pub topics: Topics,
    pub window: Window,
    pub compare: Option<[PathBuf; 2]>,
    pub odom: Option<String>,
    pub truth: Option<String>,
}

pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> anyhow::Result<Options> {
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value; see --help"));
        match arg.as_str() {
            "--urdf" => options.urdf = Some(value()?.into()),
            "--config" => options.configs.push(value()?),
            "-p" | "--param" => options.params.push(value()?),
            "--from" => options.window.from = seconds(&arg, &value()?)?,
            "--to" => options.window.to = seconds(&arg, &value()?)?,
            "--out" => options.out = Some(value()?.into()),
            "--pass" => options.topics.pass(&value()?),
            "--plot" => options.plot = Some(value()?.into()),
            "--joints" => options.topics.give(Role::Joints, &value()?),
            "--support" => options.topics.give(Role::Support, &value()?),
            "--body-in" => options.topics.give(Role::Body, &value()?),
            "--imu" => options.topics.give(Role::Imu, &value()?),
            "--sync" => options.topics.give(Role::Sync, &value()?),
            "--odom" => options.odom = Some(value()?),
            "--truth" => {
                let topic = value()?;
                options.topics.give(Role::Truth, &topic);
                options.truth = Some(topic);
            }
            "--compare" => options.compare = Some([value()?.into(), value()?.into()]),
            "--force" => options.force = true,
            "--compress" => options.compress = true,
            "--quiet" => options.quiet = true,
            other if other.starts_with('-') => bail!("unknown argument \"{other}\"; see --help"),
            _ if options.bag.is_some() => bail!("a second bag, \"{arg}\"; see --help"),
            _ => options.bag = Some(arg.into()),
        }
    }
    if options.window.from > options.window.to {
        bail!("--from {} lies behind --to {}", options.window.from, options.window.to);
    }
    if options.topics.passes() && options.out.is_none() {
        bail!("--pass needs --out, where the topics go");
    }
    if options.compare.is_some() && (options.bag.is_some() || options.out.is_some() || options.plot.is_some())
    {
        bail!("--compare A B stands alone: it replays no bag and writes nothing");
    }
    Ok(options)
}

fn seconds(option: &str, text: &str) -> anyhow::Result<f64> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        _ => bail!("{option} \"{text}\": seconds, 0 or more"),
    }
}

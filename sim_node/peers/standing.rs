//! A robot on its feet, at rest, for whoever wants to reckon its torques anew: `standing CONFIG URDF` prints one JSON object with the base's
//! orientation, each driven joint's angle and torque, and where and how the ground pushes each foot.
//!
//! Servos have no dry friction here: that takes any share of a load that stands still, and what is left says nothing.

use anyhow::{Context as _, ensure};
use herkulex_node::codec::{reg, torque};
use herkulex_node::sim::{Settings, SimBus};
use sim_node::{Drive, RobotFiles, Truth, World};

/// Time to come to rest, s.
const REST: u64 = 5;
/// What counts as rest, rad/s: feet creep by up to 1 mm/s, which is this over a leg of 0.1 m.
const STILL: f64 = 0.01;

fn list(values: impl IntoIterator<Item = f64>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| format!("{value:e}")).collect();
    format!("[{}]", words.join(","))
}

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [config, urdf] = &args[..] else { anyhow::bail!("standing CONFIG URDF") };
    let files = RobotFiles::read(config.as_ref(), urdf.as_ref())?;
    let bridge = std::path::Path::new(config).join("herkulex.yaml");
    let bridge = std::fs::read_to_string(&bridge).with_context(|| bridge.display().to_string())?;
    let mut drives = Drive::from_bridge_file(&bridge)?;
    drives.iter_mut().for_each(|drive| drive.mechanics.alpha[2] = 0.0);
    let names: Vec<String> = drives.iter().map(|drive| format!("\"{}\"", drive.joint)).collect();
    let scene = files.world.scene();
    let world = World::new(&files.model()?, &files.config, drives, &scene, &files.world.start, false)?;
    let mut servos = world.servos();
    servos.iter_mut().for_each(|servo| servo.set(&reg::TORQUE, i32::from(torque::ON)));
    let supply = files.world.conditions().supply;
    let mut bus = SimBus::with_plant(Settings::default(), servos, supply, world);
    // A bus lives through two seconds at a time.
    (1..=REST).for_each(|second| bus.advance(second * 1_000_000_000));
    let mut truth = Truth::default();
    bus.plant.look(&mut truth);
    let fastest = truth.velocities.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    ensure!(fastest < STILL, "it does not come to rest: {fastest} rad/s");
    let (at, turn) = (truth.base.translation, truth.base.rotation);
    let feet = truth.feet.iter().map(|foot| {
        let (position, force, moment) = (
            list(foot.position.iter().copied()),
            list(foot.force.iter().copied()),
            list(foot.moment.iter().copied()),
        );
        format!(
            "{{\"chain\":\"{}\",\"position\":{position},\"force\":{force},\"moment\":{moment}}}",
            foot.chain
        )
    });
    println!(
        "{{\"base\":{},\"joints\":[{}],\"angles\":{},\"torques\":{},\"feet\":[{}]}}",
        list([at.x, at.y, at.z, turn.i, turn.j, turn.k, turn.w]),
        names.join(","),
        list(truth.positions),
        list(truth.efforts),
        feet.collect::<Vec<_>>().join(",")
    );
    Ok(())
}

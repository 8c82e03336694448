//! A bus of servos: `Bus` is all of the bridge but its port, `SimBus` are servos that answer byte by byte. Between them a line, in
//! virtual time; with a serial port in its place the same `Bus` drives real ones.
//!
//!     cargo run -p examples --example 04_bus
//!
//! No servo gets torque before it was asked what it is, cleared of errors and given the place where it stands for its goal.

use anyhow::Context;
use herkulex_node::bus::{BusConfig, GoalPoint, Joint, ServoConfig, Tuning};
use herkulex_node::codec::Model;
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};
use herkulex_node::virtual_line::VirtualLine;

const SERVOS: u8 = 4;
const BAUD: u32 = 115_200;
/// The control cycle, s.
const PERIOD: f64 = 0.02;

/// From a joint to its servo: no gear, no offset.
fn servo(id: u8) -> ServoConfig {
    let model = Model::Drs0201;
    let joint = Joint {
        scale: model.scale(),
        offset: 0.0,
        gear: 1.0,
        limits: (-1.5, 1.5),
        counts: model.position_limits(),
    };
    ServoConfig { name: format!("joint{id}"), id, model, number: model.number(), firmware: None, joint }
}

fn main() -> anyhow::Result<()> {
    let config = BusConfig {
        baud: BAUD,
        full_duplex: true,
        turnaround: 0.0005,
        torque_at_start: true,
        tuning: Tuning { period: PERIOD, playtime: 2.0 * PERIOD, ..Tuning::default() },
        servos: (1..=SERVOS).map(servo).collect(),
    };
    // Each stands somewhere else when it gets power.
    let servos = (1..=SERVOS).map(|id| SimServo::new(Model::Drs0201, id, 0.1 * f64::from(id))).collect();
    let sim = SimBus::new(Settings { baud: BAUD, ..Settings::default() }, servos, Supply::default());
    let mut line = VirtualLine::new(config, sim);

    let period = (PERIOD * 1e9) as u64;
    anyhow::ensure!(line.give_torque(period), "no torque");
    println!(
        "torque after {:.3} s, and nothing moved: {:.3} rad",
        line.now() as f64 * 1e-9,
        line.sim.servos[0].angle()
    );

    // Two seconds: from where each stands to 0.5 rad and back.
    let began = line.now();
    while line.now() < began + 2_000_000_000 {
        let t = (line.now() - began) as f64 * 1e-9;
        let blend = 0.5 - 0.5 * (std::f64::consts::PI * t).cos();
        let stamp = line.now();
        let goal = |servo: usize| {
            let start = 0.1 * (servo as f64 + 1.0);
            let position = start + (0.5 - start) * blend;
            GoalPoint { servo, position, playtime: 2.0 * PERIOD, stamp, alive: true }
        };
        line.goals(0, (0..usize::from(SERVOS)).map(goal));
        line.pass(period, |_, _, _| {});
    }
    // And let the last goal be reached.
    line.pass(500_000_000, |_, _, _| {});

    for (index, servo) in line.bus().servos().iter().enumerate() {
        let measured = servo.measured().context("it was read")?.position;
        println!(
            "{}: measured {measured:+.4} rad, its shaft is at {:+.4}",
            servo.config().name,
            line.sim.servos[index].angle()
        );
    }
    println!("{} readings in {:.1} s", line.readings.len(), (line.now() - began) as f64 * 1e-9);
    Ok(())
}

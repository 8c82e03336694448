//! Cost of one control cycle of the core: a message for every limb, then the sync. Printed, not asserted.
#![allow(clippy::unwrap_used)]

use agregator_node::{Agregator, AgregatorParams, CycleTime, LimbArrays};
use bench_lib::Figures;
use robot_model_lib::{ChainConfig, ModelConfig, RobotModel};
use std::hint::black_box;
use std::time::Instant;

const JOINTS_PER_LIMB: usize = 6;

fn model(limbs: usize) -> RobotModel {
    let mut urdf = String::from("<robot name=\"bench\"><link name=\"base\"/>");
    let mut chains = vec![];
    for limb in 0..limbs {
        for joint in 0..JOINTS_PER_LIMB {
            let parent = if joint == 0 { "base".into() } else { format!("l{limb}_{}", joint - 1) };
            urdf.push_str(&format!(
                "<link name=\"l{limb}_{joint}\"/><joint name=\"j{limb}_{joint}\" type=\"revolute\"><parent link=\"{parent}\"/>\
                 <child link=\"l{limb}_{joint}\"/><axis xyz=\"0 1 0\"/>\
                 <limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"9\"/></joint>"
            ));
        }
        chains.push(ChainConfig {
            name: format!("limb{limb}"),
            first_link: "base".into(),
            last_link: format!("l{limb}_{}", JOINTS_PER_LIMB - 1),
            default_contact: String::new(),
        });
    }
    urdf.push_str("</robot>");
    RobotModel::from_urdf(&urdf, &ModelConfig { chains, contacts: vec![] }).unwrap()
}

/// The least of many rounds, ns per cycle.
fn cost(limbs: usize, with_velocity: bool) -> f64 {
    const CYCLES: u32 = 2_000;
    let mut core = Agregator::new(model(limbs), AgregatorParams::default()).unwrap();
    let names: Vec<String> = (0..limbs).map(|l| format!("limb{l}")).collect();
    let mut best = f64::INFINITY;
    let mut number = 0;
    for _ in 0..60 {
        let start = Instant::now();
        for k in 0..CYCLES {
            number += 1;
            let position = [0.001 * f64::from(k % 500); JOINTS_PER_LIMB];
            let velocity: &[f64] = if with_velocity { &[0.1; JOINTS_PER_LIMB] } else { &[] };
            let limbs =
                names.iter().map(|chain| LimbArrays { chain, position: &position, velocity, effort: &[] });
            core.limbs(CycleTime::Number(number - 1), limbs, &mut |_| {}).unwrap();
            core.sync(number, i64::from(number) * 10_000_000, 0.01, &mut |_| {});
            black_box(core.pose());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(CYCLES));
    }
    best
}

fn main() {
    println!("agregator core, one cycle (a message for every limb, then sync), least of 60 rounds");
    println!("{:<34} {:>12} {:>14}", "", "ns", "ns per joint");
    let mut figures = Figures::default();
    for (limbs, with_velocity) in [(4, false), (40, false), (80, false), (4, true), (40, true), (80, true)] {
        let joints = limbs * JOINTS_PER_LIMB;
        let ns = cost(limbs, with_velocity);
        let what = if with_velocity { "position and velocity" } else { "position" };
        println!("{:<34} {ns:>12.0} {:>14.1}", format!("{joints} joints, {what}"), ns / joints as f64);
        figures.set(format!("{joints} joints, {what}, ns"), ns);
    }
    figures.write("agregator").unwrap();
}

//! A child of `bench/kinematics/run`: `bench_dynamics URDF POSES`.
//!
//! POSES is that of `bench_kinematics`; the velocities of a pose are the numbers of the next one, its accelerations those of the
//! one after. The base is level and at rest. Commands as there; the sums are those of all efforts and the base's wrench.
#![allow(clippy::expect_used)]

use std::hint::black_box;
use std::io::BufRead;
use std::time::Instant;

use robot_model_lib::{BaseMotion, Dynamics, Efforts, JointSlot, ModelConfig, RobotModel};

fn poses(text: &str, model: &RobotModel) -> Vec<Vec<f64>> {
    let mut lines = text.lines();
    let names: Vec<_> =
        lines.next().expect("names").split_whitespace().map(|name| model.find_joint(name)).collect();
    let row = |line: &str| {
        let mut values = vec![0.0; model.joints().len()];
        for (slot, value) in names.iter().zip(line.split_whitespace()) {
            if let JointSlot::Joint { index, .. } = slot {
                values[*index] = value.parse().expect("a number");
            }
        }
        values
    };
    lines.map(row).collect()
}

fn whole(efforts: &Efforts<'_>) -> f64 {
    efforts.joints.iter().sum::<f64>() + efforts.base.force.sum() + efforts.base.moment.sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, file] = arguments.as_slice() else {
        eprintln!("usage: bench_dynamics URDF POSES");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(urdf).expect("URDF");
    let model = RobotModel::from_urdf(&text, &ModelConfig::default()).expect("URDF");
    let poses = poses(&std::fs::read_to_string(file).expect("poses"), &model);
    let (mut dynamics, base) = (Dynamics::new(&model).expect("masses"), BaseMotion::default());
    let mut at = |number: usize, sum: fn(&Efforts<'_>) -> f64| {
        let [q, dq, ddq] = [0, 1, 2].map(|ahead| &poses[(number + ahead) % poses.len()][..]);
        sum(&dynamics.inverse(black_box(q), dq, ddq, &base))
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a command");
        if let Some(count) = line.strip_prefix("run ") {
            let count: usize = count.parse().expect("a number");
            let start = Instant::now();
            // Two numbers that depend on everything.
            let sum: f64 =
                (0..count).map(|number| at(number % poses.len(), |e| e.joints[0] + e.base.moment.x)).sum();
            println!("{} {sum:.17e}", start.elapsed().as_nanos());
        } else {
            let sum: f64 = (0..poses.len()).map(|number| at(number, whole)).sum();
            println!("0 {sum:.17e}");
        }
    }
}

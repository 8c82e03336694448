//! Cost of one cycle of `servo_inv_param`, beside the same arithmetic as a plain loop, interleaved in one run.
#![allow(clippy::unwrap_used)]

use bench_lib::Figures;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::InverseParams;
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 200;
const CYCLES: i64 = 500;

struct Plain {
    models: Vec<ServoModel>,
    previous: Vec<f64>,
    target: Vec<f64>,
}

impl Plain {
    fn step(&mut self, q: &[f64], v: &[f64], a: &[f64], torque: &[f64], voltage: f64, ratio: f64) {
        for i in 0..q.len() {
            let m = &self.models[i];
            let sign = if v[i].abs() <= 0.01 { 0.0 } else { 1f64.copysign(v[i]) };
            let load = m.alpha[0] * a[i] + m.alpha[1] * v[i] + m.alpha[2] * sign + m.alpha[3] * torque[i];
            let reference = q[i] + load / (m.kp * voltage);
            self.target[i] = (reference + (reference - self.previous[i]) * ratio) * m.kgear;
            self.previous[i] = reference;
        }
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    println!("servo_inv_param, one cycle (sync and message), median of {ROUNDS} rounds of {CYCLES} cycles");
    let mut figures = Figures::default();
    for joints in [24, 240] {
        let name: Vec<String> = (0..joints).map(|i| format!("leg{}_joint{}", i / 6, i % 6)).collect();
        let model = ServoModel { kp: 100.0, kgear: 1.5, alpha: [1.39, 52.1, 7.09, 212.0] };
        let named = name.iter().map(|n| (n.clone(), model)).collect();
        let settings = Settings::from(&InverseParams { period: 0.01, ..InverseParams::default() });
        let mut core = ServoInverse::new(settings, Models::new(model, named).unwrap());
        let mut plain =
            Plain { models: vec![model; joints], previous: vec![0.0; joints], target: vec![0.0; joints] };
        let wave = |k: usize| (0..joints).map(|i| (0.1 * (i + k) as f64).sin()).collect::<Vec<f64>>();
        let (q, v, a, torque) = (wave(0), wave(1), wave(2), wave(3));
        let desired = Desired { name: &name, position: &q, velocity: &v, acceleration: &a, effort: &torque };
        let (mut core_ns, mut plain_ns) = (vec![], vec![]);
        let mut k = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..CYCLES {
                k += 1;
                core.sync(0, k * 10_000_000, 0.01);
                black_box(core.step(black_box(desired), k * 10_000_000).unwrap().unwrap().target);
            }
            core_ns.push(start.elapsed().as_nanos() as f64 / CYCLES as f64);
            let start = Instant::now();
            for _ in 0..CYCLES {
                plain.step(black_box(&q), black_box(&v), black_box(&a), black_box(&torque), 12.0, 5.6);
                black_box(&plain.target);
            }
            plain_ns.push(start.elapsed().as_nanos() as f64 / CYCLES as f64);
        }
        let (core_ns, plain_ns) = (median(&mut core_ns), median(&mut plain_ns));
        println!(
            "{joints:>4} joints: core {core_ns:>8.0} ns, plain loop {plain_ns:>8.0} ns, ratio {:.2}",
            core_ns / plain_ns
        );
        figures.set(format!("{joints} joints, ns"), core_ns);
        figures.set(format!("{joints} joints, of a plain loop"), core_ns / plain_ns);
    }
    figures.write("servo_inv").unwrap();
}

//! Every filter beside the same arithmetic as a plain loop: `cargo bench -p filters_lib`. The ratio table comes last.
#![allow(clippy::unwrap_used, clippy::needless_range_loop, clippy::manual_memcpy, missing_docs)]

mod plain;

use criterion::Criterion;
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::hint::black_box;
use std::time::{Duration, Instant};

const SAMPLES: usize = 512;
const T: f64 = 0.01;

/// Best time per step of the filter and of its plain loop, ns.
struct Row {
    name: String,
    filter: f64,
    plain: f64,
}

struct Table {
    criterion: Criterion,
    rows: Vec<Row>,
}

impl Table {
    fn measure(&mut self, id: &str, mut pass: impl FnMut()) -> f64 {
        let mut best = f64::INFINITY;
        self.criterion.bench_function(id, |b| {
            b.iter_custom(|passes| {
                let start = Instant::now();
                (0..passes).for_each(|_| pass());
                let taken = start.elapsed();
                best = best.min(taken.as_secs_f64() * 1e9 / (passes as f64 * SAMPLES as f64));
                taken
            });
        });
        best
    }

    /// `plain` gets input and output place, exactly as the filter does.
    fn compare<F: Filter>(
        &mut self,
        name: &str,
        mut filter: F,
        inputs: &[F::Input],
        mut plain: impl FnMut(&F::Input, &mut F::Output),
    ) {
        let mut y = filter.blank(&inputs[0]);
        let with_filter = self.measure(&format!("{name}/filter"), || {
            for u in inputs {
                filter.update_into(black_box(u), &mut y).unwrap();
                black_box(&y);
            }
        });
        let with_loop = self.measure(&format!("{name}/plain"), || {
            for u in inputs {
                plain(black_box(u), &mut y);
                black_box(&y);
            }
        });
        self.rows.push(Row { name: name.to_owned(), filter: with_filter, plain: with_loop });
    }
}

fn numbers() -> Vec<f64> {
    (0..SAMPLES).map(|k| (k as f64 * 0.37).sin() + 0.3 * (k as f64 * 2.1).cos()).collect()
}

fn arrays() -> Vec<JointArray> {
    numbers().iter().map(|u| (0..24).map(|i| u * f64::from(i)).collect()).collect()
}

fn turns() -> Vec<Vector3<f64>> {
    numbers().iter().map(|u| Vector3::new(*u, 1.0, -u)).collect()
}

fn calculus(table: &mut Table) {
    let x0 = vec![0.0; 24];
    for (method, weights) in [
        (Quadrature::Euler, [1.0, 0.0, 0.0]),
        (Quadrature::Trapezoid, [1.5, -0.5, 0.0]),
        (Quadrature::Simpson, [23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0]),
    ] {
        let filter = Integrator::new(IntegratorParams { period: T, method }, &x0).unwrap();
        let plain = plain::integrator(24, T, weights);
        table.compare(&format!("Integrator {method:?}, 24 joints"), filter, &arrays(), plain);
    }
    let filter = Integrator::new(IntegratorParams::default(), &UnitQuaternion::identity()).unwrap();
    table.compare("Integrator, orientation", filter, &turns(), plain::poisson(T));
    let params = |method| DifferentiatorParams { period: T, method };
    let filter = Differentiator::new(params(DiffMethod::Difference), &x0).unwrap();
    table.compare("Differentiator difference, 24 joints", filter, &arrays(), plain::difference(24, T));
    let filter = Differentiator::new(params(DiffMethod::Inertial { tau: 0.05 }), &x0).unwrap();
    table.compare("Differentiator inertial, 24 joints", filter, &arrays(), plain::inertial(24, T, 0.05));
    let filter = Differentiator::new(params(DiffMethod::SavitzkyGolay { window: 9, order: 2 }), &x0).unwrap();
    let weights = savitzky_golay(9, 2, 1, T).unwrap();
    table.compare("Differentiator savgol 9, 24 joints", filter, &arrays(), plain::fir(24, weights));
}

fn blends(table: &mut Table) {
    let pairs: Vec<Pair<JointArray>> =
        arrays().into_iter().map(|u1| Pair { u2: u1.iter().map(|u| u + 1.0).collect(), u1 }).collect();
    let filter = FusionExp::new(ExpWeight { period: T, tau: 100.0 }).unwrap();
    table.compare("FusionExp, 24 joints", filter, &pairs, plain::fusion(T / 100.0));
    let inputs: Vec<TransientInput<JointArray>> =
        pairs.into_iter().map(|p| TransientInput { u: p.u1, ur: p.u2 }).collect();
    let filter = TransientLinear::new(LinearStep { period: T, speed: Limit::from(1.0) }).unwrap();
    table.compare("TransientLinear, 24 joints", filter, &inputs, plain::linear(T));
    let zero = Vector3::zeros();
    let inputs: Vec<_> =
        turns().iter().map(|x| SecondOrderInput { x: *x, v: zero, xr: zero, vr: zero, ar: zero }).collect();
    let gains = SecondOrderGains::critical(0.1);
    let filter = TransientSecondExp::new(TransientSecondExpParams { period: T, gains }).unwrap();
    table.compare("TransientSecondExp, Vector3", filter, &inputs, plain::second(gains.transition(T), T));
}

fn links(table: &mut Table) {
    let x0 = vec![0.0; 24];
    let filter = Lag::new(LagParams { period: T, tau: 0.1 }, &0.0).unwrap();
    table.compare("Lag, f64", filter, &numbers(), plain::lag_number(-(-T / 0.1_f64).exp_m1()));
    let filter = Lag::new(LagParams { period: T, tau: 0.1 }, &x0).unwrap();
    table.compare("Lag, 24 joints", filter, &arrays(), plain::lag(24, -(-T / 0.1_f64).exp_m1()));
    let (b, a) = (vec![0.1, 0.2, 0.1, 0.05, 0.01], vec![1.0, -0.5, 0.2, -0.1, 0.05]);
    let params = TransferFunctionParams { b: b.clone(), a: a.clone() };
    let filter = TransferFunction::new(params.clone(), &0.0).unwrap();
    table.compare(
        "TransferFunction order 4, f64",
        filter,
        &numbers(),
        plain::transfer_number(b.clone(), a.clone()),
    );
    let filter = TransferFunction::new(params, &x0).unwrap();
    table.compare("TransferFunction order 4, 24 joints", filter, &arrays(), plain::transfer(24, b, a));
    let filter =
        BiquadLowPass::new(BiquadLowPassParams { period: T, frequency: 5.0, quality: 0.7 }, &x0).unwrap();
    table.compare("BiquadLowPass, 24 joints", filter, &arrays(), plain::biquad(24, T, 5.0, 0.7));
    let filter = Backlash::new(BacklashParams { width: 0.5 }, &x0).unwrap();
    table.compare("Backlash, 24 joints", filter, &arrays(), plain::backlash(24, 0.25));
    let filter = Saturation::new(SaturationParams { low: -0.5, high: 0.5 }).unwrap();
    table.compare("Saturation, 24 joints", filter, &arrays(), plain::saturation(0.5));
    let limits = RateLimiterParams {
        period: T,
        max_first_derivative: 1.0,
        min_first_derivative: -1.0,
        ..Default::default()
    };
    let filter = RateLimiter::new(limits, &x0).unwrap();
    table.compare("RateLimiter first, 24 joints", filter, &arrays(), plain::rate(24, T));
    let filter = MovingAverage::new(WindowParams { window: 9 }, &x0).unwrap();
    table.compare("MovingAverage 9, 24 joints", filter, &arrays(), plain::fir(24, vec![1.0 / 9.0; 9]));
    let filter = Median::new(WindowParams { window: 9 }, &x0).unwrap();
    table.compare("Median 9, 24 joints", filter, &arrays(), plain::median(24, 9));
    let filter = ExponentialFilter::new(ExponentialParams { alpha: 0.1 }, &x0).unwrap();
    table.compare("ExponentialFilter, 24 joints", filter, &arrays(), plain::exponential(24, 0.1));
    let params = LowPassParams { sampling_frequency: 100.0, damping_frequency: 5.0, damping_intensity: 1.0 };
    let filter = LowPassFilter::new(params, &x0).unwrap();
    table.compare("LowPassFilter, 24 joints", filter, &arrays(), plain::low_pass(24, params.feedback()));
    let (cog, force) = (Vector3::new(0.0, 0.1, 0.2), Vector3::new(0.0, 0.0, -9.81));
    let frames = GravityFrames {
        sensor_from_input: Isometry3::rotation(Vector3::x()),
        sensor_from_world: Isometry3::rotation(Vector3::y()),
        output_from_sensor: Isometry3::rotation(Vector3::z()),
    };
    let mut filter = GravityCompensation::new(GravityParams { cog, force }).unwrap();
    filter.set_frames(frames).unwrap();
    let inputs: Vec<Wrench> = turns().iter().map(|t| Wrench::new(*t, -t)).collect();
    table.compare("GravityCompensation", filter, &inputs, plain::gravity(cog, force, frames));
}

fn main() {
    let criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400))
        .sample_size(20)
        .configure_from_args();
    let mut table = Table { criterion, rows: Vec::new() };
    calculus(&mut table);
    blends(&mut table);
    links(&mut table);
    println!("\n{:<40} {:>10} {:>10} {:>7}", "one step", "filter ns", "plain ns", "ratio");
    for row in &table.rows {
        println!("{:<40} {:>10.1} {:>10.1} {:>7.2}", row.name, row.filter, row.plain, row.filter / row.plain);
    }
}

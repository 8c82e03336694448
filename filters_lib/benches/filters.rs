//! Every filter beside a plain loop with the same arithmetic and the same checks (input and output finite): `cargo bench
//! -p filters_lib`. The ratio table comes last.
#![allow(clippy::unwrap_used, clippy::needless_range_loop, clippy::manual_memcpy, missing_docs)]

mod plain;

use criterion::Criterion;
use filters_lib::chain::Value;
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const SAMPLES: usize = 512;
const T: f64 = 0.01;
/// A filter's step beside the plain loop, at most.
const GOAL: f64 = 1.3;

/// The checks that a filter makes of its input and of its output.
trait Checked {
    fn is_good(&self) -> bool;
}

fn all_finite(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |ok, n| ok & n.is_finite())
}

macro_rules! checked {
    ($($t:ty: $s:ident => $($numbers:expr),+;)*) => {$(
        impl Checked for $t {
            fn is_good(&self) -> bool {
                let $s = self;
                $(all_finite($numbers))&+
            }
        }
    )*};
}

checked!(
    f64: s => std::slice::from_ref(s);
    JointArray: s => s;
    JointState: s => s.position(), s.velocity();
    Vector3<f64>: s => s.as_slice();
    UnitQuaternion<f64>: s => s.coords.as_slice();
    Wrench: s => s.0.as_slice();
    Pair<JointArray>: s => &s.u1, &s.u2;
    TransientInput<JointArray>: s => &s.u, &s.ur;
    Motion<Vector3<f64>>: s => s.x.as_slice(), s.v.as_slice();
    SecondOrderInput<Vector3<f64>>: s =>
        s.x.as_slice(), s.v.as_slice(), s.xr.as_slice(), s.vr.as_slice(), s.ar.as_slice();
);

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
    fn measure(&mut self, id: &str, pass: &mut dyn FnMut()) -> f64 {
        let mut best = f64::INFINITY;
        self.criterion.bench_function(id, |b| {
            b.iter_custom(|passes| {
                let mut taken = Duration::ZERO;
                for _ in 0..passes {
                    let start = Instant::now();
                    pass();
                    let turn = start.elapsed();
                    taken += turn;
                    best = best.min(turn.as_secs_f64() * 1e9 / SAMPLES as f64);
                }
                taken
            });
        });
        best
    }

    /// `plain` gets input and output place, exactly as the filter does.
    fn compare<F: Filter<Input: Checked, Output: Checked>>(
        &mut self,
        name: &str,
        mut filter: F,
        inputs: &[F::Input],
        mut plain: impl FnMut(&F::Input, &mut F::Output),
    ) {
        let mut y = filter.blank(&inputs[0]);
        let with_filter = self.measure(&format!("{name}/filter"), &mut || {
            for u in inputs {
                filter.update_into(black_box(u), &mut y).unwrap();
                black_box(&y);
            }
        });
        let with_loop = self.measure(&format!("{name}/plain"), &mut || {
            for u in inputs {
                let u = black_box(u);
                assert!(u.is_good());
                plain(u, &mut y);
                assert!(y.is_good());
                black_box(&y);
            }
        });
        // A row that the command line left out has no time.
        if with_filter.is_finite() && with_loop.is_finite() {
            self.rows.push(Row { name: name.to_owned(), filter: with_filter, plain: with_loop });
        }
    }
}

/// The length of a joint array is known at run time only, to the filter and to the plain loop.
fn joints() -> usize {
    black_box(24)
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

#[inline(never)]
fn calculus(table: &mut Table) {
    let x0 = vec![0.0; 24];
    let integrator = |method| Integrator::new(IntegratorParams { period: T, method }, &x0).unwrap();
    let euler = plain::integrator(joints(), T);
    table.compare("Integrator Euler, 24 joints", integrator(Quadrature::Euler), &arrays(), euler);
    let trapezoid = plain::trapezoid(joints(), T);
    table.compare("Integrator Trapezoid, 24 joints", integrator(Quadrature::Trapezoid), &arrays(), trapezoid);
    let simpson = plain::simpson(joints(), T);
    table.compare("Integrator Simpson, 24 joints", integrator(Quadrature::Simpson), &arrays(), simpson);
    let filter = Integrator::new(IntegratorParams::default(), &UnitQuaternion::identity()).unwrap();
    table.compare("Integrator, orientation", filter, &turns(), plain::poisson(T));
    let params = |method| DifferentiatorParams { period: T, method };
    let filter = Differentiator::new(params(DiffMethod::Difference), &x0).unwrap();
    let difference = plain::map(joints(), |u, x| ((u - x) * (1.0 / T), u));
    table.compare("Differentiator difference, 24 joints", filter, &arrays(), difference);
    let filter = Differentiator::new(params(DiffMethod::Inertial { tau: 0.05 }), &x0).unwrap();
    table.compare(
        "Differentiator inertial, 24 joints",
        filter,
        &arrays(),
        plain::inertial(joints(), T, 0.05),
    );
    let filter = Differentiator::new(params(DiffMethod::SavitzkyGolay { window: 9, order: 2 }), &x0).unwrap();
    let weights = savitzky_golay(9, 2, 1, T).unwrap()[1..].to_vec();
    let savgol = plain::ring(joints(), weights, |_| 0.0, |w, past, u| w * (past - u), |y| y);
    table.compare("Differentiator savgol 9, 24 joints", filter, &arrays(), savgol);
}

#[inline(never)]
fn joint_states(table: &mut Table) {
    let inputs: Vec<JointState> = arrays().iter().map(|u| JointState::new(u, u).unwrap()).collect();
    let rest = JointState::zeros(24);
    let filter = IntegratorJointState::new(IntegratorParams::default(), &rest).unwrap();
    let (mut step, mut velocity, mut position) =
        (plain::integrator(joints(), T), vec![0.0; 24], vec![0.0; 24]);
    table.compare("IntegratorJointState, 24 joints", filter, &inputs, |u, y| {
        velocity.copy_from_slice(u.velocity());
        step(&velocity, &mut position);
        let (y_position, y_velocity) = y.parts_mut();
        y_position.copy_from_slice(&position);
        y_velocity.copy_from_slice(u.velocity());
    });
    let filter = DifferentiatorJointState::new(DifferentiatorParams::default(), &rest).unwrap();
    let (n, mut x) = (joints(), vec![0.0; 24]);
    table.compare("DifferentiatorJointState, 24 joints", filter, &inputs, |u, y| {
        let (position, velocity) = y.parts_mut();
        let (u, x, velocity) = (&u.position()[..n], &mut x[..n], &mut velocity[..n]);
        position.copy_from_slice(u);
        for i in 0..n {
            velocity[i] = (u[i] - x[i]) * (1.0 / T);
            x[i] = u[i];
        }
    });
}

#[inline(never)]
fn blends(table: &mut Table) {
    let pairs: Vec<Pair<JointArray>> =
        arrays().into_iter().map(|u1| Pair { u2: u1.iter().map(|u| u + 1.0).collect(), u1 }).collect();
    let filter =
        Fusion::new(FusionParams { period: T, method: FusionMethod::Linear { tau: 100.0 } }).unwrap();
    table.compare("FusionLinear, 24 joints", filter, &pairs, plain::fusion_linear(T / 100.0));
    let filter = Fusion::new(FusionParams { period: T, method: FusionMethod::Exp { tau: 100.0 } }).unwrap();
    table.compare("FusionExp, 24 joints", filter, &pairs, plain::fusion_exp(T / 100.0));
    let method = FusionMethod::ExpLimited { tau: 100.0, speed: Limit::from(1e-3) };
    let filter = Fusion::new(FusionParams { period: T, method }).unwrap();
    table.compare("FusionExpLimited, 24 joints", filter, &pairs, plain::fusion_limited(T / 100.0, T * 1e-3));
    let inputs: Vec<TransientInput<JointArray>> =
        pairs.into_iter().map(|p| TransientInput { u: p.u1, ur: p.u2 }).collect();
    let transient = |method| TransientParams { period: T, method };
    let straight = transient(TransientMethod::Linear { speed: Limit::from(1.0) });
    let filter = Transient::new(straight).unwrap();
    table.compare("TransientLinear, 24 joints", filter, &inputs, plain::linear(T));
    let filter = Transient::new(transient(TransientMethod::Exp { tau: 0.1 })).unwrap();
    table.compare("TransientExp, 24 joints", filter, &inputs, plain::exp(T / 0.1));
    let limited = transient(TransientMethod::ExpLimited { tau: 0.1, speed: Limit::from(1.0) });
    let filter = Transient::new(limited).unwrap();
    table.compare("TransientExpLimited, 24 joints", filter, &inputs, plain::limited(T / 0.1, T));
    let filter = Follower::new(straight, &vec![0.0; 24]).unwrap();
    table.compare("Follower linear, 24 joints", filter, &arrays(), plain::follower(joints(), T));
}

#[inline(never)]
fn second_order(table: &mut Table) {
    let zero = Vector3::zeros();
    let inputs: Vec<_> =
        turns().iter().map(|x| SecondOrderInput { x: *x, v: zero, xr: zero, vr: zero, ar: zero }).collect();
    let gains = SecondOrderGains::critical(0.1);
    let filter = TransientSecondExp::new(TransientSecondExpParams { period: T, gains }).unwrap();
    let transition = gains.transition(T);
    table.compare("TransientSecondExp, Vector3", filter, &inputs, plain::second(transition, T));
    let (acceleration, velocity) = (Limit::from(5.0), Limit::from(1.0));
    let params = TransientSecondLimitedParams { period: T, gains, acceleration, velocity };
    let filter = TransientSecondLimited::new(params).unwrap();
    let gain = -(-gains.a1 * T).exp_m1();
    let slope = (2.0 - gain - (transition[0][0] + transition[1][1])) / (gain * T);
    let plain = plain::second_limited(T, [slope, gain, 5.0, 1.0]);
    table.compare("TransientSecondLimited, Vector3", filter, &inputs, plain);
}

#[inline(never)]
fn links(table: &mut Table) {
    let x0 = vec![0.0; 24];
    let gain = -(-T / 0.1_f64).exp_m1();
    let filter = Lag::new(LagParams { period: T, tau: 0.1 }, &0.0).unwrap();
    table.compare("Lag, f64", filter, &numbers(), plain::lag_number(gain));
    let filter = Lag::new(LagParams { period: T, tau: 0.1 }, &x0).unwrap();
    let lag = plain::map(joints(), move |u, x| (x, x + gain * (u - x)));
    table.compare("Lag, 24 joints", filter, &arrays(), lag);
    let params = LeadLagParams { period: T, gain: 2.0, tau_lead: 0.3, tau_lag: 0.1 };
    let filter = LeadLag::new(params, &x0).unwrap();
    let ratio = 0.3 / 0.1;
    let lead_lag = plain::map(joints(), move |u, x| (2.0 * (x + ratio * (u - x)), x + gain * (u - x)));
    table.compare("LeadLag, 24 joints", filter, &arrays(), lead_lag);
    let (b, a) = (vec![0.1, 0.2, 0.1, 0.05, 0.01], vec![1.0, -0.5, 0.2, -0.1, 0.05]);
    let params = TransferFunctionParams { b: b.clone(), a: a.clone() };
    let filter = TransferFunction::new(params.clone(), &0.0).unwrap();
    let plain = plain::transfer_number(b.clone(), a.clone());
    table.compare("TransferFunction order 4, f64", filter, &numbers(), plain);
    let filter = TransferFunction::new(params, &x0).unwrap();
    table.compare("TransferFunction order 4, 24 joints", filter, &arrays(), plain::transfer(joints(), b, a));
    let params = BiquadParams { period: T, frequency: 5.0, quality: 0.7 };
    let filter = BiquadLowPass::new(params, &x0).unwrap();
    table.compare("BiquadLowPass, 24 joints", filter, &arrays(), plain::biquad(joints(), T, 5.0, 0.7));
    let params = LowPassParams { sampling_frequency: 100.0, damping_frequency: 5.0, damping_intensity: 1.0 };
    let filter = LowPassFilter::new(params, &x0).unwrap();
    table.compare(
        "LowPassFilter, 24 joints",
        filter,
        &arrays(),
        plain::low_pass(joints(), (-0.1 * std::f64::consts::PI / 10.0_f64.powf(-0.1)).exp()),
    );
    let filter = ExponentialFilter::new(ExponentialParams { alpha: 0.1 }, &x0).unwrap();
    let exponential = plain::map(joints(), |u, x| (0.1 * u + 0.9 * x, 0.1 * u + 0.9 * x));
    table.compare("ExponentialFilter, 24 joints", filter, &arrays(), exponential);
    let filter = MovingAverage::new(WindowParams { window: 9 }, &x0).unwrap();
    let mean = plain::ring(joints(), vec![1.0; 8], |u| u, |_, past, _| past, |y| y * (1.0 / 9.0));
    table.compare("MovingAverage 9, 24 joints", filter, &arrays(), mean);
    let filter = Median::new(WindowParams { window: 9 }, &x0).unwrap();
    table.compare("Median 9, 24 joints", filter, &arrays(), plain::median(joints(), 9));
}

#[inline(never)]
fn nonlinear_links(table: &mut Table) {
    let x0 = vec![0.0; 24];
    let params = SchmittParams { low: -0.5, high: 0.5, output_low: 0.0, output_high: 1.0 };
    let filter = Schmitt::new(params, &x0).unwrap();
    let schmitt = plain::map(joints(), |u, x| {
        let y = if u >= 0.5 {
            1.0
        } else if u <= -0.5 {
            0.0
        } else {
            x
        };
        (y, y)
    });
    table.compare("Schmitt, 24 joints", filter, &arrays(), schmitt);
    let filter = Backlash::new(BacklashParams { width: 0.5 }, &x0).unwrap();
    let backlash = plain::map(joints(), |u, x| {
        let y = plain::smaller(plain::larger(x, u - 0.25), u + 0.25);
        (y, y)
    });
    table.compare("Backlash, 24 joints", filter, &arrays(), backlash);
    let clip = |u: f64| plain::smaller(plain::larger(u, -0.5), 0.5);
    let filter = DeadZone::new(DeadZoneParams { low: -0.5, high: 0.5 }).unwrap();
    table.compare("DeadZone, 24 joints", filter, &arrays(), |u: &JointArray, y: &mut JointArray| {
        y.iter_mut().zip(u).for_each(|(y, u)| *y = u - clip(*u));
    });
    let filter = Saturation::new(SaturationParams { low: -0.5, high: 0.5 }).unwrap();
    table.compare("Saturation, 24 joints", filter, &arrays(), |u: &JointArray, y: &mut JointArray| {
        y.iter_mut().zip(u).for_each(|(y, u)| *y = clip(*u));
    });
    let limits = RateLimiterParams {
        period: T,
        max_first_derivative: 1.0,
        min_first_derivative: -1.0,
        ..Default::default()
    };
    let filter = RateLimiter::new(limits, &x0).unwrap();
    table.compare("RateLimiter first, 24 joints", filter, &arrays(), plain::rate(joints(), T));
}

#[inline(never)]
fn control(table: &mut Table) {
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
    let params = [
        ("filter1.name", Value::from("spikes")),
        ("filter1.type", Value::from("Median")),
        ("filter1.params.window", Value::from(9)),
        ("filter2.name", Value::from("noise")),
        ("filter2.type", Value::from("BiquadLowPass")),
        ("filter2.params.frequency", Value::from(5.0)),
        ("filter2.params.quality", Value::from(0.7)),
        ("filter3.name", Value::from("limit")),
        ("filter3.type", Value::from("Saturation")),
        ("filter3.params.low", Value::from(-0.5)),
        ("filter3.params.high", Value::from(0.5)),
    ];
    let filter = Chain::new(&params, T, &vec![0.0; 24]).unwrap();
    let (mut median, mut biquad) = (plain::median(joints(), 9), plain::biquad(joints(), T, 5.0, 0.7));
    let mut between = [vec![0.0; 24], vec![0.0; 24]];
    table.compare("Chain median-biquad-saturation, 24", filter, &arrays(), |u, y| {
        let [first, second] = &mut between;
        median(u, first);
        biquad(first, second);
        y.iter_mut().zip(second).for_each(|(y, u)| *y = plain::smaller(plain::larger(*u, -0.5), 0.5));
    });
}

fn main() {
    let criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(250))
        .sample_size(20)
        .nresamples(2000)
        .without_plots()
        .configure_from_args();
    let mut table = Table { criterion, rows: Vec::new() };
    calculus(&mut table);
    joint_states(&mut table);
    blends(&mut table);
    second_order(&mut table);
    links(&mut table);
    nonlinear_links(&mut table);
    control(&mut table);
    println!("\n{:<40} {:>10} {:>10} {:>7}", "one step", "filter ns", "plain ns", "ratio");
    let mut rows = serde_json::Map::new();
    for Row { name, filter, plain } in &table.rows {
        let ratio = filter / plain;
        println!("{name:<40} {filter:>10.1} {plain:>10.1} {ratio:>7.2}");
        let row = serde_json::json!({ "filter_ns": filter, "plain_ns": plain, "ratio": ratio });
        rows.insert(name.clone(), row);
    }
    let above = table.rows.iter().filter(|row| row.filter > GOAL * row.plain).count();
    println!("{above} of {} above the goal of {GOAL}", table.rows.len());
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("../out/bench");
    std::fs::create_dir_all(&out).unwrap();
    let all = serde_json::json!({ "goal": GOAL, "above": above, "step": rows });
    std::fs::write(out.join("filters.json"), serde_json::to_string_pretty(&all).unwrap()).unwrap();
}

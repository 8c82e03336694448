//! What users got wrong answers for, as it was and as it is.
//!
//!     cargo run -p filters_lib --example seen_wrong

use filters_lib::chain::Value;
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

fn main() -> Result<()> {
    println!("| what | before | after |\n|---|---|---|");
    row("BiquadLowPass on 1, 20 → 40 Hz, 40 → 20, 100 → 5: farthest from 1", "0.295, 0.54, 8.07", biquads()?);
    row("TransferFunction 0.9 → 0.8 on 1: farthest from 1", "0.1", transfer_function()?);
    row("RateLimiter max_value 1, first sample 5", "4.99", first_sample()?);
    row("RateLimiter, lag on a ramp, A = 1, A = 10", "0.495, 0.045", ramp()?);
    row("Chain::reset at 100, then 0: Lag, Median, Biquad, MovingAverage", "100, 100, 98, 80", resets()?);
    row("TransferFunction a = [1, −1.9, 0.9] at rest", "9e14", no_rest());
    row("Savitzky–Golay on SO(3), ω = 5 over more than π", "16.7", half_turns()?);
    row("Differentiator → inertial on slope 1; an old speed revived", "0.00995, 6.93", slopes()?);
    row("inertial differentiator: f64::MAX, then 0", "inf, NaN", overflow()?);
    row("Schmitt between its thresholds; output_high 1 → 5", "1.5, 1", schmitt()?);
    row("forward at 90° of yaw: sideways part of the second-order filter", "all of it", yaw()?);
    row("DifferentiatorJointState with a NaN velocity", "refused", absent()?);
    println!("| filter_node: a transform 1.004 s late | clears all others | `filter_node/tests/tf.rs` |");
    Ok(())
}

fn row(what: &str, before: &str, after: impl std::fmt::Display) {
    println!("| {what} | {before} | {after} |");
}

fn farthest(filter: &mut impl Filter<Input = f64, Output = f64>) -> Result<f64> {
    (0..1000).try_fold(0.0, |most: f64, _| Ok(most.max((filter.update(&1.0)? - 1.0).abs())))
}

fn biquads() -> Result<String> {
    let tuned = |frequency| BiquadParams { period: 1e-3, frequency, quality: 0.7 };
    let mut found = vec![];
    for (from, to) in [(20.0, 40.0), (40.0, 20.0), (100.0, 5.0)] {
        let mut filter = BiquadLowPass::new(tuned(from), &1.0)?;
        filter.update(&1.0)?;
        filter.set_params(tuned(to))?;
        found.push(format!("{:.0e}", farthest(&mut filter)?));
    }
    Ok(found.join(", "))
}

fn transfer_function() -> Result<String> {
    let lag = |pole: f64| TransferFunctionParams { b: vec![0.0, 1.0 - pole], a: vec![1.0, -pole] };
    let mut filter = TransferFunction::new(lag(0.9), &1.0)?;
    filter.set_params(lag(0.8))?;
    Ok(format!("{:.0e}", farthest(&mut filter)?))
}

fn first_sample() -> Result<f64> {
    let params = RateLimiterParams { max_value: 1.0, max_first_derivative: 1.0, ..Default::default() };
    RateLimiter::new(params, &5.0)?.update(&5.0)
}

fn ramp() -> Result<String> {
    let lag = |limit: f64| {
        let params = RateLimiterParams { max_second_derivative: limit, ..Default::default() };
        let mut filter = RateLimiter::new(params, &0.0)?;
        (0..1000).map(|k| 0.005 * f64::from(k)).try_fold(0.0, |_, u| Ok::<_, Error>(u - filter.update(&u)?))
    };
    Ok(format!("{:.0e}, {:.0e}", lag(1.0)?, lag(10.0)?))
}

fn resets() -> Result<String> {
    let mut found = vec![];
    for (kind, name, value) in [
        ("Lag", "tau", Value::from(1.0)),
        ("Median", "window", Value::from(5)),
        ("BiquadLowPass", "frequency", Value::from(2.0)),
        ("MovingAverage", "window", Value::from(5)),
    ] {
        let params = [
            ("filter1.name".to_string(), Value::from("f")),
            ("filter1.type".to_string(), Value::from(kind)),
            (format!("filter1.params.{name}"), value),
        ];
        let Ok(mut chain) = Chain::new(&params, 0.01, &0.0) else { continue };
        for _ in 0..50 {
            chain.update(&100.0)?;
        }
        chain.reset();
        found.push(chain.update(&0.0)?.to_string());
    }
    Ok(found.join(", "))
}

fn no_rest() -> String {
    let params = TransferFunctionParams { b: vec![1.0], a: vec![1.0, -1.9, 0.9] };
    TransferFunction::new(params, &1.0).map_or_else(|error| error.to_string(), |_| "starts".into())
}

fn half_turns() -> Result<String> {
    let method = DiffMethod::SavitzkyGolay { window: 9, order: 2 };
    let start = UnitQuaternion::identity();
    let mut filter = Differentiator::new(DifferentiatorParams { period: 0.1, method }, &start)?;
    let turned = |k: i32| UnitQuaternion::from_scaled_axis(Vector3::z() * 0.5 * f64::from(k));
    let rate = (0..20).try_fold(Vector3::zeros(), |_, k| filter.update(&turned(k)))?;
    Ok(format!("{:.6}", rate.z))
}

fn slopes() -> Result<String> {
    let with = |method| DifferentiatorParams { period: 0.01, method };
    let (difference, inertial) = (with(DiffMethod::Difference), with(DiffMethod::Inertial { tau: 1.0 }));
    let mut filter = Differentiator::new(difference, &0.0)?;
    let mut slope = 0.0;
    for k in 0..10 {
        filter.set_params(if k < 9 { difference } else { inertial })?;
        slope = filter.update(&(0.01 * f64::from(k)))?;
    }
    filter.set_params(difference)?;
    for _ in 0..1000 {
        filter.update(&7.0)?;
    }
    filter.set_params(inertial)?;
    Ok(format!("{slope:.6}, {}", filter.update(&7.0)?))
}

fn overflow() -> Result<String> {
    let method = DiffMethod::Inertial { tau: 0.1 };
    let mut filter = Differentiator::new(DifferentiatorParams { period: 0.1, method }, &0.0)?;
    let refused = filter.update(&f64::MAX).is_err();
    Ok(format!("{}, {}", if refused { "refused" } else { "taken" }, filter.update(&0.0)?))
}

fn schmitt() -> Result<String> {
    let params = SchmittParams { low: 1.0, high: 2.0, output_low: 0.0, output_high: 1.0 };
    let mut trigger = Schmitt::new(params, &1.5)?;
    let between = trigger.update(&1.5)?;
    trigger.update(&2.5)?;
    trigger.set_params(SchmittParams { output_high: 5.0, ..params })?;
    Ok(format!("{between}, {}", trigger.update(&1.5)?))
}

fn yaw() -> Result<String> {
    let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
    let (x, v) =
        (Isometry3::from_parts(Vector3::zeros().into(), yaw), BodyTwist::new(Vector3::x(), Vector3::zeros()));
    let gains = SecondOrderGains::critical(0.1);
    let filter = TransientSecondExp::new(TransientSecondExpParams { period: 0.01, gains })?;
    let y = filter.output(&SecondOrderInput { x, v, xr: x, vr: v, ar: BodyTwist::default() })?;
    Ok(format!("{:.0e}", y.x.translation.x))
}

fn absent() -> Result<String> {
    let params = DifferentiatorParams { period: 0.5, ..Default::default() };
    let mut slope = DifferentiatorJointState::new(params, &JointState::zeros(1))?;
    let y = slope.update(&JointState::new(&[1.0], &[f64::NAN])?)?;
    Ok(format!("velocity {}", y.velocity()[0]))
}

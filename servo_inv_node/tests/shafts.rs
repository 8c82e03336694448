//! Whether the servos are where the trajectory is: true shafts of the simulated pony beside commanded joints, with the parameters
//! that are shipped. `cargo test -p servo_inv_node --test shafts -- --nocapture` prints the table.
#![allow(clippy::unwrap_used)]

mod whole;

use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::{InverseParams, LeadParams, models};
use test_lib::shipped;
use whole::{Sample, Whole, With};

/// A joint that moves less is no measure of lag, rad RMS.
const MOVES: f64 = 1.0 / 57.3;

/// Lag (ms) and error (degrees RMS) of the leg joints that move.
#[derive(Clone, Copy, Debug)]
struct Tracking {
    lag: f64,
    worst_lag: f64,
    rms: f64,
    joints: usize,
    /// The fastest way of a goal from cycle to cycle, as part of its joint's speed.
    fastest: f64,
}

fn interpolate(samples: &[Sample], at: f64) -> f64 {
    let after = samples.partition_point(|s| s.at < at).clamp(1, samples.len() - 1);
    let (a, b) = (samples[after - 1], samples[after]);
    a.position + (b.position - a.position) * (at - a.at) / (b.at - a.at)
}

/// RMS of the shaft beside the commanded position of `lag` seconds before.
fn rms(commanded: &[Sample], shaft: &[Sample], lag: f64) -> f64 {
    let (first, last) = (commanded[0].at + 0.1, commanded[commanded.len() - 1].at - 0.1);
    let inside = shaft.iter().filter(|s| s.at > first && s.at < last);
    let squares: Vec<f64> =
        inside.map(|s| (s.position - interpolate(commanded, s.at - lag)).powi(2)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

/// The lag at which shaft and command fit best, s.
fn lag(commanded: &[Sample], shaft: &[Sample]) -> f64 {
    let best = |from: i32, to: i32, step: f64| {
        (from..=to)
            .map(|i| f64::from(i) * step)
            .min_by(|a, b| rms(commanded, shaft, *a).total_cmp(&rms(commanded, shaft, *b)))
    };
    let coarse = best(-20, 40, 0.002).unwrap();
    let fine = (-10..=10).map(|i| coarse + f64::from(i) * 0.0002);
    fine.min_by(|a, b| rms(commanded, shaft, *a).total_cmp(&rms(commanded, shaft, *b))).unwrap()
}

fn track(gait: &str, speed: f64, inverse: ServoInverse, with: With) -> Tracking {
    let mut whole = Whole::new(gait, inverse, with);
    whole.walk(speed, 3.0);
    whole.begin();
    whole.walk(speed, 4.0);
    let legs = whole.names().iter().enumerate().filter(|(_, name)| name.starts_with("leg"));
    let moving = legs.filter(|(i, _)| {
        let samples = &whole.commanded[*i];
        let mean = samples.iter().map(|s| s.position).sum::<f64>() / samples.len() as f64;
        let spread = samples.iter().map(|s| (s.position - mean).powi(2)).sum::<f64>() / samples.len() as f64;
        spread.sqrt() > MOVES
    });
    let figures: Vec<(f64, f64)> = moving
        .map(|(i, _)| {
            let (commanded, shaft) = (&whole.commanded[i], &whole.shafts[i]);
            (1e3 * lag(commanded, shaft), rms(commanded, shaft, 0.0).to_degrees())
        })
        .collect();
    let n = figures.len() as f64;
    Tracking {
        lag: figures.iter().map(|f| f.0).sum::<f64>() / n,
        worst_lag: figures.iter().map(|f| f.0).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap(),
        rms: (figures.iter().map(|f| f.1 * f.1).sum::<f64>() / n).sqrt(),
        joints: figures.len(),
        fastest: whole.fastest,
    }
}

fn lead(params: LeadParams) -> ServoInverse {
    ServoInverse::new(Settings::from(&params), Models::new(ServoModel::IDEAL, vec![]).unwrap())
}

fn param(params: &InverseParams) -> ServoInverse {
    let models = models(&params.default_servo_model, &params.servo_models).unwrap();
    ServoInverse::new(Settings::from(params), models)
}

#[test]
fn the_shipped_parameters_track() {
    let shipped_lead: LeadParams = shipped("servo_lead.yaml", "/servo_inv_lead");
    let seed = LeadParams { lead: 0.056, delay: 0.0, playtime: 0.0, ..shipped_lead.clone() };
    let none = LeadParams { lead: 0.0, ..seed.clone() };
    let shipped_param: InverseParams = shipped("servo_inv.yaml", "/servo_inv_param");
    println!(
        "{:38} {:>8} {:>7} {:>9} {:>7} {:>10}",
        "", "lag, ms", "worst", "RMS, deg", "joints", "goal speed"
    );
    for (gait, speed, weight) in
        [("walk", 0.08, false), ("trot", 0.2, false), ("walk", 0.08, true), ("trot", 0.2, true)]
    {
        let (bare, effort) = (With { effort: false, weight }, With { effort: true, weight });
        let rows = [
            ("no lead", track(gait, speed, lead(none.clone()), bare)),
            ("the seed's lead", track(gait, speed, lead(seed.clone()), bare)),
            ("lead and delay", track(gait, speed, lead(shipped_lead.clone()), bare)),
            ("param", track(gait, speed, param(&shipped_param), bare)),
            ("param and effort", track(gait, speed, param(&shipped_param), effort)),
        ];
        for (name, Tracking { lag, worst_lag, rms, joints, fastest }) in rows {
            let label = format!("{gait}, {}{name}", if weight { "loaded, " } else { "" });
            println!("{label:38} {lag:8.1} {worst_lag:7.1} {rms:9.2} {joints:7} {fastest:10.2}");
        }
        let [none, _, lead, param, effort] = rows.map(|(_, t)| t);
        if weight {
            assert!(effort.lag.abs() <= 5.0 && effort.rms <= 1.0, "{gait}: {effort:?}");
        } else {
            // A lead is a straight line: it falls behind where the trajectory bends, but is far better than none.
            assert!(lead.lag.abs() <= 12.0 && lead.rms <= 0.5 * none.rms, "{gait}: {lead:?}");
            assert!(param.lag.abs() <= 5.0 && param.rms <= 0.5, "{gait}: {param:?}");
        }
    }
}

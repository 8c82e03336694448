//! A beat that was away, a clock that was set back, a period that changes: what a source moves like has nothing to do with them.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{
    Agregator, AgregatorParams, CycleTime, JointArrays, LimbArrays, LimitPolicy, SyncRelation, Taken,
    UpdateMethod,
};
use common::{Bench, CYCLE, T, model};

fn shipped() -> AgregatorParams {
    AgregatorParams {
        update_method: UpdateMethod::Brake,
        speed_limits: LimitPolicy::Clamp,
        require_full_pose: false,
        period: T,
        ..AgregatorParams::default()
    }
}

/// A message that overtook its `sync` by up to a stall of fallen cycles.
#[test]
fn a_message_before_its_sync_after_a_fall_out_is_kept_for_it() {
    for fell_out in 0..8_i64 {
        let mut bench = Bench::standing(0.0, |_| {});
        let start = i64::from(bench.cycle) * CYCLE;
        let limb = LimbArrays { chain: "a", position: &[0.1, 0.1], velocity: &[], effort: &[] };
        // As gait_node sends it: stamp and number of its cycle.
        let time = CycleTime::new(start + (1 + fell_out) * CYCLE, 2);
        let taken = bench.core.limbs(time, std::iter::once(limb), &mut |_| {}).unwrap();
        assert_ne!(taken, Taken::Dropped, "{fell_out} cycles fell out: {taken:?}");
        assert_eq!(
            bench.core.sync(2, start + (1 + fell_out) * CYCLE, T, &mut |_| {}),
            SyncRelation::Next { passed: 1 + fell_out, fell_out }
        );
        bench.core.begin_cycle(&mut |_| {});
        assert_eq!(bench.position("a1"), 0.1, "{fell_out} fell out");
    }
}

/// Position, velocity and acceleration of each cycle of a swing, with a beat that is away for `gap` cycles before cycle `at`.
fn swing(with_velocity: bool, at: i64, gap: i64) -> Vec<[f64; 3]> {
    let mut core = Agregator::new(model(), shipped()).unwrap();
    let name = ["a1".to_owned()];
    let omega = 2.0 * std::f64::consts::PI * 1.0;
    let mut out = vec![];
    for k in 0..200_i64 {
        let stamp = (1000 + k + if k >= at { gap } else { 0 }) * CYCLE;
        core.sync(k as u32 + 1, stamp, T, &mut |_| {});
        let pose = core.pose().unwrap();
        out.push([pose.position[0], pose.velocity[0], pose.acceleration[0]]);
        core.begin_cycle(&mut |_| {});
        let phase = omega * T * k as f64;
        let velocity = if with_velocity { 0.4 * omega * phase.sin() } else { f64::NAN };
        let arrays = JointArrays {
            name: &name,
            position: &[0.4 * (1.0 - phase.cos())],
            velocity: &[velocity],
            effort: &[],
        };
        core.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
    }
    out
}

/// A source that counts cycles: what it moves like has nothing to do with how long the beat was away.
#[test]
fn a_fall_out_changes_neither_velocity_nor_acceleration() {
    let mut bad = vec![];
    for with_velocity in [true, false] {
        let plain = swing(with_velocity, 1000, 0);
        for gap in [2, 30, 150] {
            let mut worst = [(0.0, 0, 0); 3];
            for at in 60..180 {
                for (k, (a, b)) in plain.iter().zip(swing(with_velocity, at, gap)).enumerate() {
                    for i in 0..3 {
                        if (a[i] - b[i]).abs() > worst[i].0 {
                            worst[i] = ((a[i] - b[i]).abs(), at, k);
                        }
                    }
                }
            }
            println!(
                "velocity {with_velocity}, gap {gap}: position {:?}, velocity {:?}, acceleration {:?}",
                worst[0], worst[1], worst[2]
            );
            if worst.iter().any(|w| w.0 > 1e-6) {
                bad.push(format!("velocity {with_velocity}, gap {gap}: {worst:?}"));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A steady motion while the period changes. (From 10 to 1 ms a pose that is a cycle late has 9 ms to make up for: that is motion.)
#[test]
fn a_period_that_changes_is_no_change_of_speed() {
    let mut bad = vec![];
    for with_velocity in [true, false] {
        for (first, second) in [(10_i64, 20_i64), (20, 10), (1, 10), (10, 11), (11, 10)] {
            let mut core = Agregator::new(model(), shipped()).unwrap();
            let name = ["a1".to_owned()];
            let mut at = 10_000_i64;
            let mut found = vec![];
            for k in 0..60_u32 {
                let ms = if k < 30 { first } else { second };
                let stamp = at * 1_000_000;
                core.sync(k + 1, stamp, ms as f64 * 1e-3, &mut |_| {});
                let pose = core.pose().unwrap();
                found.push([pose.position[0], pose.velocity[0], pose.acceleration[0]]);
                core.begin_cycle(&mut |_| {});
                let q = 1.0 * (at - 10_000) as f64 * 1e-3;
                let velocity = if with_velocity { 1.0 } else { f64::NAN };
                let arrays = JointArrays { name: &name, position: &[q], velocity: &[velocity], effort: &[] };
                core.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
                at += ms;
            }
            let worst_v = found[20..].iter().map(|f| (f[1] - 1.0).abs()).fold(0.0, f64::max);
            let worst_a = found[20..].iter().map(|f| f[2].abs()).fold(0.0, f64::max);
            println!(
                "velocity {with_velocity} {first} → {second} ms: velocity off by {worst_v}, acceleration {worst_a}"
            );
            if worst_v > 1e-6 || worst_a > 1e-3 {
                bad.push(format!(
                    "velocity {with_velocity} {first} → {second} ms: v {worst_v}, a {worst_a}: {:?}",
                    &found[28..34]
                ));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A clock that is set back while a source goes on: the pose must go on as well.
#[test]
fn a_clock_set_back_does_not_stop_the_pose() {
    let mut bad = vec![];
    for ms in [-5_i64, -8, -10, -15, -25, -37, -300, -600, -2000] {
        let mut core = Agregator::new(model(), shipped()).unwrap();
        let name = ["a1".to_owned()];
        let mut last: Option<f64> = None;
        let mut worst: f64 = 0.0;
        let mut velocities: f64 = 1.0;
        for k in 0..100_i64 {
            let stamp = (100_000 + k) * CYCLE + if k >= 60 { ms * 1_000_000 } else { 0 };
            let relation = core.sync(k as u32 + 1, stamp, T, &mut |_| {});
            if relation != SyncRelation::Old {
                let pose = core.pose().unwrap();
                if k > 20 {
                    velocities = velocities.min(pose.velocity[0]);
                }
                core.begin_cycle(&mut |_| {});
            }
            let now = core.pose().unwrap().position[0];
            if let Some(last) = last.filter(|_| k > 20) {
                worst = worst.max((now - last - 0.01).abs());
            }
            last = Some(now);
            // A source that counts cycles and gets every sync (it follows the number).
            let arrays =
                JointArrays { name: &name, position: &[0.01 * k as f64], velocity: &[1.0], effort: &[] };
            core.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
        }
        println!("{ms} ms: position steps off by {worst:.4} of 0.0100, least velocity {velocities}");
        if worst > 1e-6 || velocities < 1.0 - 1e-9 {
            bad.push(format!("{ms} ms: steps off by {worst:.4}, least velocity {velocities}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

/// A joint that turns round while the beat is away: v −0.10 → +0.12 rad/s over one cycle of its source is 22 rad/s², however long the beat was
/// away. Its way, +0.0009 rad, over the mean velocity of 0.01 rad/s looks like 0.09 s.
#[test]
fn a_joint_that_turns_round_over_a_fall_out_keeps_its_acceleration() {
    let acceleration = |gap: i64| {
        let mut core = Agregator::new(model(), shipped()).unwrap();
        let name = ["a1".to_owned()];
        let (mut q, mut found) = (0.5, 0.0);
        for k in 0..30_i64 {
            let stamp = (1000 + k + if k >= 21 { gap } else { 0 }) * CYCLE;
            core.sync(k as u32 + 1, stamp, T, &mut |_| {});
            if k == 22 {
                found = core.pose().unwrap().acceleration[0];
            }
            core.begin_cycle(&mut |_| {});
            let v = if k < 21 { -0.10 } else { 0.12 };
            q += if k < 21 {
                -0.001
            } else if k == 21 {
                0.0009
            } else {
                0.0012
            };
            let arrays = JointArrays { name: &name, position: &[q], velocity: &[v], effort: &[] };
            core.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
        }
        found
    };
    assert!((acceleration(0) - 22.0).abs() < 1e-6, "{}", acceleration(0));
    assert!((acceleration(30) - 22.0).abs() < 1e-6, "{} rad/s², right is 22", acceleration(30));
}

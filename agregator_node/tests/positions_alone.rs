//! A joint of which only positions are known goes where they say, and nowhere else.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{LimitPolicy, PublishOn, UpdateMethod};
use common::{Bench, CYCLE, DIFFS, JOINTS, METHODS, SPEED, T};
use proptest::prelude::*;

const POLICIES: [LimitPolicy; 3] = [LimitPolicy::Clamp, LimitPolicy::Warn, LimitPolicy::Off];

/// It coasted to the joint's limit at 2.0, and to 0.54.
#[test]
fn a_position_given_once_is_where_the_joint_ends() {
    for method in METHODS {
        for policy in POLICIES {
            for told in [0.33, 0.14, -0.9] {
                let mut bench =
                    Bench::standing(0.1, |p| (p.update_method, p.speed_limits) = (method, policy));
                bench.joints(&["a1"], &[told], &[]).unwrap();
                for _ in 0..200 {
                    bench.sync();
                    let q = bench.position("a1");
                    assert!(
                        (told.min(0.1)..=told.max(0.1)).contains(&q),
                        "{method:?} {policy:?}: {told} gave {q}"
                    );
                }
                assert_eq!(
                    (bench.position("a1"), bench.velocity("a1")),
                    (told, 0.0),
                    "{method:?} {policy:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_source_of_positions_at_any_rate_ends_where_it_says_without_overshoot(
        method in prop::sample::select(METHODS.to_vec()),
        diff in prop::sample::select(DIFFS.to_vec()),
        policy in prop::sample::select(POLICIES.to_vec()),
        period_ms in prop::sample::select(vec![1_i64, 5, 10, 20, 40]),
        rate in 1.0..200.0_f64,
        steps in prop::collection::vec(-1.0..2.0_f64, 1..12),
    ) {
        let period = period_ms as f64 / 1e3;
        let mut bench = Bench::new(|p| {
            (p.update_method, p.diff_method, p.speed_limits, p.period) = (method, diff, policy, period);
        });
        bench.joints(&JOINTS, &[0.1; 5], &[]).unwrap();
        bench.core.sync(1, period_ms * CYCLE / 10, period, &mut |_| {});
        let (mut sent, mut time, mut q) = (0, 0.0, 0.1_f64);
        let most = 20.0 + steps.len() as f64 / rate;
        let (mut k, mut last) = (1_u32, 0.1_f64);
        while sent < steps.len() || (time < most && (q - last).abs() > 0.0) {
            let before = (q, last);
            while sent < steps.len() && sent as f64 / rate <= time {
                last = steps[sent];
                bench.joints(&["a1"], &[last], &[]).unwrap();
                sent += 1;
            }
            k += 1;
            time += period;
            bench.core.sync(k, i64::from(k) * period_ms * CYCLE / 10, period, &mut |_| {});
            bench.begin();
            q = bench.position("a1");
            // Between where it was and where it is told to be.
            let rounding = 1e-12;
            prop_assert!(q >= before.0.min(last) - rounding && q <= before.0.max(last) + rounding,
                "{} → {q}, told {last} (before: {})", before.0, before.1);
        }
        for i in 0..3 {
            k += 1;
            bench.core.sync(k, i64::from(k) * period_ms * CYCLE / 10, period, &mut |_| {});
            // For one cycle the source may only be late.
            prop_assert!(bench.position("a1") == last && (i == 0 || bench.velocity("a1") == 0.0));
        }
    }
}

/// 50 Hz at 1 rad/s was a staircase: 0.02 rad in one cycle and none in the next, with accelerations of ±200 rad/s².
#[test]
fn a_source_slower_than_the_beat_moves_its_joint_evenly() {
    for every in [2_u32, 3, 4, 5, 10, 20] {
        let mut bench = Bench::standing(0.0, |p| {
            (p.update_method, p.speed_limits) = (UpdateMethod::Brake, LimitPolicy::Clamp);
        });
        let (v, mut before) = (1.0, 0.0);
        for k in 0..8 * every {
            let time = f64::from(k) * T;
            if k % every == 0 {
                bench.joints(&["a1"], &[v * time], &[]).unwrap();
            }
            bench.sync();
            let q = bench.position("a1");
            // What is left of the first interval shrinks by its cycles + 1 with each that follows.
            let rounding = 2.0 / f64::from(every + 1).powi((k / every) as i32 - 1);
            if k >= 3 * every {
                assert!(((q - before) / T - v).abs() < v * rounding, "{every}: {before} → {q} in cycle {k}");
                assert!(
                    (bench.velocity("a1") - v).abs() < v * rounding,
                    "{every}: {} in cycle {k}",
                    bench.velocity("a1")
                );
                // From one interval to the next.
                assert!(bench.acceleration("a1").abs() < 2.0 * v * rounding * f64::from(every + 1) / T);
                // It is one interval and one cycle behind.
                assert!(
                    (v * time - q - v * T * f64::from(every + 1)).abs() < v * T * (f64::from(every) + 0.5)
                );
            }
            before = q;
        }
    }
}

/// Rates that are no part of the beat's: μ cycles from one position to the next, n or n + 1 by turns. A way D is gone in
/// N = n + 1 or n + 2 cycles, so after n of them at most 2/(n + 2) of it is left: D ≤ μ + 2·D/(n + 2), and the speed D/N is at
/// most μ·(n + 2)/(n·(n + 1)). None ever stands still. 60 Hz went at 0 … 2.6 rad/s.
#[test]
fn a_source_of_any_rate_below_the_beat_moves_its_joint_evenly() {
    for rate in [24.0, 27.5, 30.0, 35.0, 40.0, 45.0, 52.0, 55.0, 60.0, 66.0, 70.0] {
        let mut bench = Bench::standing(0.0, |p| p.speed_limits = LimitPolicy::Clamp);
        let (mut sent, mut before, mean) = (0, 0.0, 1.0 / (rate * T));
        let most = mean * (mean.floor() + 2.0) / (mean.floor() * (mean.floor() + 1.0));
        for k in 0..170 {
            let mut given = None;
            while f64::from(sent) / rate < f64::from(k + 1) * T {
                given = Some(f64::from(sent) / rate);
                sent += 1;
            }
            if let Some(position) = given {
                bench.joints(&["a1"], &[position], &[]).unwrap();
            }
            bench.sync();
            let speed = (bench.position("a1") - before) / T;
            before = bench.position("a1");
            assert!(k < 60 || (speed > 0.5 && speed < most), "{rate} Hz: {speed} rad/s in cycle {k}");
        }
    }
}

/// One message of a source that keeps up with the beat is late: the velocity stays, and nothing is told of a halt.
#[test]
fn one_late_message_is_no_halt() {
    let mut bench = Bench::standing(0.0, |p| {
        (p.update_method, p.speed_limits) = (UpdateMethod::Brake, LimitPolicy::Clamp);
    });
    for k in 1..40_u32 {
        if k != 20 {
            bench.joints(&["a1"], &[0.01 * f64::from(k)], &[]).unwrap();
        }
        bench.sync();
        assert_eq!(bench.position("a1"), 0.01 * f64::from(if k == 20 { 19 } else { k }));
        if k > 3 {
            assert!((bench.velocity("a1") - 1.0).abs() < 1e-9, "cycle {k}: {}", bench.velocity("a1"));
            assert!(bench.acceleration("a1").abs() < 1e-6, "cycle {k}: {}", bench.acceleration("a1"));
        }
    }
}

/// Nothing but messages: each is a cycle of the joints that it names.
#[test]
fn without_a_beat_the_limits_hold_from_message_to_message() {
    let mut bench = Bench::new(|p| {
        (p.publish_on, p.speed_limits) = (PublishOn::Message, LimitPolicy::Clamp);
    });
    bench.joints(&JOINTS, &[0.0; 5], &[]).unwrap();
    let (mut before, mut speed) = (0.0, 0.0_f64);
    for told in [2.0; 60].into_iter().chain([-1.0; 90]) {
        bench.joints(&["a1"], &[told], &[]).unwrap();
        let (q, moved) = (bench.position("a1"), (bench.position("a1") - before) / T);
        assert!(moved.abs() <= SPEED * (1.0 + 1e-9), "{before} → {q}");
        assert!(moved.abs() - speed.abs() <= 200.0 * T * (1.0 + 1e-9), "{speed} → {moved} rad/s");
        (before, speed) = (q, moved);
    }
    assert_eq!(before, -1.0);
}

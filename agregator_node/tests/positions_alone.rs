//! A joint of which only positions are known goes where they say, and nowhere else.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::LimitPolicy;
use common::{Bench, CYCLE, DIFFS, JOINTS, METHODS};
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
        for _ in 0..3 {
            k += 1;
            bench.core.sync(k, i64::from(k) * period_ms * CYCLE / 10, period, &mut |_| {});
            prop_assert_eq!((bench.position("a1"), bench.velocity("a1")), (last, 0.0));
        }
    }
}

//! Whatever `sync`s come, with whatever stamps and periods: indices have an order, and time adds up.

use cycle_lib::{Cycles, SyncRelation};
use proptest::prelude::*;

fn stamp() -> impl Strategy<Value = i64> {
    let extreme = prop::sample::select(vec![i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX]);
    prop_oneof![6 => 0..3_000_000_000_i64, 1 => any::<i64>(), 1 => extreme]
}

fn period() -> impl Strategy<Value = f64> {
    prop_oneof![6 => prop::sample::select(vec![0.0005, 0.005, 0.01, 0.02, 1.0]), 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn later_stamps_have_no_earlier_index_and_spans_add_up(
        syncs in prop::collection::vec((0..4_u32, stamp(), period()), 1..12),
        mut stamps in prop::array::uniform3(stamp()),
    ) {
        let (mut cycles, mut is_plain) = (Cycles::new(0.01), true);
        for (number, stamp, period) in syncs {
            let before = cycles;
            match cycles.sync(number, stamp, period) {
                SyncRelation::Old => {
                    prop_assert_eq!(cycles.current(), before.current());
                    prop_assert_eq!(cycles.start_ns(), before.start_ns());
                }
                SyncRelation::Next { passed, fell_out } => {
                    prop_assert!(passed >= 1 && cycles.current() >= before.current());
                    prop_assert!((0..passed).contains(&fell_out));
                    is_plain &= fell_out == 0;
                    prop_assert_eq!(cycles.index(stamp), cycles.current());
                }
                SyncRelation::Back => {
                    prop_assert!(before.start_ns().is_some_and(|newest| stamp < newest));
                    prop_assert_eq!(cycles.index(stamp), cycles.current());
                }
            }
            prop_assert!((0.0005..=1.0).contains(&cycles.period()));
        }
        stamps.sort_unstable();
        let [a, b, c] = stamps.map(|stamp| cycles.index(stamp));
        prop_assert!(a <= b && b <= c, "{a} {b} {c}");
        let (whole, parts) = (cycles.span(a, c), cycles.span(a, b) + cycles.span(b, c));
        prop_assert!(whole >= 0.0 && whole <= parts + 1e-9 * (1.0 + whole), "{whole} {parts}");
        if is_plain {
            prop_assert!((whole - parts).abs() <= 1e-9 * (1.0 + whole), "{whole} {parts}");
        }
        prop_assert!(a == c || whole > 0.0);
        prop_assert!(cycles.span(a, a.saturating_add(1)) >= 0.0);
    }

    /// Four in a row that said ten times the period at which they came were taken for a clock that was set back.
    #[test]
    fn newer_stamps_never_go_back_however_close_they_are(
        steps in prop::collection::vec((1..30_000_000_i64, period()), 1..40),
    ) {
        let (mut cycles, mut stamp) = (Cycles::new(0.01), 0);
        for (step, period) in steps {
            stamp += step;
            let current = cycles.current();
            prop_assert_ne!(cycles.sync(0, stamp, period), SyncRelation::Back);
            prop_assert!(cycles.current() >= current);
        }
    }

    /// A second `sync_node` at any offset, with jitter: cycles are as many as one of them makes, not twice.
    #[test]
    fn two_sync_nodes_make_no_more_cycles_than_one(
        offset in 0..10_000_000_i64, jitter in prop::collection::vec(-200_000..200_000_i64, 200),
    ) {
        let mut cycles = Cycles::new(0.01);
        let mut stamps: Vec<i64> = (0..100_i64)
            .flat_map(|n| [n * 10_000_000, n * 10_000_000 + offset])
            .zip(&jitter)
            .map(|(stamp, jitter)| stamp + jitter)
            .collect();
        stamps.sort_unstable();
        stamps.into_iter().for_each(|stamp| _ = cycles.sync(0, stamp, 0.01));
        // One more where it goes over from one of them to the other.
        prop_assert!((99..=102).contains(&cycles.current()), "{}", cycles.current());
    }
}

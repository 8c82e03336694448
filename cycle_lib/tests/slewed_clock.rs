//! A wall clock that NTP slews, and that is never read at quite the time that was meant: [`Beat`] follows it, and nobody behind it
//! loses a cycle.

use cycle_lib::{Beat, Cycles, SyncRelation};
use proptest::prelude::*;

const MS: i64 = 1_000_000;
/// The kernel slews no faster, parts per million.
const FASTEST: i64 = 500;
/// Between the readings of the two clocks, ns.
const ERROR: i64 = 20_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn loses_no_cycle(
        period_ns in 500_000..20_000_000_i64,
        ppm in -FASTEST..=FASTEST,
        late in prop::collection::vec(0..=ERROR, 16),
    ) {
        let wall = |due: i64| 1_000_000 * MS + due + due * ppm / 1_000_000;
        let mut beat = Beat::start(0, wall(0), period_ns);
        let period = period_ns as f64 * 1e-9;
        let mut cycles = Cycles::new(period);
        // Long enough for a clock at its fastest to run away by several periods.
        let beats = 4 * 1_000_000 / FASTEST;
        for beaten in 0..beats {
            let now = beat.due_ns();
            beat.follow_step(now, wall(now) + late[beaten as usize % late.len()], ERROR);
            // As far as it was let drift, and the errors of the reading then and of the one that the grid was moved by.
            let off = beat.stamp_ns() - wall(beat.due_ns());
            prop_assert!(off.abs() <= (period_ns / 4).min(MS) + 2 * ERROR, "stamps are off by {off} ns");
            prop_assert_eq!(cycles.sync(0, beat.stamp_ns(), period), SyncRelation::Next { passed: 1, fell_out: 0 });
            beat.advance();
        }
        prop_assert_eq!(cycles.current(), beats);
    }

    #[test]
    fn is_left_alone_when_it_is_only_read_late(
        period_ns in 500_000..20_000_000_i64,
        late in prop::collection::vec(-ERROR..=ERROR, 100),
    ) {
        let mut beat = Beat::start(0, 1_000_000 * MS, period_ns);
        for late in late {
            let now = beat.due_ns();
            prop_assert_eq!(beat.follow_step(now, 1_000_000 * MS + now + late, ERROR), None);
            beat.advance();
        }
    }
}

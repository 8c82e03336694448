//! How the published pose gets to where sources want it: unchanged where it can be, within the limits where not.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{LimitPolicy, UpdateMethod};
use common::{Bench, CYCLE, JOINTS, METHODS, SPEED, T};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Sines within the joint's speed and acceleration, from rest: not a bit is changed, and no message is noted.
    #[test]
    fn a_smooth_motion_within_the_limits_passes_bit_for_bit(
        swing in 0.01..0.9_f64,
        share in 0.05..0.999_f64,
        middle in -0.05..1.05_f64,
        period_ms in prop::sample::select(vec![1_i64, 5, 10, 20]),
        with_velocity in any::<bool>(),
        method in prop::sample::select(METHODS.to_vec()),
    ) {
        let period = period_ms as f64 / 1e3;
        let acceleration_limit = 200.0_f64;
        // The fastest sine: swing·ω within the speed, swing·ω² within the acceleration, by a share that is left.
        let omega = share * (SPEED / swing).min((acceleration_limit / swing).sqrt());
        let q = |t: f64| middle - swing * (omega * t).cos();
        let mut bench = Bench::new(|p| {
            (p.speed_limits, p.period, p.update_method) = (LimitPolicy::Clamp, period, method);
            p.acceleration_limit = acceleration_limit;
        });
        bench.joints(&JOINTS, &[q(0.0); 5], &[0.0; 5]).unwrap();
        bench.core.sync(1, period_ms * 1_000_000, period, &mut |_| {});
        for k in 1..400_u32 {
            let t = period * f64::from(k);
            let velocity = swing * omega * (omega * t).sin();
            let given: &[f64] = if with_velocity { &[velocity] } else { &[] };
            bench.joints(&["a1"], &[q(t)], given).unwrap();
            prop_assert!(bench.notes.is_empty(), "{:?}", bench.notes);
            bench.core.sync(k + 1, i64::from(k + 1) * period_ms * 1_000_000, period, &mut |_| {});
            prop_assert_eq!(bench.position("a1").to_bits(), q(t).to_bits());
            if with_velocity {
                prop_assert_eq!(bench.velocity("a1").to_bits(), velocity.to_bits());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// However often a source repeats it: always nearer, within the acceleration, in the time that the way takes, exactly.
    #[test]
    fn a_position_that_stays_is_reached_exactly(
        period_ms in prop::sample::select(vec![1_i64, 10, 100]),
        limit in prop::sample::select(vec![1.0_f64, 200.0, 1e5]),
        told in -0.9..1.9_f64,
        every in 1..50_u32,
    ) {
        let period = period_ms as f64 / 1e3;
        let mut bench = Bench::new(|p| {
            (p.speed_limits, p.period, p.acceleration_limit) = (LimitPolicy::Clamp, period, limit);
        });
        bench.joints(&JOINTS, &[0.1; 5], &[]).unwrap();
        bench.core.sync(1, period_ms * 1_000_000, period, &mut |_| {});
        let way = (told - 0.1_f64).abs();
        let cycles = (2.0 * (way / limit).sqrt() + way / SPEED) / period * 1.2 + 20.0;
        let (mut before, mut speed) = (0.1_f64, 0.0_f64);
        for k in 1..cycles as u32 {
            if k == 1 || k % every == 0 {
                bench.joints(&["a1"], &[told], &[]).unwrap();
            }
            bench.core.sync(k + 1, i64::from(k + 1) * period_ms * 1_000_000, period, &mut |_| {});
            let q = bench.position("a1");
            let moved = (q - before) / period;
            let rounding = 1e-10 / period;
            prop_assert!((moved - speed).abs() <= limit * period + rounding, "{} → {}", speed, moved);
            prop_assert!((q - told).abs() <= (before - told).abs());
            (before, speed) = (q, moved);
        }
        prop_assert_eq!(before, told);
    }
}

/// Speed over time is a triangle or, with a flat top at the speed limit, a trapezoid: the shortest way there is takes
/// 2·√(d/A), or d/V + V/A, and a cycle or two more because the time goes in cycles.
#[test]
fn a_far_position_is_reached_as_fast_as_the_limits_allow_and_without_a_jump_in_speed() {
    for (told, limit) in [(0.15, 200.0), (0.9, 200.0), (0.9, 20.0), (1.9, 50.0)] {
        let mut bench = Bench::standing(0.1, |p| {
            (p.speed_limits, p.acceleration_limit) = (LimitPolicy::Clamp, limit);
        });
        bench.joints(&["a1"], &[told], &[]).unwrap();
        let (mut cycles, mut before, mut speed) = (0, 0.1, 0.0);
        while bench.position("a1") != told || cycles == 0 {
            bench.sync();
            let moved = (bench.position("a1") - before) / T;
            assert!((moved - speed).abs() <= limit * T * (1.0 + 1e-6), "{speed} → {moved}");
            (before, speed, cycles) = (bench.position("a1"), moved, cycles + 1);
            assert!(cycles < 1000);
        }
        let way = told - 0.1;
        let shortest = if way > SPEED * SPEED / limit {
            way / SPEED + SPEED / limit
        } else {
            2.0 * (way / limit).sqrt()
        };
        assert!(f64::from(cycles) * T <= shortest + 2.0 * T, "{told}: {cycles} cycles, not {}", shortest / T);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A source that counts cycles: its motion is shown as it is, however long the beat was away, and its acceleration with what a
    /// cycle changes of it.
    #[test]
    fn cycles_that_fall_out_are_no_jerk(
        swing in 0.05..0.9_f64,
        share in 0.05..0.9_f64,
        method in prop::sample::select(METHODS.to_vec()),
        gaps in prop::collection::vec(prop_oneof![4 => Just(1_i64), 1 => 2..80_i64], 2..80),
    ) {
        let omega = share * (SPEED / swing).min((200.0 / swing).sqrt());
        let at = |cycle: u32| omega * T * f64::from(cycle);
        let (q, v) = (|k| 0.5 - swing * f64::cos(at(k)), |k| swing * omega * f64::sin(at(k)));
        let mut bench = Bench::standing(q(0), |p| {
            (p.speed_limits, p.update_method) = (LimitPolicy::Clamp, method);
        });
        let (mut cycle, mut before) = (1, 1);
        for (number, gap) in (1_u32..).zip(gaps) {
            bench.joints(&["a1"], &[q(number)], &[v(number)]).unwrap();
            cycle += gap;
            bench.core.sync(number + 1, cycle * CYCLE, T, &mut |_| {});
            prop_assert_eq!(bench.position("a1").to_bits(), q(number).to_bits());
            prop_assert_eq!(bench.velocity("a1").to_bits(), v(number).to_bits());
            // The mean of a cycle, and less where the way does not tell how long it took.
            let (now, most) = (bench.acceleration("a1"), swing * omega * omega * (1.0 + 1e-9));
            prop_assert!(now.abs() <= most, "{now}");
            if gap == 1 && before == 1 && number > 1 {
                let mean = (v(number) - v(number - 1)) / T;
                prop_assert!((now - mean).abs() <= 1e-9 * most.max(1.0), "{now} {mean}");
            }
            before = gap;
        }
    }
}

/// Positions alone, over a beat that was away: whether their source stood still meanwhile or went on with the clock, its own way tells, and the
/// velocity is that of its motion.
#[test]
fn positions_alone_keep_their_speed_over_a_beat_that_was_away() {
    for (gap, goes_on) in [(3, false), (6, false), (3, true), (6, true)] {
        let mut bench = Bench::standing(0.0, |p| p.speed_limits = LimitPolicy::Off);
        let (mut cycle, mut q) = (1_i64, 0.0);
        for number in 2..40_u32 {
            let passed = if number == 20 { gap } else { 1 };
            // What is given now is of the cycle that the last sync began.
            q += 0.02 * if goes_on && number == 21 { gap as f64 } else { 1.0 };
            bench.joints(&["a1"], &[q], &[]).unwrap();
            cycle += passed;
            bench.core.sync(number, cycle * CYCLE, T, &mut |_| {});
            if number > 4 {
                assert!(
                    (bench.velocity("a1") - 2.0).abs() < 1e-9,
                    "{number}: {} rad/s",
                    bench.velocity("a1")
                );
                assert!(
                    bench.acceleration("a1").abs() < 1e-6,
                    "{number}: {} rad/s²",
                    bench.acceleration("a1")
                );
            }
        }
    }
}

/// It lost two cycles of a fast motion: it catches up, and then has it again to the last bit.
#[test]
fn after_a_silence_a_moving_source_is_met_again() {
    let mut bench = Bench::standing(0.0, |p| p.speed_limits = LimitPolicy::Clamp);
    let q = |k: u32| -0.9 * (f64::from(k) * 0.03).cos() + 0.9;
    let mut late = 0;
    for k in 1..200 {
        if !(50..52).contains(&k) {
            bench.joints(&["a1"], &[q(k)], &[]).unwrap();
        }
        bench.sync();
        late += u32::from(bench.position("a1") != q(k));
    }
    // 2.7 rad/s from rest again takes two cycles at 200 rad/s², and what was lost meanwhile is 0.1 rad, at 2.3 rad/s more
    // than the source has: less than ten cycles in all.
    assert!((2..12).contains(&late), "{late} cycles late");
}

#[test]
fn the_measured_pose_is_taken_at_rest_and_sources_go_on_from_there() {
    let mut bench = Bench::standing(0.1, |p| {
        (p.speed_limits, p.update_method) = (LimitPolicy::Clamp, UpdateMethod::Extrapolate);
    });
    bench.joints(&JOINTS, &[0.12; 5], &[1.0; 5]).unwrap();
    bench.sync();
    bench.joints(&["a1"], &[0.14], &[1.0]).unwrap();
    let names = ["a1", "nose", "a2", "tail"].map(String::from);
    assert_eq!(bench.core.take_measured(&names, &[-0.5, 9.0, f64::NAN, 2.7], &mut |_| {}), Ok(2));
    for _ in 0..3 {
        bench.sync();
        assert_eq!((bench.position("a1"), bench.velocity("a1"), bench.acceleration("a1")), (-0.5, 0.0, 0.0));
        assert_eq!(bench.position("tail"), 2.0, "measured behind its limit");
    }
    assert!(bench.position("a2") > 0.13, "the others go on");
    // A source that still wants the old place takes it there within the limits.
    bench.joints(&["a1"], &[0.1], &[]).unwrap();
    bench.sync();
    assert!((-0.5..=-0.5 + 200.0 * T * T).contains(&bench.position("a1")), "{}", bench.position("a1"));
    // What cannot be changes nothing.
    let before = bench.everything();
    for (names, position) in
        [(vec!["a1"], vec![]), (vec!["a1", "a1"], vec![0.1, 0.2]), (vec!["a1"], vec![1e10])]
    {
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        assert!(bench.core.take_measured(&names, &position, &mut |_| {}).is_err());
        assert_eq!(bench.everything(), before);
    }
}

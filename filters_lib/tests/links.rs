//! Standard links against brute force.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;
use proptest::prelude::*;

fn samples() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-10.0..10.0_f64, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn windows_equal_brute_force(u in samples(), window in 1..12_usize) {
        let mut mean = MovingAverage::new(WindowParams { window }, &0.0).unwrap();
        let mut median = Median::new(WindowParams { window }, &0.0).unwrap();
        let padded: Vec<f64> = std::iter::repeat_n(0.0, window - 1).chain(u.iter().copied()).collect();
        for (k, u) in u.iter().enumerate() {
            let mut last = padded[k..k + window].to_vec();
            let average = last.iter().sum::<f64>() / window as f64;
            prop_assert!((mean.update(u).unwrap() - average).abs() < 1e-12);
            last.sort_by(f64::total_cmp);
            let middle = (last[(window - 1) / 2] + last[window / 2]) / 2.0;
            prop_assert!((median.update(u).unwrap() - middle).abs() < 1e-14);
        }
    }

    #[test]
    fn window_changes_keep_the_samples(u in prop::collection::vec(-10.0..10.0_f64, 20..40), extra in 0..5_usize, after in 1..9_usize) {
        let before = after + extra;
        let mut mean = MovingAverage::new(WindowParams { window: before }, &0.0).unwrap();
        let mut median = Median::new(WindowParams { window: before }, &0.0).unwrap();
        let (first, last) = u.split_at(u.len() - 1);
        for u in first {
            mean.update(u).unwrap();
            median.update(u).unwrap();
        }
        mean.set_params(WindowParams { window: after }).unwrap();
        median.set_params(WindowParams { window: after }).unwrap();
        let mut recent = u[u.len() - after..].to_vec();
        prop_assert!((mean.output(&last[0]).unwrap() - recent.iter().sum::<f64>() / after as f64).abs() < 1e-12);
        recent.sort_by(f64::total_cmp);
        let middle = (recent[(after - 1) / 2] + recent[after / 2]) / 2.0;
        prop_assert!((median.output(&last[0]).unwrap() - middle).abs() < 1e-14);
    }

    #[test]
    fn rate_limiter_keeps_every_limit_and_arrives(
        u in samples(), period in 0.001..1.0_f64, rise in 0.1..10.0_f64, fall in -10.0..-0.1_f64, bend in 0.1..100.0_f64,
        goal in -4.0..4.0_f64,
    ) {
        let params = RateLimiterParams {
            period, min_value: -5.0, max_value: 5.0, min_first_derivative: fall, max_first_derivative: rise, max_second_derivative: bend,
            ..Default::default()
        };
        let mut filter = RateLimiter::new(params, &0.0).unwrap();
        let (mut y1, mut d1) = (0.0, 0.0);
        let v = rise.min(-fall);
        let most = ((20.0 / v + 8.0 * v.max(rise.max(-fall)) / bend + 8.0 * (10.0 / bend).sqrt()) / period) as usize + 50;
        for u in u.iter().copied().chain(std::iter::repeat_n(goal, most)) {
            let y = filter.update(&u).unwrap();
            let d = y - y1;
            prop_assert!((-5.0 - 1e-9..=5.0 + 1e-9).contains(&y), "value {y}");
            prop_assert!(d <= rise * period + 1e-9 && d >= fall * period - 1e-9, "first {d}");
            prop_assert!((d - d1).abs() <= bend * period * period + 1e-9, "second {}", d - d1);
            (y1, d1) = (y, d);
        }
        prop_assert!((y1 - goal).abs() < 1e-9, "{y1} instead of {goal}");
    }

    /// Each period keeps the speed limits of the sign that it begins with, and the limits on the second derivative too.
    #[test]
    fn speed_limits_by_sign_hold_on_both_sides_of_zero(
        u in prop::collection::vec(-3.0..3.0_f64, 1..5), period in 0.004..0.1_f64, speeds in prop::array::uniform4(0.2..20.0_f64),
        bend in 1.0..100.0_f64, lower in 1.0..100.0_f64,
    ) {
        let [rise, rise_neg, fall, fall_pos] = speeds;
        let params = RateLimiterParams {
            period, max_first_derivative: rise, max_first_derivative_neg: rise_neg, min_first_derivative: -fall,
            min_first_derivative_pos: -fall_pos, max_second_derivative: bend, min_second_derivative: -lower, ..Default::default()
        };
        let mut filter = RateLimiter::new(params, &0.0).unwrap();
        let (mut y1, mut d1) = (0.0, 0.0);
        let slowest = speeds.iter().copied().fold(f64::MAX, f64::min);
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        // From end to end at the lowest speed, up to the highest and down again at the lowest bend.
        let steps = ((6.0 / slowest + 4.0 * fastest / bend.min(lower)) / period) as usize + 50;
        for u in u {
            for _ in 0..steps {
                let y: f64 = filter.update(&u).unwrap();
                let d = (y - y1) / period;
                let (down, up) = (if y1 > 0.0 { fall_pos } else { fall }, if y1 < 0.0 { rise_neg } else { rise });
                // Of rounding: the values' last digits, over a period.
                let rounding = 1e-14 / period;
                prop_assert!(-down - rounding <= d && d <= up + rounding, "{d} at {y1}, limits {} {up}", -down);
                prop_assert!(d - d1 <= bend * period + 2.0 * rounding && d1 - d <= lower * period + 2.0 * rounding, "{d1} to {d}");
                (y1, d1) = (y, d);
            }
            prop_assert!((y1 - u).abs() < 1e-9, "{y1} in place of {u}");
        }
    }

    #[test]
    fn backlash_and_schmitt_hold_between_their_edges(u in samples(), width in 0.0..3.0_f64) {
        let mut play = Backlash::new(BacklashParams { width }, &0.0).unwrap();
        let params = SchmittParams { low: -width, high: width, output_low: -7.0, output_high: 7.0 };
        let mut trigger = Schmitt::new(params, &-7.0).unwrap();
        let (mut driven, mut state) = (0.0_f64, -7.0);
        for u in u {
            let y = play.update(&u).unwrap();
            prop_assert!((y - u).abs() <= width / 2.0 + 1e-12);
            if (driven - u).abs() <= width / 2.0 { prop_assert!((y - driven).abs() < 1e-12); }
            driven = y;
            if u >= width { state = 7.0 } else if u <= -width { state = -7.0 }
            prop_assert_eq!(trigger.update(&u).unwrap(), state);
        }
    }

    #[test]
    fn a_started_filter_is_at_rest(x in -9.0..9.0_f64, a1 in -0.9..0.9_f64, b1 in -1.0..1.0_f64, f in 0.01..0.49_f64) {
        let transfer = TransferFunctionParams { b: vec![1.0, b1], a: vec![1.0, a1] };
        let mut filter = TransferFunction::new(transfer, &x).unwrap();
        let mut biquad = BiquadLowPass::new(BiquadParams { period: 1.0, frequency: f, quality: 0.7 }, &x).unwrap();
        let gain = (1.0 + b1) / (1.0 + a1);
        for _ in 0..10 {
            prop_assert!((filter.update(&x).unwrap() - gain * x).abs() < 1e-10 * (1.0 + gain.abs()));
            prop_assert!((biquad.update(&x).unwrap() - x).abs() < 1e-11);
        }
    }
}

/// After a reset the window holds what came since, whatever lengths it had in between: a window of one sample is not full
/// before its first.
#[test]
fn an_empty_window_stays_empty_through_any_change_of_its_length() {
    let lengths = [1, 2, 3, 5];
    for (before, between, after) in
        lengths.iter().flat_map(|a| lengths.iter().flat_map(move |b| lengths.map(|c| (*a, *b, c))))
    {
        let mut mean = MovingAverage::new(WindowParams { window: before }, &7.0).unwrap();
        let mut median = Median::new(WindowParams { window: before }, &7.0).unwrap();
        mean.update(&100.0).unwrap();
        median.update(&100.0).unwrap();
        mean.reset();
        median.reset();
        for window in [between, after] {
            mean.set_params(WindowParams { window }).unwrap();
            median.set_params(WindowParams { window }).unwrap();
        }
        assert_eq!(mean.update(&5.0).unwrap(), 5.0, "mean {before} {between} {after}");
        assert_eq!(median.update(&5.0).unwrap(), 5.0, "median {before} {between} {after}");
    }
}

/// A sample that was prepared and never committed is no sample, also for a filter without a past that gets one.
#[test]
fn a_longer_past_is_not_filled_with_a_sample_that_never_counted() {
    let mut y = 0.0;
    for window in 1..4 {
        let mut median = Median::new(WindowParams { window }, &0.0).unwrap();
        let mut mean = MovingAverage::new(WindowParams { window }, &0.0).unwrap();
        let params =
            |order: usize| TransferFunctionParams { b: vec![(order as f64).recip(); order], a: vec![1.0] };
        let mut transfer = TransferFunction::new(params(window), &0.0).unwrap();
        for _ in 0..window {
            median.update(&1.0).unwrap();
            mean.update(&1.0).unwrap();
            transfer.update(&1.0).unwrap();
        }
        median.prepare(&100.0, &mut y).unwrap();
        mean.prepare(&100.0, &mut y).unwrap();
        transfer.prepare(&100.0, &mut y).unwrap();
        median.set_params(WindowParams { window: 8 }).unwrap();
        mean.set_params(WindowParams { window: 8 }).unwrap();
        transfer.set_params(params(8)).unwrap();
        let found =
            [median.update(&1.0).unwrap(), mean.update(&1.0).unwrap(), transfer.update(&1.0).unwrap()];
        // The shares of 1/3 do not add up to 1 to the last bit.
        assert!(found.iter().all(|y| (y - 1.0).abs() < 1e-14), "{window}: {found:?}");
    }
}

#[test]
fn a_median_of_both_zeros_is_zero() {
    let mut median = Median::new(WindowParams { window: 5 }, &0.0).unwrap();
    for u in [-0.0, 0.0, 0.0, -0.0, -0.0, 1.0, 0.0, -0.0, -1.0, 0.0, -0.0, 0.0].repeat(20) {
        assert_eq!(median.update(&u).unwrap(), 0.0);
    }
}

#[test]
fn an_unstable_filter_reports_the_overflow_and_starts_again() {
    let mut filter =
        TransferFunction::new(TransferFunctionParams { b: vec![1.0], a: vec![1.0, -1e30] }, &0.0).unwrap();
    let outcome = (0..50).map(|_| filter.update(&1.0)).find(|y| y.is_err());
    assert_eq!(outcome, Some(Err(Error::Overflow)));
    filter.start(&0.0).unwrap();
    assert_eq!(filter.update(&1.0).unwrap(), 1.0);
}

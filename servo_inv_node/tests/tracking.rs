//! Tracking figures beside shifts that are known.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use servo_inv_node::tracking::{Figure, Tracking};
use std::f64::consts::TAU;
use test_lib::allocations;

const CYCLE: f64 = 0.01;
/// Of a Herkulex servo's encoder, rad.
const STEP: f64 = 0.163 * TAU / 360.0;

/// A leg joint that walks, with its greatest acceleration below 25 rad/s².
fn gait(t: f64) -> f64 {
    let phase = TAU * 0.9 * t;
    0.2 + 0.3 * phase.sin() + 0.06 * (2.0 * phase + 0.7).sin() + 0.02 * (3.0 * phase + 0.3).cos()
}

fn ns(t: f64) -> i64 {
    1_700_000_000_000_000_000 + (t * 1e9).round() as i64
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("leg{}_joint{}", i / 6, i % 6)).collect()
}

/// One joint that is late by `lag`, read at `rate` Hz and by `jitter` (s) uneven, each reading told `age` after it was made.
fn follow(lag: f64, rate: f64, jitter: f64, seconds: f64, step: f64) -> Figure {
    let name = names(1);
    let mut tracking = Tracking::new(5.0);
    let (mut next, mut k) = (0.0, 0);
    for cycle in 0..(seconds / CYCLE) as i32 {
        let t = f64::from(cycle) * CYCLE;
        tracking.commanded(ns(t), &name, &[gait(t)]);
        while next < t + CYCLE {
            k += 1;
            let at = next + jitter * (f64::from(k) * 2.4).sin();
            tracking.measured(ns(at), &name[0], (gait(at - lag) / step).round() * step);
            next += 1.0 / rate;
        }
    }
    tracking.figure(0).unwrap()
}

/// Root mean square of the gait's velocity and of its change within a lag.
fn expected(lag: f64) -> (f64, f64) {
    let n = 20_000;
    let mean = |f: &dyn Fn(f64) -> f64| {
        (0..n).map(|k| f(f64::from(k) * 10.0 / 0.9 / f64::from(n))).sum::<f64>() / f64::from(n)
    };
    let velocity = mean(&|t| ((gait(t + 1e-5) - gait(t - 1e-5)) / 2e-5).powi(2)).sqrt();
    (velocity, mean(&|t| (gait(t - lag) - gait(t)).powi(2)).sqrt())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Noise: a step of the encoder has a deviation of step/√12, which as a lag is that over velocity and √n. Bias: the straight
    /// way between two poses is off by T²/8·q̈ at the most.
    #[test]
    fn a_known_shift_is_found(lag in 0.0..0.08_f64, rate in 20.0..50.0_f64, jitter in 0.0..0.004_f64) {
        let found = follow(lag, rate, jitter, 12.0, STEP);
        let (velocity, rms) = expected(lag);
        let deviation = STEP / 12f64.sqrt();
        let straight = CYCLE * CYCLE / 8.0 * 25.0;
        let bound = 5.0 * deviation / (velocity * (4.5 * rate).sqrt()) + straight / velocity;
        prop_assert!((found.lag.unwrap() - lag).abs() < bound, "{found:?} instead of {lag}, bound {bound}");
        // A window is no whole number of strides: the mean of squares over it is the stride's to one part in its strides.
        let least = (rms * rms + deviation * deviation).sqrt();
        prop_assert!((found.rms - least).abs() < 0.15 * least + straight, "{found:?} instead of {least}");
    }
}

proptest! {
    /// A joint at a constant speed, with cycles as long as there are: poses more than 0.3 s apart gave no figure. Between poses such a
    /// motion is straight, so lag and error are exact, to a nanosecond of the stamps and the rounding of the sums.
    #[test]
    fn slow_cycles_have_their_figures_too(
        period in 0.1..1.0_f64, lag in 0.0..0.25_f64, speed in 0.1..2.0_f64, lost in prop::collection::vec(2..58_i32, 0..3),
    ) {
        let name = names(1);
        let mut tracking = Tracking::new(60.0);
        for k in (0..60).filter(|k| !lost.contains(k)) {
            let t = f64::from(k) * period;
            tracking.commanded(ns(t), &name, &[speed * t]);
            for part in [0.2, 0.7] {
                let at = t + part * period;
                tracking.measured(ns(at), &name[0], speed * (at - lag));
            }
        }
        let found = tracking.figure(0).unwrap();
        prop_assert!((found.lag.unwrap() - lag).abs() < 1e-6, "{found:?} instead of {lag}");
        prop_assert!((found.rms - speed * lag).abs() < 1e-6 * speed, "{found:?} instead of {}", speed * lag);
    }
}

/// A stream that pauses commands nothing in the pause, however long it is.
#[test]
fn a_pause_of_a_fast_stream_has_no_figure() {
    let name = names(1);
    let mut tracking = Tracking::new(60.0);
    for k in 0..20 {
        for ms in 0..10 {
            let t = f64::from(k) + f64::from(ms) * 0.01;
            tracking.commanded(ns(t), &name, &[f64::from(k)]);
        }
        // Half way to a pose of which nobody knows yet.
        tracking.measured(ns(f64::from(k) + 0.5), &name[0], f64::from(k));
    }
    assert_eq!(tracking.figure(0), None);
}

#[test]
fn a_servo_that_is_ahead_has_a_negative_lag() {
    let found = follow(-0.01, 50.0, 0.0, 12.0, 1e-9).lag.unwrap();
    assert!((found + 0.01).abs() < 0.0003, "{found}");
}

#[test]
fn a_joint_that_stands_has_an_error_and_no_lag() {
    let name = names(2);
    let mut tracking = Tracking::new(4.0);
    for k in 0..200 {
        let t = f64::from(k) * 0.02;
        tracking.commanded(ns(t), &name, &[0.5, gait(t)]);
        tracking.measured(ns(t - 0.005), &name[0], 0.48);
        tracking.measured(ns(t - 0.001), &name[1], gait(t - 0.021));
        tracking.measured(ns(t - 0.001), "stranger", 1.0);
        tracking.measured(ns(t - 0.001), &name[1], f64::NAN);
    }
    let found = tracking.figure(0).unwrap();
    assert!((found.rms - 0.02).abs() < 1e-9 && found.lag.is_none(), "{found:?}");
    let summary = tracking.summary();
    assert_eq!((summary.measured, summary.moving), (2, 1));
    assert!((summary.median_lag.unwrap() - 0.02).abs() < 0.001, "{summary:?}");
    assert_eq!(summary.worst.unwrap().0, usize::from(tracking.figure(1).unwrap().rms > 0.02));
    assert_eq!(summary.rms, tracking.figure(1).unwrap().rms);
}

#[test]
fn what_is_old_is_forgotten() {
    let name = names(1);
    let mut tracking = Tracking::new(4.0);
    let mut feed = |from: f64, seconds: f64, lag: f64, measured: bool| {
        for k in 0..(seconds / CYCLE) as i32 {
            let t = from + f64::from(k) * CYCLE;
            tracking.commanded(ns(t), &name, &[gait(t)]);
            if measured {
                tracking.measured(ns(t - 0.004), &name[0], gait(t - 0.004 - lag));
            }
        }
        tracking.figure(0).and_then(|figure| figure.lag)
    };
    assert!((feed(0.0, 6.0, 0.05, true).unwrap() - 0.05).abs() < 0.001);
    assert!((feed(6.0, 6.0, 0.02, true).unwrap() - 0.02).abs() < 0.001, "the servo became quicker");
    assert_eq!(feed(12.0, 6.0, 0.0, false), None, "nobody measures");
    assert!((feed(3.0, 6.0, 0.03, true).unwrap() - 0.03).abs() < 0.001, "time began anew");
}

#[test]
fn a_message_takes_no_memory() {
    let name = names(24);
    let mut tracking = Tracking::new(5.0);
    let mut cycle = |k: i32| {
        let t = f64::from(k) * CYCLE;
        tracking.commanded(ns(t), &name, &[gait(t); 24]);
        // In turn, as a bus is read, eight in a cycle; and one out of turn.
        for i in 0..8 {
            tracking.measured(ns(t - 0.003), &name[(k as usize * 8 + i) % 24], gait(t - 0.04));
        }
        tracking.measured(ns(t - 0.001), &name[5], gait(t - 0.04));
    };
    cycle(1);
    assert_eq!(allocations(|| (2..2000).for_each(&mut cycle)), 0);
    assert_eq!(tracking.summary().moving, 24);
}

/// Readings of a slow line overtake each other: no time of theirs is lost, and none spoils the figures.
#[test]
fn readings_in_any_order_give_the_same_figures() {
    let name = names(1);
    let feed = |shuffled: bool| {
        let mut tracking = Tracking::new(4.0);
        for k in 0..800 {
            let t = f64::from(k) * CYCLE;
            tracking.commanded(ns(t), &name, &[gait(t)]);
            // Told in tens, the older ones after the newer ones.
            if k % 10 == 9 {
                for i in 0..10 {
                    let at = t - CYCLE * f64::from(if shuffled { i } else { 9 - i });
                    tracking.measured(ns(at), &name[0], gait(at - 0.03));
                }
            }
        }
        tracking.figure(0).unwrap()
    };
    let (straight, shuffled) = (feed(false), feed(true));
    assert!((straight.rms - shuffled.rms).abs() < 1e-3 * straight.rms, "{straight:?} {shuffled:?}");
    assert!((shuffled.lag.unwrap() - 0.03).abs() < 0.0005, "{shuffled:?}");
}

/// An old reading beside one that waits for its pose does not make it forgotten.
#[test]
fn a_reading_that_waits_is_not_lost_to_an_older_one() {
    let name = names(1);
    let mut tracking = Tracking::new(4.0);
    for k in 0..100 {
        let t = f64::from(k) * CYCLE;
        tracking.commanded(ns(t), &name, &[0.0]);
        tracking.measured(ns(t + 0.5 * CYCLE), &name[0], 0.1);
        tracking.measured(ns(t - 0.5 * CYCLE), &name[0], 0.3);
    }
    let mean = ((0.01 + 0.09) / 2.0_f64).sqrt();
    assert!((tracking.figure(0).unwrap().rms - mean).abs() < 0.01 * mean, "{:?}", tracking.figure(0));
}

#[test]
fn nothing_that_a_clock_or_a_message_says_is_too_much() {
    let mut tracking = Tracking::new(5.0);
    tracking.commanded(5, &[], &[]);
    tracking.commanded(5, &names(2), &[0.0]);
    tracking.measured(5, "leg0_joint0", 0.0);
    assert_eq!(tracking.summary().measured, 0);
    for window in [5.0, 0.0, 1e300, -1.0, f64::NAN] {
        tracking.set_window(window);
        for at in [0, i64::MIN, -1, i64::MAX, i64::MIN + 1, i64::MAX - 1, 1, i64::MIN] {
            tracking.commanded(at, &names(2), &[0.0, 1.0]);
            for read in [at, i64::MAX, i64::MIN, 0] {
                tracking.measured(read, "leg0_joint0", 1e308);
                tracking.measured(read, "leg0_joint1", 1.0);
            }
        }
        tracking.summary();
    }
}

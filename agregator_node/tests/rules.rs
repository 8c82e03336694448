//! Each rule of the agregator, one by one; expected values are formulas.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{
    CycleMismatch, CycleTime, Differentiation, LimitPolicy, Priority, Quadrature, Refusal, SyncRelation,
    Taken, UpdateMethod,
};
use common::{ABSENT, Bench, CYCLE, JOINTS, T, close};

#[test]
fn the_pose_is_sorted_and_complete_only_when_every_joint_has_a_position() {
    let mut bench = Bench::new(|_| {});
    bench.joints(&["tail", "b2"], &[0.5, 0.4], &[]).unwrap();
    assert!(bench.core.pose().is_none());
    assert_eq!(bench.core.missing().collect::<Vec<_>>(), ["a1", "a2", "b1"]);
    bench.limb(0, "a", &[0.1, 0.2], &[]).unwrap();
    bench.joints(&["b1"], &[0.3], &[]).unwrap();
    assert_eq!(bench.core.pose().unwrap().position, [0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(bench.core.pose().unwrap().velocity, [0.0; 5], "a first position comes from nowhere, at rest");
}

#[test]
fn a_velocity_says_nothing_of_a_joint_whose_position_nobody_knows() {
    let mut bench = Bench::new(|_| {});
    bench.joints(&JOINTS, &[], &[1.0; 5]).unwrap();
    assert_eq!(bench.core.missing().count(), 5);
}

#[test]
fn without_require_full_pose_it_starts_at_zero() {
    let bench = Bench::new(|p| p.require_full_pose = false);
    assert_eq!(bench.core.pose().unwrap().position, [0.0; 5]);
}

#[test]
fn position_and_velocity_are_stored_as_they_are() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.joints(&["a1"], &[0.3], &[-2.0]).unwrap();
    assert_eq!((bench.position("a1"), bench.velocity("a1")), (0.3, -2.0));
}

#[test]
fn a_position_alone_gets_its_velocity_by_difference() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.joints(&["a1"], &[0.13], &[]).unwrap();
    close(bench.velocity("a1"), 0.03 / T);
    // A second message of the same cycle replaces the first; the cycle before is the reference.
    bench.joints(&["a1"], &[0.12], &[]).unwrap();
    close(bench.velocity("a1"), 0.02 / T);
    bench.sync();
    bench.joints(&["a1"], &[0.15], &[]).unwrap();
    close(bench.velocity("a1"), 0.03 / T);
}

#[test]
fn a_velocity_alone_gets_its_position_by_integration() {
    let mut bench = Bench::standing(0.1, |_| {});
    for k in 0..5 {
        bench.joints(&["a1"], &[], &[0.5]).unwrap();
        close(bench.position("a1"), 0.1 + T * 0.5 * f64::from(k));
        assert_eq!(bench.velocity("a1"), 0.5);
        bench.sync();
    }
}

#[test]
fn after_position_and_velocity_a_velocity_alone_goes_on_from_there() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1"], &[0.4], &[1.0]).unwrap();
    bench.sync();
    bench.joints(&["a1"], &[], &[1.0]).unwrap();
    close(bench.position("a1"), 0.4 + T);
}

#[test]
fn after_a_velocity_alone_a_position_alone_differs_from_the_integrated_one() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1"], &[], &[1.0]).unwrap();
    bench.sync();
    bench.joints(&["a1"], &[], &[1.0]).unwrap();
    bench.sync();
    bench.joints(&["a1"], &[0.05], &[]).unwrap();
    close(bench.velocity("a1"), (0.05 - T) / T);
}

#[test]
fn trapezoid_and_simpson_integrate_by_their_formulas() {
    // u = 1, 2, 4: x' = x + T·(3u[k] − u[k−1])/2, and T·(23u[k] − 16u[k−1] + 5u[k−2])/12, started by lower orders.
    for (method, steps) in [
        (Quadrature::Trapezoid, [1.0, (3.0 * 2.0 - 1.0) / 2.0, (3.0 * 4.0 - 2.0) / 2.0]),
        (Quadrature::Simpson, [1.0, 2.0 * 2.0 - 1.0, (23.0 * 4.0 - 16.0 * 2.0 + 5.0) / 12.0]),
    ] {
        let mut expected = 0.0;
        let mut bench = Bench::new(|p| (p.quad_method, p.require_full_pose) = (method, false));
        for (u, step) in [1.0, 2.0, 4.0].into_iter().zip(steps) {
            bench.joints(&["a1"], &[], &[u]).unwrap();
            close(bench.position("a1"), expected);
            bench.sync();
            expected += T * step;
        }
        bench.joints(&["a1"], &[], &[0.0]).unwrap();
        close(bench.position("a1"), expected);
    }
}

#[test]
fn inertial_and_savgol_differentiate_by_their_formulas() {
    let tau = 0.02;
    let mut bench = Bench::standing(0.0, |p| (p.diff_method, p.diff_tau) = (Differentiation::Inertial, tau));
    let a = f64::exp(-T / tau);
    let (mut before, mut expected) = (0.0, 0.0);
    for k in 1..8 {
        let q = 0.01 * f64::from(k * k) / 10.0;
        bench.joints(&["a1"], &[q], &[]).unwrap();
        expected = a * expected + (1.0 - a) * (q - before) / T;
        close(bench.velocity("a1"), expected);
        before = q;
        bench.sync();
    }
    // A parabola is differentiated exactly by a polynomial of degree 2, once the window is full.
    let mut bench = Bench::standing(0.0, |p| p.diff_method = Differentiation::Savgol);
    for k in 1..12 {
        let t = T * f64::from(k);
        bench.joints(&["a1"], &[0.2 * t + 3.0 * t * t], &[]).unwrap();
        if k > 5 {
            assert!((bench.velocity("a1") - (0.2 + 6.0 * t)).abs() < 1e-9);
        }
        bench.sync();
    }
}

#[test]
fn the_acceleration_is_the_difference_of_velocities() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1"], &[0.0], &[0.3]).unwrap();
    close(bench.acceleration("a1"), 0.3 / T);
    bench.sync();
    bench.joints(&["a1"], &[0.003], &[0.5]).unwrap();
    close(bench.acceleration("a1"), 0.2 / T);
}

#[test]
fn nan_is_absent_for_that_joint_alone() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.joints(&["a1", "a2", "b1"], &[0.13, ABSENT, ABSENT], &[ABSENT, 1.0, ABSENT]).unwrap();
    assert_eq!(bench.position("a1"), 0.13);
    close(bench.velocity("a1"), 0.03 / T);
    assert_eq!((bench.position("a2"), bench.velocity("a2")), (0.1, 1.0));
    assert_eq!((bench.position("b1"), bench.velocity("b1")), (0.1, 0.0));
}

#[test]
fn effort_passes_through_and_is_absent_until_somebody_sends_it() {
    let mut bench = Bench::standing(0.1, |_| {});
    assert!(bench.core.pose().unwrap().effort.is_empty());
    bench.joints_at(CycleTime::Absent, &["b2", "a1"], &[], &[], &[1.5, ABSENT]).unwrap();
    let effort = |bench: &Bench| bench.core.pose().unwrap().effort.to_vec();
    assert!(effort(&bench)[3] == 1.5 && effort(&bench).iter().filter(|e| e.is_nan()).count() == 4);
    bench.sync();
    assert_eq!(effort(&bench)[3], 1.5, "that of the cycle that has ended");
    bench.joints_at(CycleTime::Absent, &["a1"], &[], &[], &[0.5]).unwrap();
    assert_eq!(effort(&bench)[3], 1.5, "nobody knows yet whether its source is silent");
    bench.sync();
    assert!(effort(&bench)[0] == 0.5 && effort(&bench)[3].is_nan(), "it was silent for a cycle");
    bench.sync();
    assert!(effort(&bench).is_empty());
}

/// Position and velocity of a joint told (0.1, 0.5) once, at the end of that cycle and of each silent one.
fn silence(method: UpdateMethod, cycles: usize) -> Vec<(f64, f64)> {
    let mut bench = Bench::standing(0.0, |p| (p.update_method, p.brake_time) = (method, 0.04));
    bench.joints(&["a1"], &[0.1], &[0.5]).unwrap();
    (0..cycles)
        .map(|_| {
            bench.sync();
            (bench.position("a1"), bench.velocity("a1"))
        })
        .collect()
}

#[test]
fn hold_keeps_position_and_velocity() {
    assert_eq!(silence(UpdateMethod::Hold, 4), [(0.1, 0.5); 4]);
}

#[test]
fn hold_zero_velocity_comes_to_rest_at_once() {
    assert_eq!(silence(UpdateMethod::HoldZeroVelocity, 3), [(0.1, 0.5), (0.1, 0.0), (0.1, 0.0)]);
}

#[test]
fn extrapolate_goes_on() {
    for (k, (position, velocity)) in silence(UpdateMethod::Extrapolate, 5).into_iter().enumerate() {
        close(position, 0.1 + T * 0.5 * k as f64);
        assert_eq!(velocity, 0.5);
    }
}

#[test]
fn brake_comes_to_rest_in_its_time_without_a_jump_in_velocity() {
    let states = silence(UpdateMethod::Brake, 7);
    for (k, (position, velocity)) in states.iter().enumerate() {
        let t = (T * k as f64).min(0.04);
        close(*velocity, 0.5 * (1.0 - t / 0.04));
        close(*position, 0.1 + 0.5 * t - 0.5 * (0.5 / 0.04) * t * t);
    }
    assert_eq!(states[4].1, 0.0, "four cycles are the brake time");
}

#[test]
fn a_prediction_stays_inside_the_limits() {
    let mut bench = Bench::standing(1.99, |p| p.update_method = UpdateMethod::Extrapolate);
    bench.joints(&["a1"], &[1.99], &[4.0]).unwrap();
    bench.sync();
    bench.sync();
    assert_eq!((bench.position("a1"), bench.velocity("a1")), (2.0, 0.0));
}

#[test]
fn messages_of_another_cycle_are_dropped_or_accepted_and_always_told() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.sync();
    assert_eq!(bench.limb(2, "a", &[0.1, 0.1], &[]), Ok(Taken::Applied));
    assert_eq!(bench.limb(0, "a", &[0.2, 0.2], &[]), Ok(Taken::Applied));
    assert!(bench.notes.is_empty());
    for (cycle, text) in [(1, "1 cycles late: dropped"), (11, "9 cycles early: dropped")] {
        assert_eq!(bench.limb(cycle, "a", &[0.9, 0.9], &[]), Ok(Taken::Dropped));
        assert!(bench.notes[0].contains(text), "{:?}", bench.notes);
    }
    assert_eq!(bench.support(11, &["a"], &[], &[1.0]), Ok(Taken::Dropped));
    let now = CycleTime::Stamp(25_000_000);
    let before = CycleTime::Stamp(19_000_000);
    assert_eq!(bench.joints_at(now, &["a1"], &[0.3], &[], &[]), Ok(Taken::Applied));
    assert_eq!(bench.joints_at(before, &["a1"], &[0.4], &[], &[]), Ok(Taken::Dropped));
    assert_eq!(bench.position("a1"), 0.3);

    let mut bench = Bench::standing(0.0, |p| p.cycle_mismatch = CycleMismatch::Accept);
    assert_eq!(bench.limb(10, "a", &[0.1, 0.1], &[]), Ok(Taken::Applied));
    assert!(bench.notes[0].contains("used all the same"));
    assert_eq!(bench.position("a1"), 0.1);
}

#[test]
fn limits_clamp_warn_or_stay_off() {
    for (policy, position, velocity, notes) in
        [(LimitPolicy::Clamp, 2.0, 0.0, 1), (LimitPolicy::Warn, 2.5, 1.0, 1), (LimitPolicy::Off, 2.5, 1.0, 0)]
    {
        let mut bench = Bench::standing(0.0, |p| p.limits = policy);
        bench.joints(&["a1"], &[2.5], &[1.0]).unwrap();
        assert_eq!(
            (bench.position("a1"), bench.velocity("a1"), bench.notes.len()),
            (position, velocity, notes)
        );
    }
    // Below the range to the lower limit, and a velocity that leads back is kept.
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1"], &[-7.0], &[1.0]).unwrap();
    assert_eq!((bench.position("a1"), bench.velocity("a1")), (-1.0, 1.0));
}

#[test]
fn an_integrated_position_does_not_wind_up_at_a_limit() {
    let mut bench = Bench::standing(1.99, |_| {});
    for _ in 0..10 {
        bench.joints(&["a1"], &[], &[4.0]).unwrap();
        bench.sync();
    }
    assert_eq!(bench.position("a1"), 2.0);
    for _ in 0..2 {
        bench.joints(&["a1"], &[], &[-1.0]).unwrap();
        bench.sync();
    }
    assert!(bench.position("a1") < 2.0, "it comes back at once");
}

#[test]
fn unknown_joints_and_chains_are_skipped_while_the_rest_is_applied() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["nose", "a1"], &[9.0, 0.3], &[]).unwrap();
    assert_eq!(bench.notes, ["unknown joint \"nose\" skipped"]);
    assert_eq!(bench.position("a1"), 0.3);
    bench.limb(0, "wing", &[1.0; 7], &[]).unwrap();
    assert_eq!(bench.notes, ["unknown chain \"wing\" skipped"]);
    bench.support(0, &["wing", "a", "b"], &["", "", "heel"], &[1.0, 0.5, 1.0]).unwrap();
    assert_eq!(bench.notes.len(), 2);
    assert_eq!(bench.core.supports()[0].unwrap().support, 0.5);
    assert_eq!(bench.core.supports()[1], None);
}

#[test]
fn three_sources_meet_in_one_cycle() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.limb(1, "a", &[0.1, 0.2], &[]).unwrap();
    bench.limb(1, "b", &[0.3, 0.4], &[1.0, 2.0]).unwrap();
    bench.joints(&["tail", "b2"], &[0.5, 0.45], &[]).unwrap();
    let pose = bench.core.pose().unwrap();
    assert_eq!(pose.position, [0.1, 0.2, 0.3, 0.45, 0.5], "the last word counts");
    assert_eq!(pose.velocity[2], 1.0);
}

#[test]
fn supports_are_kept_clamped_and_named_by_contact() {
    let mut bench = Bench::standing(0.0, |_| {});
    assert!(bench.core.supports().iter().all(Option::is_none), "unknown until somebody says");
    bench.support(1, &["a", "b"], &["toe", ""], &[1.5, 0.25]).unwrap();
    assert!(bench.notes[0].contains("outside 0 … 1"));
    let known: Vec<_> = bench.core.supports().iter().map(|s| s.map(|s| (s.contact, s.support))).collect();
    assert_eq!(known, [Some((1, 1.0)), Some((0, 0.25))]);
    bench.support(1, &["a", "b"], &[], &[ABSENT, 0.0]).unwrap();
    assert_eq!(bench.core.supports()[0].unwrap().support, 1.0);
    assert_eq!(bench.core.supports()[1].unwrap().support, 0.0);
}

#[test]
fn malformed_messages_are_refused_whole() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.support(1, &["a"], &[], &[1.0]).unwrap();
    let before = bench.everything();
    let inf = f64::INFINITY;
    let why = |taken: Result<Taken, Refusal>| taken.unwrap_err().to_string();
    assert_eq!(why(bench.joints(&["a1", "a2"], &[0.5], &[])), "position has 1 elements for 2 names");
    assert_eq!(why(bench.joints(&["a1", "a2"], &[0.5, inf], &[])), "position of joint \"a2\" is inf");
    assert_eq!(
        why(bench.joints(&["a1", "a2"], &[0.5, 0.5], &[1e10, 0.5])),
        "velocity of joint \"a1\" is 10000000000.0"
    );
    assert_eq!(why(bench.joints(&["a1", "a1"], &[0.5, 0.6], &[])), "\"a1\" stands twice in the message");
    assert!(why(bench.twice(1, "b")).contains("\"b\" stands twice"));
    assert_eq!(why(bench.limb(1, "a", &[0.5; 3], &[])), "limb \"a\": position has 3 elements for 2 names");
    assert!(why(bench.limb(1, "a", &[0.5; 2], &[1.0, -inf])).starts_with("limb \"a\": velocity"));
    assert_eq!(why(bench.support(1, &["a", "b"], &[], &[1.0])), "support has 1 elements for 2 names");
    assert!(why(bench.support(1, &["a", "a"], &[], &[0.0, 0.0])).contains("\"a\" stands twice"));
    assert_eq!(why(bench.support(1, &["a"], &["", ""], &[0.0])), "contact has 2 elements for 1 names");
    assert!(why(bench.support(1, &["a"], &[], &[inf])).starts_with("support of joint \"a\""));
    assert_eq!(bench.everything(), before);
}

#[test]
fn parameters_change_without_a_jump_in_position() {
    for (quad, diff, update) in [
        (Quadrature::Simpson, Differentiation::Savgol, UpdateMethod::Brake),
        (Quadrature::Trapezoid, Differentiation::Inertial, UpdateMethod::Extrapolate),
        (Quadrature::Euler, Differentiation::Difference, UpdateMethod::Hold),
    ] {
        let mut bench = Bench::standing(0.0, |p| p.update_method = UpdateMethod::Extrapolate);
        bench.joints(&JOINTS, &[0.2; 5], &[0.5; 5]).unwrap();
        bench.sync();
        let before = bench.everything();
        let mut params = bench.core.params().clone();
        (params.quad_method, params.diff_method, params.update_method) = (quad, diff, update);
        bench.core.set_params(params).unwrap();
        assert_eq!(bench.everything(), before, "nothing moves when methods change");
        bench.joints(&["a1"], &[], &[0.5]).unwrap();
        bench.sync();
        assert!((bench.position("a1") - 0.2).abs() <= 2.0 * T * 0.5 + 1e-12);
        assert!((bench.position("b1") - 0.2).abs() <= 2.0 * T * 0.5 + 1e-12);
    }
}

#[test]
fn a_sync_with_a_senseless_period_leaves_the_parameter() {
    let mut bench = Bench::standing(0.1, |_| {});
    for (cycle, period) in [(2, 0.0), (3, -1.0), (4, f64::NAN), (5, f64::INFINITY)] {
        bench.sync_to(cycle, period);
        bench.joints(&["a1"], &[0.1], &[]).unwrap();
    }
    bench.sync();
    bench.joints(&["a1"], &[0.11], &[]).unwrap();
    close(bench.velocity("a1"), 0.01 / T);
}

#[test]
fn a_changed_period_does_not_look_like_speed() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.joints(&["a1"], &[0.11], &[]).unwrap();
    bench.sync_to(2, 2.0 * T);
    // The cycle between the two positions lasted T, the one after it 2 T.
    bench.joints(&["a1"], &[0.12], &[]).unwrap();
    close(bench.velocity("a1"), 0.01 / T);
    bench.sync_to(4, 2.0 * T);
    bench.joints(&["a1"], &[0.14], &[]).unwrap();
    close(bench.velocity("a1"), 0.02 / (2.0 * T));
    assert!(bench.acceleration("a1").abs() < 1e-9);
}

#[test]
fn cycles_that_fell_out_do_not_look_like_speed() {
    for method in
        [UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake]
    {
        let mut bench = Bench::standing(0.0, |p| p.update_method = method);
        // 1 rad/s, syncs at 0, 10 and 40 ms.
        bench.joints(&["a1"], &[0.0], &[]).unwrap();
        bench.sync_to(2, T);
        bench.joints(&["a1"], &[0.01], &[]).unwrap();
        assert_eq!(bench.sync_to(5, T), SyncRelation::Next { passed: 3, fell_out: 0 });
        bench.joints(&["a1"], &[0.04], &[]).unwrap();
        close(bench.velocity("a1"), 1.0);
        assert!(bench.acceleration("a1").abs() < 1e-9, "{method:?}: {}", bench.acceleration("a1"));
        bench.sync();
        bench.joints(&["a1"], &[0.05], &[]).unwrap();
        assert!((bench.velocity("a1") - 1.0).abs() < 1e-9 && bench.acceleration("a1").abs() < 1e-6);
    }
}

#[test]
fn cycles_that_fell_out_are_predicted_one_by_one() {
    let mut bench = Bench::standing(0.1, |p| p.update_method = UpdateMethod::Extrapolate);
    bench.joints(&["a1"], &[0.1], &[1.0]).unwrap();
    bench.sync_to(4, T);
    // Given in cycle 1, shown at the end of cycle 3.
    close(bench.position("a1"), 0.1 + 2.0 * T);
    // After a stall it is where it was, at rest, however long that was.
    for cycles in [10, 91, 1_000_000_001] {
        let mut bench = Bench::standing(0.0, |p| p.update_method = UpdateMethod::Extrapolate);
        bench.joints(&["a1"], &[0.0], &[0.1]).unwrap();
        bench.sync_to(cycles, T);
        assert_eq!((bench.position("a1"), bench.velocity("a1")), (0.0, 0.0));
        bench.joints(&["a1"], &[1.0], &[]).unwrap();
        assert_eq!(bench.velocity("a1"), 0.0);
    }
}

#[test]
fn steps_are_steady_though_stamps_are_not_quite_on_their_grid() {
    let mut bench = Bench::standing(0.0, |_| {});
    for k in 2..30_i64 {
        // Before its sync and a little early, or after it and a little late.
        let jitter = [-50, 70, -CYCLE / 100, CYCLE / 100][k as usize % 4];
        let message = CycleTime::Stamp(k * CYCLE + jitter);
        let q = 0.01 * (k - 2) as f64;
        let send = |bench: &mut Bench| bench.joints_at(message, &["a1"], &[q], &[], &[]).unwrap();
        if k % 3 == 0 {
            assert_eq!(send(&mut bench), Taken::Kept { ahead: 1 });
        }
        let stamp = k * CYCLE - jitter;
        bench.cycle += 1;
        bench.core.sync(bench.cycle, stamp, T, &mut |_| {});
        if k > 3 {
            close(bench.position("a1"), q - 0.01);
            close(bench.velocity("a1"), 1.0);
        }
        if k % 3 != 0 {
            assert_eq!(send(&mut bench), Taken::Applied);
        }
    }
}

#[test]
fn what_overtakes_its_sync_is_kept_for_it() {
    let mut bench = Bench::standing(0.1, |_| {});
    assert_eq!(
        bench.joints_at(CycleTime::Stamp(2 * CYCLE), &["a1"], &[0.2], &[], &[]),
        Ok(Taken::Kept { ahead: 1 })
    );
    assert_eq!(bench.limb(2, "a", &[ABSENT, 0.15], &[0.5, ABSENT]), Ok(Taken::Kept { ahead: 1 }));
    assert_eq!(bench.support(2, &["a"], &[], &[1.0]), Ok(Taken::Kept { ahead: 1 }));
    assert_eq!((bench.position("a1"), bench.core.supports()[0]), (0.1, None));
    bench.sync();
    assert_eq!(bench.position("a1"), 0.1, "the pose of the cycle that has ended");
    assert!(bench.begin() && !bench.begin());
    let pose = bench.core.pose().unwrap();
    assert_eq!((pose.position[..2].to_vec(), pose.velocity[0]), (vec![0.2, 0.15], 0.5));
    assert_eq!(bench.core.supports()[0].unwrap().support, 1.0);

    // Its sync fell out: it is of that cycle all the same, and the one after it is silent.
    let mut bench = Bench::standing(0.1, |p| p.update_method = UpdateMethod::Extrapolate);
    bench.limb(3, "a", &[0.2, 0.2], &[1.0, 1.0]).unwrap();
    bench.sync_to(5, T);
    close(bench.position("a1"), 0.2 + T);
    assert!(!bench.begin());

    // Each cycle has its own inputs; what is of no cycle near is no race.
    let mut bench = Bench::standing(0.1, |_| {});
    for (cycle, q) in [(3, 0.3), (2, 0.2), (5, 0.5)] {
        let ahead = i64::from(cycle) - 1;
        assert_eq!(bench.limb(cycle, "a", &[q, q], &[]), Ok(Taken::Kept { ahead }));
    }
    assert_eq!(bench.limb(10, "a", &[0.6, 0.6], &[]), Ok(Taken::Dropped));
    for (cycle, q) in [(2, 0.2), (3, 0.3), (4, 0.3), (5, 0.5)] {
        bench.sync_to(cycle, T);
        assert_eq!((bench.begin(), bench.position("a1")), (cycle != 4, q));
    }
}

#[test]
fn fields_of_one_cycle_come_together_in_any_order() {
    for order in [[0, 1], [1, 0]] {
        let mut bench = Bench::standing(0.1, |_| {});
        for part in order {
            let (position, velocity): (&[f64], &[f64]) =
                if part == 0 { (&[0.3], &[]) } else { (&[], &[0.5]) };
            bench.joints(&["a1"], position, velocity).unwrap();
        }
        assert_eq!((bench.position("a1"), bench.velocity("a1")), (0.3, 0.5));
    }
}

#[test]
fn old_syncs_change_nothing_and_time_that_went_back_puts_everything_at_rest() {
    let mut bench = Bench::standing(0.1, |p| p.update_method = UpdateMethod::Extrapolate);
    bench.sync_to(100, T);
    bench.joints(&["a1"], &[0.2], &[1.0]).unwrap();
    let before = bench.everything();
    for old in [100, 99, 90] {
        bench.notes.clear();
        assert_eq!(bench.sync_to(old, T), SyncRelation::Old);
        assert_eq!(bench.everything(), before);
        assert!(bench.notes[0].contains("a second sync_node"), "{:?}", bench.notes);
    }
    assert_eq!(bench.limb(101, "a", &[0.5, 0.5], &[]), Ok(Taken::Kept { ahead: 1 }));
    assert_eq!(bench.sync_to(3, T), SyncRelation::Back);
    assert!(!bench.begin());
    assert_eq!((bench.position("a1"), bench.velocity("a1"), bench.acceleration("a1")), (0.2, 0.0, 0.0));
    // The first position after it comes from nowhere, at rest; then all is as ever.
    bench.joints(&["a1"], &[0.3], &[]).unwrap();
    assert_eq!((bench.velocity("a1"), bench.acceleration("a1")), (0.0, 0.0));
    bench.sync();
    bench.joints(&["a1"], &[0.31], &[]).unwrap();
    close(bench.velocity("a1"), 0.01 / T);
}

#[test]
fn with_speed_limits_a_far_pose_is_gone_to_at_the_limit_even_if_it_is_told_once() {
    // 5 rad/s and 10 ms: 0.05 rad a cycle.
    let mut bench = Bench::standing(0.1, |p| {
        // Any speed within a cycle: this is about speed alone.
        (p.speed_limits, p.acceleration_limit) = (LimitPolicy::Clamp, 1e4);
    });
    bench.joints(&["a1", "a2"], &[0.33, 0.14], &[ABSENT, 1.0]).unwrap();
    assert!(bench.notes.iter().any(|note| note.contains("\"a1\" would need 23.00")), "{:?}", bench.notes);
    assert_eq!(bench.notes.len(), 1, "a2 is near enough");
    assert_eq!((bench.position("a2"), bench.velocity("a2")), (0.14, 1.0));
    close(bench.position("a1"), 0.15);
    // Nobody says anything any more, and it goes on: the first sync ends the cycle in which it was told.
    for expected in [0.15, 0.2, 0.25, 0.3] {
        bench.sync();
        close(bench.position("a1"), expected);
        close(bench.velocity("a1"), 5.0);
    }
    bench.sync();
    assert_eq!((bench.position("a1"), bench.velocity("a1")), (0.33, 0.0));
}

#[test]
fn an_effort_that_cannot_be_refuses_the_whole_message() {
    let mut bench = Bench::standing(0.1, |_| {});
    let before = bench.everything();
    for bad in [1e10, -1e10, f64::INFINITY, 1e308] {
        let taken = bench.joints_at(CycleTime::Absent, &["a1", "a2"], &[0.5; 2], &[], &[0.1, bad]);
        assert_eq!(taken.unwrap_err().to_string(), format!("effort of joint \"a2\" is {bad:?}"));
        let taken = bench.limb_at(0, "a", &[0.5; 2], &[], &[bad, 0.1]);
        assert_eq!(taken.unwrap_err().to_string(), format!("limb \"a\": effort of joint \"a\" is {bad:?}"));
        assert_eq!(bench.everything(), before);
    }
}

/// With a priority the first position of a joint counts, whichever topic came first: a velocity says nothing of a joint that is
/// nowhere, also when it comes after the position.
#[test]
fn the_first_pose_does_not_depend_on_the_order_of_topics() {
    for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
        let mut bench = Bench::new(|p| {
            (p.priority, p.speed_limits) = (Priority::JointsIn, LimitPolicy::Clamp);
        });
        bench.sync();
        bench.joints(&["b1", "b2", "tail"], &[0.0; 3], &[]).unwrap();
        for message in order {
            match message {
                0 => bench.limb(0, "a", &[1.0, 1.0], &[]).map(|_| ()).unwrap(),
                1 => bench.joints(&["a1", "a2"], &[], &[0.5, 0.5]).map(|_| ()).unwrap(),
                _ => bench
                    .joints_at(CycleTime::Absent, &["a1", "a2"], &[], &[], &[0.1, 0.1])
                    .map(|_| ())
                    .unwrap(),
            }
        }
        bench.sync();
        assert_eq!(bench.position("a1"), 1.0, "{order:?}");
    }
}

/// Messages of cycles in a stall were kept: nobody moves on through it because of them.
#[test]
fn a_stall_is_one_also_when_messages_were_kept() {
    for kept in [0, 4] {
        let mut bench = Bench::standing(0.0, |p| {
            (p.update_method, p.speed_limits) = (UpdateMethod::Extrapolate, LimitPolicy::Clamp);
        });
        for k in 0..20 {
            bench.joints(&["a1"], &[0.02 * f64::from(k)], &[2.0]).unwrap();
            bench.sync();
        }
        let (cycle, before) = (bench.cycle, bench.position("a1"));
        for k in 1..=kept {
            let stamp = CycleTime::Stamp(i64::from(cycle + k) * CYCLE);
            bench.joints_at(stamp, &["a1"], &[before + 0.02 * f64::from(k)], &[2.0], &[]).unwrap();
        }
        bench.sync_to(cycle + 12, T);
        // The cycle that was under way ends as it was given.
        assert!((bench.position("a1") - before - 0.02).abs() < 1e-12);
        assert_eq!(bench.velocity("a1"), 0.0);
    }
}

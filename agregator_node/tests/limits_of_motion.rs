//! Whatever comes in: no pose leaves its limits, its speed or its acceleration.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{
    Agregator, AgregatorParams, CycleTime, Differentiation, JointArrays, LimitPolicy, Quadrature,
    UpdateMethod,
};
use common::{Bench, CYCLE, DIFFS, JOINTS, METHODS, SPEED, T};
use cycle_lib::STALL;
use proptest::prelude::*;
use robot_model_lib::{LARGEST, ModelConfig, RobotModel};

#[test]
fn derivatives_are_bounded_before_they_are_published() {
    let mut bench = Bench::standing(0.1, |_| {});
    bench.joints(&["a1", "a2"], &[0.33, 0.1], &[f64::NAN, 80.0]).unwrap();
    for joint in ["a1", "a2"] {
        assert!(bench.velocity(joint).abs() <= SPEED, "{joint}: {}", bench.velocity(joint));
        assert!(bench.acceleration(joint).abs() <= 200.0, "{joint}: {}", bench.acceleration(joint));
    }
}

/// A lower limit counts for the pose of the cycle in which it came.
#[test]
fn a_lowered_acceleration_limit_counts_at_once() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1"], &[0.01], &[]).unwrap();
    let params = AgregatorParams { acceleration_limit: 5.0, ..bench.core.params().clone() };
    bench.core.set_params(params).unwrap();
    assert!(bench.acceleration("a1").abs() <= 5.0);
    bench.sync();
    assert!(bench.acceleration("a1").abs() <= 5.0, "{}", bench.acceleration("a1"));
}

/// A wheel, which has no limits: it stays a number that others take.
#[test]
fn a_joint_without_limits_stays_within_what_can_be_computed_with() {
    let urdf = r#"<robot name="r"><link name="a"/><link name="b"/><joint name="wheel" type="continuous">
        <parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"#;
    let model = RobotModel::from_urdf(urdf, &ModelConfig::default()).unwrap();
    for (update_method, every) in [(UpdateMethod::Extrapolate, 1000), (UpdateMethod::Brake, 1)] {
        let params =
            AgregatorParams { update_method, speed_limits: LimitPolicy::Warn, ..AgregatorParams::default() };
        let mut core = Agregator::new(model.clone(), params).unwrap();
        let name = ["wheel".to_string()];
        for k in 0..400_u32 {
            core.sync(k + 1, i64::from(k + 1) * CYCLE, T, &mut |_| {});
            if k % every == 0 {
                let position = [if k == 0 { 0.0 } else { f64::NAN }];
                let arrays = JointArrays { name: &name, position: &position, velocity: &[1e9], effort: &[] };
                core.joints(CycleTime::Absent, arrays, &mut |_| {}).unwrap();
            }
        }
        let pose = core.pose().unwrap();
        assert!(pose.position[0].abs() <= LARGEST && pose.velocity[0].abs() <= LARGEST, "{pose:?}");
    }
}

/// What comes in: whose joints, with what, and how the time goes on.
#[derive(Clone, Debug)]
struct Cycle {
    /// Cycles since the one before, or so far back.
    passed: i64,
    messages: Vec<(bool, Vec<f64>, Vec<f64>)>,
    change: Option<(UpdateMethod, Differentiation, Quadrature, f64)>,
    measured: Option<f64>,
}

fn array() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![6 => -3.0..3.0_f64, 2 => Just(f64::NAN), 1 => -1e9..1e9_f64];
    prop_oneof![1 => Just(vec![]), 3 => prop::collection::vec(number, 2)]
}

fn cycle() -> impl Strategy<Value = Cycle> {
    let passed = prop_oneof![20 => Just(1_i64), 2 => 2..8_i64, 1 => 8..300_i64, 1 => Just(-2_000)];
    let methods = prop::sample::select(METHODS.to_vec());
    let quad = prop::sample::select(vec![Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson]);
    let change = (methods, prop::sample::select(DIFFS.to_vec()), quad, 10.0..1e4_f64);
    let messages = prop::collection::vec((any::<bool>(), array(), array()), 0..3);
    let (change, measured) =
        (prop::option::weighted(0.1, change), prop::option::weighted(0.05, -2.0..3.0_f64));
    (passed, messages, change, measured).prop_map(|(passed, messages, change, measured)| Cycle {
        passed,
        messages,
        change,
        measured,
    })
}

/// Position of the first two joints, and their speed where the poses tell it.
type Shown = [(f64, Option<f64>); 2];

/// Whether the pose is within its bounds, so many cycles after the one before.
fn check(bench: &Bench, before: &Shown, passed: i64, period: f64) -> Result<Shown, TestCaseError> {
    let (pose, limit) = (bench.core.pose().unwrap(), bench.core.params().acceleration_limit);
    let mut shown = *before;
    // After a stall it goes on from where it was, at rest, as if one cycle had passed.
    let is_stall = passed > STALL;
    let passed = if is_stall { 1 } else { passed };
    for (joint, (position, speed)) in shown.iter_mut().enumerate() {
        let (q, v, a) = (pose.position[joint], pose.velocity[joint], pose.acceleration[joint]);
        prop_assert!((-1.0..=2.0).contains(&q), "{q}");
        prop_assert!(v.abs() <= SPEED, "{v}");
        prop_assert!(a.abs() <= limit, "{a}");
        if is_stall {
            *speed = Some(0.0);
        }
        let moved = (q - *position) / (passed.max(1) as f64 * period);
        prop_assert!(moved.abs() <= SPEED * (1.0 + 1e-6), "{moved} rad/s");
        // It gains speed with the acceleration limit at most; to lose it faster is its source's doing.
        if let Some(speed) = speed.filter(|_| passed == 1) {
            let gained = if moved * speed > 0.0 { moved.abs() - speed.abs() } else { moved.abs() };
            prop_assert!(gained <= limit * period * (1.0 + 1e-6) + 1e-9, "{speed} → {moved} rad/s");
        }
        // After time went back it rests; how fast it was in the last of several cycles they do not tell.
        (*position, *speed) =
            (q, if passed > 1 { None } else { Some(if passed == 1 { moved } else { 0.0 }) });
    }
    Ok(shown)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn whatever_comes_in_no_pose_leaves_limits_speed_or_acceleration(
        cycles in prop::collection::vec(cycle(), 1..60),
        period in prop::sample::select(vec![0.001, 0.005, 0.01, 0.02]),
        // Cycles between fell out of the beat, or only their syncs were lost.
        fell_out in any::<bool>(),
    ) {
        let mut bench = Bench::new(|p| (p.speed_limits, p.period) = (LimitPolicy::Clamp, period));
        bench.joints(&JOINTS, &[0.1; 5], &[0.0; 5]).unwrap();
        let cycle_ns = (period * 1e9) as i64;
        let (mut at, mut beats) = (1_000_000, 1_000_000);
        bench.core.sync(beats, at * cycle_ns, period, &mut |_| {});
        let mut before = [(0.1, Some(0.0)); 2];
        for Cycle { passed, messages, change, measured } in cycles {
            if let Some((update, diff, quad, acceleration)) = change {
                let mut params = bench.core.params().clone();
                (params.update_method, params.diff_method, params.quad_method) = (update, diff, quad);
                params.acceleration_limit = acceleration;
                bench.core.set_params(params).unwrap();
            }
            if let Some(q) = measured {
                bench.core.take_measured(&["a1".into()], &[q], &mut |_| {}).unwrap();
                before[0] = (q.clamp(-1.0, 2.0), Some(0.0));
            }
            for (by_limb, position, velocity) in messages {
                let sent = if by_limb {
                    bench.limb(0, "a", &position, &velocity)
                } else {
                    bench.joints(&["a1", "a2"], &position, &velocity)
                };
                sent.unwrap();
                // As it is published with a message.
                check(&bench, &before, 1, period)?;
            }
            at += passed;
            beats += 1;
            let number = if fell_out { beats } else { at as u32 };
            bench.core.sync(number, at * cycle_ns, period, &mut |_| {});
            // What fell out is no time, and a beat that counts on goes on though its clock was set back.
            let passed = if fell_out { 1 } else { passed };
            before = check(&bench, &before, passed, period)?;
            bench.begin();
        }
    }
}

//! What two messages mean to each other does not depend on the order in which topics arrive.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{
    CycleTime, Differentiation, LimitPolicy, Quadrature, SyncRelation, Taken, UpdateMethod,
};
use common::{Bench, CYCLE, T};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Part {
    Joints(Vec<f64>, Vec<f64>, Vec<f64>),
    Limb(Vec<f64>, Vec<f64>),
    Support(f64),
}

/// A message, with how far its stamp is off the grid (ns; 0: it has none, but a number) and whether it overtakes its sync.
type Message = (Part, i64, bool);

#[derive(Clone, Debug)]
struct Cycle {
    /// Cycles since the one before.
    gap: u32,
    has_sync: bool,
    sync_jitter: i64,
    messages: Vec<Message>,
}

fn array() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![4 => -3.0..3.0_f64, 1 => Just(f64::NAN)];
    prop_oneof![1 => Just(vec![]), 2 => prop::collection::vec(number, 2)]
}

fn jitter() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -CYCLE / 100..=CYCLE / 100, 1 => Just(0)]
}

fn cycle() -> impl Strategy<Value = Cycle> {
    let part = prop_oneof![
        (array(), array(), array()).prop_map(|(p, v, e)| Part::Joints(p, v, e)),
        (array(), array()).prop_map(|(p, v)| Part::Limb(p, v)),
        (0.0..1.0_f64).prop_map(Part::Support),
    ];
    let gap = prop_oneof![8 => Just(1_u32), 1 => 2..10_u32, 1 => 10..300_u32];
    let messages = prop::collection::vec((part, jitter(), any::<bool>()), 0..5);
    (gap, prop::bool::weighted(0.9), jitter(), messages)
        .prop_map(|(gap, has_sync, sync_jitter, messages)| Cycle { gap, has_sync, sync_jitter, messages })
}

fn send(bench: &mut Bench, number: u32, (part, jitter, _): &Message) {
    let stamp = if *jitter == 0 { 0 } else { i64::from(number) * CYCLE + jitter };
    match part {
        Part::Joints(p, v, e) => {
            let time = CycleTime::new(stamp, number);
            bench.joints_at(time, &["a2", "tail"], p, v, e).unwrap()
        }
        Part::Limb(p, v) => bench.limb(number, "a", p, v).unwrap(),
        Part::Support(support) => bench.support(number, &["b"], &[], &[*support]).unwrap(),
    };
}

/// What is published at each sync, and what is known at the end.
fn run(mut bench: Bench, cycles: &[Cycle], may_overtake: bool) -> Vec<Vec<u64>> {
    let mut published = vec![];
    let (mut number, mut synced) = (1, 1);
    for cycle in cycles {
        number += cycle.gap;
        // More than a stall ahead is no race.
        let may_overtake = may_overtake && i64::from(number - synced) <= cycle_lib::STALL;
        let (early, late): (Vec<&Message>, Vec<&Message>) =
            cycle.messages.iter().partition(|(_, _, overtakes)| may_overtake && *overtakes);
        early.into_iter().for_each(|message| send(&mut bench, number, message));
        if cycle.has_sync {
            let stamp = i64::from(number) * CYCLE + cycle.sync_jitter;
            let relation = bench.core.sync(number, stamp, T, &mut |_| {});
            assert!(matches!(relation, SyncRelation::Next { .. }));
            published.push(bench.everything());
            bench.begin();
            synced = number;
        }
        late.into_iter().for_each(|message| send(&mut bench, number, message));
    }
    published.push(bench.everything());
    published
}

/// Of one joint no field is given twice in a cycle, else the order of the messages among each other would count.
fn distinct(mut cycles: Vec<Cycle>) -> Vec<Cycle> {
    for cycle in &mut cycles {
        let mut kinds = [false; 3];
        cycle.messages.retain(|(part, _, _)| {
            let kind = match part {
                Part::Joints(..) => 0,
                Part::Limb(..) => 1,
                Part::Support(_) => 2,
            };
            !std::mem::replace(&mut kinds[kind], true)
        });
        for (part, _, _) in &mut cycle.messages {
            // Both are about a2: one gives its position, the other its velocity.
            match part {
                Part::Joints(p, ..) => p.iter_mut().take(1).for_each(|p| *p = f64::NAN),
                Part::Limb(_, v) => v.iter_mut().skip(1).for_each(|v| *v = f64::NAN),
                Part::Support(_) => {}
            }
        }
    }
    cycles
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn whether_messages_come_before_their_sync_or_after_it_does_not_matter(
        cycles in prop::collection::vec(cycle(), 1..20),
        diff in prop::sample::select(vec![Differentiation::Difference, Differentiation::Inertial, Differentiation::Savgol]),
        quad in prop::sample::select(vec![Quadrature::Euler, Quadrature::Trapezoid, Quadrature::Simpson]),
        update in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
        speed_limits in prop::sample::select(vec![LimitPolicy::Clamp, LimitPolicy::Off]),
    ) {
        let cycles = distinct(cycles);
        let bench = || Bench::standing(0.0, |p| {
            (p.diff_method, p.quad_method, p.update_method, p.speed_limits) = (diff, quad, update, speed_limits);
        });
        prop_assert_eq!(run(bench(), &cycles, true), run(bench(), &cycles, false));
    }

    /// Positions of a motion of constant speed: whatever falls out, however long cycles are, the speed is that and no other.
    #[test]
    fn a_steady_motion_has_its_speed_whatever_falls_out(
        // Duration of the cycle in ms, whether its sync and its message come, and whether the message overtakes the sync.
        cycles in prop::collection::vec(
            (prop::sample::select(vec![5_i64, 10, 20]), prop::bool::weighted(0.9), prop::bool::weighted(0.8), any::<bool>()),
            2..40,
        ),
        speed in -4.0..4.0_f64,
        update in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
    ) {
        let mut bench = Bench::new(|p| (p.require_full_pose, p.update_method, p.limits) = (false, update, LimitPolicy::Off));
        let (mut start, mut number, mut period) = (1_000_000_000_i64, 1, 10);
        bench.core.sync(number, start, 0.01, &mut |_| {});
        let (mut given, mut last_taken) = (0, Taken::Dropped);
        for (ms, has_sync, has_message, overtakes) in cycles {
            start += period * 1_000_000;
            number += 1;
            // Only a sync can say that the period is another one.
            period = if has_sync { ms } else { period };
            let q = speed * (start - 1_000_000_000) as f64 / 1e9;
            // One that is more than a stall ahead is dropped.
            let mut send = |bench: &mut Bench| {
                let taken = bench.joints_at(CycleTime::Stamp(start), &["a1"], &[q], &[], &[]).unwrap();
                given += i32::from(taken != Taken::Dropped);
                last_taken = taken;
            };
            if has_message && overtakes {
                send(&mut bench);
            }
            if has_sync {
                bench.core.sync(number, start, period as f64 / 1e3, &mut |_| {});
                bench.begin();
            }
            if has_message && !overtakes {
                send(&mut bench);
            }
            let has_message = has_message && last_taken != Taken::Dropped;
            if has_message && has_sync && given > 1 {
                prop_assert!((bench.velocity("a1") - speed).abs() < 1e-9, "{} not {speed}", bench.velocity("a1"));
            }
            if has_message && has_sync && given > 2 {
                prop_assert!(bench.acceleration("a1").abs() < 1e-6, "{}", bench.acceleration("a1"));
            }
        }
    }
}

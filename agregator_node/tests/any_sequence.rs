//! Whatever comes, in whatever order: the pose stays finite, inside limits, complete and sorted, and a refused message
//! changes nothing.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{CycleTime, LimitPolicy, Taken, UpdateMethod};
use common::{Bench, CYCLE, JOINTS};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Event {
    Joints(CycleTime, Vec<usize>, Vec<f64>, Vec<f64>, Vec<f64>),
    Limb(u32, usize, Vec<f64>, Vec<f64>),
    Support(u32, Vec<usize>, Vec<f64>),
    /// Period, and how far its stamp is off the grid, ns.
    Sync(f64, i64),
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -3.0..3.0f64,
        2 => Just(f64::NAN),
        1 => any::<f64>(),
        1 => Just(f64::INFINITY),
        1 => prop_oneof![Just(1e308), Just(-1e308)],
    ]
}

fn array() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![1 => Just(vec![]), 3 => prop::collection::vec(number(), 2), 1 => prop::collection::vec(number(), 0..4)]
}

fn event() -> impl Strategy<Value = Event> {
    let time = prop_oneof![
        Just(CycleTime::Absent),
        any::<i64>().prop_map(CycleTime::Stamp),
        (0..400_000_000i64).prop_map(CycleTime::Stamp)
    ];
    let jitter = prop_oneof![6 => -CYCLE / 100..CYCLE / 100, 1 => any::<i64>().prop_map(|ns| ns / 2), 1 => -100 * CYCLE..100 * CYCLE];
    let names = prop::collection::vec(0..6usize, 2);
    prop_oneof![
        3 => (time, names, array(), array(), array()).prop_map(|(t, n, p, v, e)| Event::Joints(t, n, p, v, e)),
        3 => (0..4u32, 0..3usize, array(), array()).prop_map(|(c, n, p, v)| Event::Limb(c, n, p, v)),
        1 => (0..4u32, prop::collection::vec(0..3usize, 0..3), array()).prop_map(|(c, n, s)| Event::Support(c, n, s)),
        3 => (prop_oneof![Just(0.01), number()], jitter).prop_map(|(period, jitter)| Event::Sync(period, jitter)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn the_pose_is_always_whole_and_refusals_change_nothing(
        method in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
        clamp in any::<bool>(),
        speed_clamp in any::<bool>(),
        events in prop::collection::vec(event(), 1..60),
    ) {
        let policy = |clamp| if clamp { LimitPolicy::Clamp } else { LimitPolicy::Off };
        let mut bench = Bench::standing(0.0, |p| {
            (p.update_method, p.limits, p.speed_limits) = (method, policy(clamp), policy(speed_clamp));
        });
        let (names, chains) = ([&JOINTS[..], &["nose"]].concat(), ["a", "b", "wing"]);
        for event in events {
            let before = bench.everything();
            let taken = match &event {
                Event::Joints(time, name, p, v, e) => {
                    let name: Vec<&str> = name.iter().map(|&i| names[i]).collect();
                    bench.joints_at(*time, &name, p, v, e)
                }
                Event::Limb(cycle, chain, p, v) => bench.limb(*cycle, chains[*chain], p, v),
                Event::Support(cycle, chain, s) => {
                    let chain: Vec<&str> = chain.iter().map(|&i| chains[i]).collect();
                    bench.support(*cycle, &chain, &[], s)
                }
                Event::Sync(period, jitter) => {
                    bench.cycle += 1;
                    bench.core.sync(bench.cycle, i64::from(bench.cycle) * CYCLE + jitter, *period, &mut |_| {});
                    bench.begin();
                    Ok(Taken::Applied)
                }
            };
            if taken != Ok(Taken::Applied) {
                prop_assert_eq!(bench.everything(), before, "{:?} was not taken, but changed something", event);
            }
            let pose = bench.core.pose().expect("complete since the start");
            let arrays = [pose.position, pose.velocity, pose.acceleration];
            prop_assert!(arrays.iter().all(|a| a.len() == 5 && a.iter().all(|x| x.is_finite())), "{:?}: {:?}", event, pose);
            prop_assert!(pose.effort.is_empty() || pose.effort.len() == 5);
            if clamp {
                prop_assert!(pose.position.iter().all(|q| (-1.0..=2.0).contains(q)), "{:?}: {:?}", event, pose.position);
            }
        }
    }
}

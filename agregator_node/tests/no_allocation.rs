//! Once sized, no message and no sync allocates in the core.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{CycleTime, JointArrays, LimbArrays, SupportArrays};
use common::{Bench, CYCLE, JOINTS, T};

#[test]
fn messages_of_known_sources_and_syncs_allocate_nothing() {
    let mut bench = Bench::standing(0.0, |p| p.speed_limits = agregator_node::LimitPolicy::Clamp);
    let names = |list: &[&str]| list.iter().map(|n| n.to_string()).collect::<Vec<_>>();
    let (all, some, chains) = (names(&JOINTS), names(&["tail", "a1"]), names(&["a", "b"]));
    let mut round = |k: u32| {
        let core = &mut bench.core;
        let mut ignore = |_: agregator_node::Note<'_>| {};
        let q = 0.001 * f64::from(k % 100);
        let whole = JointArrays { name: &all, position: &[q; 5], velocity: &[], effort: &[0.1; 5] };
        let part = JointArrays { name: &some, position: &[], velocity: &[0.1, f64::NAN], effort: &[] };
        let limb = LimbArrays { chain: "b", position: &[q, 9.0], velocity: &[], effort: &[] };
        let support = SupportArrays { chain: &chains, contact: &[], support: &[1.0, 0.0] };
        core.joints(CycleTime::Absent, whole, &mut ignore).unwrap();
        core.joints(CycleTime::Absent, part, &mut ignore).unwrap();
        core.limbs(CycleTime::Number(0), std::iter::once(limb), &mut ignore).unwrap();
        core.support(CycleTime::Number(0), support, &mut ignore).unwrap();
        // The same once more, ahead of its sync.
        core.joints(CycleTime::Stamp(i64::from(k) * CYCLE), whole, &mut ignore).unwrap();
        core.limbs(CycleTime::Number(k), std::iter::once(limb), &mut ignore).unwrap();
        core.support(CycleTime::Number(k), support, &mut ignore).unwrap();
        core.sync(k, i64::from(k) * CYCLE, T, &mut ignore);
        std::hint::black_box(core.pose());
        core.begin_cycle(&mut ignore);
    };
    round(1);
    assert_eq!(test_lib::allocations(|| (2..1000).for_each(&mut round)), 0);
}

//! Two sources for one joint: whose word counts, and who is told of it.
#![allow(clippy::unwrap_used)]

mod common;

use agregator_node::{CycleMismatch, CycleTime, Priority, UpdateMethod};
use common::{ABSENT, Bench, CYCLE, T};
use proptest::prelude::*;

#[test]
fn two_sources_that_disagree_are_told_of_and_the_last_one_counts() {
    let mut bench = Bench::standing(0.0, |_| {});
    bench.joints(&["a1", "tail"], &[0.1, 0.2], &[]).unwrap();
    bench.joints(&["a1", "b1"], &[0.15, 0.2], &[]).unwrap();
    let told = "joint \"a1\": two sources give its position in one cycle, 0.1 and then 0.15; the last one counts (parameter priority)";
    assert_eq!(bench.notes, [told]);
    assert_eq!(bench.position("a1"), 0.15);
    // Over both topics.
    bench.limb(0, "b", &[ABSENT, 0.4], &[0.5, ABSENT]).unwrap();
    assert!(bench.notes.is_empty(), "a velocity and a position come together: {:?}", bench.notes);
    bench.joints(&["b2"], &[0.3], &[]).unwrap();
    assert!(bench.notes[0].starts_with("joint \"b2\": two sources give its position"), "{:?}", bench.notes);
    // In the next cycle everybody begins anew.
    bench.sync();
    bench.joints(&["a1", "tail"], &[0.3, 0.2], &[]).unwrap();
    assert!(bench.notes.is_empty());
}

#[test]
fn one_source_that_is_faster_than_the_cycle_is_no_conflict() {
    let mut bench = Bench::standing(0.0, |_| {});
    for ms in 0..5 {
        let time = CycleTime::Stamp(CYCLE + 1_000_000 * ms + 1);
        bench.joints_at(time, &["a1"], &[0.01 * ms as f64], &[], &[]).unwrap();
        assert!(bench.notes.is_empty());
        bench.limb(0, "b", &[0.01 * ms as f64; 2], &[]).unwrap();
        assert!(bench.notes.is_empty(), "{:?}", bench.notes);
    }
}

/// Two gaits at once send the same names on the same topic, for the same sync.
#[test]
fn two_messages_of_one_stamp_are_of_two_sources() {
    for cycle in [1, 2] {
        let mut bench = Bench::standing(0.0, |_| {});
        bench.limb(cycle, "a", &[0.1, 0.1], &[]).unwrap();
        bench.limb(cycle, "a", &[0.1, 0.1], &[]).unwrap();
        assert!(bench.notes.is_empty(), "they agree, or it is one message that came twice");
        bench.limb(cycle, "a", &[0.1, 0.2], &[]).unwrap();
        assert!(bench.notes[0].contains("\"a2\""), "of this cycle or kept for the next: {:?}", bench.notes);
    }
}

#[test]
fn with_a_priority_a_joint_moves_as_that_topic_says_and_nobody_is_warned() {
    for joints_first in [true, false] {
        for (priority, position, velocity) in
            [(Priority::JointsIn, 0.02, 2.0), (Priority::LimbsJointsIn, 0.03, -1.0)]
        {
            let mut bench = Bench::standing(0.0, |p| p.priority = priority);
            for turn in [joints_first, !joints_first] {
                if turn {
                    // A position alone: its velocity is worked out, and not the limbs'.
                    bench.joints_at(CycleTime::Absent, &["a1"], &[0.02], &[], &[0.7]).unwrap();
                } else {
                    bench.limb(0, "a", &[0.03, 0.01], &[-1.0, ABSENT]).unwrap();
                }
                assert!(bench.notes.is_empty(), "{:?}", bench.notes);
            }
            assert_eq!(
                (bench.position("a1"), bench.velocity("a1"), bench.position("a2")),
                (position, velocity, 0.01)
            );
            assert_eq!(bench.core.pose().unwrap().effort[0], 0.7, "nobody else gives one");
        }
    }
    // The other topic counts in a cycle in which the first is silent.
    let mut bench = Bench::standing(0.0, |p| p.priority = Priority::JointsIn);
    bench.joints(&["a1"], &[0.01], &[]).unwrap();
    bench.sync();
    bench.limb(0, "a", &[0.03, 0.0], &[]).unwrap();
    assert_eq!(bench.position("a1"), 0.03);
}

#[test]
fn a_pose_with_an_accepted_old_message_is_stamped_in_the_present_cycle() {
    let mut bench = Bench::standing(0.0, |p| p.cycle_mismatch = CycleMismatch::Accept);
    bench.sync_to(100, T);
    let start = 100 * CYCLE;
    let mut newest = start;
    for stamp in [start - 5 * CYCLE, start + 3_000_000, start + 1_000_000, start - CYCLE, start + 100 * CYCLE]
    {
        bench.joints_at(CycleTime::Stamp(stamp), &["a1"], &[0.1], &[], &[]).unwrap();
        let published = bench.core.message_stamp(stamp, 0);
        assert!(published >= newest && published < start + CYCLE, "{stamp} → {published}");
        newest = published;
    }
    assert_eq!(newest, start + 3_000_000);
    bench.sync_to(3, T);
    assert_eq!(bench.core.message_stamp(0, 0), 3 * CYCLE, "time went back, and the stamps with it");
}

#[derive(Clone, Debug)]
enum Part {
    Joints(Vec<f64>, Vec<f64>, Vec<f64>),
    Limb(Vec<f64>, Vec<f64>, Vec<f64>),
}

fn array() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![4 => -0.9..1.9_f64, 1 => Just(f64::NAN)];
    prop_oneof![1 => Just(vec![]), 2 => prop::collection::vec(number, 2)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// Both topics speak of the same joints in every cycle, and either of them first.
    #[test]
    fn with_a_priority_the_order_of_arrival_does_not_matter(
        cycles in prop::collection::vec((array(), array(), array(), array(), array(), array(), any::<bool>()), 1..20),
        priority in prop::sample::select(vec![Priority::JointsIn, Priority::LimbsJointsIn]),
        update in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
        full in any::<bool>(),
        ahead in any::<bool>(),
    ) {
        let run = |turn: bool| {
            // Joints that are nowhere yet, too.
            let change = |p: &mut agregator_node::AgregatorParams| (p.priority, p.update_method) = (priority, update);
            let mut bench = if full { Bench::new(change) } else { Bench::standing(0.0, change) };
            bench.sync_to(1, T);
            let mut published = vec![];
            for (p, v, e, q, w, f, joints_first) in &cycles {
                let mut parts = [
                    Part::Joints(p.clone(), v.clone(), e.clone()), Part::Limb(q.clone(), w.clone(), f.clone()),
                ];
                if turn && *joints_first {
                    parts.reverse();
                }
                // In the cycle, or ahead of its sync.
                let number = bench.cycle + u32::from(ahead);
                for part in parts {
                    match part {
                        Part::Joints(p, v, e) => {
                            let time = CycleTime::Stamp(i64::from(number) * CYCLE);
                            bench.joints_at(time, &["a2", "a1"], &p, &v, &e).unwrap();
                        }
                        Part::Limb(p, v, e) => { bench.limb_at(number, "a", &p, &v, &e).unwrap(); }
                    }
                    prop_assert!(!bench.notes.iter().any(|n| n.contains("two sources")), "{:?}", bench.notes);
                }
                bench.sync();
                published.push((bench.everything(), bench.core.missing().count()));
                bench.begin();
            }
            Ok(published)
        };
        prop_assert_eq!(run(false)?, run(true)?);
    }
}

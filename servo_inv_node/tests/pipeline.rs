//! The agregator and the lead after each other: whatever a source asks for and however messages come, no pose moves faster than
//! its joint can, and no goal lies farther ahead than the joint goes in the lead.
#![allow(clippy::unwrap_used)]

use agregator_node::{
    Agregator, AgregatorParams, CycleTime, JointArrays, LimitPolicy, SyncRelation, UpdateMethod,
};
use proptest::prelude::*;
use robot_model_lib::{ModelConfig, RobotModel};
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::LeadParams;

const T: i64 = 10_000_000;
const PERIOD: f64 = 0.01;
const LEAD: f64 = 0.056;
/// rad/s.
const SPEED: f64 = 5.0;

#[derive(Clone, Debug)]
struct Way {
    /// Hundredths of a cycle.
    delay: i64,
    lost: bool,
    again: Option<i64>,
}

#[derive(Clone, Debug)]
struct Cycle {
    /// Cycles since the one before.
    gap: i64,
    /// What the source asks for: where to, and a velocity or none.
    position: f64,
    velocity: f64,
    /// Off the grid, ns.
    jitter: [i64; 2],
    /// The source's message, `sync` to the agregator, `sync` to the lead, and the pose.
    ways: [Way; 4],
}

fn way() -> impl Strategy<Value = Way> {
    let delay = prop_oneof![6 => 0..90_i64, 1 => 0..300_i64];
    let again = prop_oneof![9 => Just(None), 1 => (0..150_i64).prop_map(Some)];
    (delay, prop::bool::weighted(0.1), again).prop_map(|(delay, lost, again)| Way { delay, lost, again })
}

fn cycle() -> impl Strategy<Value = Cycle> {
    let gap = prop_oneof![20 => Just(1_i64), 2 => 2..5_i64, 1 => 5..200_i64];
    let velocity = prop_oneof![Just(f64::NAN), -20.0..20.0_f64];
    let jitter = prop::array::uniform2(-T / 100..=T / 100);
    (gap, -1.0..1.0_f64, velocity, jitter, prop::array::uniform4(way()))
        .prop_map(|(gap, position, velocity, jitter, ways)| Cycle { gap, position, velocity, jitter, ways })
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Input { stamp: i64, position: f64, velocity: f64 },
    Sync { number: u32, stamp: i64 },
    Pose { stamp: i64, position: f64, delay: i64 },
}

type Events = Vec<(i64, Event)>;

/// Messages of one kind as they arrive.
fn arrivals(sent: impl Iterator<Item = (i64, Way, Event)>) -> Events {
    let mut events = vec![];
    for (at, way, event) in sent {
        let first = (!way.lost).then_some(at + way.delay);
        events.extend(first.map(|at| (at, event)));
        events.extend(way.again.map(|more| (at + way.delay + more, event)));
    }
    events
}

fn model() -> RobotModel {
    let urdf = format!(
        r#"<robot name="one"><link name="base"/><link name="arm"/><joint name="a" type="revolute"><parent link="base"/>
           <child link="arm"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="{SPEED}"/></joint></robot>"#
    );
    RobotModel::from_urdf(&urdf, &ModelConfig { chains: vec![], contacts: vec![] }).unwrap()
}

fn agregator(update_method: UpdateMethod) -> Agregator {
    let params = AgregatorParams {
        speed_limits: LimitPolicy::Clamp,
        update_method,
        require_full_pose: false,
        period: PERIOD,
        ..AgregatorParams::default()
    };
    Agregator::new(model(), params).unwrap()
}

/// Runs the agregator; gives each `sync` and the pose that it leads to, with their time, or the step that was too fast.
fn poses(mut core: Agregator, events: Events, delays: &[i64]) -> Result<Events, String> {
    let name = ["a".to_owned()];
    let (mut last, mut poses): (f64, Events) = (0.0, vec![]);
    let ignore = &mut |_: agregator_node::Note<'_>| {};
    for (at, event) in events {
        match event {
            Event::Input { stamp, position, velocity } => {
                let arrays =
                    JointArrays { name: &name, position: &[position], velocity: &[velocity], effort: &[] };
                core.joints(CycleTime::Stamp(stamp), arrays, ignore).unwrap();
            }
            Event::Sync { number, stamp } => {
                poses.push((at, event));
                let cycles = match core.sync(number, stamp, PERIOD, ignore) {
                    SyncRelation::Old => continue,
                    // It rests where the cycle under way has brought it.
                    SyncRelation::Back => 1,
                    SyncRelation::Next { passed, fell_out } => passed - fell_out,
                };
                let position = core.pose().unwrap().position[0];
                let reach = SPEED * PERIOD * cycles as f64;
                if (position - last).abs() > reach * (1.0 + 1e-6) {
                    return Err(format!("{last} → {position} in {cycles} cycles"));
                }
                last = position;
                poses.push((
                    at,
                    Event::Pose { stamp, position, delay: delays[number as usize % delays.len()] },
                ));
                core.begin_cycle(ignore);
            }
            Event::Pose { .. } => {}
        }
    }
    Ok(poses)
}

/// Runs the lead; gives the worst |target − q|/(speed·lead) and how many goals there were.
fn worst_lead(events: Events) -> (f64, usize) {
    let params = LeadParams { period: PERIOD, lead: LEAD, ..LeadParams::default() };
    let mut core = ServoInverse::ideal(Settings::from(&params)).unwrap();
    let name = ["a".to_owned()];
    let (mut worst, mut goals) = (0.0_f64, 0);
    for (_, event) in events {
        match event {
            Event::Sync { number, stamp } => {
                core.sync(number, stamp, PERIOD);
            }
            Event::Pose { stamp, position, .. } => {
                let desired = Desired { name: &name, position: &[position], ..Desired::default() };
                if let Some(found) = core.step(desired, stamp).unwrap() {
                    worst = worst.max((found.target[0] - position).abs() / (SPEED * LEAD));
                    goals += 1;
                }
            }
            Event::Input { .. } => {}
        }
    }
    (worst, goals)
}

fn in_order(mut events: Events) -> Events {
    events.sort_by_key(|(at, _)| *at);
    events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_pose_and_no_goal_is_faster_than_the_joint(
        cycles in prop::collection::vec(cycle(), 2..50),
        // Cycles that nobody speaks of fell out of the beat, or their syncs were lost.
        fall_out in any::<bool>(),
        update in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
        // From a cycle on the clock is off by so many ns.
        clock_step in prop::option::of((0..40_usize, -2_000_000_000..2_000_000_000_i64)),
    ) {
        let mut k = 1_000;
        let mut sent: [Vec<(i64, Way, Event)>; 3] = Default::default();
        let first = Event::Sync { number: 1_000, stamp: k * T };
        let none = Way { delay: 0, lost: false, again: None };
        sent[1].push((k * 100, none.clone(), first));
        sent[2].push((k * 100, none, first));
        for (i, cycle) in cycles.iter().enumerate() {
            k += cycle.gap;
            let offset = clock_step.filter(|(at, _)| i >= *at).map_or(0, |(_, by)| by);
            let [input, sync] = cycle.jitter.map(|jitter| k * T + offset + jitter);
            let Cycle { position, velocity, ways, .. } = cycle;
            let number = if fall_out { 1_001 + i as u32 } else { k as u32 };
            let sync = Event::Sync { number, stamp: sync };
            let input = Event::Input { stamp: input, position: *position, velocity: *velocity };
            for (topic, event) in [input, sync, sync].into_iter().enumerate() {
                sent[topic].push((k * 100, ways[topic].clone(), event));
            }
        }
        let [inputs, to_agregator, to_lead] = sent;
        let delays: Vec<i64> = cycles.iter().map(|cycle| cycle.ways[3].delay).collect();
        let events = [arrivals(inputs.into_iter()), arrivals(to_agregator.into_iter())].concat();
        let poses = match poses(agregator(update), in_order(events), &delays) {
            Ok(poses) => poses,
            Err(fault) => return Err(TestCaseError::fail(fault)),
        };
        // Where the clock is stepped both get the same syncs, as in one process: which cycle a pose off the grid belongs to
        // nobody can tell without its sync.
        let events = if clock_step.is_some() {
            poses.clone()
        } else {
            let sent = poses.iter().filter_map(|(at, event)| {
                let Event::Pose { delay, .. } = *event else { return None };
                Some((*at, Way { delay, lost: delay % 10 == 3, again: (delay % 10 == 4).then_some(100) }, *event))
            });
            in_order([arrivals(sent), arrivals(to_lead.into_iter())].concat())
        };
        let (worst, goals) = worst_lead(events);
        prop_assert!(worst <= 1.0 + 1e-6, "a goal is {worst} times the lead of the speed ahead");
        // One in ten is lost on its way; of so many some arrive.
        prop_assert!(goals > 0 || poses.len() < 40);
    }
    /// A source that counts cycles, and a beat that is away from time to time: not a bit of any goal is another.
    #[test]
    fn a_beat_that_was_away_changes_no_goal(
        swing in 0.05..0.9_f64,
        share in 0.05..0.99_f64,
        update in prop::sample::select(vec![
            UpdateMethod::Hold, UpdateMethod::HoldZeroVelocity, UpdateMethod::Extrapolate, UpdateMethod::Brake,
        ]),
        with_velocity in any::<bool>(),
        gaps in prop::collection::vec(prop_oneof![4 => Just(1_i64), 1 => 2..400_i64], 2..80),
    ) {
        let omega = share * (SPEED / swing).min((200.0 / swing).sqrt());
        let goals = |gaps: &dyn Fn(usize) -> i64| {
            let (mut agregator, name) = (agregator(update), ["a".to_owned()]);
            let params = LeadParams { period: PERIOD, lead: LEAD, ..LeadParams::default() };
            let mut lead = ServoInverse::ideal(Settings::from(&params)).unwrap();
            let (mut cycle, mut goals) = (1_000_i64, vec![]);
            for (i, number) in (1..=80_u32).enumerate() {
                cycle += gaps(i);
                agregator.sync(number, cycle * T, PERIOD, &mut |_| {});
                lead.sync(number, cycle * T, PERIOD);
                let position = agregator.pose().unwrap().position[0];
                let desired = Desired { name: &name, position: &[position], ..Desired::default() };
                goals.push(lead.step(desired, cycle * T).unwrap().unwrap().target[0].to_bits());
                let phase = omega * PERIOD * i as f64;
                let velocity = if with_velocity { swing * omega * phase.sin() } else { f64::NAN };
                let position = &[swing * (1.0 - phase.cos())];
                let arrays = JointArrays { name: &name, position, velocity: &[velocity], effort: &[] };
                agregator.joints(CycleTime::Stamp(cycle * T), arrays, &mut |_| {}).unwrap();
            }
            goals
        };
        prop_assert_eq!(goals(&|i| gaps.get(i).copied().unwrap_or(1)), goals(&|_| 1));
    }
    /// In separate processes a pose may come before its `sync`, of which nobody knows yet how many cycles fell out before it: its goal is led
    /// as the one before, which differs by what the speed changes in between at the most.
    #[test]
    fn poses_that_overtake_the_sync_after_a_gap_are_led_by_the_speed(
        swing in 0.05..0.9_f64,
        share in 0.05..0.99_f64,
        cycles in prop::collection::vec((prop_oneof![4 => Just(1_i64), 1 => 2..90_i64], any::<bool>()), 3..80),
    ) {
        let omega = share * SPEED / swing;
        let params = LeadParams { period: PERIOD, lead: LEAD, ..LeadParams::default() };
        let mut lead = ServoInverse::ideal(Settings::from(&params)).unwrap();
        let name = ["a".to_owned()];
        let position = |i: usize| swing * (omega * PERIOD * i as f64).sin();
        let (mut stamp, mut unknown) = (1_000 * T, 0);
        for (i, (gap, overtakes)) in cycles.into_iter().enumerate() {
            stamp += if i < 2 { T } else { gap * T };
            let desired = Desired { name: &name, position: &[position(i)], ..Desired::default() };
            if i < 2 || !overtakes {
                lead.sync(1 + i as u32, stamp, PERIOD);
            }
            let target = lead.step(desired, stamp).unwrap().unwrap().target[0];
            if i >= 2 {
                let right = position(i) + (position(i) - position(i - 1)) * LEAD / PERIOD;
                unknown = if overtakes && gap > 1 { unknown + 1 } else { 0 };
                let slack = f64::from(unknown) * swing * omega * omega * PERIOD * LEAD;
                prop_assert!((target - right).abs() <= slack + 1e-12, "{target} for {right} in cycle {i}, gap {gap}");
            }
            lead.sync(1 + i as u32, stamp, PERIOD);
        }
    }
}

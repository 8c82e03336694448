//! Whatever made it jump, a goal goes from cycle to cycle no farther than its joint's speed allows: poses that jump, efforts that
//! fail for a cycle, batteries, models and settings that change, time that goes back.
#![allow(clippy::unwrap_used)]

use cycle_lib::SyncRelation;
use proptest::prelude::*;
use robot_model_lib::Limits;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::notice::Notice;
use servo_inv_node::params::{InverseParams, LeadParams};

/// As the shipped pony's.
const MODEL: ServoModel = ServoModel { kp: 480.0, kgear: 1.0, alpha: [1.0, 96.71, 7.0, 296.0] };
const LIMITS: Limits = Limits { lower: -2.0, upper: 2.0, velocity: 6.0, effort: 2.0 };
const MS: i64 = 1_000_000;

fn by_model(params: InverseParams) -> ServoInverse {
    let params = InverseParams { playtime: 0.0112, battery_voltage: 7.4, period: 0.01, ..params };
    ServoInverse::new(Settings::from(&params), Models::new(MODEL, vec![]).unwrap())
}

fn by_lead(params: LeadParams) -> ServoInverse {
    let params = LeadParams { playtime: 0.0112, period: 0.01, ..params };
    ServoInverse::ideal(Settings::from(&params)).unwrap()
}

fn ways() -> [ServoInverse; 2] {
    let param = InverseParams { lead: 0.0112, delay: 0.0022, ..InverseParams::default() };
    let lead = LeadParams { lead: 0.01, delay: 0.03, ..LeadParams::default() };
    let mut ways = [by_model(param), by_lead(lead)];
    ways.iter_mut().for_each(|way| way.set_limits(vec![("j".into(), LIMITS)]));
    ways
}

fn goal(inverse: &mut ServoInverse, ms: i64, state: [f64; 4]) -> f64 {
    goal_if_newer(inverse, ms, state).unwrap()
}

fn goal_if_newer(inverse: &mut ServoInverse, ms: i64, [q, v, a, effort]: [f64; 4]) -> Option<f64> {
    let name = ["j".to_owned()];
    let (position, velocity, acceleration, effort) = ([q], [v], [a], [effort]);
    let desired = Desired {
        name: &name,
        position: &position,
        velocity: &velocity,
        acceleration: &acceleration,
        effort: &effort,
    };
    inverse.step(desired, 1_000_000_000 + ms * MS).unwrap().map(|goals| goals.target[0])
}

/// Without sync, poses that are 500 ms apart are not one cycle apart: at 1 rad/s the goal was 2.25 rad ahead, 0.27 with a robot.
#[test]
fn without_sync_a_gap_is_as_long_as_its_stamps_say() {
    for limits in [vec![], vec![("j".to_owned(), LIMITS)]] {
        let mut inverse = by_lead(LeadParams { lead: 0.045, ..LeadParams::default() });
        inverse.set_limits(limits);
        // So slow that even the way of the pause is one that the servo can go in a cycle.
        for (ms, q) in [(0, 0.0), (10, 0.001), (20, 0.002), (520, 0.052), (530, 0.053)] {
            let led = goal(&mut inverse, ms, [q, 0.0, 0.0, 0.0]) - q;
            let expected = if ms == 0 { 0.0 } else { 0.0045 };
            assert!((led - expected).abs() < 1e-12, "{ms} ms: {led}");
        }
    }
}

/// The first sync does not shorten a gap that came before it.
#[test]
fn the_first_sync_leaves_a_gap_as_long_as_it_was() {
    let mut inverse = by_lead(LeadParams { lead: 0.045, ..LeadParams::default() });
    goal(&mut inverse, 0, [0.0; 4]);
    goal(&mut inverse, 500, [0.5, 0.0, 0.0, 0.0]);
    inverse.sync(0, 1_000_000_000 + 500 * MS, 0.01);
    // The same pose once more.
    let again = goal(&mut inverse, 500, [0.5, 0.0, 0.0, 0.0]);
    assert!((again - 0.545).abs() < 1e-12, "{again}");
}

/// A pose that is taken anew, 0.9 → 0.0 within a cycle, is no speed of 90 rad/s: the goal went to −0.24.
#[test]
fn a_pose_that_jumps_farther_than_the_joint_can_go_is_not_led() {
    for mut inverse in ways() {
        let mut last = 0.9;
        for k in 0..60 {
            let q = if k < 20 { 0.9 } else { 0.0 };
            let now = goal(&mut inverse, 10 * k, [q, 0.0, 0.0, 0.0]);
            assert!((-1e-12..=last + 1e-12).contains(&now), "cycle {k}: {last} → {now}");
            last = now;
        }
        assert!(last.abs() < 1e-12, "it arrives: {last}");
    }
}

/// A pose that jumps in a pause went out in one goal, 1.5 rad in 11.2 ms, and farther than the pose when the pause was long enough
/// for the way: a servo goes no faster for having waited.
#[test]
fn a_jump_in_a_pause_goes_at_the_joints_speed_and_is_not_led() {
    for pause in [10, 20, 50, 100, 200, 300, 500, 900] {
        for mut inverse in ways() {
            let mut last = (0..10).map(|k| goal(&mut inverse, 10 * k, [0.0; 4])).sum();
            for k in 0..40 {
                let now = goal(&mut inverse, 90 + pause + 10 * k, [1.5, 0.0, 0.0, 0.0]);
                assert!(
                    now - last <= 1.5 * LIMITS.velocity * 0.0112 + 1e-12,
                    "{pause} ms, {k}: {last} → {now}"
                );
                assert!((last..=1.5 + 1e-12).contains(&now), "{pause} ms, {k}: {last} → {now}");
                last = now;
            }
            assert!((last - 1.5).abs() < 1e-12, "it arrives: {last}");
        }
    }
}

/// Stamps that nobody fills in: without sync each message is the next cycle. Goals stayed at the first for ever.
#[test]
fn stamps_that_stand_still_are_cycles_all_the_same() {
    let mut inverse = by_lead(LeadParams { lead: 0.0, delay: 0.0, ..LeadParams::default() });
    inverse.set_limits(vec![("j".into(), LIMITS)]);
    for k in 0..50 {
        let q = 0.02 * f64::from(k);
        let now = goal(&mut inverse, 0, [q, 0.0, 0.0, 0.0]);
        assert!((now - q).abs() < 1e-12, "{q}: {now}");
    }
    // And bounded as such.
    let now = goal(&mut inverse, 0, [-1.0, 0.0, 0.0, 0.0]);
    assert!((now - (0.98 - 1.5 * LIMITS.velocity * 0.01)).abs() < 1e-12, "{now}");
}

/// Efforts fade over them too.
#[test]
fn an_effort_fades_though_stamps_stand_still() {
    let mut inverse =
        by_model(InverseParams { lead: 0.0, effort_fade_time: 0.2, ..InverseParams::default() });
    goal(&mut inverse, 0, [0.1, 0.0, 0.0, 1.0]);
    let last = (0..25).map(|_| goal(&mut inverse, 0, [0.1, 0.0, 0.0, f64::NAN])).last().unwrap();
    assert!((last - 0.1).abs() < 1e-12, "{last}");
}

/// An effort that is missing for a cycle is not none: the goal fell by all of alpha3·torque/(kp·V).
#[test]
fn a_missing_effort_fades_and_comes_back_within_its_time() {
    let fade = 0.2;
    let params = InverseParams { lead: 0.0, delay: 0.0, effort_fade_time: fade, ..InverseParams::default() };
    let mut inverse = by_model(params);
    let whole = MODEL.alpha[3] * 1.0 / (MODEL.kp * 7.4);
    let mut last = goal(&mut inverse, 0, [0.1, 0.0, 0.0, 1.0]);
    assert!((last - 0.1 - whole).abs() < 1e-12, "the first goal carries its load");
    for k in 1..200 {
        let effort = if [20, 50, 51, 52].contains(&k) || (100..150).contains(&k) { f64::NAN } else { 1.0 };
        let now = goal(&mut inverse, 10 * k, [0.1, 0.0, 0.0, effort]);
        assert!((now - last).abs() <= whole * 0.01 / fade + 1e-12, "cycle {k}: {last} → {now}");
        if k == 149 {
            assert!((now - 0.1).abs() < 1e-12, "and is gone after it");
        }
        last = now;
    }
    assert!((last - 0.1 - whole).abs() < 1e-12);
}

proptest! {
    /// A robot that stands still, with a load that is given or left out, and poses that overtake each other and come again: the fade
    /// is all that moves a goal, and it is led by the time ahead. A late pose threw it by 0.09 rad.
    #[test]
    fn a_late_pose_within_a_fade_is_no_motion(
        cycles in prop::collection::vec((any::<bool>(), any::<bool>()), 2..80),
        gives in prop::collection::vec(1..30_usize, 1..20),
    ) {
        let (fade, ahead, load) = (0.2, 0.0134, 2.0);
        let params = InverseParams { lead: ahead, delay: 0.0, effort_fade_time: fade, ..InverseParams::default() };
        let mut inverse = by_model(params);
        let whole = MODEL.alpha[3] * load / (MODEL.kp * 7.4);
        // For so many cycles it is given, then for so many left out.
        let mut efforts = gives.iter().zip([load, f64::NAN].into_iter().cycle())
            .flat_map(|(cycles, effort)| vec![effort; *cycles]).collect::<Vec<_>>();
        efforts.resize(cycles.len(), f64::NAN);
        let mut order: Vec<usize> = (0..cycles.len()).collect();
        (1..cycles.len()).filter(|k| cycles[*k].0).for_each(|k| order.swap(k - 1, k));
        inverse.sync(0, 1_000_000_000, 0.01);
        let mut newest = 0;
        for k in order {
            newest = newest.max(k);
            let again = cycles[k].1.then_some((newest, 2));
            for (k, ms) in [Some((k, 1)), again].into_iter().flatten() {
                let at = 10 * k as i64 + ms;
                let Some(now) = goal_if_newer(&mut inverse, at, [0.0, 0.0, 0.0, efforts[k]]) else { continue };
                // Poses of n cycles later are up to a millisecond more apart.
                let led = whole / fade * ahead * 1.1;
                prop_assert!((-led - 1e-12..=whole + led + 1e-12).contains(&now), "{at} ms: {now} of {whole}");
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Event {
    Pose { cycles: i64, state: [f64; 4], late_us: i64 },
    Sync,
    Battery(f64),
    Model([f64; 4]),
    Lead(f64),
    TimeGoesBack,
    OtherJoints,
}

fn event() -> impl Strategy<Value = Event> {
    let number = || prop_oneof![6 => -2.0..2.0_f64, 1 => -1e3..1e3_f64];
    let effort = prop_oneof![3 => -2.0..2.0_f64, 1 => Just(f64::NAN), 1 => -1e3..1e3_f64];
    let gap = prop_oneof![8 => Just(1_i64), 1 => 0..5_i64, 1 => 5..300_i64];
    let pose =
        (gap, number(), number(), number(), effort, 0..150_i64).prop_map(|(cycles, q, v, a, e, late_us)| {
            Event::Pose { cycles, state: [q, v, 100.0 * a, e], late_us }
        });
    prop_oneof![
        20 => pose,
        6 => Just(Event::Sync),
        1 => (0.5..100.0_f64).prop_map(Event::Battery),
        1 => prop::array::uniform4(0.0..300.0_f64).prop_map(Event::Model),
        1 => (0.0..0.2_f64).prop_map(Event::Lead),
        1 => Just(Event::TimeGoesBack),
        1 => Just(Event::OtherJoints),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_goal_jumps_whatever_happens(events in prop::collection::vec(event(), 1..120), synced in any::<bool>()) {
        let mut params =
            InverseParams { battery_voltage: 7.4, period: 0.01, playtime: 0.0112, ..InverseParams::default() };
        let mut inverse = ServoInverse::new(Settings::from(&params), Models::new(MODEL, vec![]).unwrap());
        let names = ["j", "k"].map(String::from);
        inverse.set_limits(names.iter().map(|name| (name.clone(), LIMITS)).collect());
        let mut at = 1_000_000 * MS;
        if synced {
            inverse.sync(0, at, 0.01);
        }
        let (mut joints, mut is_anew) = (2, true);
        let cycle = |stamp: i64| (stamp + 200_000).div_euclid(10 * MS);
        // Of joint j: stamp and goal of the cycle before the present one, and of the present one.
        let (mut before, mut latest) = (None::<(i64, f64)>, None::<(i64, f64)>);
        for event in events {
            match event {
                Event::Sync if synced => is_anew |= inverse.sync(0, at, 0.01) == SyncRelation::Back,
                Event::Sync => {}
                Event::Battery(voltage) => { let _ = inverse.battery(voltage); }
                Event::Model(alpha) => inverse.put_model("j", ServoModel { alpha, ..MODEL }).unwrap(),
                Event::Lead(lead) => { params.lead = lead; inverse.set(Settings::from(&params)); }
                Event::TimeGoesBack => at -= 700 * MS,
                Event::OtherJoints => joints = 3 - joints,
                Event::Pose { cycles, state: [q, v, a, e], late_us } => {
                    at += cycles * 10 * MS;
                    let stamp = at + late_us * 1000;
                    let (q, v, a, e) = ([q; 2], [v; 2], [a; 2], [e; 2]);
                    let desired = Desired {
                        name: &names[..joints], position: &q[..joints], velocity: &v[..joints],
                        acceleration: &a[..joints], effort: &e[..joints],
                    };
                    let Some(goals) = inverse.step(desired, stamp).unwrap() else { continue };
                    let goal = goals.target[0];
                    prop_assert!(LIMITS.contains(goal), "{}", goal);
                    // Nobody sees that time went back, and on again, between two poses.
                    if is_anew || !synced || latest.is_none_or(|(last, _)| cycle(last) != cycle(stamp)) {
                        before = latest;
                    }
                    is_anew = false;
                    if let Some((last, from)) = before {
                        let passed = if stamp > last { (stamp - last) as f64 * 1e-9 } else { 0.01 };
                        // After a silence it starts anew; until then a servo has no longer than its playtime.
                        let passed = if passed > params.timeout { passed } else { passed.min(params.playtime) };
                        let way = params.max_goal_speed * LIMITS.velocity * passed;
                        prop_assert!((goal - from).abs() <= way + 1e-9, "{from} → {goal} in {passed} s");
                    }
                    latest = Some((stamp, goal));
                }
            }
        }
    }
}

/// A model of another gear, or goals that are geared from now on, lead to another servo angle at the joint's speed as well.
#[test]
fn another_gear_is_no_jump() {
    let mut inverse = by_model(InverseParams { lead: 0.0, delay: 0.0, ..InverseParams::default() });
    inverse.set_limits(vec![("j".into(), LIMITS)]);
    let mut last = goal(&mut inverse, 0, [1.0, 0.0, 0.0, 0.0]);
    inverse.put_model("j", ServoModel { kgear: 1.5, ..MODEL }).unwrap();
    for k in 1..60 {
        let now = goal(&mut inverse, 10 * k, [1.0, 0.0, 0.0, 0.0]);
        assert!(
            (now - last).abs() <= 1.5 * LIMITS.velocity * 1.5 * 0.01 + 1e-12,
            "cycle {k}: {last} → {now}"
        );
        last = now;
    }
    assert!((last - 1.5).abs() < 1e-12);
}

/// Notices name what held a goal back.
#[test]
fn a_goal_that_is_held_back_says_so() {
    let [_, mut inverse] = ways();
    goal(&mut inverse, 0, [0.0; 4]);
    let name = ["j".to_owned()];
    let desired = Desired { name: &name, position: &[1.0], ..Desired::default() };
    let goals = inverse.step(desired, 1_000_000_000 + 10 * MS).unwrap().unwrap();
    assert!(goals.notices.iter().any(|n| matches!(n, Notice::Held { joint: 0, .. })), "{:?}", goals.notices);
    assert!((goals.target[0] - 1.5 * 6.0 * 0.01).abs() < 1e-12, "{:?}", goals.target);
}

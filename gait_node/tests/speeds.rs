//! Whatever velocity is commanded, in every gait of every example robot and from one gait to another: the gait asks no joint for more than it
//! can do, before the guard has its say, and no foot gets far from its home.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, checked_step, only_slowed, robot_standing, robots};
use gait_node::{GaitParams, Note, Velocity, Walker};
use nalgebra::{Point3, Vector2};
use proptest::prelude::*;
use robot_model_lib::Kinematics;

/// Up to 10 m/s and 10 rad/s, in any mix; slower ones and turns alone as well.
fn command() -> impl Strategy<Value = Velocity> {
    let size = prop_oneof![Just(1.0), 0.0..1.0_f64, 0.0..0.03_f64];
    ([-10.0..10.0, -10.0..10.0_f64, -10.0..10.0_f64], any::<[bool; 3]>(), size).prop_map(
        |(parts, used, size)| {
            let part = |axis: usize| if used[axis] { size * parts[axis] } else { 0.0 };
            Velocity { forward: part(0), left: part(1), turn: part(2) }
        },
    )
}

/// Feet over the ground, seen from the base.
struct Feet {
    kinematics: Kinematics,
    legs: Vec<usize>,
    homes: Vec<Point3<f64>>,
}

impl Feet {
    /// Of a robot that stands with its body level.
    fn new(walker: &Walker) -> Feet {
        let mut kinematics = Kinematics::new(walker.model());
        kinematics.update(walker.positions());
        let chains = walker.model().chains().iter().enumerate();
        let legs: Vec<usize> =
            chains.filter(|(_, chain)| chain.default_contact.is_some()).map(|(leg, _)| leg).collect();
        let homes = legs.iter().map(|leg| kinematics.contact(*leg).centre).collect();
        Feet { kinematics, legs, homes }
    }

    /// How far the farthest is from where it stands when the robot does, m.
    fn farthest(&mut self, walker: &Walker) -> f64 {
        self.kinematics.update(walker.positions());
        let away = |(leg, home): (&usize, &Point3<f64>)| -> Vector2<f64> {
            (self.kinematics.contact(*leg).centre - home).xy()
        };
        self.legs.iter().zip(&self.homes).map(away).map(|away| away.norm()).fold(0.0, f64::max)
    }
}

/// One cycle. The guard says what it holds back and stays silent about what it need not; a velocity that it had to clamp would be at the limit.
fn step(walker: &mut Walker, params: &GaitParams) {
    let before = walker.velocities().to_vec();
    assert!(walker.step(PERIOD, 1.0, &mut |note| only_slowed(note)));
    for (at, joint) in walker.model().joints().iter().enumerate().filter(|(_, joint)| joint.chain.is_some()) {
        let (is, was) = (walker.velocities()[at], before[at]);
        assert!(is.abs() < joint.limits.velocity, "{}: {is} rad/s", joint.name);
        let acceleration = (is - was).abs() / PERIOD;
        assert!(acceleration < params.swing_acceleration, "{}: {acceleration} rad/s²", joint.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// One command after the other, at any time: where one reverses another while feet are in the air, their landing places move only as far as their
    /// joints can follow (a hexapod's tibia was asked for 0.3 % more than it can do).
    #[test]
    fn no_commands_ask_a_joint_for_more_than_it_can_do(
        robot in 0..3_usize, gait in any::<prop::sample::Index>(),
        commands in prop::collection::vec((command(), 10..300_usize), 1..5)
    ) {
        let (model, params) = &robots()[robot];
        let gait = params.gaits.0[gait.index(params.gaits.0.len())].0.clone();
        let params = GaitParams { gait, ..params.clone() };
        let mut walker = robot_standing(model, &params);
        let mut feet = Feet::new(&walker);
        for (command, cycles) in commands {
            for _ in 0..cycles {
                walker.command(command);
                step(&mut walker, &params);
                let far = feet.farthest(&walker);
                prop_assert!(far < params.max_stride, "{}: {} m from home", params.gait, far);
            }
        }
    }

    /// Changes at random, one before the other is done: every foot has its place in reach, in every cycle. OPEN: a joint may come to its
    /// speed limit in a step between two gaits, and the guard holds it; and a foot may get a tenth farther from home than a stride.
    #[test]
    fn changes_of_gait_at_any_time_leave_feet_in_reach(
        robot in 0..3_usize, changes in prop::collection::vec((any::<prop::sample::Index>(), 1..700_usize), 2..5),
        command in command()
    ) {
        let (model, params) = &robots()[robot];
        let mut walker = robot_standing(model, params);
        for (gait, cycles) in changes {
            let gait = params.gaits.0[gait.index(params.gaits.0.len())].0.clone();
            walker.set_params(GaitParams { gait, ..params.clone() }).unwrap();
            for _ in 0..cycles {
                walker.command(command);
                checked_step(&mut walker, &mut |note| assert!(!matches!(note, Note::OutOfReach { .. }), "{note}"));
            }
        }
    }
}

/// Each pair of gaits, changed at full speed at eight times of a period. In a steady walk feet are half a stride from home; a foot that waits for its
/// first step in the other gait gets farther, but no further than a whole one.
#[test]
fn every_gait_gives_way_to_every_other_at_every_phase() {
    for (model, params) in robots() {
        let names: Vec<String> = params.gaits.0.iter().map(|(name, _)| name.clone()).collect();
        for (from, to) in names.iter().flat_map(|a| names.iter().map(move |b| (a, b))).filter(|(a, b)| a != b)
        {
            let gait =
                |name: &String| params.gaits.0.iter().find(|(gait, _)| gait == name).unwrap().1.clone();
            let first = GaitParams { gait: from.clone(), ..params.clone() };
            let second = GaitParams { gait: to.clone(), ..params.clone() };
            let mut walker = robot_standing(&model, &first);
            let mut feet = Feet::new(&walker);
            let ahead = Velocity { forward: 10.0, ..Velocity::ZERO };
            for cycle in 0..8 * ((gait(from).period / 8.0 / PERIOD) as usize + 1) + 300 {
                walker.command(ahead);
                step(&mut walker, &first);
                let eighth = (gait(from).period / 8.0 / PERIOD) as usize + 1;
                if cycle < 300 || cycle % eighth > 0 {
                    continue;
                }
                let mut changed = walker.clone();
                changed.set_params(second.clone()).unwrap();
                for _ in 0..((gait(from).period + gait(to).period) / PERIOD) as usize {
                    changed.command(ahead);
                    step(&mut changed, &second);
                    let far = feet.farthest(&changed);
                    assert!(far < params.max_stride, "{from} → {to}: {far} m from home");
                }
            }
        }
    }
}

#[test]
fn what_is_too_fast_is_said_with_the_share_that_is_walked() {
    let (model, params) = &robots()[0];
    for (gait, max_stride, by_joint) in [("walk", 0.05, false), ("pace", params.max_stride, true)] {
        let mut walker =
            robot_standing(model, &GaitParams { gait: gait.into(), max_stride, ..params.clone() });
        let mut said = vec![];
        for _ in 0..600 {
            walker.command(Velocity { forward: 2.0, ..Velocity::ZERO });
            walker.step(PERIOD, 1.0, &mut |note| {
                let Note::Slowed { share, joint } = note else { panic!("{note}") };
                said.push((share, joint.is_some()));
            });
        }
        let (share, joint) = *said.last().unwrap();
        assert_eq!(joint, by_joint, "{gait}");
        assert!((walker.velocity().forward - 2.0 * share).abs() < 1e-9, "{gait}: {share}");
        // What can be walked is walked, and nothing said.
        walker.command(Velocity { forward: 1.9 * share, ..Velocity::ZERO });
        walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
    }
}

/// Low, high, leaning or with strides and lifts that no leg reaches: steps become as small as the legs need, and joints are asked for nothing
/// that they cannot do. A longest stride that is longer than the legs is no reason to stand.
#[test]
fn steps_out_of_reach_become_smaller() {
    let (model, base) = &robots()[0];
    type Change = fn(&mut GaitParams);
    let odd: [(&str, Change); 7] = [
        ("height 0.32", |p| p.height = 0.32),
        ("height 0.44", |p| p.height = 0.44),
        ("body_x 0.1", |p| p.body_x = 0.1),
        ("max_stride 0.2", |p| p.max_stride = 0.2),
        ("max_stride 0.3", |p| p.max_stride = 0.3),
        ("max_stride 0.4", |p| p.max_stride = 0.4),
        ("lift 0.25", |p| p.lift = 0.25),
    ];
    for (name, change) in odd {
        let mut params = base.clone();
        change(&mut params);
        let mut walker = robot_standing(model, base);
        walker.set_params(params.clone()).unwrap();
        (0..500).for_each(|_| step(&mut walker, &params));
        let mut way = 0.0;
        for _ in 0..1500 {
            walker.command(Velocity { forward: 0.03, left: 0.0, turn: 0.0 });
            step(&mut walker, &params);
            way += walker.velocity().forward * PERIOD;
        }
        // Of 0.45 m.
        assert!(way > 0.3, "{name}: {way} m");
    }
}

/// What joints can do is learnt beside the control thread: until then feet step as before, and an answer to an older question is none.
#[test]
fn steps_change_when_the_newest_lesson_is_learnt() {
    let (model, base) = &robots()[0];
    let mut walker = robot_standing(model, base);
    let limits = walker.gait_limits();
    let lower = |lift: f64| GaitParams { lift, ..base.clone() };
    let older = walker.change_params(lower(0.01)).unwrap().unwrap();
    let newer = walker.change_params(lower(0.005)).unwrap().unwrap();
    assert!(walker.change_params(lower(0.005)).unwrap().is_none(), "it was asked already");
    for learned in [older.clone().learn(), newer.clone().learn(), older.learn()] {
        walker.learned(learned);
    }
    assert!(limits.lift > 0.01 && walker.gait_limits().lift == 0.005);
    let mut at_once = robot_standing(model, base);
    at_once.set_params(lower(0.005)).unwrap();
    assert_eq!(walker.gait_limits(), at_once.gait_limits());
    walker.change_params(lower(0.01)).unwrap();
    walker.learned(newer.learn());
    assert_eq!(walker.gait_limits().lift, 0.005);
}

/// Feet that lagged behind when the robot set out swing longer: those after them wait. Two in the air tilted a walk by 2.6° on physics.
#[test]
fn a_walk_at_its_limit_never_has_two_legs_in_the_air() {
    let (model, base) = &robots()[0];
    for turn in [0.0, 0.5] {
        let mut walker = robot_standing(model, &GaitParams { gait: "walk".into(), ..base.clone() });
        for cycle in 0..1000 {
            walker.command(Velocity { forward: 2.0, left: 0.0, turn });
            walker.step(PERIOD, 1.0, &mut only_slowed);
            let aloft = walker.supports()[..4].iter().filter(|support| **support == Some(0.0)).count();
            assert!(aloft <= 1, "{aloft} legs in the air after {cycle} cycles");
        }
    }
}

/// Feet that stand far from new homes swing until their joints can be there: up to twenty times as long as the gait has it were seen, and nothing said.
#[test]
fn swings_that_take_much_longer_than_the_gait_has_it_are_said() {
    let (model, base) = &robots()[0];
    let mut longest: f64 = 0.0;
    for (gait, stance_width, swing_acceleration) in
        [("pace", 0.05, 200.0), ("trot", 0.05, 10.0), ("walk", 0.0, 200.0)]
    {
        let first = GaitParams { gait: gait.into(), swing_acceleration, ..base.clone() };
        let own = first.gaits.0.iter().find(|(name, _)| name == gait).unwrap().1.clone();
        let mut walker = robot_standing(model, &first);
        walker.set_params(GaitParams { stance_width, ..first }).unwrap();
        // Of feet that lift together one is told.
        let (mut aloft, mut said) = ([0.0_f64; 4], 0.0_f64);
        for _ in 0..2000 {
            walker.command(Velocity { forward: 0.01, ..Velocity::ZERO });
            walker.step(PERIOD, 1.0, &mut |note| match note {
                Note::LongSwing { duration, times, .. } => {
                    assert!((duration / times - (1.0 - own.duty) * own.period).abs() < 2.0 * PERIOD);
                    (said, longest) = (duration, longest.max(times));
                }
                note => only_slowed(note),
            });
            for (aloft, support) in aloft.iter_mut().zip(walker.supports()) {
                *aloft = if *support == Some(0.0) { *aloft + PERIOD } else { 0.0 };
                let usual = 2.2 * (1.0 - own.duty) * own.period;
                assert!(*aloft < usual.max(said + 2.0 * PERIOD), "{gait}: {aloft} s, {said} s said");
            }
        }
        assert!(stance_width > 0.0 || said == 0.0, "{gait}: {said} s");
    }
    assert!(longest > 2.5, "{longest} times");
}

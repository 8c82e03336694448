//! From any activity to any other, at any time: no joint leaves its limits, its speed or its acceleration, and feet that are said
//! to stand stay where they are.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, rules, standing};
use gait_node::{
    Activity, BodyPose, GaitParams, Interpolation, JointTrack, Motion, MotionLimits, Note, Source,
    Trajectory, Velocity, Walker,
};
use proptest::prelude::*;
use robot_model_lib::Kinematics;

/// What somebody asks for.
#[derive(Clone, Debug)]
enum Event {
    Walk(&'static str, f64, Velocity),
    Play(Trajectory, bool),
    Posture(f64, f64),
    Lean(f64, f64),
    Stand,
    Sit,
    Halt,
    Resume,
    /// The motion that was given last.
    Cancel,
    /// Torque goes away, and comes back after some cycles.
    Torque,
}

/// Motions of legs, neck and tail, from slow to far too fast, some of which begin and end at speed.
fn trajectory() -> impl Strategy<Value = Trajectory> {
    let names = ["leg1_hip_pitch", "leg3_knee", "neck_yaw", "tail_yaw"];
    let knots = prop::collection::vec(prop::array::uniform4(-0.55..0.55_f64), 2..6);
    (knots, 0.05..0.8_f64, 0.05..1.0_f64, any::<bool>()).prop_map(move |(knots, first, gap, runs)| {
        let track = |(at, name): (usize, &&str)| {
            let position: Vec<f64> = knots.iter().map(|knot| knot[at]).collect();
            let mut velocity = vec![0.0; knots.len()];
            if runs {
                velocity[0] = 2.0 * knots[0][at];
                velocity[knots.len() - 1] = 2.0 * knots[1][at];
            }
            JointTrack { name: (*name).into(), position, velocity, ..JointTrack::default() }
        };
        let times = (0..knots.len()).map(|k| first + gap * k as f64).collect();
        let tracks = names.iter().enumerate().map(track).collect();
        Trajectory { interpolation: Interpolation::Cubic, times, tracks }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let velocity = (-0.1..0.1_f64, -0.05..0.05_f64, -0.3..0.3_f64);
    let gait = prop::sample::select(vec!["walk", "trot", "crawl", "pace"]);
    prop_oneof![
        4 => (gait, any::<bool>(), velocity).prop_map(|(gait, sways, (forward, left, turn))| {
            Event::Walk(gait, if sways { 0.02 } else { 0.0 }, Velocity { forward, left, turn })
        }),
        4 => (trajectory(), any::<bool>()).prop_map(|(trajectory, holds)| Event::Play(trajectory, holds)),
        1 => (0.36..0.4_f64, -0.1..0.1_f64).prop_map(|(height, pitch)| Event::Posture(height, pitch)),
        1 => (-0.02..0.02_f64, -0.1..0.1_f64).prop_map(|(x, roll)| Event::Lean(x, roll)),
        2 => Just(Event::Stand),
        2 => Just(Event::Sit),
        2 => Just(Event::Halt),
        1 => Just(Event::Resume),
        1 => Just(Event::Cancel),
        1 => Just(Event::Torque),
    ]
}

/// Distances of standing feet from each other, which nothing changes while both stand.
struct Spans {
    kinematics: Kinematics,
    since: [[Option<f64>; 4]; 4],
}

impl Spans {
    /// How far two feet have moved against each other since both stand, at the most, m.
    fn slip(&mut self, walker: &Walker) -> f64 {
        self.kinematics.update(walker.positions());
        let place = |leg: usize| self.kinematics.contact(leg).centre;
        let stands = |leg: usize| walker.supports()[leg] == Some(1.0);
        let mut most: f64 = 0.0;
        for (a, b) in (0..4).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let span = (place(a) - place(b)).norm();
            let since = &mut self.since[a][b];
            *since = (stands(a) && stands(b)).then_some(since.unwrap_or(span));
            most = most.max(since.map_or(0.0, |since| (since - span).abs()));
        }
        most
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Walking has its own bound on accelerations; a foot that a joint's limit holds back (the robot says so) may slip.
    #[test]
    fn any_activity_gives_way_to_any_other_within_all_limits(
        events in prop::collection::vec((event(), 1..250_usize), 2..10), periods in 1..3_u32
    ) {
        let mut walker = standing(params());
        let names: Vec<String> = walker.model().joints().iter().map(|joint| joint.name.clone()).collect();
        let (time, acceleration) = (PERIOD * f64::from(periods), params().joint_acceleration);
        let mut spans = Spans { kinematics: Kinematics::new(walker.model()), since: [[None; 4]; 4] };
        let (mut last, mut current, mut held_back) = (None, params(), false);
        for (event, cycles) in events {
            let (mut command, mut torque) = (Velocity::ZERO, false);
            match event {
                Event::Walk(gait, sway_margin, velocity) => {
                    command = velocity;
                    current = GaitParams { gait: gait.into(), sway_margin, ..current };
                    walker.set_params(current.clone()).unwrap();
                }
                Event::Play(trajectory, holds) => {
                    let motion = Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Stretch)).unwrap();
                    last = Some(walker.play(motion.holding(holds)));
                }
                Event::Posture(height, body_pitch) => {
                    current = GaitParams { height, body_pitch, ..current };
                    walker.set_params(current.clone()).unwrap();
                }
                Event::Lean(x, roll) => walker.lean(BodyPose { x, roll, ..BodyPose::default() }),
                Event::Stand => walker.stand(),
                Event::Sit => _ = walker.sit(),
                Event::Halt => _ = walker.halt(),
                Event::Resume => _ = walker.resume(),
                Event::Cancel => last.into_iter().for_each(|id| walker.cancel(id)),
                Event::Torque => torque = walker.torque(&names, &vec![false; names.len()]),
            }
            for cycle in 0..cycles {
                let (before, q, qd) = (walker.activity(), walker.positions().to_vec(), walker.velocities().to_vec());
                if torque {
                    if 2 * cycle > cycles {
                        walker.torque(&names, &vec![true; names.len()]);
                    }
                    let measured = walker.positions().to_vec();
                    walker.pose(Source::Measured, &names, &measured).unwrap();
                }
                walker.command(command);
                let bounded = !matches!(before, Activity::Standing | Activity::Walking | Activity::Limp);
                let _ = walker.step(PERIOD, f64::from(periods), &mut |note| {
                    held_back |= matches!(note, Note::TooFast { .. } | Note::OutOfReach { .. });
                    assert!(!bounded, "{before}: {note}");
                });
                for (at, joint) in walker.model().joints().iter().enumerate() {
                    let (p, v) = (walker.positions()[at], walker.velocities()[at]);
                    let way = p - q[at];
                    prop_assert!(joint.limits.contains(p), "{}: {} rad", joint.name, p);
                    prop_assert!(v.abs() <= joint.limits.velocity && way.abs() <= joint.limits.velocity * time * (1.0 + 1e-9));
                    if before != Activity::Limp {
                        // What a constant acceleration of the limit would do.
                        let hardest = if bounded { acceleration } else { params().swing_acceleration };
                        let most = hardest * time * (1.0 + 1e-6);
                        prop_assert!((v - qd[at]).abs() <= most, "{}: {} → {} rad/s, {}", joint.name, qd[at], v, before);
                    }
                }
                let slip = spans.slip(&walker);
                prop_assert!(held_back || slip < 1e-3, "{} m while {}", slip, walker.activity());
            }
            if torque {
                walker.torque(&names, &vec![true; names.len()]);
                let measured = walker.positions().to_vec();
                walker.pose(Source::Measured, &names, &measured).unwrap();
            }
        }
        walker.stand();
        // Rising may be slow; a minute is enough for the farthest joint.
        for _ in 0..6000 {
            if walker.activity() == Activity::Standing {
                break;
            }
            walker.step(PERIOD, 1.0, &mut |_| ());
        }
        prop_assert_eq!(walker.activity(), Activity::Standing, "in the end it stands");
    }
}

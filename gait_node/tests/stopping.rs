//! From any activity to any other: joints brake as they can, and stop where they must.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, rules, standing};
use gait_node::{
    Activity, Channel, GaitParams, Interpolation, Motion, MotionLimits, Score, Velocity, Walker,
};
use proptest::prelude::*;

fn joint(walker: &Walker, name: &str) -> usize {
    walker.model().joints().iter().position(|joint| joint.name == name).unwrap()
}

/// The tail goes from −0.9 to 0.9 rad with this speed in the middle of a cubic: 1.5 times its mean.
fn wag(walker: &Walker, speed: f64) -> Motion {
    let time = 1.5 * 1.8 / speed;
    let channel = Channel { name: "tail_yaw".into(), position: vec![-0.9, 0.9], ..Channel::default() };
    let score =
        Score { interpolation: Interpolation::Cubic, times: vec![1.0, 1.0 + time], channels: vec![channel] };
    Motion::new(&score, walker.model(), &rules(MotionLimits::Refuse)).unwrap()
}

#[test]
fn a_halt_at_speed_stops_within_the_braking_distance() {
    for speed in [1.0, 2.25, 4.5] {
        let mut walker = standing(params());
        let tail = joint(&walker, "tail_yaw");
        walker.play(wag(&walker, speed));
        while walker.velocities()[tail] < 0.999 * speed {
            assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
        }
        let (at, v) = (walker.positions()[tail], walker.velocities()[tail]);
        walker.stand();
        let mut farthest = at;
        while walker.activity() != Activity::Standing {
            assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
            farthest = farthest.max(walker.positions()[tail]);
        }
        // It stands with its tail at zero.
        let allowed = f64::max(at + v * v / (2.0 * params().joint_acceleration), 0.0);
        assert!(farthest <= allowed + 1e-9, "{speed} rad/s: {farthest} rad, not {allowed}");
    }
}

/// What somebody asks for.
#[derive(Clone, Debug)]
enum Event {
    Walk(&'static str, Velocity),
    Play(Score),
    Posture(f64, f64),
    Halt,
}

/// Motions of legs, neck and tail, from slow to far too fast, some of which begin and end at speed.
fn score() -> impl Strategy<Value = Score> {
    let names = ["leg1_hip_pitch", "leg3_knee", "neck_yaw", "tail_yaw"];
    let knots = prop::collection::vec(prop::array::uniform4(-0.55..0.55_f64), 2..6);
    (knots, 0.05..0.8_f64, 0.05..1.0_f64, any::<bool>()).prop_map(move |(knots, first, gap, runs)| {
        let channel = |(at, name): (usize, &&str)| {
            let position: Vec<f64> = knots.iter().map(|knot| knot[at]).collect();
            let mut velocity = vec![0.0; knots.len()];
            if runs {
                velocity[0] = 2.0 * knots[0][at];
                velocity[knots.len() - 1] = 2.0 * knots[1][at];
            }
            Channel { name: (*name).into(), position, velocity, ..Channel::default() }
        };
        let times = (0..knots.len()).map(|k| first + gap * k as f64).collect();
        let channels = names.iter().enumerate().map(channel).collect();
        Score { interpolation: Interpolation::Cubic, times, channels }
    })
}

fn event() -> impl Strategy<Value = Event> {
    let velocity = (-0.2..0.2_f64, -0.1..0.1_f64, -0.6..0.6_f64);
    prop_oneof![
        2 => (prop::bool::ANY, velocity).prop_map(|(trot, (forward, left, turn))| {
            Event::Walk(if trot { "trot" } else { "walk" }, Velocity { forward, left, turn })
        }),
        4 => score().prop_map(Event::Play),
        1 => (0.34..0.4_f64, -0.2..0.2_f64).prop_map(|(height, pitch)| Event::Posture(height, pitch)),
        3 => Just(Event::Halt),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// No joint leaves its limits, its speed or the acceleration, whatever comes after whatever, whenever. Of walking itself
    /// only position and speed are bounded.
    #[test]
    fn any_activity_gives_way_to_any_other_within_all_limits(
        events in prop::collection::vec((event(), 1..250_usize), 2..10), periods in 1..3_u32
    ) {
        let mut walker = standing(params());
        let (time, acceleration) = (PERIOD * f64::from(periods), params().joint_acceleration);
        for (event, cycles) in events {
            let mut command = Velocity::ZERO;
            match event {
                Event::Walk(gait, velocity) => {
                    command = velocity;
                    walker.set_params(GaitParams { gait: gait.into(), ..params() }).unwrap();
                }
                Event::Play(score) => {
                    walker.play(Motion::new(&score, walker.model(), &rules(MotionLimits::Stretch)).unwrap());
                }
                Event::Posture(height, body_pitch) => {
                    walker.set_params(GaitParams { height, body_pitch, ..params() }).unwrap();
                }
                Event::Halt => walker.stand(),
            }
            for _ in 0..cycles {
                let (before, q, qd) = (walker.activity(), walker.positions().to_vec(), walker.velocities().to_vec());
                walker.command(command);
                let bounded = matches!(before, Activity::Rising | Activity::Playing);
                assert!(walker.step(PERIOD, f64::from(periods), &mut |note| assert!(!bounded, "{note}")));
                for (at, joint) in walker.model().joints().iter().enumerate() {
                    let (p, v) = (walker.positions()[at], walker.velocities()[at]);
                    let way = p - q[at];
                    prop_assert!(joint.limits.contains(p), "{}: {} rad", joint.name, p);
                    prop_assert!(v.abs() <= joint.limits.velocity && way.abs() <= joint.limits.velocity * time * (1.0 + 1e-9));
                    if bounded {
                        // What a constant acceleration of the limit would do.
                        let most = acceleration * time * (1.0 + 1e-6);
                        prop_assert!((v - qd[at]).abs() <= most, "{}: {} → {} rad/s, {}", joint.name, qd[at], v, before);
                        prop_assert!((way - qd[at] * time).abs() <= 0.5 * most * time, "{}: {}", joint.name, way);
                    }
                }
            }
        }
    }
}

//! A halt at speed: joints brake as they can, and stop where they must.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, rules, standing};
use gait_node::{Activity, Interpolation, JointTrack, Motion, MotionLimits, Trajectory, Walker};

fn joint(walker: &Walker, name: &str) -> usize {
    walker.model().joints().iter().position(|joint| joint.name == name).unwrap()
}

/// The tail goes from −0.9 to 0.9 rad with this speed in the middle of a cubic: 1.5 times its mean.
fn wag(walker: &Walker, speed: f64) -> Motion {
    let time = 1.5 * 1.8 / speed;
    let track = JointTrack { name: "tail_yaw".into(), position: vec![-0.9, 0.9], ..JointTrack::default() };
    let trajectory =
        Trajectory { interpolation: Interpolation::Cubic, times: vec![1.0, 1.0 + time], tracks: vec![track] };
    Motion::new(&trajectory, walker.model(), &rules(MotionLimits::Refuse)).unwrap()
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

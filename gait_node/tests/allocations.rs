//! No cycle allocates: not while it rises, walks, sways, changes its gait or its posture, nor while it plays.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony, rules};
use gait_node::{Activity, GaitParams, Motion, MotionLimits, Velocity, Walker, read_motion};

#[test]
fn a_cycle_allocates_nothing() {
    let mut walker = Walker::new(pony(), GaitParams { wait_for_pose: false, ..params() }, PERIOD).unwrap();
    let bow = read_motion(include_str!("../../config/motions/bow.yaml")).unwrap();
    let motion = Motion::new(&bow, walker.model(), &rules(MotionLimits::Refuse)).unwrap();
    // The first cycle takes its leave of waiting.
    walker.step(PERIOD, 1.0, &mut |_| ());
    let mut seen = vec![];
    let mut cycles = |walker: &mut Walker, command: Velocity, count: usize| {
        for _ in 0..count {
            walker.command(command);
            let allocations = test_lib::allocations(|| {
                walker.step(PERIOD, 1.0, &mut |_| ());
            });
            assert_eq!(allocations, 0, "{}", walker.activity());
            if seen.last() != Some(&walker.activity()) {
                seen.push(walker.activity());
            }
        }
    };
    cycles(&mut walker, Velocity::ZERO, 500);
    cycles(&mut walker, Velocity { forward: 0.05, left: 0.01, turn: 0.2 }, 500);
    walker.set_params(GaitParams { gait: "trot".into(), height: 0.37, ..params() }).unwrap();
    cycles(&mut walker, Velocity { forward: 0.3, left: 0.0, turn: -0.5 }, 500);
    walker.set_params(GaitParams { gait: "crawl".into(), sway_margin: 0.02, ..params() }).unwrap();
    cycles(&mut walker, Velocity { forward: 0.03, left: 0.0, turn: 0.1 }, 500);
    walker.play(motion);
    cycles(&mut walker, Velocity { forward: 0.3, left: 0.0, turn: -0.5 }, 300);
    cycles(&mut walker, Velocity::ZERO, 1500);
    use Activity::{Playing, Rising, Standing, Walking};
    assert_eq!(seen, [Rising, Standing, Walking, Playing, Rising, Standing]);
}

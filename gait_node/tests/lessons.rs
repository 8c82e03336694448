//! What a robot learns beside its walking is for its own joints, and for what was asked last.
#![allow(clippy::unwrap_used)]

mod common;

use common::{PERIOD, checked_step, only_slowed, params, pony, standing};
use gait_node::{GaitParams, Note, Velocity, Walker};
use robot_model_lib::RobotModel;

/// The pony with joints of a fifth of the speed.
fn slow_pony() -> RobotModel {
    let urdf = test_lib::config("pony.urdf");
    let slow = urdf.replace("velocity=\"3.3\"", "velocity=\"0.6\"");
    assert_ne!(slow, urdf);
    RobotModel::from_urdf(&slow, &test_lib::chains("pony")).unwrap()
}

/// A robot_description came while a lesson was under way: the new robot took what the joints of the one before could do.
#[test]
fn a_lesson_of_another_robot_is_not_taken() {
    let params = GaitParams { wait_for_pose: false, ..params() };
    let other = GaitParams { lift: params.lift + 0.001, ..params.clone() };
    let mut before = Walker::new(pony(), params, PERIOD).unwrap();
    let lesson = before.change_params(other.clone()).unwrap().unwrap();
    // The node loads the new robot with the parameters as they are now.
    let mut walker = Walker::new(slow_pony(), other, PERIOD).unwrap();
    let own = walker.gait_limits();
    let learned = lesson.learn();
    walker.learned(learned.clone());
    assert_eq!(walker.gait_limits(), own, "the joints of the new robot are slower");
    // Whoever asked does take it.
    let asked = before.gait_limits();
    before.learned(learned);
    assert_ne!(before.gait_limits(), asked);
    assert!(before.gait_limits().forward > own.forward);
}

/// Gait and margin of a robot that stands were changed, and it was told to go at once: it set off in the gait before, without sway.
#[test]
fn a_robot_that_stands_sets_off_when_it_has_learnt_its_gait() {
    let mut walker = standing(params());
    let sways = GaitParams { gait: "crawl".into(), sway_margin: 0.02, wait_for_pose: false, ..params() };
    let mut lesson = walker.change_params(sways).unwrap();
    for cycle in 0..900 {
        walker.command(Velocity { forward: 0.03, ..Velocity::ZERO });
        if cycle == 100 {
            assert_eq!(walker.velocity(), Velocity::ZERO);
            walker.learned(lesson.take().unwrap().learn());
        }
        checked_step(&mut walker, &mut only_slowed);
        let margin = walker.stability().unwrap().margin;
        assert!(margin > 0.0, "cycle {cycle}: {margin}");
    }
    assert!(walker.velocity().forward > 0.0);
}

/// Joints that a sway took all of lifted no foot any more (0 of 4.9 mm: it slid over the ground), or let the robot stand for ever: it walks without.
#[test]
fn a_body_does_not_sway_faster_than_its_joints_can_follow() {
    for (body_x, body_y) in [(0.1, 0.0), (0.0, 0.05)] {
        let own = |sway_margin: f64| GaitParams { body_x, body_y, sway_margin, ..params() };
        let limits = |sway_margin: f64| {
            let mut walker = Walker::new(slow_pony(), own(sway_margin), PERIOD).unwrap();
            walker.set_params(own(sway_margin)).unwrap();
            (walker.gait_limits(), walker.shortfalls().any(|note| matches!(note, Note::LessSway { .. })))
        };
        let (free, (swayed, said)) = (limits(0.0).0, limits(0.02));
        // A quarter is what the lesson calls nothing.
        assert!(swayed.lift > 0.25 * free.lift, "{} of {} m", swayed.lift, free.lift);
        assert!(swayed.forward > 0.25 * free.forward, "{} of {} m/s", swayed.forward, free.forward);
        assert!(said, "less sway than was asked for");
    }
}

//! Gravity compensation with frames that move, and messages that wait for their transforms.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use filter_node::tf::{TfBuffer, TfError, Transform};
use filter_node::{Dropped, FilterParams, Pipeline, Pushed, WrenchChain, WrenchSample};
use filters_lib::Wrench;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

const SECOND: i64 = 1_000_000_000;
const MS: i64 = 1_000_000;
const MASS: f64 = 2.5;
const COG: Vector3<f64> = Vector3::new(0.03, -0.02, 0.11);

fn chain(extra: &str, more: &str) -> WrenchChain {
    let params: FilterParams = common::params(&common::file(&format!(
        "\
chains: [wrist]
tf_timeout: 0.1
queue_size: 5
wrist:
  type: wrench
  input: raw
  output: clean
  filter1:
    name: tool
    type: control_filters/GravityCompensationWrench
    params: {{world_frame: world, sensor_frame: ft, tool: {{CoG: [0.03, -0.02, 0.11], mass: {MASS}}}{extra}}}
{more}"
    )))
    .unwrap();
    let Pipeline::Wrench(chain) = Pipeline::build(&params.chains[0], &params).unwrap() else {
        panic!("a wrench")
    };
    chain
}

fn insert(buffer: &mut TfBuffer, parent: &str, child: &str, stamp: i64, pose: &Isometry3<f64>, fixed: bool) {
    let (p, q) = (pose.translation.vector, pose.rotation.coords);
    let transform =
        Transform { parent, child, stamp, translation: [p.x, p.y, p.z], rotation: [q.x, q.y, q.z, q.w] };
    buffer.insert(&transform, fixed).unwrap();
}

fn sample(stamp: i64, frame: &str, wrench: Wrench) -> WrenchSample {
    WrenchSample { stamp, frame: frame.into(), wrench, arrived: stamp }
}

/// The sensor turns about a tilted axis and moves.
fn sensor_in_world(ns: i64) -> Isometry3<f64> {
    let t = ns as f64 * 1e-9;
    let turn = UnitQuaternion::new(Vector3::new(0.5, 1.1, -0.7) * t);
    Isometry3::from_parts(Translation3::new(t, 0.3 * t * t, -0.1), turn)
}

/// What the sensor feels of the tool alone.
fn weight(ns: i64) -> Wrench {
    let force = sensor_in_world(ns).rotation.inverse() * Vector3::new(0.0, 0.0, -9.81 * MASS);
    Wrench::new(force, COG.cross(&force))
}

#[test]
fn a_turning_tool_weighs_nothing_after_compensation() {
    let mut chain = chain("", "");
    let mut buffer = TfBuffer::new(10 * SECOND);
    for step in 1..2000 {
        let stamp = SECOND + step * 5 * MS;
        insert(&mut buffer, "world", "ft", stamp, &sensor_in_world(stamp), false);
        chain.push(sample(stamp, "ft", weight(stamp))).unwrap();
        let out = chain.next(&buffer, stamp).unwrap().unwrap();
        assert!(out.wrench.0.amax() < 1e-9 * MASS * 9.81, "{step}: {:?}", out.wrench);
        assert_eq!((out.stamp, out.frame.as_str()), (stamp, "ft"));
    }
}

#[test]
fn input_and_output_frames_of_their_own_keep_the_lever_arms() {
    let mut chain = chain(", output_frame: grip", "");
    let mut buffer = TfBuffer::new(10 * SECOND);
    let flange_in_ft =
        Isometry3::from_parts(Translation3::new(0.0, 0.01, 0.04), UnitQuaternion::new(Vector3::z() * 0.5));
    let grip_in_ft =
        Isometry3::from_parts(Translation3::new(0.02, 0.0, 0.2), UnitQuaternion::new(Vector3::x() * -0.8));
    insert(&mut buffer, "ft", "flange", 0, &flange_in_ft, true);
    insert(&mut buffer, "ft", "grip", 0, &grip_in_ft, true);
    // A push at a point, in sensor axes: what the gripper should feel of it is the force and its lever from the grip.
    let (push, point) = (Vector3::new(3.0, -4.0, 5.0), Vector3::new(0.1, 0.2, 0.3));
    let expected_force = grip_in_ft.rotation.inverse() * push;
    let expected_torque =
        grip_in_ft.rotation.inverse() * (point - grip_in_ft.translation.vector).cross(&push);
    for step in 1..200 {
        let stamp = SECOND + step * 5 * MS;
        insert(&mut buffer, "world", "ft", stamp, &sensor_in_world(stamp), false);
        let tool = weight(stamp);
        let at_ft = (tool.force() + push, tool.torque() + point.cross(&push));
        let turn = flange_in_ft.rotation.inverse();
        let measured =
            Wrench::new(turn * at_ft.0, turn * (at_ft.1 - flange_in_ft.translation.vector.cross(&at_ft.0)));
        chain.push(sample(stamp, "flange", measured)).unwrap();
        let out = chain.next(&buffer, stamp).unwrap().unwrap();
        assert_eq!(out.frame, "grip");
        assert!((out.wrench.force() - expected_force).amax() < 1e-9);
        assert!((out.wrench.torque() - expected_torque).amax() < 1e-9);
    }
}

#[test]
fn a_stamp_of_zero_takes_the_newest_transforms() {
    let mut chain = chain("", "");
    let mut buffer = TfBuffer::new(10 * SECOND);
    insert(&mut buffer, "world", "ft", 7 * SECOND, &sensor_in_world(7 * SECOND), false);
    chain.push(WrenchSample { arrived: 0, ..sample(0, "ft", weight(7 * SECOND)) }).unwrap();
    let out = chain.next(&buffer, 0).unwrap().unwrap();
    assert!(out.wrench.0.amax() < 1e-9 * MASS * 9.81);
}

#[test]
fn messages_wait_in_order_until_their_transforms_come() {
    let mut chain = chain("", "");
    let mut buffer = TfBuffer::new(10 * SECOND);
    for step in 0..3 {
        let stamp = SECOND + step * MS;
        chain.push(sample(stamp, "ft", weight(stamp))).unwrap();
        assert!(chain.next(&buffer, stamp).is_none(), "the world is unknown");
    }
    insert(&mut buffer, "world", "ft", SECOND, &sensor_in_world(SECOND), false);
    let now = SECOND + 3 * MS;
    assert_eq!(chain.next(&buffer, now).unwrap().unwrap().stamp, SECOND);
    assert!(chain.next(&buffer, now).is_none(), "the second is of a time that tf does not know yet");
    insert(&mut buffer, "world", "ft", SECOND + 2 * MS, &sensor_in_world(SECOND + 2 * MS), false);
    for step in 1..3 {
        let out = chain.next(&buffer, now).unwrap().unwrap();
        assert_eq!(out.stamp, SECOND + step * MS);
        // The turn about a fixed axis is exact between samples too.
        assert!(out.wrench.0.amax() < 1e-9 * MASS * 9.81);
    }
    assert_eq!(chain.waiting(), 0);
}

#[test]
fn who_waits_too_long_who_is_too_old_and_who_is_one_too_many_is_dropped_and_says_why() {
    let mut chain = chain("", "");
    let mut buffer = TfBuffer::new(10 * SECOND);
    chain.push(sample(SECOND, "ft", weight(SECOND))).unwrap();
    assert!(chain.next(&buffer, SECOND + 99 * MS).is_none());
    let late = chain.next(&buffer, SECOND + 100 * MS).unwrap();
    assert_eq!(late, Err(Dropped::Transform(TfError::Unknown { frame: "ft".into() })));

    insert(&mut buffer, "world", "ft", 5 * SECOND, &sensor_in_world(5 * SECOND), false);
    chain.push(sample(4 * SECOND, "ft", weight(4 * SECOND))).unwrap();
    let old = chain.next(&buffer, 4 * SECOND).unwrap().unwrap_err();
    assert!(matches!(old, Dropped::Transform(TfError::Past { .. })), "waiting would not help: {old}");

    assert_eq!(chain.push(sample(5 * SECOND, "", weight(5 * SECOND))), Err(Dropped::NoFrame));

    for step in 0..7 {
        let pushed = chain.push(sample(6 * SECOND + step, "ft", weight(6 * SECOND))).unwrap();
        assert_eq!((pushed.jumped, pushed.dropped), (false, usize::from(step >= 5)));
    }
    assert_eq!(chain.waiting(), 5);
    let pushed = chain.push(sample(SECOND, "ft", weight(SECOND))).unwrap();
    assert_eq!((pushed.jumped, pushed.dropped, chain.waiting()), (true, 5, 1), "time was set back");
}

#[test]
fn a_number_that_is_none_is_dropped_and_the_filters_keep_their_state() {
    let more = "  filter2: {name: smooth, type: ExponentialFilter, params: {alpha: 0.5}}\n";
    let mut chain = chain("", more);
    let mut buffer = TfBuffer::new(10 * SECOND);
    insert(&mut buffer, "world", "ft", SECOND, &Isometry3::identity(), true);
    let pull = |x: f64| {
        let rest = Wrench::new(Vector3::z() * -9.81 * MASS, COG.cross(&(Vector3::z() * -9.81 * MASS)));
        Wrench::new(rest.force() + Vector3::x() * x, rest.torque())
    };
    let mut feed = |stamp: i64, wrench: Wrench| {
        chain.push(sample(SECOND + stamp, "ft", wrench))?;
        chain.next(&buffer, SECOND + stamp).unwrap().map(|out| out.wrench.force().x)
    };
    assert!((feed(0, pull(4.0)).unwrap() - 4.0).abs() < 1e-12, "the first output is the first input");
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(matches!(feed(1, pull(bad)), Err(Dropped::Refused(_))));
    }
    assert!((feed(2, pull(8.0)).unwrap() - 6.0).abs() < 1e-12, "0.5·8 + 0.5·4");
}

#[test]
fn stamps_that_go_back_begin_anew() {
    let mut chain = chain("", "  filter2: {name: smooth, type: ExponentialFilter, params: {alpha: 0.5}}\n");
    let mut buffer = TfBuffer::new(10 * SECOND);
    insert(&mut buffer, "world", "ft", 0, &Isometry3::identity(), true);
    let mut feed = |stamp: i64, x: f64| {
        let pushed =
            chain.push(sample(stamp, "ft", Wrench::new(Vector3::x() * x, Vector3::zeros()))).unwrap();
        (pushed.jumped, chain.next(&buffer, stamp).unwrap().unwrap().wrench.force().x)
    };
    assert_eq!(feed(100 * SECOND, 2.0), (false, 2.0));
    assert_eq!(feed(100 * SECOND + 1, 4.0), (false, 3.0));
    assert_eq!(feed(99 * SECOND + 2, 5.0), (false, 4.0), "a message that is late by less than a second");
    assert_eq!(feed(10 * SECOND, 8.0), (true, 8.0), "a bag that begins again");
    assert_eq!(feed(11 * SECOND, 4.0), (false, 6.0));
}

#[test]
fn a_refused_wrench_with_an_old_stamp_leaves_no_trace() {
    let mut chain = chain("", "  filter2: {name: smooth, type: ExponentialFilter, params: {alpha: 0.5}}\n");
    let mut buffer = TfBuffer::new(10 * SECOND);
    insert(&mut buffer, "world", "ft", 0, &Isometry3::identity(), true);
    let at = |stamp: i64, frame: &str, x: f64| {
        sample(stamp, frame, Wrench::new(Vector3::x() * x, Vector3::zeros()))
    };
    chain.push(at(100 * SECOND, "ft", 2.0)).unwrap();
    assert!(chain.push(at(SECOND, "ft", f64::NAN)).is_err());
    assert!(chain.push(at(SECOND, "", 2.0)).is_err());
    assert_eq!(chain.waiting(), 1, "who waits goes on waiting");
    assert_eq!(chain.next(&buffer, 100 * SECOND).unwrap().unwrap().wrench.force().x, 2.0);
    assert_eq!(chain.push(at(99 * SECOND + 1, "ft", 4.0)).unwrap(), Pushed { jumped: false, dropped: 0 });
    assert_eq!(chain.next(&buffer, 100 * SECOND).unwrap().unwrap().wrench.force().x, 3.0);
}

//! Messages of one sample, and those of an imu: what is refused leaves no trace.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use filter_node::{ImuChain, ImuSample, RunningChain};
use filters_lib::chain::Value;
use filters_lib::{BodyTwist, Error};
use nalgebra::{UnitQuaternion, Vector3};

const SECOND: i64 = 1_000_000_000;

fn filter(kind: &str, name: &str, value: f64) -> Vec<(String, Value)> {
    vec![
        ("filter1.name".into(), Value::from("f")),
        ("filter1.type".into(), Value::from(kind)),
        (format!("filter1.params.{name}"), Value::from(value)),
    ]
}

fn smooth() -> Vec<(String, Value)> {
    filter("ExponentialFilter", "alpha", 0.5)
}

fn imu(params: &[(String, Value)], fields: &[&str]) -> ImuChain {
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    ImuChain::build(params, 0.1, &fields).unwrap()
}

#[test]
fn a_refused_twist_with_an_old_stamp_leaves_no_trace() {
    let mut chain = RunningChain::build(&smooth(), 0.01, &BodyTwist::default()).unwrap();
    let twist = |x: f64| BodyTwist::new(Vector3::x() * x, Vector3::zeros());
    let take = |chain: &mut RunningChain<BodyTwist>, stamp, x| {
        chain.take_at(stamp, &twist(x)).map(|(y, jumped)| (y.linear().x, jumped))
    };
    assert_eq!(take(&mut chain, 100 * SECOND, 2.0), Ok((2.0, false)));
    assert!(take(&mut chain, SECOND, f64::NAN).is_err());
    assert_eq!(
        take(&mut chain, 100 * SECOND, 4.0),
        Ok((3.0, false)),
        "it neither began anew nor took the stamp"
    );
    assert_eq!(take(&mut chain, 0, 5.0), Ok((4.0, false)), "no stamp, no time");
    assert_eq!(take(&mut chain, SECOND, 9.0), Ok((9.0, true)));
    assert_eq!(take(&mut chain, 2 * SECOND, 7.0), Ok((8.0, false)));
}

#[test]
fn an_imu_is_filtered_part_by_part_and_refused_as_a_whole() {
    let mut chain = imu(&smooth(), &["angular_velocity", "linear_acceleration"]);
    let turn = UnitQuaternion::from_scaled_axis(Vector3::z());
    let sample = |w: f64, a: f64| ImuSample {
        orientation: Some(turn),
        angular_velocity: Some(Vector3::x() * w),
        linear_acceleration: Some(Vector3::y() * a),
    };
    let mut take =
        |stamp, mut sample: ImuSample| chain.take(stamp, &mut sample).map(|jumped| (sample, jumped));
    assert_eq!(take(100 * SECOND, sample(2.0, 10.0)), Ok((sample(2.0, 10.0), false)));
    assert!(take(SECOND, sample(4.0, f64::NAN)).is_err());
    assert_eq!(take(100 * SECOND, sample(4.0, 20.0)), Ok((sample(3.0, 15.0), false)), "no trace");
    let absent = ImuSample { linear_acceleration: None, ..sample(5.0, 0.0) };
    let expected = ImuSample { linear_acceleration: None, ..sample(4.0, 0.0) };
    assert_eq!(take(101 * SECOND, absent), Ok((expected, false)), "what is absent stays so");
    assert_eq!(take(102 * SECOND, sample(4.0, 15.0)), Ok((sample(4.0, 15.0), false)), "and did not step");
    assert_eq!(take(SECOND, sample(9.0, 9.0)), Ok((sample(9.0, 9.0), true)), "a bag that begins again");
}

#[test]
fn the_orientation_of_an_imu_is_followed_and_its_other_parts_pass() {
    let mut chain = imu(&filter("Transient", "speed", 1.0), &["orientation"]);
    let at = |angle: f64| ImuSample {
        orientation: Some(UnitQuaternion::from_scaled_axis(Vector3::z() * angle)),
        angular_velocity: Some(Vector3::x() * angle),
        linear_acceleration: None,
    };
    let mut take = |mut sample: ImuSample| {
        chain.take(0, &mut sample).unwrap();
        sample
    };
    take(at(0.0));
    let y = take(at(1.0));
    assert!((y.orientation.unwrap().angle() - 0.1).abs() < 1e-12);
    assert_eq!(y.angular_velocity, at(1.0).angular_velocity);
    let infinite = ImuSample { angular_velocity: Some(Vector3::x() * f64::INFINITY), ..at(0.0) };
    assert!(matches!(chain.take(0, &mut infinite.clone()), Err(Error::NotFinite { .. })), "passed on or not");
    let names: Vec<String> = vec!["orientation".into()];
    let refused = ImuChain::build(&smooth(), 0.1, &names).unwrap_err();
    assert!(refused[0].to_string().contains("orientation"), "{}", refused[0]);
}

#[test]
fn every_type_of_chain_is_read_with_its_fields() {
    let body = "\
chains: [hand, imu, field]
hand: {type: pose, input: a, output: b, sampling_frequency: 50.0, filter1: {name: f, type: TransientSecond, params: {tau: 0.2}}}
imu: {type: imu, input: c, output: d, filter1: {name: f, type: ExponentialFilter, params: {alpha: 0.5}}}
field: {type: vector3, input: e, output: f, filter1: {name: f, type: MovingAverage, params: {window: 3}}}
";
    let params = common::params(&common::file(body)).unwrap();
    assert_eq!(params.chains[1].fields, ["angular_velocity", "linear_acceleration"]);
    assert!(params.chains[0].fields.is_empty());
    for (from, to, wanted) in [
        ("type: TransientSecond", "type: Lag", "pose"),
        ("input: c,", "input: c, fields: [orientation],", "orientation"),
        ("input: c,", "input: c, fields: [position],", "fields"),
        ("input: c,", "input: c, fields: [],", "fields"),
        ("input: e,", "input: e, fields: [position],", "fields"),
    ] {
        let error = common::params(&common::file(&body.replace(from, to))).unwrap_err().to_string();
        assert!(error.contains(wanted), "{to}: {error}");
    }
}

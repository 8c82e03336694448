//! Once every joint and frame is known, no message allocates in the core.
#![allow(clippy::unwrap_used)]

mod common;

use filter_node::tf::{TfBuffer, Transform};
use filter_node::{ImuSample, Pipeline, WrenchSample};
use filters_lib::{BodyTwist, Wrench};
use nalgebra::{Isometry3, Vector3};

const ALL: &str = "\
chains: [wrist, legs, body, number, field, hand, imu]
wrist:
  type: wrench
  input: a
  output: b
  filter1: {name: spikes, type: Median, params: {window: 5}}
  filter2: {name: tool, type: GravityCompensation, params: {world_frame: world, sensor_frame: ft, output_frame: hand, tool: {CoG: [0.0, 0.0, 0.1], mass: 1.0}}}
  filter3: {name: smooth, type: LowPassFilter, params: {sampling_frequency: 1000.0, damping_frequency: 20.0, damping_intensity: 1.0}}
legs: {type: joint_state, input: c, output: d, sampling_frequency: 100.0, filter1: {name: f, type: BiquadLowPass, params: {frequency: 10.0}}}
body: {type: twist, input: e, output: f, sampling_frequency: 100.0, filter1: {name: f, type: Lag, params: {tau: 0.1}}}
field: {type: vector3, input: i, output: j, filter1: {name: f, type: Median, params: {window: 3}}}
hand: {type: pose, input: k, output: l, sampling_frequency: 100.0, filter1: {name: f, type: Transient, params: {speed: 1.0}}}
imu: {type: imu, input: m, output: o, sampling_frequency: 100.0, filter1: {name: f, type: Lag, params: {tau: 0.1}}}
number: {type: float64, input: g, output: h, filter1: {name: f, type: MovingAverage, params: {window: 9}}}
";

#[test]
fn steps_of_every_kind_of_chain_allocate_nothing() {
    let params = common::params(&common::file(ALL)).unwrap();
    let built = params.chains.iter().map(|chain| Pipeline::build(chain, &params).unwrap());
    let mut pipelines: Vec<Pipeline> = built.collect();
    let mut buffer = TfBuffer::new(1_000_000);
    let names: Vec<String> = (0..24).map(|joint| format!("joint{joint}")).collect();
    let mut arrays = [vec![0.5; 24], vec![0.25; 24], vec![0.125; 24]];
    let mut frame = String::from("flange");
    let mut round = |step: i64| {
        let stamp = step * 1000 + 1;
        for (parent, child, fixed) in [("world", "ft", false), ("ft", "flange", true), ("ft", "hand", true)] {
            let translation = [step as f64 * 1e-3, 0.0, 0.0];
            let t = Transform { parent, child, stamp, translation, rotation: [0.0, 0.0, 0.0, 1.0] };
            buffer.insert(&t, fixed).unwrap();
        }
        for pipeline in &mut pipelines {
            match pipeline {
                Pipeline::Number(chain) => drop(chain.take(&(step as f64)).unwrap()),
                Pipeline::Twist(chain) => drop(chain.take_at(stamp, &BodyTwist::default()).unwrap()),
                Pipeline::Vector(chain) => drop(chain.take_at(stamp, &Vector3::x()).unwrap()),
                Pipeline::Pose(chain) => drop(chain.take_at(stamp, &Isometry3::identity()).unwrap()),
                Pipeline::Imu(chain) => {
                    let mut sample = ImuSample { angular_velocity: Some(Vector3::x()), ..Default::default() };
                    assert!(!chain.take(stamp, &mut sample).unwrap());
                }
                Pipeline::Joints(chains) => {
                    let [p, v, e] = &mut arrays;
                    chains.take(stamp, &names, [p, v, e], |joint, error| panic!("{joint}: {error}")).unwrap();
                }
                Pipeline::Wrench(chain) => {
                    let wrench = Wrench::new(Vector3::new(1.0, 2.0, step as f64), Vector3::zeros());
                    let mut name = std::mem::take(&mut frame);
                    "flange".clone_into(&mut name);
                    chain.push(WrenchSample { stamp, frame: name, wrench, arrived: stamp }).unwrap();
                    frame = chain.next(&buffer, stamp).unwrap().unwrap().frame;
                    assert_eq!(frame, "hand");
                }
            }
        }
    };
    (0..2000).for_each(&mut round);
    assert_eq!(test_lib::allocations(|| (2000..5000).for_each(&mut round)), 0);
}

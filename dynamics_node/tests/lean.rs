//! How the base leans, by an inertial sensor: slopes count, sway does not.
#![allow(clippy::unwrap_used)]

mod common;

use common::rig;
use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays, Refused};
use nalgebra::{UnitQuaternion, Vector3};
use proptest::prelude::*;
use robot_model_lib::{ModelConfig, RobotModel};

const MS: i64 = 1_000_000;
const G: f64 = 9.81;
const LEGS: [&str; 4] = ["leg1", "leg2", "leg3", "leg4"];
const NONE: [&str; 0] = [];
const STILL: [f64; 3] = [0.0; 3];

fn params() -> DynamicsParams {
    DynamicsParams { effort_time: 0.0, fade_time: 0.0, support_time: 0.0, ..DynamicsParams::default() }
}

fn most(efforts: &[f64], others: &[f64]) -> f64 {
    efforts.iter().zip(others).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// What an accelerometer at rest shows on a base that is turned so.
fn at_rest(turn: &UnitQuaternion<f64>) -> [f64; 3] {
    turn.inverse_transform_vector(&Vector3::new(0.0, 0.0, G)).into()
}

/// Efforts of the standing pony, known to lean by `body` alone.
fn by_body(turn: &UnitQuaternion<f64>) -> Vec<f64> {
    let mut rig = rig(params());
    rig.core.support(0, &LEGS, &NONE, &[1.0; 4]).unwrap();
    rig.core.body(0, &["base_link"], std::iter::once([turn.i, turn.j, turn.k, turn.w])).unwrap();
    rig.still(0).unwrap()
}

proptest! {
    #[test]
    fn at_rest_efforts_are_those_of_the_same_lean_by_body(roll in -0.5..0.5, pitch in -0.5..0.5, yaw in -3.0..3.0) {
        let turn = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let mut rig = rig(params());
        rig.core.support(0, &LEGS, &NONE, &[1.0; 4]).unwrap();
        rig.core.imu(0, "base_link", STILL, at_rest(&turn)).unwrap();
        // How forces along the ground are shared depends on the world's axes in the last digits: heading makes no other difference.
        prop_assert!(most(&rig.still(0).unwrap(), &by_body(&turn)) < 1e-6);
    }

}

proptest! {
    // A case is some thousand samples.
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A first-order mean over τ lets through 1/√(1 + (ωτ)²) of what sways with ω.
    #[test]
    fn sway_is_averaged_out(sway in 0.5..3.0_f64, frequency in 0.5..3.0_f64, slope in -0.1..0.1_f64) {
        let params = params();
        let turn = UnitQuaternion::from_euler_angles(0.0, slope, 0.0);
        let mut rig = rig(params.clone());
        rig.core.support(0, &LEGS, &NONE, &[1.0; 4]).unwrap();
        let (omega, rest) = (std::f64::consts::TAU * frequency, Vector3::from(at_rest(&turn)));
        let settled = (6.0 * params.lean_time * 200.0) as i64;
        let through = sway / (omega * params.lean_time);
        // The first sample is taken whole: it is forgotten by e⁻⁶. Joint efforts change by less than m·g·0.42 m per rad of lean.
        let bound = rig.core.mass() * 0.42 * (through * 1.01 + sway * (-6.0f64).exp());
        let leaning = by_body(&turn);
        for k in 0..settled + 200 {
            let accel = rest + Vector3::x() * sway * (omega * k as f64 * 0.005).sin();
            rig.core.imu(k * 5 * MS, "base_link", STILL, accel.into()).unwrap();
            if k > settled && k % 7 == 0 {
                let off = most(&rig.still(k * 5 * MS).unwrap(), &leaning);
                prop_assert!(off <= bound, "{off} N·m, {bound}");
            }
        }
    }
}

/// A robot that turns on a slope leans to another side of its own.
#[test]
fn the_lean_turns_with_the_base() {
    let mut rig = rig(params());
    rig.core.support(0, &LEGS, &NONE, &[1.0; 4]).unwrap();
    let slope = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    let turned = |angle: f64| slope * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    for k in 0..=800 {
        let angle = 0.4 * k as f64 * 0.005;
        rig.core.imu(k * 5 * MS, "", [0.0, 0.0, 0.4], at_rest(&turned(angle))).unwrap();
    }
    let off = most(&rig.still(4000 * MS).unwrap(), &by_body(&turned(1.6)));
    assert!(off < 1e-6, "{off}");
}

#[test]
fn it_is_level_on_two_feet_after_a_silence_and_where_the_sensor_is_not_asked() {
    let slope = UnitQuaternion::from_euler_angles(0.0, 0.1, 0.0);
    let (leaning, level) = (by_body(&slope), by_body(&UnitQuaternion::identity()));
    assert!(most(&leaning, &level) > 0.1);
    let mut rig = rig(params());
    let at = |rig: &mut common::Rig, ms: i64, supports: [f64; 4], shown: bool| {
        if shown {
            rig.core.imu(ms * MS, "base_link", STILL, at_rest(&slope)).unwrap();
        }
        rig.core.support(ms * MS, &LEGS, &NONE, &supports).unwrap();
        rig.still(ms * MS).unwrap()
    };
    assert!(most(&at(&mut rig, 0, [1.0; 4], true), &leaning) < 1e-6);
    // A diagonal, and for lean_time after it.
    at(&mut rig, 10, [1.0, 0.0, 0.0, 1.0], true);
    assert!(most(&at(&mut rig, 20, [1.0; 4], true), &level) < 1e-6);
    assert!(most(&at(&mut rig, 1900, [1.0; 4], true), &level) < 1e-6);
    assert!(most(&at(&mut rig, 2100, [1.0; 4], true), &leaning) < 1e-6);
    assert!(most(&at(&mut rig, 2500, [1.0; 4], false), &leaning) < 1e-6);
    assert!(most(&at(&mut rig, 2700, [1.0; 4], false), &level) < 1e-6);
    rig.core.set_params(&DynamicsParams { imu_timeout: 0.0, ..params() });
    assert!(most(&at(&mut rig, 2800, [1.0; 4], true), &level) < 1e-6);
}

#[test]
fn the_sensor_may_sit_on_any_link_that_is_fixed_to_the_base() {
    let urdf = r#"<robot name="arm"><link name="base"/><link name="plate"/><link name="imu"/>
        <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
          <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
        <joint name="a" type="fixed"><origin rpy="0 0 1.5707963267948966"/><parent link="base"/><child link="plate"/></joint>
        <joint name="b" type="fixed"><origin rpy="3.141592653589793 0 0"/><parent link="plate"/><child link="imu"/></joint>
        <joint name="c" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
          <limit lower="-1" upper="1" effort="100" velocity="1"/></joint></robot>"#;
    let model = RobotModel::from_urdf(urdf, &ModelConfig::default()).unwrap();
    let mut core = InverseDynamics::new(model, &params()).unwrap();
    let effort = |core: &mut InverseDynamics, ms: i64| {
        let zero = [0.0];
        let pose =
            PoseArrays { name: &["c"], position: &zero, velocity: &zero, acceleration: &zero, effort: &[] };
        core.efforts(ms * MS, &pose).unwrap()[0]
    };
    // The base bows by 0.3: its up in its own axes is (−sin, 0, cos). The sensor's x is the base's y, its y the base's x, its z down.
    let up = [0.0, -(0.3f64.sin()) * G, -(0.3f64.cos()) * G];
    core.imu(0, "imu", STILL, up).unwrap();
    let wanted = -2.0 * G * 0.5 * 0.3f64.cos();
    assert!((effort(&mut core, 0) - wanted).abs() < 1e-9, "{} {wanted}", effort(&mut core, 0));
    for (frame, accel) in
        [("arm", up), ("nowhere", up), ("imu", [f64::NAN, 0.0, G]), ("imu", [f64::MAX, 0.0, 0.0])]
    {
        let refused = core.imu(MS, frame, STILL, accel).unwrap_err();
        assert!(matches!(refused, Refused::NotFixed { .. } | Refused::NotFinite { .. }), "{refused}");
    }
    assert!((effort(&mut core, 2) - wanted).abs() < 1e-9, "nothing changed");
}

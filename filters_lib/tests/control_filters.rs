//! Low-pass, exponential and gravity compensation of `control_filters`.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::*;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    [-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64].prop_map(Vector3::from)
}

fn transform() -> impl Strategy<Value = Isometry3<f64>> {
    (vector(), vector())
        .prop_map(|(p, r)| Isometry3::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(r)))
}

fn wrenches() -> impl Strategy<Value = Vec<Wrench>> {
    prop::collection::vec(
        prop::array::uniform6(-50.0..50.0_f64).prop_map(|a| Wrench(Vector6::from(a))),
        1..30,
    )
}

/// Empty, as `control_filters` begins.
fn begun<F: Filter>(filter: Result<F>) -> F {
    let mut filter = filter.unwrap();
    filter.reset();
    filter
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn pure_gravity_leaves_nothing(
        cog in vector(), force in vector(), world in transform(), input in transform(), output in transform(),
    ) {
        let mut filter = GravityCompensation::new(GravityParams { cog, force: force * 10.0 }).unwrap();
        filter.set_frames(GravityFrames { sensor_from_input: input, sensor_from_world: world, output_from_sensor: output }).unwrap();
        // Statics: the weight acts at the CoG. Take that point and the force into the input frame and measure there.
        let weight_in_input = input.rotation.inverse() * (world.rotation * (force * 10.0));
        let arm_in_input = input.inverse() * nalgebra::Point3::from(cog);
        let measured = Wrench::new(weight_in_input, arm_in_input.coords.cross(&weight_in_input));
        prop_assert!(filter.output(&measured).unwrap().0.amax() < 1e-12);
        // A further force at a point stays, seen from the output frame at the same point.
        let (push, place) = (Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.1, 0.2, -0.3));
        let extra = Wrench(measured.0 + Wrench::new(push, place.cross(&push)).0);
        let in_output = output * input;
        let push_out = in_output.rotation * push;
        let place_out = (in_output * nalgebra::Point3::from(place)).coords;
        let expected = Wrench::new(push_out, place_out.cross(&push_out));
        prop_assert!((filter.output(&extra).unwrap().0 - expected.0).amax() < 1e-11);
    }

    #[test]
    fn low_pass_follows_its_recurrence(
        input in wrenches(), sf in 1.0..1000.0_f64, df in 0.1..100.0_f64, di in -10.0..10.0_f64,
    ) {
        let params = LowPassParams { sampling_frequency: sf, damping_frequency: df, damping_intensity: di };
        let a = (-(1.0 / sf) * (2.0 * std::f64::consts::PI * df) / 10.0_f64.powf(di / -10.0)).exp();
        let mut wrench = begun(LowPassFilter::new(params, &Wrench::default()));
        let mut double = begun(LowPassFilter::new(params, &0.0));
        let mut vector = begun(LowPassFilter::new(params, &vec![0.0; 6]));
        let (mut x1, mut y1) = (input[0].0, input[0].0);
        for x in &input {
            let y = x1 * (1.0 - a) + y1 * a;
            prop_assert!((wrench.update(x).unwrap().0 - y).amax() < 1e-12);
            prop_assert!((double.update(&x.0[2]).unwrap() - y[2]).abs() < 1e-12);
            prop_assert!((vector.update(&x.0.as_slice().to_vec()).unwrap()[5] - y[5]).abs() < 1e-12);
            (x1, y1) = (x.0, y);
        }
    }

    #[test]
    fn exponential_follows_its_recurrence(input in wrenches(), alpha in 0.0..1.0_f64) {
        let mut wrench = begun(ExponentialFilter::new(ExponentialParams { alpha }, &Wrench::default()));
        let mut double = begun(ExponentialFilter::new(ExponentialParams { alpha }, &0.0));
        let mut y1 = input[0].0;
        for x in &input {
            y1 = x.0 * alpha + y1 * (1.0 - alpha);
            prop_assert!((wrench.update(x).unwrap().0 - y1).amax() < 1e-11);
            prop_assert!((double.update(&x.0[0]).unwrap() - y1[0]).abs() < 1e-11);
        }
    }
}

#[test]
fn gravity_without_frames_is_an_error() {
    let filter =
        GravityCompensation::new(GravityParams { cog: Vector3::zeros(), force: Vector3::zeros() }).unwrap();
    assert_eq!(filter.output(&Wrench::default()), Err(Error::NoFrames));
}

//! Chains from flat parameters.
#![allow(clippy::unwrap_used, missing_docs)]

use filters_lib::chain::{ChainSignal, Kind, Value, known_types};
use filters_lib::*;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

type Params = Vec<(String, Value)>;

fn filter(number: usize, name: &str, kind: &str, params: &[(&str, Value)]) -> Params {
    let mut all = vec![
        (format!("filter{number}.name"), Value::from(name)),
        (format!("filter{number}.type"), Value::from(kind)),
    ];
    all.extend(params.iter().map(|(key, value)| (format!("filter{number}.params.{key}"), value.clone())));
    all
}

fn low_pass(number: usize, name: &str, kind: &str) -> Params {
    let params = [("sampling_frequency", 100.0), ("damping_frequency", 10.0), ("damping_intensity", 2.0)];
    filter(number, name, kind, &params.map(|(key, value)| (key, Value::from(value))))
}

fn refusal<S: ChainSignal>(params: &Params, like: &S) -> String {
    Chain::new(params, 0.01, like).err().unwrap().to_string()
}

#[test]
fn a_chain_equals_its_filters_in_sequence() {
    let mut params = low_pass(1, "smooth", "control_filters/LowPassFilterDouble");
    params.extend(filter(2, "spikes", "filters_lib/Median", &[("window", Value::from(3))]));
    params.reverse();
    let mut chain = Chain::new(&params, 0.01, &0.0).unwrap();
    assert_eq!(chain.names().collect::<Vec<_>>(), ["smooth", "spikes"]);
    let setting =
        LowPassParams { sampling_frequency: 100.0, damping_frequency: 10.0, damping_intensity: 2.0 };
    let mut first = LowPassFilter::new(setting, &0.0).unwrap();
    let mut second = Median::new(WindowParams { window: 3 }, &0.0).unwrap();
    for k in 0..100 {
        let u = (f64::from(k) * 0.7).sin();
        let y = second.update(&first.update(&u).unwrap()).unwrap();
        assert_eq!(chain.output(&u).unwrap(), y);
        assert_eq!(chain.update(&u).unwrap(), y);
    }
}

#[test]
fn every_fault_names_its_parameter() {
    let good = || low_pass(1, "a", "LowPassFilter");
    let mut gap = good();
    gap.extend(low_pass(3, "b", "LowPassFilter"));
    assert!(refusal(&gap, &0.0).contains("`filter2.name` is missing"));
    let mut twice = good();
    twice.extend(low_pass(2, "a", "LowPassFilter"));
    assert!(refusal(&twice, &0.0).contains("`filter2.name` = \"a\""));
    assert!(
        refusal(&filter(1, "a", "Magic", &[]), &0.0)
            .contains("`filter1.type` = \"Magic\": no such filter type")
    );
    let mut missing = good();
    missing.remove(3);
    assert_eq!(refusal(&missing, &0.0), "parameter `filter1.params.damping_frequency` is missing");
    let mut wrong = good();
    wrong[2].1 = Value::from("fast");
    assert_eq!(
        refusal(&wrong, &0.0),
        "parameter `filter1.params.sampling_frequency` is a string, it must be a double"
    );
    let mut unknown = good();
    unknown.push(("filter1.params.colour".into(), Value::from(1.0)));
    assert!(refusal(&unknown, &0.0).starts_with("parameter `filter1.params.colour` is unknown"));
    for stray in
        ["filter0.name", "filter01.name", "filters.name", "filter1.nam", "speed", "filter.name", "filter-1.x"]
    {
        let mut params = good();
        params.push((stray.into(), Value::from("x")));
        assert!(refusal(&params, &0.0).starts_with(&format!("parameter `{stray}` is unknown")), "{stray}");
    }
    let mut doubled = good();
    doubled.push(doubled[0].clone());
    assert_eq!(refusal(&doubled, &0.0), "parameter `filter1.name` is given twice");
    let mut negative = good();
    negative[3].1 = Value::from(-4.0);
    assert!(refusal(&negative, &0.0).contains("`filter1.params.damping_frequency`"));
    let no_name = good()[1..].to_vec();
    assert_eq!(refusal(&no_name, &0.0), "parameter `filter1.name` is missing");
    let a0 = [("b", Value::from(vec![1.0])), ("a", Value::from(vec![0.0, 1.0]))];
    assert!(
        refusal(&filter(1, "t", "TransferFunction", &a0), &0.0).starts_with("parameter `filter1.params.a`")
    );
    let method = [("method", Value::from("magic"))];
    assert!(
        refusal(&filter(1, "i", "Integrator", &method), &0.0).contains("one of euler, trapezoid, simpson")
    );
    let wrench_only = low_pass(1, "a", "control_filters/LowPassFilterWrench");
    assert!(refusal(&wrench_only, &0.0).contains("does not work on a double"));
    assert!(Chain::new(&wrench_only, 0.01, &Wrench::default()).is_ok());
    assert!(Chain::new(&good(), 0.0, &0.0).is_err());
}

/// What a filter refuses is told by the chain's name of it, and with the value that was set.
#[test]
fn a_refusal_names_the_parameter_as_the_chain_does() {
    let number = |list: &[(&'static str, f64)]| -> Vec<(&'static str, Value)> {
        list.iter().map(|(key, value)| (*key, Value::from(*value))).collect()
    };
    let band = |name: &str| {
        let mut band = number(&[("frequency", 20.0), ("frequency_high", 10.0)]);
        band.extend([("order", Value::from(2)), ("band", Value::from(name))]);
        band
    };
    for (kind, params, culprit, says) in [
        ("Pid", number(&[("u_clamp_max", 1.0), ("u_clamp_min", 2.0)]), "u_clamp_min", "`u_clamp_max` = 1"),
        ("Pid", number(&[("i_clamp_max", 1.0), ("i_clamp_min", 2.0)]), "i_clamp_min", "`i_clamp_max` = 1"),
        ("Pid", number(&[("u_clamp_max", -1.0)]), "u_clamp_max", "`u_clamp_max` = -1"),
        ("Pid", number(&[("i_clamp_max", -1.0)]), "i_clamp_max", "`i_clamp_max` = -1"),
        ("RateLimiter", number(&[("max_value", -1.0)]), "max_value", "`max_value` = -1"),
        ("RateLimiter", number(&[("max_first_derivative", 0.0)]), "max_first_derivative", "= 0 "),
        ("RateLimiter", number(&[("max_second_derivative", 0.0)]), "max_second_derivative", "= 0 "),
        (
            "control_filters/RateLimiterDouble",
            number(&[("sampling_interval", 0.01), ("max_first_derivative_pos", 0.0)]),
            "max_first_derivative_pos",
            "`max_first_derivative_pos` = 0 ",
        ),
        (
            "control_filters/RateLimiterDouble",
            number(&[("sampling_interval", 0.01), ("min_first_derivative_neg", 0.0)]),
            "min_first_derivative_neg",
            "`min_first_derivative_neg` = 0 ",
        ),
        ("Saturation", number(&[("low", 2.0), ("high", 1.0)]), "low", "`high` = 1"),
        ("Butterworth", band("band_pass"), "frequency", "`frequency` = 20 "),
        ("Butterworth", band("band_stop"), "frequency", "`frequency` = 20 "),
    ] {
        let told = refusal(&filter(1, "a", kind, &params), &0.0);
        assert!(told.starts_with(&format!("parameter `filter1.params.{culprit}`")), "{kind}: {told}");
        assert!(told.contains(says), "{kind}: {told}");
    }
}

#[test]
fn changes_are_all_or_nothing_and_keep_the_state() {
    let mut params = filter(1, "a", "Lag", &[("tau", Value::from(1.0))]);
    params.extend(filter(2, "b", "MovingAverage", &[("window", Value::from(2))]));
    let mut chain = Chain::new(&params, 0.1, &vec![0.0; 2]).unwrap();
    let u = vec![1.0, -1.0];
    for _ in 0..10 {
        chain.update(&u).unwrap();
    }
    let before = chain.clone();
    let bad = [("filter1.params.tau", Value::from(0.5)), ("filter2.params.window", Value::from(0))];
    assert!(chain.set(&bad).is_err());
    assert_eq!(chain.describe(), before.describe());
    assert_eq!(chain.output(&u).unwrap(), before.output(&u).unwrap());
    for fixed in ["filter1.name", "filter2.type"] {
        assert!(matches!(chain.set(&[(fixed, Value::from("x"))]), Err(ChainError::ReadOnly { .. })));
    }
    assert!(matches!(
        chain.set(&[("filter3.params.tau", Value::from(1.0))]),
        Err(ChainError::Unknown { .. })
    ));
    chain.set(&[("filter1.params.tau", Value::from(1))]).unwrap();
    chain.set(&[("filter1.params.tau", Value::from(0.5))]).unwrap();
    assert_eq!(chain.output(&u).unwrap(), before.output(&u).unwrap(), "the state survives");
    let tau = chain.describe().into_iter().find(|info| info.name == "filter1.params.tau").unwrap();
    assert_eq!((tau.value, tau.spec.kind, tau.spec.unit), (Value::Double(0.5), Kind::Double, "s"));
}

#[test]
fn a_refused_sample_moves_no_filter() {
    let mut params = filter(1, "a", "ExponentialFilter", &[("alpha", Value::from(0.5))]);
    let gain = [("b", Value::from(vec![1e300])), ("a", Value::from(vec![1.0]))];
    params.extend(filter(2, "big", "TransferFunction", &gain));
    let mut chain = Chain::new(&params, 0.1, &0.0).unwrap();
    chain.update(&1.0).unwrap();
    let expected = chain.output(&3.0).unwrap();
    assert_eq!(chain.update(&1e10), Err(Error::Overflow), "the second filter overflows");
    assert!(chain.update(&f64::NAN).is_err());
    assert_eq!(chain.output(&3.0).unwrap(), expected, "so the first one did not move either");
}

#[test]
fn gravity_compensation_takes_either_layout_and_asks_for_its_frames() {
    let frames = [("world_frame", Value::from("world")), ("sensor_frame", Value::from("ft"))];
    let force =
        [("CoG.pos", Value::from(vec![0.0, 0.1, 0.2])), ("CoG.force", Value::from(vec![0.0, 0.0, -19.62]))];
    let tool = [("tool.CoG", Value::from(vec![0.0, 0.1, 0.2])), ("tool.mass", Value::from(2.0))];
    let turned = Isometry3::from_parts(
        Vector3::new(0.0, 0.0, 1.0).into(),
        UnitQuaternion::from_euler_angles(0.5, 0.0, 0.0),
    );
    let here = GravityFrames {
        sensor_from_input: Isometry3::identity(),
        sensor_from_world: turned,
        output_from_sensor: Isometry3::identity(),
    };
    let weight = turned.rotation * Vector3::new(0.0, 0.0, -19.62);
    let measured = Wrench::new(weight, Vector3::new(0.0, 0.1, 0.2).cross(&weight));
    for layout in [&force, &tool] {
        let all: Vec<_> = frames.iter().chain(layout).cloned().collect();
        for name in ["GravityCompensation", "control_filters/GravityCompensationWrench"] {
            let mut chain = Chain::new(&filter(1, "g", name, &all), 0.01, &Wrench::default()).unwrap();
            assert_eq!(chain.update(&measured), Err(Error::NoFrames));
            let (index, names) = chain.frames().next().unwrap();
            assert_eq!((index, names.world, names.sensor, names.output), (0, "world", "ft", ""));
            chain.set_frames(index, &here).unwrap();
            assert!(chain.update(&measured).unwrap().0.amax() < 1e-12);
        }
    }
    let both: Vec<_> = frames.iter().chain(&force).chain(&tool[1..]).cloned().collect();
    assert!(
        refusal(&filter(1, "g", "GravityCompensation", &both), &Wrench::default())
            .contains("filter1.params.tool.mass")
    );
    let short = [&frames[..], &[("CoG.pos", Value::from(vec![1.0])), force[1].clone()]].concat();
    assert!(
        refusal(&filter(1, "g", "GravityCompensation", &short), &Wrench::default())
            .contains("filter1.params.CoG.pos")
    );
    assert!(
        refusal(&filter(1, "g", "GravityCompensation", &frames), &Wrench::default())
            .contains("filter1.params.CoG.pos")
    );
}

#[test]
fn every_type_of_the_catalog_is_described() {
    for info in known_types() {
        for spec in info.params {
            assert!(!spec.description.is_empty() && spec.min <= spec.max, "{} {}", info.name, spec.name);
        }
    }
}

#[test]
fn an_empty_chain_passes_its_input() {
    let none: Params = Vec::new();
    let mut chain = Chain::new(&none, 0.01, &BodyTwist::default()).unwrap();
    assert!(chain.is_empty());
    assert_eq!(chain.update(&BodyTwist::default()).unwrap(), BodyTwist::default());
}

#[test]
fn every_fault_of_a_chain_is_told_at_once() {
    let mut params = low_pass(1, "a", "LowPassFilter");
    params[3].1 = Value::from(-4.0);
    params.remove(2);
    params.extend(filter(3, "a", "Magic", &[]));
    params.extend(filter(4, "b", "Lag", &[("tau", Value::from(1.0)), ("colour", Value::from(1.0))]));
    let faults = Chain::build(&params, 0.01, &0.0).err().unwrap();
    let lines: Vec<String> = faults.into_iter().map(|fault| fault.under("wrist.").to_string()).collect();
    let named = [
        "wrist.filter1.params.damping_frequency",
        "wrist.filter1.params.sampling_frequency",
        "wrist.filter2.name",
        "wrist.filter3.name",
        "wrist.filter3.type",
        "wrist.filter4.params.colour",
    ];
    assert_eq!(lines.len(), named.len(), "{lines:#?}");
    for name in named {
        assert!(
            lines.iter().any(|line| line.starts_with(&format!("parameter `{name}`"))),
            "{name}: {lines:#?}"
        );
    }
}

#[test]
fn a_number_of_a_filter_far_away_is_a_gap_and_no_work() {
    let params = low_pass(usize::MAX - 1, "far", "LowPassFilter");
    assert!(matches!(Chain::new(&params, 0.01, &0.0), Err(ChainError::Gap { .. })));
}

#[test]
fn a_chain_that_begins_at_its_first_sample_is_at_rest_there() {
    let lag = filter(1, "f", "Lag", &[("tau", Value::from(1.0))]);
    let median = filter(1, "f", "Median", &[("window", Value::from(5))]);
    let mean = filter(1, "f", "MovingAverage", &[("window", Value::from(5))]);
    let limiter = filter(1, "f", "RateLimiter", &[("max_first_derivative", Value::from(0.1))]);
    let ratio = [("b", Value::from(vec![0.5])), ("a", Value::from(vec![1.0, -0.5]))];
    let function = filter(1, "f", "TransferFunction", &ratio);
    let sum = [("b", Value::from(vec![0.0, 1.0])), ("a", Value::from(vec![1.0, -1.0]))];
    let smooth = low_pass(1, "f", "LowPassFilter");
    for (params, expected) in [
        (lag, [7.0, 7.0]),
        (median, [7.0, 7.0]),
        (mean, [7.0, 7.0]),
        (limiter, [7.0, 7.0]),
        (function, [7.0, 7.0]),
        (smooth, [7.0, 7.0]),
        (filter(1, "f", "Integrator", &[]), [0.0, 0.07]),
        (filter(1, "f", "Differentiator", &[]), [0.0, 0.0]),
        (filter(1, "f", "TransferFunction", &sum), [0.0, 7.0]),
        (filter(1, "f", "Schmitt", &[("low", Value::from(1.0)), ("high", Value::from(9.0))]), [0.0, 0.0]),
    ] {
        let mut chain = Chain::new(&params, 0.01, &0.0).unwrap();
        chain.start(&7.0).unwrap();
        let outputs = [chain.update(&7.0).unwrap(), chain.update(&7.0).unwrap()];
        assert!(outputs.iter().zip(expected).all(|(y, e)| (y - e).abs() < 1e-12), "{params:?}: {outputs:?}");
    }
}

/// The limits on the first derivative depend on the sign of the value, as `control_toolbox::RateLimiter` has it.
#[test]
fn the_rate_limiter_of_control_filters_tells_speeding_up_from_slowing_down() {
    let limits = [
        ("sampling_interval", 1.0),
        ("max_first_derivative_pos", 1.0),
        ("min_first_derivative_pos", -3.0),
        ("min_first_derivative_neg", -0.5),
        ("max_first_derivative_neg", 2.0),
    ];
    let limits = limits.map(|(name, value)| (name, Value::from(value)));
    let mut chain =
        Chain::new(&filter(1, "limit", "control_filters/RateLimiterDouble", &limits), 0.01, &0.0).unwrap();
    let inputs = [0.0, 9.0, 9.0, 9.0, 9.0, -9.0, -9.0, -9.0, -9.0, -9.0, 9.0, 9.0];
    let outputs = inputs.map(|u| chain.update(&u).unwrap());
    assert_eq!(outputs, [0.0, 1.0, 2.0, 3.0, 4.0, 1.0, -2.0, -2.5, -3.0, -3.5, -1.5, 0.5]);
}

/// Names and parameters of the ROS package `filters`; the mean of the samples there are.
#[test]
fn the_filters_of_the_package_filters_are_known() {
    let count = [("number_of_observations", Value::from(3))];
    let mut mean = Chain::new(&filter(1, "m", "filters/MeanFilterDouble", &count), 0.01, &0.0).unwrap();
    assert_eq!([3.0, 6.0, 9.0, 12.0].map(|u| mean.update(&u).unwrap()), [3.0, 4.5, 6.0, 9.0]);
    let many = filter(1, "m", "filters/MultiChannelMedianFilterDouble", &count);
    let mut median = Chain::new(&many, 0.01, &vec![0.0; 2]).unwrap();
    assert_eq!(median.update(&vec![1.0, -1.0]).unwrap(), [1.0, -1.0]);
    assert_eq!(median.update(&vec![9.0, 0.0]).unwrap(), [5.0, -0.5]);
    assert_eq!(median.update(&vec![2.0, 4.0]).unwrap(), [2.0, 0.0]);
    let mut one = Chain::new(&filter(1, "i", "filters/IncrementFilterInt", &[]), 0.01, &0.0).unwrap();
    assert_eq!(one.update(&4.0).unwrap(), 5.0);
    let lists = [("a", Value::from(vec![1.0, -0.5])), ("b", Value::from(vec![0.5]))];
    let function = filter(1, "t", "filters/MultiChannelTransferFunctionFilterDouble", &lists);
    let mut function = Chain::new(&function, 0.01, &vec![0.0]).unwrap();
    assert_eq!([2.0, 4.0].map(|u| function.update(&vec![u]).unwrap()[0]), [2.0, 3.0]);
}

/// A window of one sample that grows before the first one came has nothing to be filled up with.
#[test]
fn a_window_that_grows_before_the_first_sample_rests_at_it() {
    for kind in ["Median", "MovingAverage"] {
        let mut chain = Chain::new(&filter(1, "w", kind, &[("window", Value::from(1))]), 0.01, &0.0).unwrap();
        chain.set(&[("filter1.params.window", Value::from(5))]).unwrap();
        assert_eq!(chain.update(&10.0).unwrap(), 10.0, "{kind}");
    }
}

/// A linear fusion takes its time and no other: a speed beside it is refused, when it is built and when it is changed.
#[test]
fn a_linear_fusion_refuses_a_speed() {
    let with = |method: &str| {
        let (tau, speed) = (("tau", Value::from(0.1)), ("speed", Value::from(0.5)));
        filter(1, "f", "Fusion", &[("method", Value::from(method)), tau, speed])
    };
    let told = refusal(&with("linear"), &0.0);
    assert!(told.starts_with("parameter `filter1.params.speed`") && told.contains("0.5"), "{told}");
    let mut chain = Chain::new(&with("exp"), 0.01, &0.0).unwrap();
    assert_eq!(chain.update(&10.0).unwrap(), 0.0);
    let step = chain.update(&10.0).unwrap();
    assert!(step <= 0.5 * 0.01 + 1e-15 && step > 0.0, "{step} in one period");
    assert!(chain.set(&[("filter1.params.method", Value::from("linear"))]).is_err());
    let both =
        [("filter1.params.method", Value::from("linear")), ("filter1.params.speed", Value::from(f64::NAN))];
    chain.set(&both).unwrap();
}

/// In [`Timed`] a chain knows the true distance of its samples, as its filters alone do.
#[test]
fn a_timed_chain_knows_the_distance_of_its_samples() {
    let mut lag = Chain::new(&filter(1, "a", "Lag", &[("tau", Value::from(1.0))]), 0.1, &0.0).unwrap();
    lag.start(&0.0).unwrap();
    let mut lag = Timed::new(lag, 0.5, &0.0).unwrap();
    let speed = [("max_first_derivative", Value::from(1.0))];
    let mut limiter = Chain::new(&filter(1, "a", "RateLimiter", &speed), 0.1, &0.0).unwrap();
    limiter.start(&0.0).unwrap();
    let mut limiter = Timed::new(limiter, 0.5, &0.0).unwrap();
    lag.update(0.0, &1.0).unwrap();
    let first = limiter.update(0.0, &9.0).unwrap();
    for stamp in [0.25, 0.3, 0.7, 0.71] {
        let y = lag.update(stamp, &1.0).unwrap();
        assert!((y - (1.0 - (-stamp).exp())).abs() < 1e-12, "{stamp}: {y}");
        let y = limiter.update(stamp, &9.0).unwrap() - first;
        assert!((y - stamp).abs() < 1e-12, "{stamp}: {y}");
    }
}

/// A fusion fades in from a value, transients go to their input within their speed.
#[test]
fn fusions_and_transients_work_in_chains() {
    let fade = [("tau", Value::from(0.02)), ("from", Value::from(4.0))];
    let mut fade = Chain::new(&filter(1, "f", "Fusion", &fade), 0.01, &0.0).unwrap();
    assert_eq!([0.0; 4].map(|u| fade.update(&u).unwrap()), [4.0, 2.0, 0.0, 0.0]);
    let speed = [("speed", Value::from(100.0))];
    let mut follow = Chain::new(&filter(1, "t", "Transient", &speed), 0.01, &0.0).unwrap();
    assert_eq!([0.0, 3.0, 3.0, 3.0, 3.0].map(|u| follow.update(&u).unwrap()), [0.0, 1.0, 2.0, 3.0, 3.0]);
}

#[test]
fn poses_are_blended_and_followed_and_nothing_else() {
    let filter = |kind: &str, more: &[(&str, Value)]| {
        let mut all = vec![("filter1.name".to_string(), Value::from("a"))];
        all.push(("filter1.type".into(), Value::from(kind)));
        all.extend(more.iter().map(|(name, value)| (format!("filter1.params.{name}"), value.clone())));
        all
    };
    let still = Isometry3::<f64>::identity();
    let speed = filter("Transient", &[("speed", Value::from(1.0))]);
    let mut chain = Chain::new(&speed, 0.1, &still).unwrap();
    chain.update(&still).unwrap();
    let there = Isometry3::new(Vector3::x(), Vector3::z() * 2.0);
    let y = chain.update(&there).unwrap();
    assert!((y.translation.x - 0.1).abs() < 1e-12 && (y.rotation.angle() - 0.1).abs() < 1e-12, "{y}");
    let second = filter("TransientSecond", &[("tau", Value::from(0.1))]);
    let mut chain = Chain::new(&second, 0.01, &still).unwrap();
    chain.update(&still).unwrap();
    let y = (0..400).map(|_| chain.update(&there).unwrap()).last().unwrap();
    assert!((y.translation.x - 1.0).abs() < 1e-9 && (y.rotation.angle() - 2.0).abs() < 1e-9, "{y}");
    let fade = filter("Fusion", &[("tau", Value::from(1.0))]);
    let mut chain = Chain::new(&fade, 0.5, &still).unwrap();
    let xs: Vec<f64> = (0..3).map(|_| chain.update(&there).unwrap().translation.x).collect();
    assert_eq!(xs, [0.0, 0.5, 1.0]);
    let from = filter("Fusion", &[("tau", Value::from(1.0)), ("from", Value::from(2.0))]);
    assert!(Chain::new(&from, 0.5, &still).unwrap_err().to_string().contains("filter1.params.from"));
    let lag = Chain::new(&filter("Lag", &[("tau", Value::from(1.0))]), 0.5, &still).unwrap_err().to_string();
    assert!(lag.contains("filter1.type") && lag.contains("pose"), "{lag}");
}

//! Joint states: every joint by its name, every field by itself.
#![allow(clippy::unwrap_used, clippy::panic)]

use filter_node::{JointChains, JointFault};
use filters_lib::chain::Value;
use robot_model_lib::MessageError;

fn chains(fields: &[&str]) -> JointChains {
    of(&["control_filters/ExponentialFilterDouble"], fields)
}

/// Filters of these types; one that smooths takes half of the newest sample.
fn of(types: &[&str], fields: &[&str]) -> JointChains {
    let mut params = vec![];
    for (number, kind) in (1..).zip(types) {
        params.push((format!("filter{number}.name"), Value::Text(format!("f{number}"))));
        params.push((format!("filter{number}.type"), Value::from(*kind)));
        if kind.contains("Exponential") {
            params.push((format!("filter{number}.params.alpha"), Value::from(0.5)));
        }
    }
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    JointChains::build(&params, 0.5, &fields).unwrap()
}

fn all() -> JointChains {
    chains(&["position", "velocity", "effort"])
}

/// Sends a message and gives back position, velocity and effort as they come out.
fn send(chains: &mut JointChains, names: &[&str], arrays: [&[f64]; 3]) -> Result<[Vec<f64>; 3], JointFault> {
    send_at(chains, 0, names, arrays).map(|(_, arrays)| arrays)
}

fn send_at(
    chains: &mut JointChains,
    stamp: i64,
    names: &[&str],
    arrays: [&[f64]; 3],
) -> Result<(bool, [Vec<f64>; 3]), JointFault> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let [mut p, mut v, mut e] = arrays.map(<[f64]>::to_vec);
    let jumped =
        chains.take(stamp, &names, [&mut p, &mut v, &mut e], |joint, error| panic!("{joint}: {error}"))?;
    Ok((jumped, [p, v, e]))
}

#[test]
fn joints_are_found_by_name_in_any_order_and_in_any_part() {
    let mut chains = all();
    assert_eq!(send(&mut chains, &["a", "b"], [&[1.0, 10.0], &[], &[]]).unwrap()[0], [1.0, 10.0]);
    assert_eq!(send(&mut chains, &["b", "a"], [&[20.0, 3.0], &[], &[]]).unwrap()[0], [15.0, 2.0]);
    assert_eq!(send(&mut chains, &["c", "b"], [&[7.0, 15.0], &[], &[]]).unwrap()[0], [7.0, 15.0], "c is new");
    assert_eq!(send(&mut chains, &["a"], [&[2.0], &[], &[]]).unwrap()[0], [2.0], "a did not step meanwhile");
    assert_eq!(chains.len(), 3);
}

#[test]
fn each_field_has_its_own_filters_and_an_absent_one_stays_absent() {
    let mut chains = all();
    let out = send(&mut chains, &["a"], [&[1.0], &[100.0], &[]]).unwrap();
    assert_eq!(out, [vec![1.0], vec![100.0], vec![]]);
    let out = send(&mut chains, &["a"], [&[], &[200.0], &[5.0]]).unwrap();
    assert_eq!(out, [vec![], vec![150.0], vec![5.0]]);
    let out = send(&mut chains, &["a"], [&[3.0], &[], &[7.0]]).unwrap();
    assert_eq!(out, [vec![2.0], vec![], vec![6.0]]);
}

#[test]
fn fields_that_are_not_asked_for_pass() {
    let mut chains = chains(&["velocity"]);
    send(&mut chains, &["a"], [&[1.0], &[1.0], &[1.0]]).unwrap();
    let out = send(&mut chains, &["a"], [&[3.0], &[3.0], &[3.0]]).unwrap();
    assert_eq!(out, [vec![3.0], vec![2.0], vec![3.0]]);
}

#[test]
fn nan_is_absent_for_its_joint_alone() {
    let mut chains = all();
    send(&mut chains, &["a", "b"], [&[1.0, 1.0], &[], &[]]).unwrap();
    let out = send(&mut chains, &["a", "b"], [&[f64::NAN, 3.0], &[], &[]]).unwrap();
    assert!(out[0][0].is_nan() && out[0][1] == 2.0);
    let out = send(&mut chains, &["a", "b"], [&[3.0, 2.0], &[], &[]]).unwrap();
    assert_eq!(out[0], [2.0, 2.0], "a goes on from where it was");
}

#[test]
fn what_makes_no_sense_is_refused_and_changes_nothing() {
    let mut chains = all();
    send(&mut chains, &["a", "b"], [&[1.0, 1.0], &[], &[]]).unwrap();
    let length = send(&mut chains, &["a", "b"], [&[9.0], &[], &[]]);
    assert_eq!(
        length,
        Err(JointFault::Message(MessageError::Size { field: "position", found: 1, names: 2 }))
    );
    let twice = send(&mut chains, &["a", "a"], [&[9.0, 9.0], &[], &[]]);
    assert_eq!(twice, Err(JointFault::Message(MessageError::Twice { name: "a".into() })));
    let invented = send(&mut chains, &["new", "b", "b"], [&[9.0; 3], &[], &[]]);
    assert_eq!(
        (invented, chains.len()),
        (Err(JointFault::Message(MessageError::Twice { name: "b".into() })), 2),
        "no trace of \"new\""
    );
    let infinite = send(&mut chains, &["b", "a"], [&[9.0, 9.0], &[9.0, f64::INFINITY], &[]]);
    let (field, joint, value) = ("velocity", "a".to_string(), f64::INFINITY);
    assert_eq!(infinite, Err(JointFault::Message(MessageError::Value { field, joint, value })));
    assert_eq!(send(&mut chains, &["a", "b"], [&[3.0, 5.0], &[], &[]]).unwrap()[0], [2.0, 3.0]);
}

#[test]
fn a_message_without_joints_passes() {
    assert_eq!(send(&mut all(), &[], [&[], &[], &[]]).unwrap(), [const { Vec::<f64>::new() }; 3]);
}

#[test]
fn stamps_that_go_back_begin_all_joints_anew() {
    let mut chains = all();
    let second = 1_000_000_000;
    send_at(&mut chains, 100 * second, &["a"], [&[1.0], &[], &[]]).unwrap();
    let (jumped, out) = send_at(&mut chains, 5 * second, &["a"], [&[9.0], &[], &[]]).unwrap();
    assert!(jumped && out[0] == [9.0]);
}

#[test]
fn changed_parameters_reach_old_joints_and_new_ones() {
    let mut chains = all();
    send(&mut chains, &["a"], [&[0.0], &[], &[]]).unwrap();
    chains.set(&[("filter1.params.alpha".to_string(), Value::from(0.25))], 0.5).unwrap();
    assert!(chains.set(&[("filter1.params.alpha".to_string(), Value::from(2.0))], 0.5).is_err());
    assert_eq!(send(&mut chains, &["a", "b"], [&[4.0, 4.0], &[], &[]]).unwrap()[0], [1.0, 4.0]);
    assert_eq!(send(&mut chains, &["a", "b"], [&[1.0, 8.0], &[], &[]]).unwrap()[0], [1.0, 5.0]);
}

#[test]
fn a_differentiator_makes_velocities_and_leaves_positions() {
    let mut chains = of(
        &["ExponentialFilter", "Differentiator", "ExponentialFilter"],
        &["position", "velocity", "effort"],
    );
    send(&mut chains, &["a"], [&[0.0], &[7.0], &[0.0]]).unwrap();
    let out = send(&mut chains, &["a"], [&[4.0], &[7.0], &[4.0]]).unwrap();
    // Position: 4 → 2 → 1. Velocity: the slope of what the first filter gives, 2/0.5 s, through the last one.
    assert_eq!(out, [vec![1.0], vec![2.0], vec![1.0]]);
    let mut slope = of(&["filters_lib/Differentiator"], &[]);
    assert_eq!(send(&mut slope, &["a"], [&[1.0], &[], &[3.0]]).unwrap(), [vec![1.0], vec![0.0], vec![3.0]]);
    let out = send(&mut slope, &["a"], [&[2.0], &[9.0], &[3.0]]).unwrap();
    assert_eq!(out, [vec![2.0], vec![2.0], vec![3.0]], "what the message says of the velocity gives way");
    let out = send(&mut slope, &["a"], [&[], &[9.0], &[3.0]]).unwrap();
    assert_eq!(out, [vec![], vec![], vec![3.0]], "no position, no velocity");
}

#[test]
fn an_integrator_makes_positions_of_velocities() {
    let mut chains = of(&["Integrator"], &["position"]);
    let mut xs = vec![];
    for v in [1.0, 1.0, f64::NAN, 2.0, 2.0] {
        let out = send(&mut chains, &["a"], [&[], &[v], &[]]).unwrap();
        xs.push(out[0][0]);
        assert!(out[1][0] == v || v.is_nan());
    }
    assert!(xs[2].is_nan(), "absent stays absent");
    assert_eq!([xs[0], xs[1], xs[3], xs[4]], [0.0, 0.5, 1.0, 2.0]);
}

#[test]
fn parameters_find_their_filters_behind_a_differentiator() {
    let mut chains = of(&["Differentiator", "ExponentialFilter"], &["effort", "velocity"]);
    chains.set(&[("filter2.params.alpha".to_string(), Value::from(0.25))], 1.0).unwrap();
    send(&mut chains, &["a"], [&[0.0], &[], &[0.0]]).unwrap();
    let out = send(&mut chains, &["a"], [&[4.0], &[], &[4.0]]).unwrap();
    assert_eq!(out, [vec![4.0], vec![1.0], vec![1.0]]);
    assert!(chains.set(&[("filter2.params.alpha".to_string(), Value::from(7.0))], 1.0).is_err());
    assert!(chains.set(&[("filter3.params.alpha".to_string(), Value::from(0.5))], 1.0).is_err());
}

#[test]
fn a_refused_message_with_an_old_stamp_leaves_no_trace() {
    let mut chains = all();
    let second = 1_000_000_000;
    send_at(&mut chains, 100 * second, &["a"], [&[1.0], &[], &[]]).unwrap();
    assert!(send_at(&mut chains, 5 * second, &["a"], [&[f64::INFINITY], &[], &[]]).is_err());
    let (jumped, out) = send_at(&mut chains, 100 * second, &["a"], [&[3.0], &[], &[]]).unwrap();
    assert!(!jumped && out[0] == [2.0]);
}

#[test]
fn invented_names_do_not_fill_the_memory_and_known_joints_go_on() {
    let mut chains = all();
    let names = |from: usize, to: usize| (from..to).map(|k| format!("joint{k}")).collect::<Vec<_>>();
    let mut take = |names: Vec<String>| {
        let mut position = vec![1.0; names.len()];
        chains.take(0, &names, [&mut position, &mut vec![], &mut vec![]], |_, _| ())
    };
    assert_eq!(take(names(0, 9_999)), Ok(false));
    assert_eq!(take(names(9_998, 10_002)), Err(JointFault::Full));
    assert_eq!(take(names(9_990, 10_000)), Ok(false), "the last place");
    assert_eq!(take(names(10_000, 10_001)), Err(JointFault::Full));
    assert_eq!(take(names(0, 10_000)), Ok(false));
    assert_eq!(chains.len(), 10_000);
}

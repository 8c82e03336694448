//! Poses and Jacobians equal those of `k`, which shares no arithmetic with ours.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;

use common::Dice;
use nalgebra::{Isometry3, Matrix6xX};
use robot_model_lib::nalgebra;
use robot_model_lib::{JointSlot, Kinematics, LinkPoses, RobotModel};

const TOLERANCE: f64 = 1e-12;

/// Every movable joint's own position, by the URDF's mimic rule.
fn positions(model: &RobotModel, q: &[f64]) -> BTreeMap<String, f64> {
    let joints = &model.urdf().joints;
    let position = |name: &str| {
        let (mut gain, mut offset, mut name) = (1.0, 0.0, name);
        loop {
            let joint = joints.iter().find(|joint| joint.name == name).unwrap();
            match &joint.mimic {
                None => break,
                Some(mimic) => {
                    offset += gain * mimic.offset.unwrap_or(0.0);
                    gain *= mimic.multiplier.unwrap_or(1.0);
                    name = &mimic.joint;
                }
            }
        }
        let JointSlot::Joint { index, .. } = model.find_joint(name) else { unreachable!() };
        gain * q[index] + offset
    };
    let movable = joints.iter().filter(|joint| joint.joint_type != urdf_rs::JointType::Fixed);
    movable.map(|joint| (joint.name.clone(), position(&joint.name))).collect()
}

fn compare(model: &RobotModel, q: &[f64]) {
    // Without mimics `k` takes any position for any joint.
    let mut plain = model.urdf().clone();
    plain.joints.iter_mut().for_each(|joint| joint.mimic = None);
    let tree = k::Chain::<f64>::from(&plain);
    for (name, position) in positions(model, q) {
        tree.find(&name).unwrap().set_joint_position_unchecked(position);
    }
    tree.update_transforms();
    let theirs = |link: &str| -> Isometry3<f64> { tree.find_link(link).unwrap().world_transform().unwrap() };

    let mut links = LinkPoses::new(model);
    links.update(q);
    for (name, pose) in model.link_names().zip(links.iter()) {
        let difference = pose.to_homogeneous() - theirs(name).to_homogeneous();
        assert!(difference.amax() < TOLERANCE, "{name}: {difference}");
    }

    let mut kinematics = Kinematics::new(model);
    kinematics.update(q);
    for (number, chain) in model.chains().iter().enumerate() {
        let last = model.link_names().nth(chain.last_link).unwrap();
        let link = theirs(last);
        let difference = kinematics.last_link(number).to_homogeneous() - link.to_homogeneous();
        assert!(difference.amax() < TOLERANCE, "{}: {difference}", chain.name);
        let contact = chain.default_contact.map(|contact| &model.contacts()[contact]);
        let lever =
            contact.map_or(nalgebra::Vector3::zeros(), |contact| link.rotation * contact.centre.coords);
        let pose = kinematics.contact(number);
        assert!((pose.centre.coords - link.translation.vector - lever).amax() < TOLERANCE);
        if let Some(contact) = contact {
            assert!(
                (pose.normal.into_inner() - link.rotation * contact.normal.into_inner()).amax() < TOLERANCE
            );
        }

        let serial = k::SerialChain::from_end(tree.find_link(last).unwrap());
        let full = k::jacobian(&serial);
        let mut expected = Matrix6xX::<f64>::zeros(chain.joints.len());
        for (column, joint) in serial.iter_joints().enumerate() {
            let mut column = full.column(column).into_owned();
            let moved = column.fixed_rows::<3>(3).cross(&lever);
            let mut linear = column.fixed_rows_mut::<3>(0);
            linear += moved;
            // A mimic's share goes to its master's column.
            let step = positions(model, &vec![1.0; q.len()])[&joint.name]
                - positions(model, &vec![0.0; q.len()])[&joint.name];
            let master = match model.find_joint(&joint.name) {
                JointSlot::Joint { index, .. } => index,
                JointSlot::Mimic { master } => master,
                JointSlot::Unknown => unreachable!(),
            };
            if chain.joints.contains(&master) {
                let mut sum = expected.column_mut(master - chain.joints.start);
                sum += column * step;
            }
        }
        let difference = kinematics.jacobian(number) - &expected;
        assert!(difference.amax() < TOLERANCE, "{}: {difference}", chain.name);
    }
}

#[test]
fn poses_and_jacobians_equal_those_of_k_on_the_example_robots() {
    let mut dice = Dice(1);
    for model in common::all() {
        for _ in 0..50 {
            compare(&model, &dice.pose(&model));
        }
    }
}

#[test]
fn poses_and_jacobians_equal_those_of_k_on_random_trees() {
    let mut dice = Dice(2);
    let mut trees = 0;
    for _ in 0..400 {
        let links = 2 + dice.below(20);
        if let Some(model) = common::random_robot(&mut dice, links) {
            compare(&model, &dice.pose(&model));
            trees += 1;
        }
    }
    assert!(trees > 100, "only {trees} trees were usable");
}

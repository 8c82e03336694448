//! After construction nothing allocates.
#![allow(clippy::unwrap_used)]

mod common;

use robot_model_lib::nalgebra::{Isometry3, Point3, Unit, Vector3};
use robot_model_lib::{BaseMotion, ChainIk, IkGoal, IkOptions, JointSlot, Kinematics, LinkPoses, NameCache};
use robot_model_lib::{StandingContact, WholeBody};
use test_lib::allocations;

#[test]
fn kinematics_of_all_robots_allocate_nothing() {
    for model in common::all() {
        let q = common::Dice(5).pose(&model);
        let (mut kinematics, mut links) = (Kinematics::new(&model), LinkPoses::new(&model));
        let mut sum = 0.0;
        let count = allocations(|| {
            for _ in 0..100 {
                kinematics.update(&q);
                links.update(&q);
                for chain in 0..model.chains().len() {
                    let contact = &model.contacts()[1];
                    sum += kinematics.contact(chain).centre.x + kinematics.jacobian(chain).sum();
                    sum += kinematics
                        .contact_twist(chain, &q)
                        .carried(&kinematics.lever(chain, contact))
                        .linear
                        .x;
                    sum += kinematics.contact_points(chain, contact).map(|point| point.z).sum::<f64>();
                }
                sum += links.iter().map(|pose| pose.translation.vector.x).sum::<f64>();
            }
        });
        assert_eq!(count, 0, "{}", model.name());
        assert!(sum.is_finite());
    }
}

#[test]
fn inverse_kinematics_allocate_nothing_even_when_they_fail() {
    let model = common::pony();
    let mut ik = ChainIk::new(&model, 0, IkOptions::default());
    let goals = [
        IkGoal::Position(Point3::new(0.2, 0.1, -0.35)),
        IkGoal::Normal(Point3::new(0.2, 0.1, -0.35), Unit::new_normalize(Vector3::new(0.1, 0.1, -1.0))),
        IkGoal::Pose(Isometry3::translation(2.0, 0.0, 0.0)),
    ];
    let mut q = vec![0.0; model.joints().len()];
    let count = allocations(|| {
        for goal in &goals {
            ik.solve(goal, &mut q);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn names_that_stay_the_same_are_looked_up_without_allocating() {
    let model = common::pony();
    let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
    let mut cache = NameCache::<JointSlot>::new();
    cache.resolve(&names, |name| model.find_joint(name));
    let count = allocations(|| {
        let slots = cache.resolve(&names, |name| model.find_joint(name));
        assert!(matches!(slots[7], JointSlot::Joint { index: 7, chain: Some((1, 1)) }));
        assert_eq!(model.find_joint("no such joint"), JointSlot::Unknown);
    });
    assert_eq!(count, 0);
}

#[test]
fn dynamics_allocate_nothing_whoever_stands() {
    for model in common::all() {
        let mut body = WholeBody::new(&model).unwrap();
        let q = common::Dice(6).pose(&model);
        let mut standing = vec![None; model.chains().len()];
        let count = allocations(|| {
            for case in 0..64_usize {
                for (chain, stands) in standing.iter_mut().enumerate() {
                    let support = 0.25 * ((case >> chain) & 3) as f64;
                    *stands = (support > 0.0).then_some(StandingContact { contact: case % 2, support });
                }
                let efforts = body.efforts([&q, &q, &q], &BaseMotion::default(), &standing);
                assert!(efforts.joints.iter().all(|effort| effort.is_finite()));
            }
        });
        assert_eq!(count, 0, "{}", model.name());
    }
}

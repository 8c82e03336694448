//! The pony on its feet, with its servos, against inverse dynamics.

#![allow(clippy::unwrap_used)]

use herkulex_node::codec::{reg, torque};
use herkulex_node::sim::{Settings, SimBus, Supply};
use nalgebra::Vector3;
use robot_model_lib::{BaseMotion, Dynamics, JointSlot, Kinematics, Wrench};
use sim_node::{Drive, Scene, Truth, World};
use test_lib::{chains, pony};

const BRIDGE: &str = include_str!("../../config/herkulex.yaml");

fn world(change: impl Fn(&mut Drive)) -> World {
    let mut drives = Drive::from_bridge_file(BRIDGE).unwrap();
    drives.iter_mut().for_each(change);
    World::new(&pony(), &chains("pony"), drives, &Scene::default(), &[], false).unwrap()
}

/// A bus whose servos hold where they stand.
fn bus(world: World) -> SimBus<World> {
    let mut servos = world.servos();
    servos.iter_mut().for_each(|servo| servo.set(&reg::TORQUE, i32::from(torque::ON)));
    SimBus::with_plant(Settings::default(), servos, Supply::default(), world)
}

fn look(bus: &SimBus<World>) -> Truth {
    let mut truth = Truth::default();
    bus.plant.look(&mut truth);
    truth
}

#[test]
fn servos_of_the_standing_pony_give_what_inverse_dynamics_ask_for() {
    // Dry friction takes any share of a load that stands: without it the torque is what the pose needs.
    let mut bus = bus(world(|drive| drive.mechanics.alpha[2] = 0.0));
    // A bus lives through two seconds at a time.
    (1..=5).for_each(|second| bus.advance(second * 1_000_000_000));
    let truth = look(&bus);
    let model = pony();
    let mut dynamics = Dynamics::new(&model).unwrap();
    let index = |name: &str| match model.find_joint(name) {
        JointSlot::Joint { index, .. } => index,
        other => panic!("{name}: {other:?}"),
    };
    let names: Vec<String> = Drive::from_bridge_file(BRIDGE).unwrap().into_iter().map(|d| d.joint).collect();
    let mut q = vec![0.0; model.joints().len()];
    names.iter().zip(&truth.positions).for_each(|(name, angle)| q[index(name)] = *angle);
    assert!(truth.velocities.iter().all(|v| v.abs() < 1e-3), "it stands still");

    // On the whole the ground carries the weight.
    let weight = dynamics.mass() * 9.81;
    let force: Vector3<f64> = truth.feet.iter().map(|foot| foot.force).sum();
    assert!((force.z / weight - 1.0).abs() < 1e-3 && force.xy().norm() < 1e-3 * weight, "{force} {weight}");

    // τ = RNEA − Σ Jᵀ·(what each foot gets).
    let zero = vec![0.0; q.len()];
    let base = BaseMotion { orientation: truth.base.rotation, ..BaseMotion::default() };
    dynamics.set_gravity(Vector3::new(0.0, 0.0, -9.81));
    let mut wanted = dynamics.inverse(&q, &zero, &zero, &base).joints.to_vec();
    let mut kinematics = Kinematics::of_contacts(&model);
    kinematics.update(&q);
    let mut ground = zero.clone();
    for foot in &truth.feet {
        let chain = model.find_chain(&foot.chain).unwrap();
        let centre = truth.base * nalgebra::Point3::from(kinematics.contact(chain).centre);
        let moment = foot.moment + (foot.position - centre.coords).cross(&foot.force);
        let into = truth.base.rotation.inverse();
        let wrench = Wrench { force: into * foot.force, moment: into * moment };
        kinematics.add_contact_efforts(chain, &wrench, &mut ground);
    }
    wanted.iter_mut().zip(&ground).for_each(|(sum, part)| *sum -= part);
    let largest = wanted.iter().fold(0.0f64, |most, w| most.max(w.abs()));
    for (name, seen) in names.iter().zip(&truth.efforts) {
        let wanted = wanted[index(name)];
        println!("{name:20} {seen:8.4} {wanted:8.4}");
        assert!((seen - wanted).abs() < 0.005 * largest, "{name}: {seen} N·m instead of {wanted}");
    }
    assert!(largest > 0.5, "it carries something: {largest}");
}

#[test]
fn two_runs_give_the_same_bits() {
    let run = || {
        let mut bus = bus(world(|_| {}));
        bus.advance(500_000_000);
        bus.plant.push("", Vector3::new(20.0, 15.0, 0.0), 0.1).unwrap();
        bus.advance(2_000_000_000);
        let (q, v) = bus.plant.state();
        q.iter().chain(v).map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn a_step_and_a_look_take_no_memory() {
    let mut bus = bus(world(|_| {}));
    bus.advance(100_000_000);
    let mut truth = look(&bus);
    let mut now = 100_000_000;
    let count = test_lib::allocations(|| {
        for _ in 0..500 {
            now += 1_000_000;
            bus.advance(now);
            bus.plant.look(&mut truth);
        }
    });
    assert_eq!(count, 0);
}

#[test]
fn without_torque_the_pony_falls_and_with_it_it_waits_to_be_let_go() {
    let fallen = |torque_on: bool| {
        let drives = Drive::from_bridge_file(BRIDGE).unwrap();
        let world = World::new(&pony(), &chains("pony"), drives, &Scene::default(), &[], torque_on).unwrap();
        let mut bus = SimBus::with_plant(Settings::default(), world.servos(), Supply::default(), world);
        (1..=3).for_each(|second| bus.advance(second * 1_000_000_000));
        look(&bus).base.translation.z
    };
    let (held, let_go) = (fallen(true), fallen(false));
    // 0.418 m is the height of the standing pose; a leg that does not carry folds.
    assert!((held - 0.418).abs() < 1e-3 && let_go < 0.3, "{held} {let_go}");
}

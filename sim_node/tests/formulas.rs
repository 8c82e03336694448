//! The physics against formulas of mechanics.

#![allow(clippy::unwrap_used)]

use herkulex_node::sim::Plant;
use nalgebra::{Isometry3, Vector3};
use robot_model_lib::{ChainConfig, ContactConfig, ModelConfig, RobotModel};
use sim_node::{Base, Scene, Terrain, Truth, World};

const DT: f64 = 0.001;
const G: f64 = 9.81;

fn steps(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(&mut [], 0, DT);
    }
}

fn robot(urdf: &str, config: &ModelConfig) -> RobotModel {
    RobotModel::from_urdf(urdf, config).unwrap()
}

fn look(world: &World) -> Truth {
    let mut truth = Truth::default();
    world.look(&mut truth);
    truth
}

/// A block of 2 kg with a foot of four points below it. A robot needs a joint: a wheel inside of it, which is its foot.
fn block() -> (String, ModelConfig) {
    let inertial = |m: f64, i: f64| {
        format!(
            "<inertial><mass value='{m}'/><inertia ixx='{i}' iyy='{i}' izz='{i}' ixy='0' ixz='0' iyz='0'/></inertial>"
        )
    };
    let urdf = format!(
        "<robot name='block'><link name='base'>{}</link><link name='wheel'>{}</link><link name='sole'/>\
         <joint name='turn' type='continuous'><parent link='base'/><child link='wheel'/><axis xyz='0 0 1'/></joint>\
         <joint name='fix' type='fixed'><parent link='wheel'/><child link='sole'/></joint></robot>",
        inertial(1.8, 0.01),
        inertial(0.2, 0.001),
    );
    let chain = ChainConfig {
        name: "block".into(),
        first_link: "base".into(),
        last_link: "sole".into(),
        default_contact: "sole".into(),
    };
    let points = vec![[0.1, 0.1, -0.05], [0.1, -0.1, -0.05], [-0.1, 0.1, -0.05], [-0.1, -0.1, -0.05]];
    let contact =
        ContactConfig { name: "sole".into(), points, normal: [0.0, 0.0, -1.0], ..ContactConfig::default() };
    (urdf, ModelConfig { chains: vec![chain], contacts: vec![contact] })
}

#[test]
fn what_falls_freely_falls_as_galileo_says() {
    let (urdf, config) = block();
    let mut world =
        World::new(&robot(&urdf, &config), &config, vec![], &Scene::default(), &[], false).unwrap();
    world.set_base(&Isometry3::translation(0.0, 0.0, 10.0));
    let start = look(&world).base.translation.z;
    steps(&mut world, 1.0);
    let (truth, t) = (look(&world), 1.0);
    // A semi-implicit step takes the velocity at its end: g·t·dt/2 too far, and exactly that.
    let fallen = start - truth.base.translation.z;
    assert!((fallen - G * t * (t + DT) / 2.0).abs() < 1e-9, "{fallen}");
    assert!((truth.velocity.z + G * t).abs() < 1e-9 && truth.feet[0].force == Vector3::zeros());
    // What falls freely weighs nothing.
    assert!(world.imu().accel.norm() < 1e-9);
}

/// A rod of length 2·c with its mass m in the middle, hung at its end, without friction.
fn pendulum(c: f64, m: f64, i: f64) -> String {
    format!(
        "<robot name='pendulum'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 {}'/><mass value='{m}'/>\
         <inertia ixx='{i}' iyy='{i}' izz='{i}' ixy='0' ixz='0' iyz='0'/></inertial></link>\
         <joint name='pivot' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint></robot>",
        -c
    )
}

#[test]
fn a_pendulum_swings_with_its_period_and_keeps_its_energy() {
    let (c, m, i, angle) = (0.3, 0.7, 0.02, 0.4);
    let drives = vec![free_drive("pivot")];
    let scene = Scene { base: Base::Fixed, timestep: 0.0001, ..Scene::default() };
    let mut world = World::new(
        &robot(&pendulum(c, m, i), &ModelConfig::default()),
        &ModelConfig::default(),
        drives,
        &scene,
        &[angle],
        false,
    )
    .unwrap();
    let pivot = i + m * c * c + free_drive("pivot").armature();
    // T = 2π·√(I/(m g c)) times the series of the complete elliptic integral in the amplitude.
    let k = (angle / 2.0f64).sin().powi(2);
    let series = 1.0 + k / 4.0 + 9.0 / 64.0 * k * k + 225.0 / 2304.0 * k * k * k;
    let period = std::f64::consts::TAU * (pivot / (m * G * c)).sqrt() * series;
    let whole = |world: &World| world.energy().0 + world.energy().1;
    let before = whole(&world);
    let (mut crossings, mut last, mut t) = (vec![], look(&world).positions[0], 0.0);
    let mut servos = world.servos();
    while crossings.len() < 21 {
        world.step(&mut servos, 0, DT);
        t += DT;
        let now = look(&world).positions[0];
        if last > 0.0 && now <= 0.0 {
            crossings.push(t - DT * now / (now - last));
        }
        last = now;
    }
    let seen = (crossings[20] - crossings[0]) / 20.0;
    // The next term of the series is below k⁴/10; the method is of first order with steps of 1e-4 of a period.
    assert!((seen / period - 1.0).abs() < 2e-4, "{seen} {period}");
    let swing = m * G * c * (1.0 - angle.cos());
    assert!(((whole(&world) - before) / swing).abs() < 0.02, "{} of {swing}", whole(&world) - before);
}

/// A servo without friction and torque.
fn free_drive(joint: &str) -> sim_node::Drive {
    use herkulex_node::codec::Model;
    let mut mechanics = herkulex_node::sim::Mechanics::of(Model::Drs0101);
    (mechanics.alpha[1], mechanics.alpha[2]) = (0.0, 0.0);
    sim_node::Drive { joint: joint.into(), id: 1, model: Model::Drs0101, gear: 1.0, offset: 0.0, mechanics }
}

#[test]
fn a_block_on_a_slope_stays_below_the_angle_of_friction_and_slides_above_it() {
    let (urdf, config) = block();
    let mu: f64 = 0.5;
    for angle in [0.05, 0.2, 0.4] {
        let scene = Scene { terrain: Terrain::Slope(angle), friction: mu, ..Scene::default() };
        let mut world = World::new(&robot(&urdf, &config), &config, vec![], &scene, &[], false).unwrap();
        steps(&mut world, 0.2);
        let truth = look(&world);
        assert!((truth.feet[0].force.z / (2.0 * G) - 1.0).abs() < 1e-2 && angle < mu.atan());
        let before = truth.base.translation.vector;
        steps(&mut world, 1.0);
        // Contacts that are regularised creep: with impratio 10 by less than a millimetre a second.
        let moved = (look(&world).base.translation.vector - before).norm();
        assert!(moved < 1e-3, "{angle}: {moved}");
    }
    for angle in [0.49f64, 0.52, 0.6] {
        let scene = Scene { terrain: Terrain::Slope(angle), friction: mu, ..Scene::default() };
        let mut world = World::new(&robot(&urdf, &config), &config, vec![], &scene, &[], false).unwrap();
        steps(&mut world, 0.1);
        let down = Vector3::new(-angle.cos(), 0.0, -angle.sin());
        let before = look(&world).velocity.dot(&down);
        steps(&mut world, 0.3);
        let truth = look(&world);
        // a = g·(sin − μ·cos). MuJoCo lifts what slides by μ·b·v/k, a share of a millimetre at these speeds, so contacts come and
        // go; what they give on the average is Coulomb's friction to a twentieth.
        let seen = (G * angle.sin() - (truth.velocity.dot(&down) - before) / 0.3) / (G * angle.cos());
        assert!((seen / mu - 1.0).abs() < 0.05, "{angle}: {seen}");
        assert!(truth.velocity.x < 0.0, "down is back: the ground rises ahead");
    }
}

#[test]
fn a_push_gives_its_impulse_and_the_floor_bears_the_payload() {
    let (urdf, config) = block();
    let payload = sim_node::Payload { mass: 1.5, at: [0.0, 0.0, 0.05] };
    let mut world = World::new(
        &robot(&urdf, &config),
        &config,
        vec![],
        &Scene { payload, ..Scene::default() },
        &[],
        false,
    )
    .unwrap();
    steps(&mut world, 0.5);
    assert!((look(&world).feet[0].force.z / (3.5 * G) - 1.0).abs() < 1e-3);
    world.set_base(&Isometry3::translation(0.0, 0.0, 5.0));
    world.push("", Vector3::new(7.0, 0.0, 0.0), 0.1).unwrap();
    steps(&mut world, 0.3);
    // The base is pushed at its centre of mass, the payload sits above: the whole moves by F·t/m.
    let truth = look(&world);
    let centre =
        truth.velocity + truth.base.rotation * truth.turning.cross(&Vector3::new(0.0, 0.0, 0.05 * 1.5 / 3.5));
    assert!((centre.x - 7.0 * 0.1 / 3.5).abs() < 1e-3, "{}", centre.x);
    for (link, force, duration) in
        [("none", 1.0, 0.1), ("a\0b", 1.0, 0.1), ("", f64::NAN, 0.1), ("", 1.0, f64::INFINITY)]
    {
        assert!(world.push(link, Vector3::new(force, 0.0, 0.0), duration).is_err());
    }
}

//! What a world does at its edges: odd step lengths, robots that are held, pushes that are none, robots of unusual make.

#![allow(clippy::unwrap_used)]

use herkulex_node::codec::{Model, reg, torque};
use herkulex_node::sim::{Mechanics, Plant, Settings, SimBus, SimServo, Supply};
use nalgebra::{Isometry3, Vector3};
use robot_model_lib::{ChainConfig, ContactConfig, ModelConfig, RobotModel};
use sim_node::{Base, Drive, Scene, SimError, Terrain, Truth, World};

const DT: f64 = 0.001;
const G: f64 = 9.81;

fn steps(world: &mut World, servos: &mut [SimServo], seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(servos, 0, DT);
    }
}

fn look(world: &World) -> Truth {
    let mut truth = Truth::default();
    world.look(&mut truth);
    truth
}

fn inertial(mass: f64, inertia: f64, at: [f64; 3]) -> String {
    let [x, y, z] = at;
    format!(
        "<inertial><origin xyz='{x} {y} {z}'/><mass value='{mass}'/>\
         <inertia ixx='{inertia}' iyy='{inertia}' izz='{inertia}' ixy='0' ixz='0' iyz='0'/></inertial>"
    )
}

fn hinge(name: &str, parent: &str, child: &str, more: &str) -> String {
    format!(
        "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/><axis xyz='0 1 0'/>{more}</joint>"
    )
}

/// Of the leg: mass, kg, and how far its centre is from the hip, m.
const LEG: (f64, f64) = (0.2, 0.1);

/// A base of 2 kg on a leg that a servo turns about y, with a foot 0.2 m below it.
fn hopper(base: &str) -> (RobotModel, ModelConfig) {
    let urdf = format!(
        "<robot name='hopper'><link name='{base}'>{}</link><link name='leg'>{}</link>{}</robot>",
        inertial(2.0, 0.01, [0.1, 0.0, 0.0]),
        inertial(LEG.0, 0.001, [0.0, 0.0, -LEG.1]),
        hinge("hip", base, "leg", ""),
    );
    let chain = ChainConfig {
        name: "leg".into(),
        first_link: base.into(),
        last_link: "leg".into(),
        default_contact: "tip".into(),
    };
    let contact = ContactConfig {
        name: "tip".into(),
        points: vec![[0.0, 0.0, -0.2]],
        normal: [0.0, 0.0, -1.0],
        ..ContactConfig::default()
    };
    let config = ModelConfig { chains: vec![chain], contacts: vec![contact] };
    (RobotModel::from_urdf(&urdf, &config).unwrap(), config)
}

fn drive(joint: &str) -> Drive {
    Drive {
        joint: joint.into(),
        id: 1,
        model: Model::Drs0201,
        gear: 1.0,
        offset: 0.0,
        mechanics: Mechanics::of(Model::Drs0201),
    }
}

fn world(scene: &Scene, wait: bool) -> World {
    let (model, config) = hopper("base");
    World::new(&model, &config, vec![drive("hip")], scene, &[], wait).unwrap()
}

/// Its leg at an angle, the base on a stand.
fn on_a_stand(timestep: f64, angle: f64) -> World {
    let (model, config) = hopper("base");
    let scene = Scene { timestep, base: Base::Fixed, ..Scene::default() };
    World::new(&model, &config, vec![drive("hip")], &scene, &[angle], false).unwrap()
}

fn bus(world: World, state: u8) -> SimBus<World> {
    let mut servos = world.servos();
    servos[0].set(&reg::TORQUE, i32::from(state));
    SimBus::with_plant(Settings::default(), servos, Supply::default(), world)
}

#[test]
fn a_second_is_a_second_whatever_the_step() {
    for timestep in [0.001, 0.0007, 0.0004, 0.0003, 0.00015, 0.00005] {
        let mut world = world(&Scene { timestep, ..Scene::default() }, false);
        world.set_base(&Isometry3::translation(0.0, 0.0, 20.0));
        steps(&mut world, &mut [], 1.0);
        let (time, fall) = (world.time(), look(&world).velocity.z);
        assert!((time - 1.0).abs() < 1e-9 && (fall + G).abs() < 1e-6, "{timestep}: {time} s, {fall} m/s");
    }
}

#[test]
fn a_robot_that_is_held_weighs_on_the_hand_and_its_imu_shows_gravity() {
    for slope in [0.0, 0.2f64] {
        let world = world(&Scene { terrain: Terrain::Slope(slope), ..Scene::default() }, true);
        let seen = world.imu();
        let expected = Vector3::new(G * slope.sin(), 0.0, G * slope.cos());
        assert!((seen.accel - expected).norm() < 1e-9 && seen.gyro.norm() < 1e-9, "{seen:?}");
        assert!(look(&world).feet[0].force.norm() < 1e-9);
    }
}

/// A push that was taken then acted seconds later, when the robot was let go.
#[test]
fn what_is_held_is_not_pushed_later() {
    let mut world = world(&Scene::default(), true);
    let mut servos = world.servos();
    assert!(matches!(world.push("", Vector3::new(0.0, 100.0, 0.0), 0.1), Err(SimError::Held)));
    steps(&mut world, &mut servos, 0.1);
    servos[0].set(&reg::TORQUE, i32::from(torque::ON));
    steps(&mut world, &mut servos, 0.1);
    assert!(!world.is_waiting() && look(&world).velocity.y.abs() < 1e-6);
}

/// The base's centre of mass is 0.1 m ahead of its origin; what acts at the origin turns it.
#[test]
fn a_push_acts_at_the_origin_of_its_link_with_its_impulse_however_short() {
    let urdf = format!(
        "<robot name='rod'><link name='base'>{}</link><link name='bead'/>{}</robot>",
        inertial(2.0, 0.01, [0.1, 0.0, 0.0]),
        hinge("turn", "base", "bead", "")
    );
    let model = RobotModel::from_urdf(&urdf, &ModelConfig::default()).unwrap();
    for duration in [0.0001, 0.0004, 0.0006, 0.0014, 0.0105, 0.1] {
        let mut world =
            World::new(&model, &ModelConfig::default(), vec![], &Scene::default(), &[], false).unwrap();
        world.set_base(&Isometry3::translation(0.0, 0.0, 20.0));
        let impulse = 0.01;
        world.push("base", Vector3::new(0.0, impulse / duration, 0.0), duration).unwrap();
        steps(&mut world, &mut [], 0.11);
        let truth = look(&world);
        let turning = truth.turning.z;
        let centre = truth.velocity + truth.base.rotation * truth.turning.cross(&Vector3::new(0.1, 0.0, 0.0));
        assert!((2.0 * centre.y / impulse - 1.0).abs() < 1e-3, "{duration}: {}", 2.0 * centre.y);
        assert!((0.01 * turning / (-0.1 * impulse) - 1.0).abs() < 1e-3, "{duration}: {turning}");
    }
    let mut world = world(&Scene::default(), false);
    for (link, duration) in [("", 0.0), ("", -1.0), ("world", 0.1), ("payload", 0.1)] {
        assert!(world.push(link, Vector3::x(), duration).is_err(), "{link} {duration}");
    }
}

#[test]
fn the_legs_of_a_robot_on_a_stand_hang_in_the_air() {
    let mut bus = bus(on_a_stand(0.001, 0.7), torque::FREE);
    // A bus lives through two seconds at a time.
    (1..=30).for_each(|second| bus.advance(second * 1_000_000_000));
    let truth = look(&bus.plant);
    // Dry friction holds it within asin(τ/(m·g·c)) of straight down.
    let stuck = (drive("hip").friction() / (LEG.0 * G * LEG.1)).min(1.0).asin();
    assert!(truth.positions[0].abs() < stuck + 1e-3 && truth.feet[0].force == Vector3::zeros(), "{truth:?}");
}

#[test]
fn a_blocked_shaft_stays_whatever_the_step() {
    for timestep in [0.001, 0.0005, 0.0001, 0.00005] {
        let mut bus = bus(on_a_stand(timestep, 0.7), torque::FREE);
        bus.faults.blocked = vec![1];
        for ms in 1..1000 {
            bus.advance(ms * 1_000_000);
            let off = look(&bus.plant).positions[0] - 0.7;
            // What one count of the servo is.
            assert!(off.abs() < 0.002, "{timestep}, {ms} ms: {off}");
        }
        assert_eq!(bus.plant.upsets(), 0);
    }
}

#[test]
fn a_braked_shaft_sinks_as_ten_times_its_friction_lets_it() {
    for timestep in [0.001, 0.0005, 0.00005] {
        let mut free = drive("hip");
        free.mechanics.alpha[2] = 0.0;
        let viscous = 10.0 * free.damping();
        let (model, config) = hopper("base");
        let scene = Scene { timestep, base: Base::Fixed, ..Scene::default() };
        let mut bus =
            bus(World::new(&model, &config, vec![free], &scene, &[0.7], false).unwrap(), torque::BRAKE);
        bus.advance(300_000_000);
        let truth = look(&bus.plant);
        let expected = -LEG.0 * G * LEG.1 * truth.positions[0].sin() / viscous;
        let seen = truth.velocities[0];
        assert!((seen / expected - 1.0).abs() < 0.02, "{timestep}: {seen} rad/s instead of {expected}");
    }
}

#[test]
fn a_link_may_be_called_world() {
    let (model, config) = hopper("world");
    let mut world = World::new(&model, &config, vec![drive("hip")], &Scene::default(), &[], false).unwrap();
    world.push("world", Vector3::x(), 0.1).unwrap();
}

#[test]
fn joints_that_mimic_start_where_their_masters_have_them() {
    let leg = || inertial(LEG.0, 0.001, [0.0, 0.0, -LEG.1]);
    // The second joint's master comes after it.
    let urdf = format!(
        "<robot name='arm'><link name='base'>{}</link><link name='a'>{}</link><link name='b'>{}</link><link name='c'>{}</link>{}{}{}</robot>",
        inertial(2.0, 0.01, [0.0; 3]),
        leg(),
        leg(),
        leg(),
        hinge("one", "base", "a", ""),
        hinge("two", "a", "b", "<mimic joint='three' multiplier='0.5'/>"),
        hinge("three", "b", "c", "<mimic joint='one' multiplier='-2' offset='0.3'/>"),
    );
    let model = RobotModel::from_urdf(&urdf, &ModelConfig::default()).unwrap();
    let scene = Scene { base: Base::Fixed, ..Scene::default() };
    let world =
        World::new(&model, &ModelConfig::default(), vec![drive("one")], &scene, &[0.5], true).unwrap();
    let expected = [0.5, -0.35, -0.7];
    assert!(world.state().0.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-12), "{:?}", world.state());
}

#[test]
fn a_robot_that_starts_on_its_belly_lies_there() {
    let urdf = format!(
        "<robot name='belly'><link name='base'>{}<collision><geometry><box size='0.4 0.2 0.2'/></geometry></collision></link>\
         <link name='leg'>{}</link>{}</robot>",
        inertial(2.0, 0.02, [0.0; 3]),
        inertial(LEG.0, 0.001, [0.0; 3]),
        hinge("hip", "base", "leg", "")
    );
    let model = RobotModel::from_urdf(&urdf, &ModelConfig::default()).unwrap();
    for slope in [0.0, 0.2f64] {
        let scene = Scene { terrain: Terrain::Slope(slope), ..Scene::default() };
        let mut world = World::new(&model, &ModelConfig::default(), vec![], &scene, &[], false).unwrap();
        for _ in 0..1000 {
            steps(&mut world, &mut [], DT);
            let height =
                look(&world).base.translation.vector.dot(&Vector3::new(-slope.sin(), 0.0, slope.cos()));
            assert!((height - 0.1).abs() < 1e-3, "{height}");
        }
    }
}

#[test]
fn physics_that_come_to_no_end_put_the_robot_back_to_its_start() {
    let mut world = world(&Scene::default(), false);
    let (start, mut servos) = (look(&world).base, world.servos());
    steps(&mut world, &mut servos, 0.05);
    world.push("leg", Vector3::new(9000.0, 3000.0, 0.0), 10.0).unwrap();
    for _ in 0..10_000 {
        world.step(&mut servos, 0, DT);
        if world.upsets() > 0 {
            break;
        }
    }
    assert!(world.upsets() == 1 && look(&world).base == start, "{} {:?}", world.upsets(), look(&world).base);
    steps(&mut world, &mut servos, 0.05);
    assert!(world.upsets() == 1 && look(&world).velocity.norm() < 1.0, "the push is over");
}

#[test]
fn after_a_reset_nothing_pulls_at_the_robot() {
    let mut world = world(&Scene::default(), false);
    let fresh = world.imu();
    let mut servos = world.servos();
    world.push("", Vector3::new(30.0, 0.0, 0.0), 1.0).unwrap();
    steps(&mut world, &mut servos, 0.3);
    world.reset(false);
    assert!((world.imu().accel - fresh.accel).norm() < 1e-6, "{:?} {fresh:?}", world.imu());
}

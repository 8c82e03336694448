//! The whole robot in virtual time: the control path as it is shipped, from the gait to the bytes on the line, with the pony in the
//! world at their other end. Nothing but the parameters of `config/` and the cores of the nodes, so the same comes out on any machine.

#![allow(dead_code, clippy::unwrap_used)]

use agregator_node::{Agregator, AgregatorParams, CycleTime, JointArrays, SupportArrays};
use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays};
use gait_node::{Activity, GaitParams, Velocity, Walker};
use herkulex_node::bus::{Action, Bus, GoalPoint, Phase};
use herkulex_node::params::BridgeParams;
use herkulex_node::sim::SimBus;
use param_lib::{Overrides, Params, Table};
use robot_model_lib::{ModelConfig, RobotModel, RobotParams};
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::ServoInverse;
use sim_node::params::RobotSimParams;
use sim_node::{Drive, Fall, Scene, Truth, World};

/// Of the control cycle, ns.
pub const PERIOD: u64 = 10_000_000;
/// From `sync` to the first byte on the line: what the composed process takes, ns.
const LATENCY: u64 = 200_000;
/// Messages have a clock of their own.
const EPOCH: i64 = 1_700_000_000_000_000_000;

/// A file of `config/`, as `node` reads it.
pub fn shipped<P: Params>(file: &str, node: &str) -> P {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../config/");
    let text = std::fs::read_to_string(format!("{folder}{file}")).unwrap();
    let overrides = Overrides::from_text(&text).unwrap().for_node(node);
    P::read(&Table::declare_all(P::specs(), &overrides).unwrap()).unwrap()
}

fn config() -> ModelConfig {
    RobotParams::from_file_text(include_str!("../../../config/robot.yaml")).unwrap().config().unwrap()
}

fn pony() -> RobotModel {
    RobotModel::from_urdf(include_str!("../../../config/pony.urdf"), &config()).unwrap()
}

pub struct Whole {
    walker: Walker,
    agregator: Agregator,
    inverse: ServoInverse,
    bus: Bus,
    pub sim: SimBus<World>,
    now: u64,
    cycle: u32,
    names: Vec<String>,
    /// Of each servo its joint in the pose.
    joint_of: Vec<usize>,
    dynamics: InverseDynamics,
    fall: Fall,
    rules: RobotSimParams,
    pub truth: Truth,
    /// The largest tilt so far, rad.
    pub tilt: f64,
}

impl Whole {
    /// The pony stands.
    pub fn new(gait: &str, scene: &Scene, inverse: ServoInverse) -> Whole {
        let params =
            GaitParams { gait: gait.into(), wait_for_pose: false, ..shipped("gait.yaml", "/gait_node") };
        let bus: BridgeParams = shipped("herkulex.yaml", "/herkulex_node");
        let rules: RobotSimParams = shipped("robot_sim.yaml", "/robot_sim");
        let drives = Drive::from_bridge_file(include_str!("../../../config/herkulex.yaml")).unwrap();
        let world = World::new(&pony(), &config(), drives, scene, &rules.start, true).unwrap();
        let servos = world.servos();
        let sim = SimBus::with_plant(rules.settings(), servos, rules.conditions().supply, world);
        let config = bus.config().bus;
        let agregator: AgregatorParams = shipped("agregator.yaml", "/agregator_node");
        let model = pony();
        let names: Vec<String> = model.joints().iter().map(|j| j.name.clone()).collect();
        let joint_of =
            config.servos.iter().map(|s| names.iter().position(|n| *n == s.name).unwrap()).collect();
        let mut whole = Whole {
            walker: Walker::new(pony(), params, PERIOD as f64 * 1e-9).unwrap(),
            agregator: Agregator::new(model, agregator).unwrap(),
            inverse,
            bus: Bus::new(config),
            sim,
            now: 0,
            cycle: 0,
            joint_of,
            dynamics: InverseDynamics::new(
                pony(),
                &shipped::<DynamicsParams>("dynamics.yaml", "/dynamics_node"),
            )
            .unwrap(),
            fall: Fall::default(),
            rules,
            truth: Truth::default(),
            tilt: 0.0,
            names,
        };
        let limits = whole.agregator.model().joints().iter().map(|j| (j.name.clone(), j.limits)).collect();
        whole.inverse.set_limits(limits);
        whole.bus.connect(0);
        while whole.bus.servos().iter().any(|s| s.phase() != Phase::Ready) {
            whole.pass(PERIOD);
            assert!(whole.now < 10_000_000_000, "the servos have no torque");
        }
        while whole.walker.activity() != Activity::Standing {
            whole.cycle();
            assert!(whole.cycle < 2000, "it does not stand up");
        }
        whole
    }

    /// Goes on for so long; false as soon as the robot has fallen.
    pub fn go(&mut self, [forward, left, turn]: [f64; 3], seconds: f64) -> bool {
        let cycles = (seconds * 1e9) as u64 / PERIOD;
        (0..cycles).all(|_| {
            assert!(self.walker.command(Velocity { forward, left, turn }));
            self.cycle();
            self.sim.plant.look(&mut self.truth);
            self.fall.update(&self.truth, &self.rules.fall_rules(), PERIOD as f64 * 1e-9);
            self.tilt = self.tilt.max(self.truth.tilt());
            !self.fall.is_fallen()
        })
    }

    /// One control cycle: the order of calls is that of the composed process.
    fn cycle(&mut self) {
        self.cycle += 1;
        let period = PERIOD as f64 * 1e-9;
        let stamp = EPOCH + self.now as i64;
        self.inverse.sync(stamp, period);
        self.agregator.sync(self.cycle, stamp, period, &mut |_| {});
        self.send_goals(stamp);
        self.agregator.begin_cycle(&mut |_| {});
        assert!(self.walker.step(period, 1.0, &mut |_| {}));
        let (position, velocity) = (self.walker.positions(), self.walker.velocities());
        let arrays = JointArrays { name: &self.names, position, velocity, effort: &[] };
        self.agregator.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
        self.send_support(stamp);
        self.pass(PERIOD - LATENCY);
    }

    fn send_support(&mut self, stamp: i64) {
        let chains = self.walker.model().chains().iter().zip(self.walker.supports());
        let known = chains.filter_map(|(chain, support)| support.map(|s| (chain.name.clone(), s)));
        let (chain, support): (Vec<String>, Vec<f64>) = known.unzip();
        let arrays = SupportArrays { chain: &chain, contact: &[], support: &support };
        self.agregator.support(CycleTime::Stamp(stamp), arrays, &mut |_| {}).unwrap();
    }

    fn send_goals(&mut self, stamp: i64) {
        self.pass(LATENCY);
        let Some(pose) = self.agregator.pose() else { return };
        let desired = Desired {
            name: &self.names,
            position: pose.position,
            velocity: pose.velocity,
            acceleration: pose.acceleration,
            effort: pose.effort,
        };
        let supports = || self.agregator.supports().iter().zip(self.agregator.model().chains());
        let known = || supports().filter_map(|(support, chain)| support.map(|s| (s, chain.name.as_str())));
        let effort = {
            let dynamics = &mut self.dynamics;
            let (names, shares): (Vec<_>, Vec<_>) = known().map(|(s, name)| (name, s.support)).unzip();
            dynamics.support::<_, &str>(stamp, &names, &[], &shares).unwrap();
            let Desired { name, position, velocity, acceleration, effort } = desired;
            let arrays = PoseArrays { name, position, velocity, acceleration, effort };
            dynamics.efforts(stamp, &arrays).unwrap()
        };
        let desired = Desired { effort, ..desired };
        let goals = self.inverse.step(desired, stamp).unwrap().unwrap();
        let joint_of = &self.joint_of;
        let point = |servo: usize| GoalPoint {
            servo,
            position: goals.target[joint_of[servo]],
            playtime: goals.playtime[joint_of[servo]],
            stamp: stamp as u64,
            alive: true,
        };
        self.bus.goals(self.now, EPOCH as u64 + self.now, (0..joint_of.len()).map(point));
    }

    /// Lets time pass on the line and in the servos.
    fn pass(&mut self, duration: u64) {
        let end = self.now + duration;
        let mut received = Vec::with_capacity(512);
        while self.now < end {
            received.clear();
            self.sim.read(self.now, &mut received);
            if !received.is_empty() {
                self.bus.receive(self.now, &received);
            }
            let mut until = end.min((self.now / 1_000_000 + 1) * 1_000_000);
            match self.bus.poll(self.now) {
                Action::Write(bytes) => {
                    self.sim.write(self.now, bytes);
                    until = self.now;
                }
                Action::Wait(at) => until = until.min(at),
            }
            while self.bus.event().is_some() {}
            while self.bus.reading().is_some() {}
            if let Some(at) = self.sim.next_packet() {
                until = until.min(at.max(self.now + 1));
            }
            self.now = until.max(self.now);
        }
    }
}

//! The control path as it is shipped, from the gait to the shafts of the simulated servos, in virtual time: nothing but the
//! parameters of `config/` and the cores of the nodes, so that the same figures come out on any machine.

#![allow(dead_code, clippy::unwrap_used)]

use agregator_node::{Agregator, AgregatorParams, CycleTime, JointArrays, SupportArrays};
use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays};
use gait_node::{Activity, GaitParams, Velocity, Walker};
use herkulex_node::bus::GoalPoint;
use herkulex_node::params::BridgeParams;
use herkulex_node::sim_params::SimParams;
use herkulex_node::virtual_line::VirtualLine;
use robot_model_lib::{BaseMotion, StandingContact, WholeBody};
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::ServoInverse;
use test_lib::{pony, shipped};

/// Of the control cycle, ns.
pub const PERIOD: u64 = 10_000_000;
/// From `sync` to the first byte on the line: what the composed process takes, ns.
const LATENCY: u64 = 200_000;
/// Messages have a clock of their own.
const EPOCH: i64 = 1_700_000_000_000_000_000;

/// Where a joint was wanted and where its shaft was, at a time in s.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub at: f64,
    pub position: f64,
}

pub struct Whole {
    walker: Walker,
    agregator: Agregator,
    inverse: ServoInverse,
    line: VirtualLine,
    cycle: u32,
    names: Vec<String>,
    /// Of each servo its joint in the pose.
    joint_of: Vec<usize>,
    /// Per joint: commanded once a cycle, true every millisecond.
    pub commanded: Vec<Vec<Sample>>,
    pub shafts: Vec<Vec<Sample>>,
    /// The goals of the cycle before, and the fastest way of one from cycle to cycle, as part of its joint's speed.
    before: Vec<f64>,
    pub fastest: f64,
    /// Puts efforts into the pose, as `dynamics_node` does.
    dynamics: Option<InverseDynamics>,
    /// The robot's weight on its feet: what pulls at the shafts. A foot has its load from the moment on in which it stands.
    weight: Option<WholeBody>,
}

/// What is on the way from the gait to the shafts beside what is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct With {
    pub effort: bool,
    pub weight: bool,
}

impl Whole {
    /// The pony stands.
    pub fn new(gait: &str, inverse: ServoInverse, with: With) -> Whole {
        let params =
            GaitParams { gait: gait.into(), wait_for_pose: false, ..shipped("gait.yaml", "/gait_node") };
        let bus: BridgeParams = shipped("herkulex.yaml", "/herkulex_node");
        let sim: SimParams = shipped("herkulex_sim.yaml", "/herkulex_sim");
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
            line: VirtualLine::new(config, sim.bus()),
            cycle: 0,
            joint_of,
            commanded: vec![vec![]; names.len()],
            shafts: vec![vec![]; names.len()],
            before: vec![],
            fastest: 0.0,
            dynamics: with.effort.then(|| {
                let params: DynamicsParams = shipped("dynamics.yaml", "/dynamics_node");
                InverseDynamics::new(pony(), &params).unwrap()
            }),
            weight: with.weight.then(|| WholeBody::new(&pony()).unwrap()),
            names,
        };
        let limits = whole.agregator.model().joints().iter().map(|j| (j.name.clone(), j.limits)).collect();
        whole.inverse.set_limits(limits);
        assert!(whole.line.give_torque(PERIOD), "the servos have no torque");
        while whole.walker.activity() != Activity::Standing {
            whole.cycle();
            assert!(whole.cycle < 2000, "it does not stand up");
        }
        whole
    }

    /// Walks for so long.
    pub fn walk(&mut self, forward: f64, seconds: f64) {
        let cycles = (seconds * 1e9) as u64 / PERIOD;
        for _ in 0..cycles {
            assert!(self.walker.command(Velocity { forward, left: 0.0, turn: 0.0 }));
            self.cycle();
        }
    }

    /// Forgets what was seen.
    pub fn begin(&mut self) {
        self.commanded.iter_mut().chain(&mut self.shafts).for_each(Vec::clear);
        self.fastest = 0.0;
    }

    /// One control cycle: the order of calls is that of the composed process.
    fn cycle(&mut self) {
        self.cycle += 1;
        let period = PERIOD as f64 * 1e-9;
        let stamp = EPOCH + self.line.now() as i64;
        self.inverse.sync(0, stamp, period);
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
        for (samples, position) in self.commanded.iter_mut().zip(pose.position) {
            samples.push(Sample { at: (stamp - EPOCH) as f64 * 1e-9, position: *position });
        }
        let desired = Desired {
            name: &self.names,
            position: pose.position,
            velocity: pose.velocity,
            acceleration: pose.acceleration,
            effort: pose.effort,
        };
        let supports = || self.agregator.supports().iter().zip(self.agregator.model().chains());
        let known = || supports().filter_map(|(support, chain)| support.map(|s| (s, chain.name.as_str())));
        let effort = self.dynamics.as_mut().map(|dynamics| {
            let (names, shares): (Vec<_>, Vec<_>) = known().map(|(s, name)| (name, s.support)).unzip();
            dynamics.support::<_, &str>(stamp, &names, &[], &shares).unwrap();
            let Desired { name, position, velocity, acceleration, effort } = desired;
            let arrays = PoseArrays { name, position, velocity, acceleration, effort };
            dynamics.efforts(stamp, &arrays).unwrap()
        });
        if let Some(weight) = &mut self.weight {
            let stands = |support: &Option<agregator_node::Support>| {
                support
                    .filter(|s| s.support > 0.0)
                    .map(|s| StandingContact { contact: s.contact, support: 1.0 })
            };
            let standing: Vec<_> = self.agregator.supports().iter().map(stands).collect();
            let motion = [pose.position, pose.velocity, pose.acceleration];
            let efforts = weight.efforts(motion, &BaseMotion::default(), &standing);
            let gears: Vec<f64> = self.line.bus().servos().iter().map(|state| state.joint().gear).collect();
            for (servo, gear) in self.line.sim.servos.iter_mut().zip(gears) {
                servo.load = efforts.joints[self.joint_of[usize::from(servo.id()) - 1]] / gear;
            }
        }
        let desired = Desired { effort: effort.unwrap_or(pose.effort), ..desired };
        let goals = self.inverse.step(desired, stamp).unwrap().unwrap();
        let ways = goals.target.iter().zip(&self.before).zip(self.agregator.model().joints());
        let speeds = ways.map(|((now, before), joint)| {
            (now - before).abs() / (PERIOD as f64 * 1e-9) / joint.limits.velocity
        });
        self.fastest = speeds.fold(self.fastest, f64::max);
        self.before.clear();
        self.before.extend_from_slice(goals.target);
        let joint_of = &self.joint_of;
        let point = |servo: usize| GoalPoint {
            servo,
            position: goals.target[joint_of[servo]],
            playtime: goals.playtime[joint_of[servo]],
            stamp: stamp as u64,
            alive: true,
        };
        self.line.goals(EPOCH as u64, (0..joint_of.len()).map(point));
    }

    /// Lets time pass on the line, and sees where the shafts are.
    fn pass(&mut self, duration: u64) {
        let Whole { line, joint_of, shafts, .. } = self;
        line.pass(duration, |now, bus, sim| {
            sim.advance(now);
            for (servo, state) in sim.servos.iter().zip(bus.servos()) {
                let joint = state.joint();
                let position = (servo.angle() - joint.offset) / joint.gear;
                let samples = &mut shafts[joint_of[usize::from(servo.id()) - 1]];
                samples.push(Sample { at: now as f64 * 1e-9, position });
            }
        });
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
}

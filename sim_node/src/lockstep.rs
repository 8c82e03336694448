//! The whole robot in virtual time: the control path as it is shipped, from the gait to the bytes on the line, with the robot in the
//! world at their other end. The physics wait for each cycle's goals and the cycle for the physics, so the same comes out on any
//! machine, bit for bit, as fast as it can be worked out.

mod files;
mod inertial;
mod measured;
mod recording;
mod view;

pub use files::RobotFiles;
use files::wrong;
use inertial::Inertial;
pub use measured::Measured;
pub use recording::Recording;

use crate::{Fall, FallRules, Imu, Scene, SimError, Truth, World};
use agregator_node::{Agregator, CycleTime, JointArrays, SupportArrays};
use dynamics_node::{InverseDynamics, PoseArrays};
use gait_node::{Activity, GaitParams, Velocity, Walker};
use herkulex_node::bus::GoalPoint;
use herkulex_node::sim::SimBus;
use herkulex_node::virtual_line::VirtualLine;
use param_lib::Params as _;
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::ServoInverse;

/// Of the control cycle, ns.
pub const PERIOD: u64 = 10_000_000;
/// From `sync` to the first byte on the line: what the composed process takes, ns.
const LATENCY: u64 = 200_000;
/// Messages have a clock of their own.
const EPOCH: i64 = 1_700_000_000_000_000_000;
/// Cycles after which a robot that does not stand will not.
const PATIENCE: u32 = 3000;

/// A robot in its world, and what commands it.
pub struct Lockstep {
    walker: Walker,
    agregator: Agregator,
    dynamics: InverseDynamics,
    inverse: ServoInverse,
    line: VirtualLine<World>,
    cycle: u32,
    names: Vec<String>,
    chains: Vec<String>,
    /// Of each servo its joint in the pose.
    joint_of: Vec<usize>,
    fall: Fall,
    rules: FallRules,
    /// Read once in a cycle; none on a robot without.
    imu: Option<Imu>,
    imu_link: String,
    root: String,
    world_frame: String,
    /// The same sensor at its own rate, for those who take every sample.
    inertial: Option<Inertial>,
    truth: Truth,
    tilt: f64,
    measured: Measured,
}

impl Lockstep {
    /// The robot stands.
    pub fn stand(files: &RobotFiles, gait: &str, scene: &Scene) -> Result<Lockstep, SimError> {
        let model = files.model()?;
        let params = GaitParams { gait: gait.into(), wait_for_pose: false, ..files.gait.clone() };
        params.validate().map_err(|e| wrong("gait.yaml", &e))?;
        let world = World::new(&model, &files.config, files.drives.clone(), scene, &files.world.start, true)?;
        let supply = files.world.conditions().supply;
        let sim = SimBus::with_plant(files.world.settings(), world.servos(), supply, world);
        let bus = files.bridge.config().bus;
        let names: Vec<String> = model.joints().iter().map(|j| j.name.clone()).collect();
        let find = |servo: &str| names.iter().position(|name| name == servo);
        let joint_of = bus.servos.iter().map(|s| find(&s.name).ok_or(SimError::UnknownJoint(s.name.clone())));
        let joint_of = joint_of.collect::<Result<Vec<usize>, SimError>>()?;
        let chains = model.chains().iter().map(|chain| chain.name.clone()).collect();
        let root = model.link_names().next().unwrap_or_default().to_string();
        let mut inverse = files.inverse()?;
        inverse.set_limits(model.joints().iter().map(|j| (j.name.clone(), j.limits)).collect());
        let period = PERIOD as f64 * 1e-9;
        let measured = Measured::new(joint_of.clone(), names.len());
        let mut lockstep = Lockstep {
            walker: Walker::new(model.clone(), params, period).map_err(|e| wrong("gait.yaml", &e))?,
            agregator: Agregator::new(model.clone(), files.agregator.clone())
                .map_err(|e| wrong("agregator.yaml", &e))?,
            dynamics: InverseDynamics::new(model, &files.dynamics).map_err(|e| wrong("dynamics.yaml", &e))?,
            inverse,
            line: VirtualLine::new(bus, sim),
            cycle: 0,
            names,
            chains,
            joint_of,
            fall: Fall::default(),
            rules: files.world.fall_rules(),
            imu: (files.world.imu_rate > 0.0)
                .then(|| Imu::new(&files.world.imu_noise(), 1.0 / period, files.world.seed as u64)),
            imu_link: scene.imu_link.clone(),
            root,
            world_frame: files.world.world_frame.clone(),
            inertial: Inertial::new(&files.world),
            truth: Truth::default(),
            tilt: 0.0,
            measured,
        };
        if !lockstep.line.give_torque(PERIOD) {
            return Err(SimError::Cycle("the servos have no torque".into()));
        }
        while lockstep.walker.activity() != Activity::Standing {
            lockstep.cycle()?;
            if lockstep.cycle > PATIENCE {
                return Err(SimError::Cycle("it does not stand up".into()));
            }
        }
        Ok(lockstep)
    }

    /// One control cycle under a command (m/s ahead and to the left, rad/s); false as soon as the robot has fallen.
    pub fn step(&mut self, [forward, left, turn]: [f64; 3]) -> Result<bool, SimError> {
        if !self.walker.command(Velocity { forward, left, turn }) {
            return Err(SimError::Cycle("the command is refused".into()));
        }
        self.cycle()?;
        self.fall.update(&self.truth, &self.rules, PERIOD as f64 * 1e-9);
        self.tilt = self.tilt.max(self.truth.tilt());
        Ok(!self.fall.is_fallen())
    }

    /// Goes on for so long, s; false as soon as the robot has fallen.
    pub fn go(&mut self, velocity: [f64; 3], seconds: f64) -> Result<bool, SimError> {
        for _ in 0..(seconds * 1e9).round() as u64 / PERIOD {
            if !self.step(velocity)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One control cycle: the order of calls is that of the composed process.
    fn cycle(&mut self) -> Result<(), SimError> {
        self.cycle += 1;
        let period = PERIOD as f64 * 1e-9;
        let stamp = EPOCH + self.line.now() as i64;
        self.inverse.sync(self.cycle, stamp, period);
        self.agregator.sync(self.cycle, stamp, period, &mut |_| {});
        self.dynamics.sync(self.cycle, stamp, period);
        if let Some(inertial) = &mut self.inertial {
            inertial.clear();
        }
        self.pass(LATENCY);
        self.send_goals(stamp)?;
        self.agregator.begin_cycle(&mut |_| {});
        if !self.walker.step(period, 1.0, &mut |_| {}) {
            return Err(SimError::Cycle("the gait has no pose".into()));
        }
        let (position, velocity) = (self.walker.positions(), self.walker.velocities());
        let arrays = JointArrays { name: &self.names, position, velocity, effort: &[] };
        let refused = |e: &dyn std::fmt::Display| SimError::Cycle(e.to_string());
        self.agregator.joints(CycleTime::Stamp(stamp), arrays, &mut |_| {}).map_err(|e| refused(&e))?;
        let known = self.chains.iter().zip(self.walker.supports());
        let known = known.filter_map(|(chain, support)| support.map(|s| (chain.clone(), s)));
        let (chain, support): (Vec<String>, Vec<f64>) = known.unzip();
        let arrays = SupportArrays { chain: &chain, contact: &[], support: &support };
        self.agregator.support(CycleTime::Stamp(stamp), arrays, &mut |_| {}).map_err(|e| refused(&e))?;
        self.pass(PERIOD - LATENCY);
        if self.line.sim.plant.upsets() > 0 {
            return Err(SimError::Cycle("the physics came to no end; was something pushed too hard?".into()));
        }
        self.line.sim.plant.look(&mut self.truth);
        let now = EPOCH + self.line.now() as i64;
        self.measured.take(self.line.readings.drain(..), EPOCH, now);
        Ok(())
    }

    fn pass(&mut self, duration: u64) {
        let Self { line, inertial, .. } = self;
        line.pass(duration, |now, _, sim| {
            if let Some(inertial) = inertial {
                inertial.look(now, EPOCH, &sim.plant);
            }
        });
    }

    fn send_goals(&mut self, stamp: i64) -> Result<(), SimError> {
        let refused = |e: &dyn std::fmt::Display| SimError::Cycle(e.to_string());
        let Some(pose) = self.agregator.pose() else { return Ok(()) };
        if let Some(imu) = &mut self.imu {
            let sample = imu.read(&self.line.sim.plant.imu());
            let (gyro, accel) = (sample.gyro.into(), sample.accel.into());
            self.dynamics.imu(stamp, &self.imu_link, gyro, accel).map_err(|e| refused(&e))?;
        }
        let supports = self.chains.iter().zip(self.agregator.supports());
        let known = supports.filter_map(|(chain, support)| support.map(|s| (chain.as_str(), s.support)));
        let (chains, shares): (Vec<&str>, Vec<f64>) = known.unzip();
        self.dynamics.support::<_, &str>(stamp, &chains, &[], &shares).map_err(|e| refused(&e))?;
        let name = &self.names;
        let (position, velocity, acceleration) = (pose.position, pose.velocity, pose.acceleration);
        let arrays = PoseArrays { name, position, velocity, acceleration, effort: pose.effort };
        let effort = self.dynamics.efforts(stamp, &arrays).map_err(|e| refused(&e))?;
        let desired = Desired { name, position, velocity, acceleration, effort };
        let Some(goals) = self.inverse.step(desired, stamp).map_err(|e| refused(&e))? else { return Ok(()) };
        let point = |(servo, &joint): (usize, &usize)| GoalPoint {
            servo,
            position: goals.target[joint],
            playtime: goals.playtime[joint],
            stamp: stamp as u64,
            alive: true,
        };
        self.line.goals(EPOCH as u64, self.joint_of.iter().enumerate().map(point));
        Ok(())
    }
}

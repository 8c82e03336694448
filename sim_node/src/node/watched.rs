//! The world as the node has it: orders go in, truth comes out, all on the thread of the servos.

use super::messages::Ports;
use crate::moments::Moments;
use crate::orders::Orders;
use crate::params::RobotSimParams;
use crate::{Fall, FallRules, Imu, Truth, World};
use herkulex_node::sim::{Plant, SimServo};
use nalgebra::Vector3;
use node_lib::Log;
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Steps after which the use of the processor is told in the log.
const TELL_AFTER: u64 = 10_000;

/// What somebody beside the robot does.
pub(super) enum Order {
    Push { link: String, force: Vector3<f64>, duration: f64 },
    Reset,
}

/// How the simulation is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    /// Share of a core that servos and physics take.
    pub processor: f64,
    pub steps: u64,
    pub fallen: bool,
    pub waiting: bool,
}

/// Between the node and the thread of the servos.
#[derive(Clone, Default)]
pub(super) struct Shared {
    pub orders: Orders<Order>,
    figures: Arc<Mutex<Figures>>,
}

impl Shared {
    pub fn figures(&self) -> Figures {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A [`World`] that tells how it is.
pub(super) struct Watched {
    world: World,
    shared: Shared,
    ports: Ports,
    names: Vec<String>,
    log: Log,
    truth: Truth,
    imu: Imu,
    fall: Fall,
    rules: FallRules,
    truth_every: u64,
    /// 0 for never.
    imu_every: u64,
    figures: Figures,
    /// From the bus's clock to ROS time.
    moments: Moments,
    processor_ns: i64,
    second: u64,
}

impl Watched {
    pub fn new(
        world: World,
        shared: Shared,
        ports: Ports,
        params: &RobotSimParams,
        names: Vec<String>,
        log: Log,
    ) -> Watched {
        let every = |rate: f64| (1000.0 / rate).round().max(1.0) as u64;
        let imu_every = if params.imu_rate > 0.0 { every(params.imu_rate) } else { 0 };
        let rate = 1000.0 / imu_every.max(1) as f64;
        let mut truth = Truth::default();
        world.look(&mut truth);
        ports.tell_fallen(false);
        Watched {
            world,
            shared,
            ports,
            names,
            log,
            truth,
            imu: Imu::new(&params.imu_noise(), rate, params.seed as u64),
            fall: Fall::default(),
            rules: params.fall_rules(),
            truth_every: every(params.truth_rate),
            imu_every,
            figures: Figures::default(),
            moments: Moments::default(),
            processor_ns: 0,
            second: 0,
        }
    }

    fn take_orders(&mut self) {
        *self.shared.lock() = self.figures;
        for asked in self.shared.orders.take() {
            let result = match &asked.order {
                Order::Reset => {
                    self.world.reset(self.world.is_waiting());
                    Ok(())
                }
                Order::Push { link, force, duration } => self.world.push(link, *force, *duration),
            };
            asked.answer(result.map_err(|e| e.to_string()));
        }
    }

    /// Once a second of the bus's clock.
    fn measure(&mut self, now: u64) {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let used = time.tv_sec * 1_000_000_000 + time.tv_nsec;
        if self.second > 0 {
            self.figures.processor = (used - self.processor_ns) as f64 / (now - self.second) as f64;
        }
        (self.processor_ns, self.second) = (used, now);
    }
}

impl Plant for Watched {
    fn step(&mut self, servos: &mut [SimServo], now: u64, dt: f64) {
        self.take_orders();
        let upsets = self.world.upsets();
        self.world.step(servos, now, dt);
        if self.world.upsets() > upsets {
            self.log.error("the physics came to no end; the robot is back at its start");
        }
        self.figures.steps += 1;
        self.figures.waiting = self.world.is_waiting();
        if now >= self.second + 1_000_000_000 {
            self.measure(now);
        }
        if self.figures.steps == TELL_AFTER {
            let (processor, servos) = (self.figures.processor * 100.0, servos.len());
            self.log.info(format!("physics at 1 kHz with {servos} servos: {processor:.0} % of a core"));
        }
        let stamp = self.moments.at(now, self.ports.clock.now_ns());
        if self.imu_every > 0 && self.figures.steps.is_multiple_of(self.imu_every) {
            let sample = self.imu.read(&self.world.imu());
            self.ports.tell_imu(stamp, &sample, self.imu.variances());
        }
        if !self.figures.steps.is_multiple_of(self.truth_every) {
            return;
        }
        self.world.look(&mut self.truth);
        self.ports.tell_truth(stamp, &self.truth, &self.names);
        let changed = self.fall.update(&self.truth, &self.rules, dt * self.truth_every as f64);
        if let Some(fallen) = changed {
            self.figures.fallen = fallen;
            self.ports.tell_fallen(fallen);
            let at = self.truth.base.translation;
            match fallen {
                true => self.log.error(format!("the robot has fallen at x {:.2}, y {:.2} m", at.x, at.y)),
                false => self.log.info("the robot is up again"),
            }
        }
    }
}

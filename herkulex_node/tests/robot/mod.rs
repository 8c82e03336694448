//! A simulated robot on a pseudo-terminal with a bridge on it, in real time.

#![allow(dead_code, clippy::panic, clippy::unwrap_used)]

use super::rig;
use herkulex_node::bridge::{Bridge, BridgeConfig, Feed, Notice};
use herkulex_node::bus::{BusConfig, Command, GoalPoint, Order, Torque, Tuning};
use herkulex_node::codec::Model;
use herkulex_node::order_file::OrderFile;
use herkulex_node::pty::{Conditions, Simulator};
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const N: usize = 31;
pub const BAUD: u32 = 666_666;

pub struct Robot {
    pub simulator: Simulator,
    pub bridge: Option<Bridge>,
    pub feed: Feed,
    pub link: PathBuf,
    pub conditions: Conditions,
}

pub fn bus() -> BusConfig {
    let tuning = Tuning { period: 0.02, playtime: 0.04, goal_timeout: 0.3, ..Tuning::default() };
    rig::config(N as u8, BAUD, tuning)
}

pub fn order_file(link: &Path) -> OrderFile {
    OrderFile::new(&std::env::temp_dir(), &link.to_string_lossy())
}

pub fn start(link: &Path) -> (Bridge, Feed) {
    let port = link.to_string_lossy().into_owned();
    Bridge::start(BridgeConfig {
        port,
        at_exit: Some(Torque::Brake),
        orders: Some(order_file(link)),
        bus: bus(),
    })
    .unwrap()
}

impl Robot {
    pub fn new(name: &str) -> Robot {
        let link = std::env::temp_dir().join(format!("herkulex_{name}_{}", std::process::id()));
        let servos = (1..=N as u8).map(|id| SimServo::new(Model::Drs0101, id, 0.3));
        let settings = Settings { baud: BAUD, ..Settings::default() };
        let sim = SimBus::new(settings, servos.collect(), Supply::default());
        let conditions = Conditions::default();
        let simulator = Simulator::start(sim, conditions.clone(), link.clone()).unwrap();
        let _ = std::fs::remove_file(order_file(&link).path());
        let (bridge, feed) = start(&link);
        let mut robot = Robot { simulator, bridge: Some(bridge), feed, link, conditions };
        robot.wait("torque", |r| r.on() == N);
        robot
    }

    pub fn bridge(&mut self) -> &mut Bridge {
        self.bridge.as_mut().unwrap()
    }

    pub fn on(&self) -> usize {
        self.simulator.truth().iter().filter(|t| t.on).count()
    }

    pub fn with(&self, register: u8) -> usize {
        self.simulator.truth().iter().filter(|t| t.torque == register).count()
    }

    pub fn wait(&mut self, what: &str, done: impl Fn(&Robot) -> bool) {
        let start = Instant::now();
        while !done(self) {
            assert!(start.elapsed() < Duration::from_secs(60), "{what}: {} with torque", self.on());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn unplug(&mut self, unplugged: bool) {
        self.conditions.unplugged = unplugged;
        self.simulator.set(self.conditions.clone());
    }

    pub fn notices(&mut self) -> Vec<Notice> {
        std::iter::from_fn(|| self.feed.notices.pop().ok()).collect()
    }

    pub fn order(&mut self, command: Command) -> Result<String, String> {
        let servos = (0..N).collect();
        self.bridge().order(Order { request_id: 1, command, servos });
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            for notice in self.notices() {
                if let Notice::Outcome(outcome) = notice {
                    return outcome.result;
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("no outcome of {command:?}");
    }

    /// Gives an order until it is done: before all servos were found some are refused, and a machine that has no time for us
    /// may answer late.
    pub fn insist(&mut self, command: Command, done: impl Fn(&Robot) -> bool) {
        let start = Instant::now();
        let mut answer = self.order(command);
        while answer.is_err() || !done(self) {
            assert!(start.elapsed() < Duration::from_secs(60), "{} with torque: {answer:?}", self.on());
            answer = self.order(command);
        }
    }

    pub fn torque_on(&mut self) {
        self.insist(Command::TorqueOn, |robot| robot.on() == N);
    }

    pub fn goals(&mut self, clock: u64) -> bool {
        let point = |servo| GoalPoint { servo, position: 0.3, playtime: 0.04, stamp: clock, alive: true };
        self.bridge().goals(clock, (0..N).map(point))
    }
}

impl Drop for Robot {
    fn drop(&mut self) {
        self.bridge = None;
        let _ = std::fs::remove_file(order_file(&self.link).path());
    }
}

//! The bridge and the servos at the two ends of one line, in virtual time.

use crate::{SimError, World};
use herkulex_node::bus::{Action, Bus, BusConfig, GoalPoint, Phase, Reading};
use herkulex_node::sim::SimBus;

/// Time after which servos that have no torque will not get it, ns.
const PATIENCE: u64 = 10_000_000_000;
/// The physics step every millisecond, ns.
const STEP: u64 = 1_000_000;

pub(super) struct Line {
    bus: Bus,
    pub sim: SimBus<World>,
    /// ns since the start.
    pub now: u64,
    received: Vec<u8>,
    /// What the servos have said since somebody took it.
    pub readings: Vec<Reading>,
}

impl Line {
    pub fn new(config: BusConfig, sim: SimBus<World>) -> Line {
        Line { bus: Bus::new(config), sim, now: 0, received: Vec::with_capacity(512), readings: vec![] }
    }

    /// Connects, and waits until all servos have torque.
    pub fn give_torque(&mut self, period: u64) -> Result<(), SimError> {
        self.bus.connect(0);
        while self.bus.servos().iter().any(|servo| servo.phase() != Phase::Ready) {
            self.pass(period);
            if self.now > PATIENCE {
                return Err(SimError::Cycle("the servos have no torque".into()));
            }
        }
        Ok(())
    }

    /// Goals for the bridge, whose messages' clock began at `epoch`, ns.
    pub fn goals(&mut self, epoch: u64, points: impl Iterator<Item = GoalPoint>) {
        self.bus.goals(self.now, epoch + self.now, points);
    }

    /// Lets time pass on the line and in the servos.
    pub fn pass(&mut self, duration: u64) {
        let end = self.now + duration;
        while self.now < end {
            self.received.clear();
            self.sim.read(self.now, &mut self.received);
            if !self.received.is_empty() {
                self.bus.receive(self.now, &self.received);
            }
            let mut until = end.min((self.now / STEP + 1) * STEP);
            match self.bus.poll(self.now) {
                Action::Write(bytes) => {
                    self.sim.write(self.now, bytes);
                    until = self.now;
                }
                Action::Wait(at) => until = until.min(at),
            }
            while self.bus.event().is_some() {}
            self.readings.extend(std::iter::from_fn(|| self.bus.reading()));
            if let Some(at) = self.sim.next_packet() {
                until = until.min(at.max(self.now + 1));
            }
            self.now = until.max(self.now);
        }
    }
}

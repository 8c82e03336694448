//! The bridge and simulated servos at the two ends of one line, in virtual time: as fast as it can be worked out, the same every time.

use crate::bus::{Action, Bus, BusConfig, GoalPoint, Phase, Reading};
use crate::sim::{FreeShafts, Plant, SimBus};

/// Time after which servos that have no torque will not get it, ns.
const PATIENCE: u64 = 10_000_000_000;
/// Regulators and what they move step every millisecond, ns.
const STEP: u64 = 1_000_000;

/// A line with its two ends.
pub struct VirtualLine<P: Plant = FreeShafts> {
    bus: Bus,
    /// The servos, and what they move.
    pub sim: SimBus<P>,
    /// What the servos have said since somebody took it.
    pub readings: Vec<Reading>,
    now: u64,
    received: Vec<u8>,
}

impl<P: Plant> VirtualLine<P> {
    /// Nothing is connected yet.
    pub fn new(config: BusConfig, sim: SimBus<P>) -> Self {
        Self { bus: Bus::new(config), sim, readings: vec![], now: 0, received: Vec::with_capacity(512) }
    }

    /// ns since the start.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The bridge's end.
    pub fn bus(&self) -> &Bus {
        &self.bus
    }

    /// Connects, and waits in steps of `period` (ns) until all servos have torque; false when they do not get it.
    pub fn give_torque(&mut self, period: u64) -> bool {
        self.bus.connect(self.now);
        let patience = self.now + PATIENCE;
        while self.bus.servos().iter().any(|servo| servo.phase() != Phase::Ready) {
            if self.now > patience {
                return false;
            }
            self.pass(period, |_, _, _| {});
        }
        true
    }

    /// Goals for the bridge, whose messages' clock began at `epoch`, ns.
    pub fn goals(&mut self, epoch: u64, points: impl Iterator<Item = GoalPoint>) {
        self.bus.goals(self.now, epoch + self.now, points);
    }

    /// Lets time (ns) pass on the line and in the servos; `look` sees both ends every full millisecond.
    pub fn pass(&mut self, duration: u64, mut look: impl FnMut(u64, &Bus, &mut SimBus<P>)) {
        let end = self.now + duration;
        while self.now < end {
            self.received.clear();
            self.sim.read(self.now, &mut self.received);
            if !self.received.is_empty() {
                self.bus.receive(self.now, &self.received);
            }
            if self.now.is_multiple_of(STEP) {
                look(self.now, &self.bus, &mut self.sim);
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

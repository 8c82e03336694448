//! The bus against the simulated servos, in virtual time.

#![allow(dead_code)]

use herkulex_node::bus::{
    Action, Bus, BusConfig, Event, GoalPoint, Joint, Ns, Phase, ServoConfig, Tuning, ns,
};
use herkulex_node::codec::Model;
use herkulex_node::sim::{Mechanics, Settings, SimBus, SimServo, Supply};

pub struct Rig {
    pub bus: Bus,
    pub sim: SimBus,
    pub now: Ns,
    pub plugged: bool,
    pub events: Vec<(Ns, Event)>,
    /// Every write of the host, with its time.
    pub writes: Vec<(Ns, Vec<u8>)>,
    pub keep_writes: bool,
}

pub fn joint(model: Model) -> Joint {
    Joint {
        scale: model.scale(),
        offset: 0.0,
        gear: 1.0,
        limits: (-2.7, 2.7),
        counts: model.position_limits(),
    }
}

pub fn config(n: u8, baud: u32, tuning: Tuning) -> BusConfig {
    let servo = |id| ServoConfig { name: format!("joint{id}"), id, joint: joint(Model::Drs0101) };
    BusConfig {
        baud,
        full_duplex: true,
        turnaround: 0.0005,
        torque_at_start: true,
        tuning,
        servos: (1..=n).map(servo).collect(),
    }
}

/// Where servo `i` stands at the start: somewhere else than the middle.
pub fn start_angle(i: usize) -> f64 {
    0.9 * ((i as f64) * 1.3 + 0.7).sin()
}

impl Rig {
    pub fn new(config: BusConfig, seed: u64) -> Rig {
        let settings = Settings { baud: config.baud, collisions: true, seed, ..Settings::default() };
        let servos = config.servos.iter().enumerate();
        let servos = servos
            .map(|(i, s)| SimServo::new(Model::Drs0101, s.id, start_angle(i), Mechanics::default()))
            .collect();
        let mut bus = Bus::new(config);
        bus.connect(0);
        Rig {
            bus,
            sim: SimBus::new(settings, servos, Supply::default()),
            now: 0,
            plugged: true,
            events: vec![],
            writes: vec![],
            keep_writes: false,
        }
    }

    /// Lets time pass.
    pub fn run(&mut self, seconds: f64) {
        let end = self.now + ns(seconds);
        let mut heard = vec![];
        while self.now < end {
            heard.clear();
            self.sim.read(self.now, &mut heard);
            if !heard.is_empty() && self.plugged {
                self.bus.receive(self.now, &heard);
            }
            let mut wait = end;
            match self.bus.poll(self.now) {
                Action::Write(bytes) => {
                    if self.keep_writes {
                        self.writes.push((self.now, bytes.to_vec()));
                    }
                    if self.plugged {
                        self.sim.write(self.now, bytes);
                    }
                    wait = self.now;
                }
                Action::Wait(until) => wait = wait.min(until),
            }
            while let Some(event) = self.bus.event() {
                self.events.push((self.now, event));
            }
            if let Some(at) = self.sim.next_event() {
                wait = wait.min(at.max(self.now + 1));
            }
            self.now = wait.max(self.now);
        }
        self.sim.advance(self.now);
    }

    pub fn goals(&mut self, playtime: f64, position: impl Fn(usize) -> f64) {
        let n = self.bus.servos().len();
        let points = (0..n).map(|servo| GoalPoint { servo, position: position(servo), playtime });
        self.bus.goals(self.now, points);
    }

    pub fn all_ready(&self) -> bool {
        self.bus.servos().iter().all(|s| s.phase() == Phase::Ready)
    }

    /// Runs until all servos have torque; the time it took, s.
    pub fn get_ready(&mut self, limit: f64) -> f64 {
        let start = self.now;
        while !self.all_ready() {
            assert!(self.now - start < ns(limit), "not ready within {limit} s: {:?}", self.phases());
            self.run(0.001);
        }
        (self.now - start) as f64 * 1e-9
    }

    pub fn phases(&self) -> Vec<(u8, Phase, u32)> {
        self.bus.servos().iter().map(|s| (s.id(), s.phase(), s.misses())).collect()
    }

    pub fn count(&self, wanted: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().filter(|(_, e)| wanted(e)).count()
    }

    pub fn unplug(&mut self) {
        self.plugged = false;
        self.sim.unplug();
        self.bus.disconnect();
    }

    pub fn plug(&mut self) {
        self.plugged = true;
        self.bus.connect(self.now);
    }
}

//! Everything at once, at random: whatever happens, no servo gets torque that was ordered off, goes where nobody sent it, or
//! faster than it was sent. The rig checks that every millisecond of virtual time.
//!
//! `STORM_SEEDS` and `STORM_SECONDS` choose how much of it; 200 seeds of 600 s are the full set.

#![allow(clippy::panic, clippy::unwrap_used)]

mod rig;

use herkulex_node::bus::{BusConfig, Command, Release, Torque, Tuning};
use herkulex_node::codec::Frame;
use herkulex_node::sim::{Faults, Noise};
use rig::{Rig, config, start_angle};

const N: usize = 5;
const PERIOD: f64 = 0.02;

fn bus() -> BusConfig {
    let tuning = Tuning {
        period: PERIOD,
        playtime: 2.0 * PERIOD,
        goal_timeout: 0.3,
        release_after: 2.0,
        release: Release::Brake,
        ..Tuning::default()
    };
    config(N as u8, 666_666, tuning)
}

struct Storm {
    rig: Rig,
    noise: Noise,
    /// Whether goals come, and which message is repeated for ever if one is.
    walking: bool,
    stuck: Option<u64>,
    dark: bool,
    ending: bool,
}

impl Storm {
    fn some(&mut self) -> Vec<usize> {
        match self.noise.below(3) {
            0 => (0..N).collect(),
            1 => vec![self.noise.below(N)],
            _ => (0..N).filter(|_| self.noise.next() & 1 == 0).collect(),
        }
    }

    fn ids(&mut self) -> Vec<u8> {
        (1..=N as u8).filter(|_| self.noise.below(4) == 0).collect()
    }

    fn tenth(&mut self) -> f64 {
        if self.noise.below(2) == 0 { 0.0 } else { 0.1 * self.noise.unit() }
    }

    /// Somebody gives an order.
    fn command(&mut self) {
        use Command::*;
        let all = [TorqueOn, TorqueOn, TorqueOff, Brake, Stop, ClearStop, ClearErrors, Reboot];
        let command = all[self.noise.below(all.len())];
        let servos = self.some();
        self.rig.order(command, servos);
    }

    /// Something happens.
    fn strike(&mut self) {
        let what = self.noise.below(24);
        if std::env::var_os("STORM_LOG").is_some() {
            let now = self.rig.now as f64 * 1e-9;
            println!("{now:.3} s: {what}, stands {:?}, phases {:?}", self.rig.standing(), self.rig.phases());
        }
        match what {
            0..=2 => self.command(),
            3 => {
                let t = [(); 6].map(|()| self.tenth());
                let (drop, corrupt, delay, duplicate, echo, garbage) = (t[0], t[1], t[2], t[3], t[4], t[5]);
                let old = self.rig.sim.faults.clone();
                self.rig.sim.faults =
                    Faults { drop, corrupt, delay, delay_time: 0.03, duplicate, echo, garbage, ..old };
            }
            4 => self.rig.sim.faults.hot = self.ids(),
            5 => self.rig.sim.faults.dead = self.ids(),
            6 => self.rig.sim.faults.blocked = self.ids(),
            7 => self.rig.sim.faults.broken = self.ids(),
            8 => self.rig.sim.faults.voltage_drop = 1.5 * self.noise.below(2) as f64,
            9 => self.rig.sim.faults = Faults::default(),
            10 if self.rig.plugged => self.rig.unplug(),
            10 | 11 if !self.rig.plugged => self.rig.plug(),
            12 => {
                self.dark = !self.dark;
                self.rig.sim.power(!self.dark);
            }
            13 => {
                let i = self.noise.below(N);
                self.rig.sim.servos[i].power(false);
                self.rig.run(0.05);
                self.rig.sim.servos[i].power(!self.dark);
            }
            14 => {
                let mut frame = Frame::default();
                let id = 1 + self.noise.below(N) as u8;
                self.rig.sim.write(self.rig.now, frame.reboot(id));
            }
            15 => {
                self.walking = !self.walking;
                self.stuck = None;
            }
            16 => {
                self.stuck = (self.noise.below(2) == 0).then(|| self.rig.clock());
                self.rig.alive = (0..N).map(|_| self.noise.below(4) > 0).collect();
            }
            17 => {
                let mut tuning = self.rig.bus.config().tuning;
                tuning.resume = self.noise.below(2) == 0;
                tuning.goal_timeout = 0.3 * self.noise.below(2) as f64;
                tuning.release = if self.noise.below(2) == 0 { Release::Free } else { Release::Brake };
                self.rig.bus.tune(self.rig.now, tuning);
            }
            18 => self.respawn(),
            19 => {
                self.rig.relax(Torque::Brake);
                self.ending = true;
            }
            20..=22 => self.heal(),
            // A process that was stopped for a while.
            _ => self.rig.stall(0.1 + self.noise.unit()),
        }
    }

    /// Somebody puts everything right and orders torque.
    fn heal(&mut self) {
        self.rig.sim.faults = Faults::default();
        self.dark = false;
        self.rig.sim.power(true);
        if !self.rig.plugged {
            self.rig.plug();
        }
        (self.walking, self.stuck) = (true, None);
        self.rig.alive = vec![true; N];
        for command in [Command::ClearStop, Command::ClearErrors, Command::TorqueOn] {
            self.rig.order(command, self.rig.all());
        }
    }

    /// The start is surveyed on a line that works: what does not answer cannot be found as it was left.
    fn respawn(&mut self) {
        self.ending = false;
        let faults = std::mem::take(&mut self.rig.sim.faults);
        self.rig.run(0.6);
        self.rig.respawn();
        self.rig.run(0.01 * self.noise.unit());
        // Somebody is impatient: an order, or the end, before everything is found.
        match self.noise.below(4) {
            0 => self.command(),
            1 => {
                self.rig.relax(Torque::Brake);
                self.ending = true;
            }
            _ => {}
        }
        self.rig.run(0.5);
        self.rig.sim.faults = faults;
    }

    fn run(&mut self, seconds: f64) {
        let end = self.rig.now + (seconds * 1e9) as u64;
        while self.rig.now < end {
            if self.noise.happens(PERIOD / 0.8) {
                self.strike();
            }
            if self.ending && self.noise.happens(PERIOD / 0.5) {
                self.respawn();
            }
            if self.walking {
                let t = self.stuck.map_or(self.rig.now as f64, |s| s as f64 - rig::CLOCK as f64) * 1e-9;
                let stamp = self.stuck.unwrap_or(self.rig.clock());
                let path = |i: usize| start_angle(i) + 0.25 * (3.0 * t + i as f64).sin();
                self.rig.goals_of(stamp, 2.0 * PERIOD, path);
            }
            self.rig.run(PERIOD);
        }
    }

    /// The storm is over: an order brings everything back.
    fn calm(&mut self) {
        self.rig.sim.faults = Faults::default();
        self.rig.sim.power(true);
        self.rig.sim.servos.iter_mut().for_each(|s| s.power(true));
        self.rig.alive = vec![true; N];
        self.rig.run(1.0);
        self.rig.respawn();
        self.rig.run(1.0);
        let all = self.rig.all();
        for command in [Command::ClearStop, Command::ClearErrors, Command::TorqueOn] {
            self.rig.order(command, all.clone());
            self.rig.run(1.0);
        }
        assert_eq!(self.rig.on(), N, "{:?}", self.rig.phases());
    }
}

fn storm(seed: u64, seconds: f64) -> Rig {
    let mut rig = Rig::new(bus(), seed);
    rig.rate = 0.75;
    rig.get_ready(5.0);
    let noise = Noise::new(seed);
    let mut storm = Storm { rig, noise, walking: true, stuck: None, dark: false, ending: false };
    storm.run(seconds);
    storm.calm();
    storm.rig
}

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn in_no_storm_does_a_servo_what_nobody_asked() {
    let (seeds, seconds) = (from_env("STORM_SEEDS", 10), from_env("STORM_SECONDS", 60));
    let first = from_env("STORM_FIRST", 1);
    let (mut checks, mut torque, mut polls, mut events, mut fastest) = (0, 0, 0, 0, 0.0_f64);
    let mut excess = 0.0_f64;
    for seed in first..first + seeds {
        let Ok(rig) = std::panic::catch_unwind(|| storm(seed, seconds as f64)) else {
            panic!("seed {seed} of {seconds} s")
        };
        (checks, torque, polls) = (checks + rig.checks, torque + rig.with_torque, polls + rig.polls);
        (events, fastest) = (events + rig.events.len(), fastest.max(rig.fastest));
        excess = excess.max(rig.excess);
    }
    let share = 100.0 * torque as f64 / (checks * N as u64) as f64;
    println!(
        "{seeds} seeds of {seconds} s: {checks} milliseconds of {N} servos, {share:.0} % of them with torque, {events} events, \
         {:.0} polls per second, fastest {fastest:.2} rad/s, at most {excess:.2} rad/s beyond what was asked",
        polls as f64 / checks as f64 * 1e3
    );
    // An exchange takes 28 bytes of the line's 66666 a second, and three looks: it is written, its end is waited for, it is read.
    assert!(polls as f64 / checks as f64 * 1e3 < 3.0 * 66_666.0 / 28.0 + 1000.0, "it spins");
    assert!(share > 10.0, "a storm in which nobody has torque proves nothing");
}

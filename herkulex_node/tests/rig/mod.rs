//! The bus against the simulated servos, in virtual time. Every millisecond each servo is held against what was asked of it
//! last: no torque that was ordered off, no motion where no goal is, none faster than the goal.

#![allow(dead_code, clippy::panic, clippy::unwrap_used)]

use herkulex_node::bus::{
    Action, Bus, BusConfig, Command, Event, GoalPoint, Joint, Ns, Order, Phase, Reading, ServoConfig,
    Standing, Torque, Tuning, ns,
};
use herkulex_node::codec::{Model, reg};
use herkulex_node::sim::{Settings, SimBus, SimServo, Supply};
use std::collections::VecDeque;

/// The messages' clock is not the bus's.
pub const CLOCK: Ns = 1_700_000_000_000_000_000;
/// What was on the wire when an order came may still arrive: the port's queue at the slowest rate.
const ON_THE_WIRE: Ns = 30_000_000;
/// How far from its goals a servo may be, rad: half a count, friction, and what a battery that sags makes of it.
const SLACK: f64 = 0.02;
/// What counts and ticks make of a speed, rad/s. Where torque comes, the regulator (60 1/s) pulls in the count and a half between
/// a seed and its place: 0.51 rad/s. On its way, a servo's profile begins half a count off and ends half a count off, so a jog of one
/// tick (11.2 ms) may be a count too long: 0.51 rad/s, of which the shaft takes half before the tick is over. Never both at once.
/// `Rig::excess` says how much of it was used.
const TREMBLE: f64 = 60.0 * 1.5 * 0.325 * std::f64::consts::PI / 180.0;
/// For so long after its playtime a servo may still turn as fast as a goal asked, ns: repeated jogs and the regulator.
const SETTLE: Ns = 200_000_000;
/// What may be lost on a bad line before a servo counts as out of sight, s.
const LOST: f64 = 0.2;

/// For so long a servo may still be on its way to a goal that is not the present one any more, ns: a jog reaches half a second
/// ahead, then its settling, and what a bad line loses.
const OVERTAKEN: Ns = 1_000_000_000;
/// Places are remembered in steps of this, ns.
const STEP: Ns = 50_000_000;

/// What was asked of one servo.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Torque was ordered off, then.
    pub off: Option<Ns>,
    was_on: bool,
    /// The present goal.
    goal: Option<f64>,
    /// Where it was and was sent lately, least and most: since when, and what.
    lately: VecDeque<(Ns, f64, f64)>,
    /// Its shaft was held, until then: its own spring is wound up, and no bridge can unwind it.
    held: Ns,
    /// How fast goals asked it to be lately, rad/s, and until when that counts.
    speeds: VecDeque<(f64, Ns)>,
}

impl Asked {
    fn new() -> Asked {
        Asked {
            off: None,
            was_on: false,
            goal: None,
            lately: VecDeque::new(),
            held: 0,
            speeds: VecDeque::new(),
        }
    }

    /// It is at a place.
    fn is_at(&mut self, now: Ns, at: f64) {
        if self.lately.back().is_none_or(|(since, ..)| now >= since + STEP) {
            self.lately.push_back((now, at, at));
        }
        while self.lately.front().is_some_and(|(since, ..)| now > since + STEP + OVERTAKEN) {
            self.lately.pop_front();
        }
    }

    fn was_at(&mut self, place: f64) {
        if let Some((_, low, high)) = self.lately.back_mut() {
            (*low, *high) = (low.min(place), high.max(place));
        }
    }

    /// It was sent to a place.
    fn is_sent(&mut self, now: Ns, goal: f64, speed: f64, playtime: f64) {
        // The one before counts from now on only as an old one.
        for place in self.goal.replace(goal).into_iter().chain([goal]) {
            self.is_at(now, place);
            self.was_at(place);
        }
        let until = now.saturating_add(ns(playtime)).saturating_add(SETTLE);
        // Only those that are slower and end sooner say nothing.
        while self.speeds.back().is_some_and(|(s, u)| *s <= speed && *u <= until) {
            self.speeds.pop_back();
        }
        self.speeds.push_back((speed, until));
    }

    /// Between where it was and where it was sent lately, and its present goal.
    fn hull(&self) -> (f64, f64) {
        let goal = self.goal.unwrap_or(f64::NAN);
        self.lately.iter().fold((goal, goal), |(a, b), (_, low, high)| (a.min(*low), b.max(*high)))
    }

    fn speed(&mut self, now: Ns) -> f64 {
        self.speeds.retain(|(_, until)| now < *until);
        self.speeds.iter().fold(0.0, |most, (speed, _)| most.max(*speed))
    }
}

pub struct Rig {
    pub bus: Bus,
    pub sim: SimBus,
    pub now: Ns,
    pub plugged: bool,
    pub events: Vec<(Ns, Event)>,
    pub readings: Vec<Reading>,
    /// Every write of the host, with its time.
    pub writes: Vec<(Ns, Vec<u8>)>,
    pub keep_writes: bool,
    pub asked: Vec<Asked>,
    /// The fastest that goals move, rad/s.
    pub rate: f64,
    pub alive: Vec<bool>,
    pub polls: u64,
    /// The fastest that any servo was seen, rad/s, and the most beyond what was asked of it.
    pub fastest: f64,
    pub excess: f64,
    pub checks: u64,
    /// Milliseconds with torque, over all servos.
    pub with_torque: u64,
    next_check: Ns,
    /// The end has begun: nothing gives torque any more.
    ending: bool,
    config: BusConfig,
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
    let model = Model::Drs0101;
    let servo = |id| ServoConfig {
        name: format!("joint{id}"),
        id,
        model,
        number: model.number(),
        firmware: None,
        joint: joint(model),
    };
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
        let servos: Vec<SimServo> =
            servos.map(|(i, s)| SimServo::new(Model::Drs0101, s.id, start_angle(i))).collect();
        let mut bus = Bus::new(config.clone());
        bus.connect(0);
        Rig {
            bus,
            asked: servos.iter().map(|_| Asked::new()).collect(),
            alive: vec![true; servos.len()],
            sim: SimBus::new(settings, servos, Supply::default()),
            now: 0,
            plugged: true,
            events: vec![],
            readings: vec![],
            writes: vec![],
            keep_writes: false,
            rate: 20.0,
            polls: 0,
            fastest: 0.0,
            excess: 0.0,
            checks: 0,
            with_torque: 0,
            next_check: 0,
            ending: false,
            config,
        }
    }

    /// Lets time pass.
    pub fn run(&mut self, seconds: f64) {
        let end = self.now + ns(seconds);
        let mut heard = Vec::with_capacity(512);
        while self.now < end {
            heard.clear();
            self.sim.read(self.now, &mut heard);
            if !heard.is_empty() && self.plugged {
                self.bus.receive(self.now, &heard);
            }
            if self.now >= self.next_check {
                self.check();
                self.next_check = self.now + 1_000_000;
            }
            let mut wait = end.min(self.next_check);
            self.polls += 1;
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
            self.collect();
            if let Some(at) = self.sim.next_packet() {
                wait = wait.min(at.max(self.now + 1));
            }
            self.now = wait.max(self.now);
        }
        self.sim.advance(self.now);
    }

    /// The process sleeps; the servos do not.
    pub fn stall(&mut self, seconds: f64) {
        let end = self.now + ns(seconds);
        while self.now < end {
            self.now += 1_000_000;
            self.sim.advance(self.now);
            self.check();
        }
        self.next_check = self.now;
    }

    fn collect(&mut self) {
        while let Some(event) = self.bus.event() {
            self.events.push((self.now, event));
        }
        while let Some(reading) = self.bus.reading() {
            if self.keep_writes {
                self.readings.push(reading);
            }
        }
    }

    /// The millisecond's look at every servo.
    fn check(&mut self) {
        self.checks += 1;
        let approach = self.bus.config().tuning.approach_speed;
        for (i, (servo, asked)) in self.sim.servos.iter().zip(&mut self.asked).enumerate() {
            let (on, at, speed) = (servo.is_on(), servo.angle(), servo.velocity().abs());
            let now = self.now as f64 * 1e-9;
            if on && !asked.was_on {
                let late = asked.off.is_some_and(|since| self.now > since + ON_THE_WIRE);
                assert!(!late, "servo {i} got torque at {now} s that was ordered off at {:?}", asked.off);
                asked.lately.clear();
            }
            asked.was_on = on;
            if !on {
                continue;
            }
            self.with_torque += 1;
            if self.sim.faults.blocked.contains(&servo.id()) {
                asked.held = self.now + 1_000_000_000;
            }
            asked.is_at(self.now, at);
            if self.now < asked.held {
                // From wherever it was let go it goes on.
                asked.was_at(at);
                continue;
            }
            self.fastest = self.fastest.max(speed);
            let limit = approach.max(asked.speed(self.now)) + TREMBLE;
            self.excess = self.excess.max(speed - limit + TREMBLE);
            assert!(
                speed <= limit,
                "servo {i} turns at {speed} rad/s at {now} s, {limit} was asked: {asked:?} at {at}"
            );
            let (low, high) = asked.hull();
            assert!(
                at > low - SLACK && at < high + SLACK,
                "servo {i} is at {at} at {now} s, lately nobody asked for more than {low} … {high}: {asked:?}"
            );
        }
    }

    pub fn clock(&self) -> Ns {
        CLOCK + self.now
    }

    pub fn goals(&mut self, playtime: f64, position: impl Fn(usize) -> f64) {
        self.goals_of(self.clock(), playtime, position);
    }

    /// Goals with a stamp.
    pub fn goals_of(&mut self, stamp: Ns, playtime: f64, position: impl Fn(usize) -> f64) {
        self.goals_at(self.clock(), stamp, playtime, position);
    }

    /// Goals with a stamp, on a clock of their own.
    pub fn goals_at(&mut self, clock: Ns, stamp: Ns, playtime: f64, position: impl Fn(usize) -> f64) {
        let n = self.bus.servos().len();
        let alive = self.alive.clone();
        let point =
            |servo| GoalPoint { servo, position: position(servo), playtime, stamp, alive: alive[servo] };
        for (i, asked) in self.asked.iter_mut().enumerate() {
            if let Some(goal) = self.bus.servos()[i].joint().limit(position(i)) {
                // The goal asks to be there within its playtime; what a bad line loses before that is noticed adds to it, but
                // not what a servo missed while it was away.
                let behind = (goal - self.sim.servos[i].angle()).abs().min(self.rate * LOST);
                asked.is_sent(self.now, goal, behind / playtime, playtime);
            }
        }
        self.bus.goals(self.now, clock, (0..n).map(point));
    }

    /// Gives an order, and remembers what it means.
    pub fn order(&mut self, command: Command, servos: Vec<usize>) {
        let all: Vec<usize> = (0..self.asked.len()).collect();
        let stop = matches!(command, Command::Stop | Command::ClearStop);
        let may = self.bus.is_connected() && !self.bus.is_stopped() && !self.ending;
        self.bus.order(self.now, Order { request_id: 7, command, servos: servos.clone() });
        for &i in if stop { &all } else { &servos } {
            let asked = &mut self.asked[i];
            match command {
                Command::TorqueOff | Command::Brake | Command::Stop => {
                    asked.off = Some(asked.off.unwrap_or(self.now));
                }
                // Refused, it changes nothing.
                Command::TorqueOn if may && self.bus.servos()[i].order() == Some(Standing::On) => {
                    asked.off = None;
                }
                _ => {}
            }
        }
        self.collect();
    }

    /// The process ends in order.
    pub fn relax(&mut self, torque: Torque) {
        self.ending = true;
        for asked in &mut self.asked {
            asked.off = Some(asked.off.unwrap_or(self.now));
        }
        self.bus.relax(self.now, torque);
    }

    /// Gives an order and waits for its outcome.
    pub fn outcome(&mut self, command: Command, servos: Vec<usize>) -> Result<String, String> {
        while self.bus.outcome().is_some() {}
        self.order(command, servos);
        for _ in 0..20_000 {
            if let Some(outcome) = self.bus.outcome() {
                assert_eq!(outcome.request_id, 7);
                return outcome.result;
            }
            self.run(0.001);
        }
        panic!("no outcome of {command:?}");
    }

    pub fn all(&self) -> Vec<usize> {
        (0..self.asked.len()).collect()
    }

    pub fn on(&self) -> usize {
        self.sim.servos.iter().filter(|s| s.is_on()).count()
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

    /// The process is killed and started again: the bus forgets everything, the servos nothing. What stands now is what can
    /// be read on them.
    pub fn respawn(&mut self) {
        self.ending = false;
        // What has not reached the servos outlives the process in a file.
        let kept = self.bus.undelivered();
        let marks: Vec<i32> = self.sim.servos.iter().map(|s| s.get(&reg::LED)).collect();
        let ours = marks.iter().any(|mark| *mark != 0);
        let stopped = marks.contains(&4);
        for (i, asked) in self.asked.iter_mut().enumerate() {
            let told_off = matches!(marks[i], 2..=4);
            let id = self.sim.servos[i].id();
            let told = kept.stop || kept.off.contains(&id) || kept.brake.contains(&id);
            let off = told || stopped || (ours && (told_off || !self.sim.servos[i].is_on()));
            asked.off = off.then_some(asked.off.unwrap_or(self.now));
        }
        self.bus = Bus::new(BusConfig { tuning: self.bus.config().tuning, ..self.config.clone() });
        self.bus.restore(&kept);
        self.sim.unplug();
        self.plugged = true;
        self.bus.connect(self.now);
    }

    /// The same while the port is away.
    pub fn respawn_unplugged(&mut self) {
        self.respawn();
        self.unplug();
    }

    pub fn standing(&self) -> Vec<Option<Standing>> {
        self.bus.servos().iter().map(|s| s.order()).collect()
    }
}

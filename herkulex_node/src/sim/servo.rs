//! One simulated servo: its memories, its regulator, its bad moods.

use super::mechanics::{Mechanics, Shaft};
use super::profile::Profile;
use crate::codec::{
    BAUD_CODES, Jog, Memory, Model, Packet, REGISTERS, Register, Scale, Status, TICK, command, detail, error,
    flags, reg, torque,
};

const RAM_SIZE: usize = 0x50;
const EEP_SIZE: usize = 0x40;
/// How long it is away after a reboot, s.
const REBOOT_TIME: f64 = 0.5;
/// Full drive for longer than this is an overload, s: 150 ticks, as from the factory.
const OVERLOAD_TIME: f64 = 150.0 * TICK;
/// What counts as full drive.
const OVERLOAD_DRIVE: f64 = 0.95;
/// Flag bits that real servos show above the position.
const POSITION_FLAGS: u16 = 0x6000;

/// What ails a servo at present.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mood {
    pub hot: bool,
    pub blocked: bool,
    pub broken: bool,
    pub stubborn: bool,
    pub deaf: bool,
}

/// A servo.
#[derive(Clone, Debug)]
pub struct SimServo {
    model: Model,
    scale: Scale,
    ram: [u8; RAM_SIZE],
    eep: [u8; EEP_SIZE],
    mechanics: Mechanics,
    shaft: Shaft,
    profile: Profile,
    /// Drive of a continuous jog instead of the regulator's.
    open_loop: Option<f64>,
    drive: f64,
    away: f64,
    powered: bool,
    baud_code: u8,
    overloaded: f64,
    mood: Mood,
    /// Torque that pulls at the shaft, N·m.
    pub load: f64,
    /// Counts between goal and position at the moment when torque was switched on, the worst so far.
    pub worst_start: i32,
}

impl SimServo {
    /// A servo from the factory, set to an id, standing at an angle (rad from its middle), without torque. Its goal is the
    /// middle, as after a power cut: a driver that switches torque on without setting a goal will see it jump.
    pub fn new(model: Model, id: u8, angle: f64, mechanics: Mechanics) -> SimServo {
        let mut eep = factory(model);
        put_register(&mut eep, &reg::ID, i32::from(id));
        let mut servo = SimServo {
            model,
            scale: model.scale(),
            ram: [0; RAM_SIZE],
            eep,
            mechanics,
            shaft: Shaft { angle, velocity: 0.0 },
            profile: Profile::default(),
            open_loop: None,
            drive: 0.0,
            away: 0.0,
            powered: true,
            baud_code: 0,
            overloaded: 0.0,
            mood: Mood::default(),
            load: 0.0,
            worst_start: 0,
        };
        servo.start();
        servo
    }

    /// Its id.
    pub fn id(&self) -> u8 {
        self.ram[usize::from(reg::ID.address())]
    }

    /// Where its shaft is, rad from the middle.
    pub fn angle(&self) -> f64 {
        self.shaft.angle
    }

    /// How fast its shaft turns, rad/s.
    pub fn velocity(&self) -> f64 {
        self.shaft.velocity
    }

    /// Changes the model number that it tells, as a servo that is not what the file says.
    pub fn set_number(&mut self, number: [u8; 2]) {
        self.eep[..2].copy_from_slice(&number);
    }

    /// Sets its position limits, in both memories: they survive a power cut.
    pub fn limit(&mut self, least: i32, most: i32) {
        for (register, value) in [(&reg::MIN_POSITION, least), (&reg::MAX_POSITION, most)] {
            put_register(&mut self.eep, register, value);
            self.set(register, value);
        }
    }

    /// Its baud rate: what the settings said when it started.
    pub(super) fn baud(&self) -> Option<u32> {
        BAUD_CODES.into_iter().find(|(code, _)| *code == self.baud_code).map(|(_, baud)| baud)
    }

    /// Turns its shaft by hand; it must have no torque.
    pub fn turn(&mut self, angle: f64) {
        self.shaft.angle += angle;
    }

    /// Takes or gives power. Without it the working memory is lost.
    pub fn power(&mut self, on: bool) {
        if !on && self.powered {
            self.start();
        }
        self.powered = on;
    }

    /// Where it is going, rad from the middle.
    pub fn goal(&self) -> f64 {
        self.profile.to
    }

    /// Share of the full drive, 0 … 1.
    pub(super) fn drive_share(&self) -> f64 {
        (self.drive / self.mechanics.max_drive).abs()
    }

    /// A register's value.
    pub fn get(&self, register: &Register) -> i32 {
        let at = usize::from(register.address());
        self.ram.get(at..).and_then(|bytes| register.decode(bytes)).unwrap_or(0)
    }

    /// Sets a register, whatever the host may do with it.
    pub fn set(&mut self, register: &Register, value: i32) {
        put(&mut self.ram, register.address(), register.size, value);
    }

    /// Whether it has torque.
    pub fn is_on(&self) -> bool {
        self.get(&reg::TORQUE) == i32::from(torque::ON)
    }

    /// Working memory as after power-on: settings from EEP, no torque, the goal in the middle.
    fn start(&mut self) {
        self.ram = [0; RAM_SIZE];
        for register in REGISTERS.iter().filter(|r| r.models.contain(self.model)) {
            if let (Some(ram), Some(eep)) = (register.ram, register.eep) {
                let (ram, eep, size) = (usize::from(ram), usize::from(eep), usize::from(register.size));
                self.ram[ram..ram + size].copy_from_slice(&self.eep[eep..eep + size]);
            }
        }
        self.profile = Profile::at(0.0);
        self.open_loop = None;
        self.overloaded = 0.0;
        self.baud_code = reg::BAUD.eep.map_or(0, |at| self.eep[usize::from(at)]);
    }

    /// Lets `dt` seconds pass.
    pub(super) fn step(&mut self, dt: f64, volts: f64, mood: Mood) {
        let dark = self.away > 0.0 || !self.powered;
        let torque_now = if dark { torque::FREE } else { self.get(&reg::TORQUE) as u8 };
        self.profile.elapsed += dt;
        let kp = self.mechanics.kp * f64::from(self.get(&reg::KP)) / f64::from(reg::KP.factory);
        self.drive = match (torque_now, self.open_loop) {
            (torque::ON, Some(drive)) => drive,
            (torque::ON, None) => kp * (self.profile.angle() - self.shaft.angle),
            _ => 0.0,
        }
        .clamp(-self.mechanics.max_drive, self.mechanics.max_drive);
        // Shorted windings resist the motion.
        let damping = if torque_now == torque::BRAKE { 10.0 } else { 1.0 };
        if mood.blocked {
            self.shaft.velocity = 0.0;
        } else {
            self.mechanics.step(&mut self.shaft, self.drive, volts, damping, self.load, dt);
        }
        if !self.powered {
            return;
        }
        if self.away > 0.0 {
            self.away -= dt;
            if self.away <= 0.0 {
                self.start();
            }
            return;
        }
        let raw_volts = (volts / self.scale.voltage).round() as i32;
        // 30 °C, or beyond every limit; the small models' thermistor in counts.
        let heat = match (self.scale.celsius, mood.hot) {
            (true, false) => 30,
            (true, true) => 95,
            (false, false) => 0x8B,
            (false, true) => 0xE8,
        };
        self.overloaded = if self.drive_share() >= OVERLOAD_DRIVE { self.overloaded + dt } else { 0.0 };
        if self.overloaded > OVERLOAD_TIME {
            self.overloaded = 0.0;
            self.latch(error::OVERLOAD, 0);
        }
        if mood.broken {
            self.latch(error::DRIVER, 0);
        }
        self.mood = mood;
        self.set(&reg::VOLTAGE, raw_volts);
        self.set(&reg::TEMPERATURE, heat);
        if raw_volts < self.get(&reg::MIN_VOLTAGE) || raw_volts > self.get(&reg::MAX_VOLTAGE) {
            self.latch(error::VOLTAGE, 0);
        }
        if heat > self.get(&reg::MAX_TEMPERATURE) {
            self.latch(error::TEMPERATURE, 0);
        }
    }

    /// Notes an error; it stays until the host clears it, and takes the torque away if the policy says so.
    pub fn latch(&mut self, errors: u8, details: u8) {
        let error = self.get(&reg::STATUS_ERROR) | i32::from(errors);
        let detail = self.get(&reg::STATUS_DETAIL) | i32::from(details);
        self.set(&reg::STATUS_ERROR, error);
        self.set(&reg::STATUS_DETAIL, detail);
        if error & self.get(&reg::TORQUE_POLICY) != 0 {
            self.set(&reg::TORQUE, i32::from(torque::FREE));
        }
    }

    /// Its status as a reply carries it.
    pub fn status(&self) -> Status {
        let mut live = 0;
        if self.is_on() {
            live |= detail::MOTOR_ON;
            live |= if self.profile.is_under_way() { detail::MOVING } else { detail::IN_POSITION };
        }
        Status {
            error: self.get(&reg::STATUS_ERROR) as u8,
            detail: self.get(&reg::STATUS_DETAIL) as u8 | live,
        }
    }

    /// Whether it listens.
    pub(super) fn is_there(&self) -> bool {
        self.away <= 0.0 && self.powered
    }

    /// Deals with a packet; true if there is to be a reply, with `answer` as its data.
    pub(super) fn handle(&mut self, packet: &Packet<'_>, answer: &mut Vec<u8>) -> bool {
        answer.clear();
        let policy = self.get(&reg::ACK_POLICY);
        match (packet.command, packet.data) {
            (command::STAT, _) => true,
            (command::RAM_READ | command::EEP_READ, &[address, len]) => {
                self.refresh();
                let memory: &[u8] = if packet.command == command::RAM_READ { &self.ram } else { &self.eep };
                let from = usize::from(address);
                match memory.get(from..from + usize::from(len)) {
                    Some(values) => {
                        answer.extend([address, len]);
                        answer.extend(values);
                        policy >= 1
                    }
                    None => self.refuse(detail::REGISTER_RANGE, policy),
                }
            }
            (command::RAM_WRITE | command::EEP_WRITE, [address, len, values @ ..])
                if values.len() == usize::from(*len) =>
            {
                let memory = if packet.command == command::RAM_WRITE { Memory::Ram } else { Memory::Eep };
                match self.write(memory, *address, values) {
                    true => policy >= 2,
                    false => self.refuse(detail::REGISTER_RANGE, policy),
                }
            }
            (command::S_JOG, [playtime, jogs @ ..]) if jogs.len() % 4 == 0 => {
                for j in jogs.chunks_exact(4) {
                    self.jog(Jog {
                        goal: u16::from_le_bytes([j[0], j[1]]),
                        set: j[2],
                        id: j[3],
                        playtime: *playtime,
                    });
                }
                policy >= 2
            }
            (command::I_JOG, jogs) if jogs.len() % 5 == 0 => {
                for j in jogs.chunks_exact(5) {
                    self.jog(Jog {
                        goal: u16::from_le_bytes([j[0], j[1]]),
                        set: j[2],
                        id: j[3],
                        playtime: j[4],
                    });
                }
                policy >= 2
            }
            (command::REBOOT, []) => {
                self.away = REBOOT_TIME;
                false
            }
            (command::ROLLBACK, &[keep_id, keep_baud]) => {
                let old = std::mem::replace(&mut self.eep, factory(self.model));
                for (register, keep) in [(reg::ID, keep_id), (reg::BAUD, keep_baud)] {
                    if let (Some(at), true) = (register.eep, keep != 0) {
                        self.eep[usize::from(at)] = old[usize::from(at)];
                    }
                }
                policy >= 2
            }
            _ => self.refuse(detail::UNKNOWN_COMMAND, policy),
        }
    }

    fn refuse(&mut self, details: u8, policy: i32) -> bool {
        self.latch(error::INVALID_PACKET, details);
        policy >= 2
    }

    fn write(&mut self, memory: Memory, address: u8, values: &[u8]) -> bool {
        let from = usize::from(address);
        let (was_on, was) = (self.is_on(), self.get(&reg::TORQUE));
        let bytes: &mut [u8] = if memory == Memory::Ram { &mut self.ram } else { &mut self.eep };
        let Some(place) = bytes.get_mut(from..from + values.len()) else { return false };
        place.copy_from_slice(values);
        if memory == Memory::Ram && self.mood.stubborn && was_on {
            self.set(&reg::TORQUE, was);
        }
        let latched = self.get(&reg::STATUS_ERROR) & self.get(&reg::TORQUE_POLICY) != 0;
        if memory == Memory::Ram && latched {
            // A servo that latched an error neither drives nor brakes.
            self.set(&reg::TORQUE, i32::from(torque::FREE));
        } else if memory == Memory::Ram && self.is_on() && !was_on {
            let off = (self.profile.to - self.shaft.angle) / self.scale.radians();
            self.worst_start = self.worst_start.max(off.abs().round() as i32);
            self.profile = Profile { from: self.shaft.angle, elapsed: 0.0, ..self.profile };
        }
        true
    }

    fn jog(&mut self, jog: Jog) {
        if jog.id != self.id() || self.mood.deaf {
            return;
        }
        let led = |flag: u8, bit: i32| if jog.set & flag != 0 { bit } else { 0 };
        self.set(&reg::LED, led(flags::GREEN, 1) | led(flags::BLUE, 2) | led(flags::RED, 4));
        if jog.set & flags::NO_ACTION != 0 {
            return;
        }
        let now = if self.is_on() { self.profile.angle() } else { self.shaft.angle };
        self.open_loop = None;
        if jog.set & flags::STOP != 0 {
            self.profile = Profile::at(now);
        } else if jog.set & flags::CONTINUOUS != 0 {
            let share = f64::from(jog.goal & 0x3FF) / 1023.0;
            let sign = if jog.goal & 0x4000 != 0 { -1.0 } else { 1.0 };
            self.open_loop = Some(sign * share * self.mechanics.max_drive);
        } else if i32::from(jog.goal) < self.get(&reg::MIN_POSITION)
            || i32::from(jog.goal) > self.get(&reg::MAX_POSITION)
        {
            self.latch(error::POSITION_LIMIT, 0);
        } else {
            let duration = f64::from(jog.playtime) * TICK;
            let ratio = f64::from(self.get(&reg::ACCELERATION_RATIO)) / 100.0;
            let most = f64::from(self.get(&reg::MAX_ACCELERATION_TIME)) * TICK;
            let to = self.scale.angle(f64::from(jog.goal));
            self.profile =
                Profile { from: now, to, duration, ramp: (duration * ratio).min(most), elapsed: 0.0 };
        }
    }

    /// Brings what it measures into its registers.
    fn refresh(&mut self) {
        let counts = |angle: f64| self.scale.counts(angle).round();
        let shift = match self.model {
            Model::Drs0602 => self.get(&reg::CALIBRATION_0602),
            _ => self.get(&reg::CALIBRATION),
        };
        let position = counts(self.shaft.angle) as i32;
        let (goal, desired) = (counts(self.profile.to) as i32, counts(self.profile.angle()) as i32);
        let mask = i32::from(self.scale.mask);
        let flags = i32::from(POSITION_FLAGS & !self.scale.mask);
        let velocity = (self.shaft.velocity.to_degrees() / self.scale.velocity).round() as i32;
        let status = self.status();
        self.set(&reg::POSITION, (position & mask) | flags);
        self.set(&reg::ABSOLUTE_POSITION, ((position + shift) & mask) | flags);
        self.set(&reg::VELOCITY, velocity);
        self.set(&reg::PWM, (self.drive / self.mechanics.max_drive * 1023.0).round() as i32);
        self.set(&reg::ABSOLUTE_GOAL, (goal + shift) & mask);
        self.set(&reg::DESIRED_POSITION, (desired + shift) & mask);
        // Status bits that are live are not kept: what the host reads at this address is the moment's.
        self.ram[usize::from(reg::STATUS_ERROR.address())] = status.error;
    }
}

/// The settings of a servo from the factory.
fn factory(model: Model) -> [u8; EEP_SIZE] {
    let mut eep = [0; EEP_SIZE];
    for register in REGISTERS.iter().filter(|r| r.models.contain(model)) {
        put_register(&mut eep, register, register.factory);
    }
    let (min, max) = model.position_limits();
    eep[..2].copy_from_slice(&model.number());
    put_register(&mut eep, &reg::MIN_POSITION, i32::from(min));
    put_register(&mut eep, &reg::MAX_POSITION, i32::from(max));
    if model.scale().celsius {
        put_register(&mut eep, &reg::MAX_TEMPERATURE, 85);
    }
    eep
}

/// Sets a register's place in EEP, if it has one.
fn put_register(eep: &mut [u8; EEP_SIZE], register: &Register, value: i32) {
    if let Some(at) = register.eep {
        put(eep, at, register.size, value);
    }
}

/// Puts a little-endian value of one or two bytes into a memory; what lies outside is left out.
fn put(memory: &mut [u8], at: u8, size: u8, value: i32) {
    let bytes = value.to_le_bytes();
    let (at, size) = (usize::from(at), usize::from(size));
    if let Some(place) = memory.get_mut(at..at + size) {
        place.copy_from_slice(&bytes[..size]);
    }
}

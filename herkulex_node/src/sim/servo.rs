//! One simulated servo: its memories, its regulator, its bad moods.

use super::faults::Faults;
use super::mechanics::{Mechanics, Shaft};
use super::profile::Profile;
use crate::codec::{BAUD_CODES, Model, REGISTERS, Register, Scale, Status, TICK, detail, error, reg, torque};

const RAM_SIZE: usize = 0x50;
const EEP_SIZE: usize = 0x40;
/// Full drive for longer than this is an overload, s: 150 ticks, as from the factory.
const OVERLOAD_TIME: f64 = 150.0 * TICK;
/// What counts as full drive.
const OVERLOAD_DRIVE: f64 = 0.95;

/// What ails a servo at present.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mood {
    pub hot: bool,
    pub blocked: bool,
    pub broken: bool,
    pub stubborn: bool,
    pub deaf: bool,
}

impl Mood {
    pub fn of(id: u8, faults: &Faults) -> Mood {
        let has = |ids: &[u8]| ids.contains(&id);
        Mood {
            hot: has(&faults.hot),
            blocked: has(&faults.blocked),
            broken: has(&faults.broken),
            stubborn: has(&faults.stubborn),
            deaf: has(&faults.deaf),
        }
    }
}

/// A simulated servo: its registers, its trajectory and its shaft.
#[derive(Clone, Debug)]
pub struct SimServo {
    pub(super) model: Model,
    pub(super) scale: Scale,
    pub(super) ram: [u8; RAM_SIZE],
    pub(super) eep: [u8; EEP_SIZE],
    pub(super) mechanics: Mechanics,
    pub(super) shaft: Shaft,
    pub(super) profile: Profile,
    /// Drive of a continuous jog instead of the regulator's.
    pub(super) open_loop: Option<f64>,
    pub(super) drive: f64,
    /// The voltage at its motor in this step.
    volts: f64,
    /// How much more than its own friction its windings resist in this step.
    damping: f64,
    pub(super) away: f64,
    pub(super) powered: bool,
    pub(super) baud_code: u8,
    pub(super) overloaded: f64,
    pub(super) mood: Mood,
    /// Torque that pulls at the shaft, N·m.
    pub load: f64,
    /// Counts between goal and position at the moment when torque was switched on, the worst so far.
    pub worst_start: i32,
}

impl SimServo {
    /// A servo from the factory, set to an id, standing at an angle (rad from its middle), without torque. Its goal is the
    /// middle, as after a power cut: a driver that switches torque on without setting a goal will see it jump.
    pub fn new(model: Model, id: u8, angle: f64) -> SimServo {
        let mut eep = factory(model);
        put_register(&mut eep, &reg::ID, i32::from(id));
        let mut servo = SimServo {
            model,
            scale: model.scale(),
            ram: [0; RAM_SIZE],
            eep,
            mechanics: Mechanics::of(model),
            shaft: Shaft { angle, velocity: 0.0 },
            profile: Profile::default(),
            open_loop: None,
            drive: 0.0,
            volts: 0.0,
            damping: 1.0,
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

    /// Its id on the line.
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

    /// The first half of a step of `dt` seconds: the regulator decides. A [`super::Plant`] moves the shaft then.
    pub(super) fn regulate(&mut self, dt: f64, volts: f64, mood: Mood) {
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
        self.volts = volts;
        // Shorted windings resist the motion.
        self.damping = if torque_now == torque::BRAKE { 10.0 } else { 1.0 };
        self.mood.blocked = mood.blocked;
    }

    /// What its motor gives in this step before friction, N·m at its shaft.
    pub fn motor_torque(&self) -> f64 {
        self.drive * self.volts / self.mechanics.alpha[3]
    }

    /// How many times its viscous friction resists in this step.
    pub fn damping_factor(&self) -> f64 {
        self.damping
    }

    /// Whether its shaft is held.
    pub fn is_blocked(&self) -> bool {
        self.mood.blocked
    }

    /// Regulator, inertia and friction.
    pub fn mechanics(&self) -> &Mechanics {
        &self.mechanics
    }

    /// Says where its shaft is (rad from the middle) and how fast it turns, rad/s.
    pub fn place(&mut self, angle: f64, velocity: f64) {
        self.shaft = Shaft { angle, velocity };
    }

    /// Moves its shaft as one that nothing but its load hangs on.
    pub(super) fn turn_freely(&mut self, dt: f64) {
        if self.mood.blocked {
            self.shaft.velocity = 0.0;
        } else {
            self.mechanics.step(&mut self.shaft, self.drive, self.volts, self.damping, self.load, dt);
        }
    }

    /// The second half of a step: what it notices of itself, and what that does to it.
    pub(super) fn watch(&mut self, dt: f64, volts: f64, mood: Mood) {
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
}

/// The settings of a servo from the factory.
pub(super) fn factory(model: Model) -> [u8; EEP_SIZE] {
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

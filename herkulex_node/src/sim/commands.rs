//! What a simulated servo does with a packet.

use super::profile::Profile;
use super::servo::{SimServo, factory};
use crate::codec::{Jog, Memory, Model, Packet, TICK, command, detail, error, flags, reg, torque};

/// How long it is away after a reboot, s.
const REBOOT_TIME: f64 = 0.5;
/// Flag bits that real servos show above the position.
const POSITION_FLAGS: u16 = 0x6000;

impl SimServo {
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

//! What differs between the models of the family.

use std::f64::consts::PI;

/// A model of servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// DRS-0101, the plastic one.
    Drs0101,
    /// DRS-0201, metal gears.
    Drs0201,
    /// DRS-0401.
    Drs0401,
    /// DRS-0402, multi-turn.
    Drs0402,
    /// DRS-0601.
    Drs0601,
    /// DRS-0602, multi-turn.
    Drs0602,
}

/// A motor with its gears, as the data sheet knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Torque at standstill under full drive, N·m.
    pub stall: f64,
    /// Speed without a load under full drive, rad/s.
    pub free_speed: f64,
    /// The voltage of both, V.
    pub volts: f64,
}

impl Motor {
    /// Of a DRS-0201: 24 kgf·cm and 0.147 s per 60°.
    pub const DRS_0201: Motor = Motor { stall: 2.35, free_speed: 7.12, volts: 7.4 };

    /// Torque at the shaft, N·m, for a drive of −1 … 1: stall·(drive·V/V₀ − ω/ω₀). Friction is part of what it moves.
    pub fn torque(&self, drive: f64, volts: f64, velocity: f64) -> f64 {
        self.stall * (drive * volts / self.volts - velocity / self.free_speed)
    }
}

/// From counts to the world, for one servo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Degrees per count.
    pub resolution: f64,
    /// The count of the middle position.
    pub centre: i32,
    /// The bits of a position register that are position; the others are flags.
    pub mask: u16,
    /// Degrees per second and count of the differential position.
    pub velocity: f64,
    /// Volts per count.
    pub voltage: f64,
    /// Whether the temperature register is in °C; else it is a converter's reading that falls on no line.
    pub celsius: bool,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 6] =
        [Model::Drs0101, Model::Drs0201, Model::Drs0401, Model::Drs0402, Model::Drs0601, Model::Drs0602];

    /// Its number as people say it.
    pub const fn name(self) -> &'static str {
        match self {
            Model::Drs0101 => "0101",
            Model::Drs0201 => "0201",
            Model::Drs0401 => "0401",
            Model::Drs0402 => "0402",
            Model::Drs0601 => "0601",
            Model::Drs0602 => "0602",
        }
    }

    /// The two bytes that a servo of this model tells it by (EEP 0 and 1).
    pub const fn number(self) -> [u8; 2] {
        match self {
            Model::Drs0101 => [1, 1],
            Model::Drs0201 => [2, 1],
            Model::Drs0401 => [4, 1],
            Model::Drs0402 => [4, 2],
            Model::Drs0601 => [6, 1],
            Model::Drs0602 => [6, 2],
        }
    }

    /// The model that tells itself by these two bytes.
    pub fn from_number(number: [u8; 2]) -> Option<Model> {
        Model::ALL.into_iter().find(|m| m.number() == number)
    }

    /// Its scale from the manuals. The sources disagree on the finer models, so resolution and centre can be replaced.
    pub const fn scale(self) -> Scale {
        // The differential position counts per tick of 11.2 ms; the small models' manual says 29.09.
        const TICKS_PER_SECOND: f64 = 1.0 / super::TICK;
        match self {
            Model::Drs0101 | Model::Drs0201 => Scale {
                resolution: 0.325,
                centre: 512,
                mask: 0x3FF,
                velocity: 29.09,
                voltage: 0.074,
                celsius: false,
            },
            Model::Drs0401 | Model::Drs0601 => Scale {
                resolution: 0.163,
                centre: 1024,
                mask: 0x1FFF,
                velocity: 0.163 * TICKS_PER_SECOND,
                voltage: 0.074,
                celsius: false,
            },
            Model::Drs0402 | Model::Drs0602 => Scale {
                resolution: 0.02778,
                centre: 16384,
                mask: 0x7FFF,
                velocity: 0.02778 * TICKS_PER_SECOND,
                voltage: 0.1,
                celsius: true,
            },
        }
    }

    /// The temperature for a value of its register, °C. The small models have a thermistor: 10 kΩ at 25 °C, B = 3435 K, over
    /// 10 kΩ to ground on an 8-bit converter, which puts the factory's limit 0xDF at the manual's 85 °C. `None` where the
    /// sources give nothing to convert by.
    pub fn celsius(self, raw: u8) -> Option<f64> {
        const B: f64 = 3435.0;
        const ROOM: f64 = 298.15;
        match self {
            Model::Drs0402 | Model::Drs0602 => Some(f64::from(raw)),
            Model::Drs0101 | Model::Drs0201 if raw > 0 && raw < 255 => {
                let resistance = 255.0 / f64::from(raw) - 1.0;
                Some(1.0 / (1.0 / ROOM + resistance.ln() / B) - 273.15)
            }
            _ => None,
        }
    }

    /// Its motor, by the data sheet; `None` where the sources disagree.
    pub const fn motor(self) -> Option<Motor> {
        match self {
            // 12 kgf·cm and 0.166 s per 60° at 7.4 V.
            Model::Drs0101 => Some(Motor { stall: 1.18, free_speed: 6.31, volts: 7.4 }),
            Model::Drs0201 => Some(Motor::DRS_0201),
            _ => None,
        }
    }

    /// The position limits of a servo from the factory, counts. Known for the small models; the others get the same share
    /// of their range.
    pub const fn position_limits(self) -> (u16, u16) {
        match self {
            Model::Drs0101 | Model::Drs0201 => (21, 1002),
            Model::Drs0401 | Model::Drs0601 => (43, 2004),
            Model::Drs0402 | Model::Drs0602 => (672, 32095),
        }
    }
}

impl Scale {
    /// Radians per count.
    pub fn radians(&self) -> f64 {
        self.resolution * PI / 180.0
    }

    /// A position register without its flags.
    pub fn position(&self, register: u16) -> u16 {
        register & self.mask
    }

    /// The servo's own angle at a count, rad from the middle.
    pub fn angle(&self, counts: f64) -> f64 {
        (counts - f64::from(self.centre)) * self.radians()
    }

    /// The count at an angle, not rounded and not limited.
    pub fn counts(&self, angle: f64) -> f64 {
        f64::from(self.centre) + angle / self.radians()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thermistor_meets_the_manual_and_rises() {
        let at = |raw| Model::Drs0101.celsius(raw).unwrap();
        // The manual: 0xDF is 85 °C. Half of the converter's range is the thermistor's nominal 25 °C, to half a count.
        assert!((at(0xDF) - 85.0).abs() < 0.5 && (at(127) - 25.0).abs() < 0.5, "{} {}", at(0xDF), at(127));
        assert!((2..255).all(|raw| at(raw as u8) > at(raw as u8 - 1)));
        assert_eq!((Model::Drs0602.celsius(40), Model::Drs0401.celsius(40)), (Some(40.0), None));
        assert_eq!((Model::Drs0201.celsius(0), Model::Drs0201.celsius(255)), (None, None));
    }

    #[test]
    fn a_motor_gives_its_data_sheet_at_both_ends() {
        let motor = Model::Drs0201.motor().unwrap();
        assert!((motor.torque(1.0, 7.4, 0.0) - 2.35).abs() < 1e-12);
        assert!(motor.torque(1.0, 7.4, 7.12).abs() < 1e-12 && motor.torque(-1.0, 7.4, 0.0) < 0.0);
    }
}

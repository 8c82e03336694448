//! The servo's registers as a table.

use super::{Memory, Model};

/// The unit of a register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number, a choice or bits.
    None,
    /// Position counts; see [`super::Scale`].
    Counts,
    /// Counts per tick; see [`super::Scale`].
    CountsPerTick,
    /// Voltage counts; see [`super::Scale`].
    Voltage,
    /// Temperature counts; see [`super::Scale`].
    Temperature,
    /// Ticks of 11.2 ms.
    Ticks,
    /// Percent of the highest PWM.
    Percent,
    /// Motor drive, ±1023.
    Pwm,
}

/// What the host may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The servo alone writes it.
    Read,
    /// Read and write.
    Write,
}

/// The models that have a register where the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    /// All of them.
    All,
    /// All but the 0602.
    AllBut0602,
    /// The 0602 only.
    Only0602,
}

impl Models {
    /// Whether the model is one of them.
    pub fn contain(self, model: Model) -> bool {
        match self {
            Models::All => true,
            Models::AllBut0602 => model != Model::Drs0602,
            Models::Only0602 => model == Model::Drs0602,
        }
    }
}

/// A register: where it is and what its counts mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name in commands.
    pub key: &'static str,
    /// What it is.
    pub name: &'static str,
    /// Where it is in RAM.
    pub ram: Option<u8>,
    /// Where it is in EEP.
    pub eep: Option<u8>,
    /// Bytes; two are little-endian.
    pub size: u8,
    /// Whether it is signed.
    pub signed: bool,
    /// Of its value.
    pub unit: Unit,
    /// To the host.
    pub access: Access,
    /// Which models have it here.
    pub models: Models,
    /// The value from the factory (of the small models).
    pub factory: i32,
}

impl Register {
    /// The RAM address. Every register that the bridge uses has one; the others give 0xFF, which no servo answers.
    pub const fn address(&self) -> u8 {
        match self.ram {
            Some(address) => address,
            None => 0xFF,
        }
    }

    /// The value in the first bytes of `bytes`, if they are enough.
    pub fn decode(&self, bytes: &[u8]) -> Option<i32> {
        match (self.size, self.signed, bytes) {
            (1, false, [a, ..]) => Some(i32::from(*a)),
            (1, true, [a, ..]) => Some(i32::from(*a as i8)),
            (2, false, [a, b, ..]) => Some(i32::from(u16::from_le_bytes([*a, *b]))),
            (2, true, [a, b, ..]) => Some(i32::from(i16::from_le_bytes([*a, *b]))),
            _ => None,
        }
    }
}

/// A register by its name (in any case, with `-` or `_`) or its address in the memory, as `0x34`.
pub fn find(text: &str, memory: Memory) -> Option<&'static Register> {
    let key = text.replace('-', "_");
    let address = text.strip_prefix("0x").and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let at = |r: &Register| if memory == Memory::Ram { r.ram } else { r.eep };
    REGISTERS
        .iter()
        .filter(|r| at(r).is_some())
        .find(|r| r.key.eq_ignore_ascii_case(&key) || (address.is_some() && at(r) == address))
}

/// The baud rate of a code (EEP 4): 2 MBd / (code + 1), by the names that the manual gives them.
pub const BAUD_CODES: [(u8, u32); 8] = [
    (0x22, 57_600),
    (0x10, 115_200),
    (0x09, 200_000),
    (0x07, 250_000),
    (0x04, 400_000),
    (0x03, 500_000),
    (0x02, 666_666),
    (0x01, 1_000_000),
];

/// What the torque register is set to.
pub mod torque {
    /// The shaft turns freely.
    pub const FREE: u8 = 0x00;
    /// The motor's windings are shorted: turns against resistance.
    pub const BRAKE: u8 = 0x40;
    /// Goes to its goal.
    pub const ON: u8 = 0x60;
}

macro_rules! place {
    (-) => {
        None
    };
    ($address:literal) => {
        Some($address)
    };
}

macro_rules! registers {
    ($( $(#[$doc:meta])* $const:ident $name:literal: eep $eep:tt, ram $ram:tt, $size:literal $sign:ident $unit:ident $access:ident $models:ident = $factory:literal; )*) => {
        /// Each register by name.
        pub mod reg {
            use super::{Access, Models, Register, Unit};
            $( #[doc = $name] pub const $const: Register = Register {
                key: stringify!($const), name: $name, ram: place!($ram), eep: place!($eep), size: $size, signed: registers!(@ $sign), unit: Unit::$unit,
                access: Access::$access, models: Models::$models, factory: $factory,
            }; )*
        }
        /// All registers, settings first, in the order of their addresses.
        pub const REGISTERS: &[Register] = &[$( reg::$const ),*];
    };
    (@ u) => { false };
    (@ i) => { true };
}

registers! {
    MODEL "model number, two bytes": eep 0x00, ram -, 2 u None Read All = 0x0101;
    VERSION "firmware version, two bytes": eep 0x02, ram -, 2 u None Read All = 0x0090;
    BAUD "baud rate code": eep 0x04, ram -, 1 u None Write All = 0x10;
    ID "id": eep 0x06, ram 0x00, 1 u None Write All = 0xFD;
    ACK_POLICY "which requests are answered: 0 none, 1 reads, 2 all": eep 0x07, ram 0x01, 1 u None Write All = 1;
    ALARM_POLICY "errors that make the LED blink": eep 0x08, ram 0x02, 1 u None Write All = 0x7F;
    TORQUE_POLICY "errors that release torque": eep 0x09, ram 0x03, 1 u None Write All = 0xF5;
    MAX_TEMPERATURE "highest temperature": eep 0x0B, ram 0x05, 1 u Temperature Write All = 0xDF;
    MIN_VOLTAGE "lowest voltage": eep 0x0C, ram 0x06, 1 u Voltage Write All = 0x5B;
    MAX_VOLTAGE "highest voltage": eep 0x0D, ram 0x07, 1 u Voltage Write All = 0x89;
    ACCELERATION_RATIO "share of the playtime in which to accelerate": eep 0x0E, ram 0x08, 1 u Percent Write All = 25;
    MAX_ACCELERATION_TIME "longest time to accelerate": eep 0x0F, ram 0x09, 1 u Ticks Write All = 45;
    MIN_POSITION "lowest goal": eep 0x1A, ram 0x14, 2 u Counts Write All = 21;
    MAX_POSITION "highest goal": eep 0x1C, ram 0x16, 2 u Counts Write All = 1002;
    KP "position gain": eep 0x1E, ram 0x18, 2 u None Write All = 440;
    KD "damping gain": eep 0x20, ram 0x1A, 2 u None Write All = 8000;
    KI "integral gain": eep 0x22, ram 0x1C, 2 u None Write All = 0;
    CALIBRATION_0602 "calibration difference": eep 0x34, ram 0x2E, 2 i Counts Write Only0602 = 0;
    CALIBRATION "calibration difference": eep 0x35, ram 0x2F, 1 i Counts Write AllBut0602 = 0;
    STATUS_ERROR "status error": eep -, ram 0x30, 1 u None Write All = 0;
    STATUS_DETAIL "status detail": eep -, ram 0x31, 1 u None Write All = 0;
    TORQUE "torque: 0x00 free, 0x40 brake, 0x60 on": eep -, ram 0x34, 1 u None Write All = 0;
    LED "LED: 1 green, 2 blue, 4 red": eep -, ram 0x35, 1 u None Write All = 0;
    VOLTAGE "input voltage": eep -, ram 0x36, 1 u Voltage Read All = 0;
    TEMPERATURE "temperature": eep -, ram 0x37, 1 u Temperature Read All = 0;
    POSITION "calibrated position": eep -, ram 0x3A, 2 u Counts Read All = 0;
    ABSOLUTE_POSITION "absolute position": eep -, ram 0x3C, 2 u Counts Read All = 0;
    VELOCITY "differential position": eep -, ram 0x3E, 2 i CountsPerTick Read All = 0;
    PWM "motor drive": eep -, ram 0x40, 2 i Pwm Read All = 0;
    ABSOLUTE_GOAL "absolute goal": eep -, ram 0x44, 2 u Counts Read All = 0;
    DESIRED_POSITION "desired position": eep -, ram 0x46, 2 u Counts Read All = 0;
    DESIRED_VELOCITY "desired velocity": eep -, ram 0x48, 2 i CountsPerTick Read All = 0;
}

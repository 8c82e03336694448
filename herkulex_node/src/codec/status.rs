//! The two status bytes that end every reply.

use std::fmt;

/// How a servo is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Bits of [`error`].
    pub error: u8,
    /// Bits of [`detail`].
    pub detail: u8,
}

/// What is wrong with a servo; it stays so until it is cleared.
pub mod error {
    /// Input voltage out of its limits.
    pub const VOLTAGE: u8 = 0x01;
    /// A goal outside the position limits.
    pub const POSITION_LIMIT: u8 = 0x02;
    /// Hotter than its limit.
    pub const TEMPERATURE: u8 = 0x04;
    /// A packet that made no sense.
    pub const INVALID_PACKET: u8 = 0x08;
    /// Too much load.
    pub const OVERLOAD: u8 = 0x10;
    /// The motor driver failed.
    pub const DRIVER: u8 = 0x20;
    /// The settings memory is damaged.
    pub const EEP: u8 = 0x40;

    pub(super) const WORDS: [(u8, &str); 7] = [
        (VOLTAGE, "voltage"),
        (POSITION_LIMIT, "position limit"),
        (TEMPERATURE, "temperature"),
        (INVALID_PACKET, "invalid packet"),
        (OVERLOAD, "overload"),
        (DRIVER, "driver fault"),
        (EEP, "settings memory damaged"),
    ];
}

/// What a servo is doing, and what was wrong with the last invalid packet.
pub mod detail {
    /// On its way to a goal.
    pub const MOVING: u8 = 0x01;
    /// Arrived at its goal.
    pub const IN_POSITION: u8 = 0x02;
    /// It received a wrong checksum.
    pub const CHECKSUM: u8 = 0x04;
    /// It received a command that it does not know.
    pub const UNKNOWN_COMMAND: u8 = 0x08;
    /// No such register.
    pub const REGISTER_RANGE: u8 = 0x10;
    /// Bytes that are no packet.
    pub const GARBAGE: u8 = 0x20;
    /// The motor has torque.
    pub const MOTOR_ON: u8 = 0x40;
}

impl Status {
    /// Whether the motor has torque.
    pub fn motor_on(self) -> bool {
        self.detail & detail::MOTOR_ON != 0
    }

    /// Errors of the line, not of the servo: cleared, and life goes on.
    pub fn is_minor(self) -> bool {
        self.error & !(error::INVALID_PACKET | error::POSITION_LIMIT) == 0
    }
}

impl fmt::Display for Status {
    /// The errors in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.error == 0 {
            return f.write_str("ok");
        }
        let mut comma = "";
        for (_, word) in error::WORDS.iter().filter(|(bit, _)| self.error & bit != 0) {
            write!(f, "{comma}{word}")?;
            comma = ", ";
        }
        if self.error & 0x80 != 0 {
            write!(f, "{comma}unknown error 0x80")?;
        }
        Ok(())
    }
}

//! The HerkuleX protocol as pure data: packets, jogs, status bits, registers, models. No I/O, no clock, no allocation:
//! [`Frame`] encodes into a buffer that the caller owns, [`Parser`] finds packets in whatever bytes come.

mod frame;
mod jog;
mod model;
mod parser;
mod registers;
mod status;

pub use frame::{Frame, Memory, TooLong, checksum, command};
pub use jog::{I_JOG_MAX, Jog, S_JOG_MAX, TICK, flags, ticks};
pub use model::{Model, Motor, Scale};
pub use parser::{Packet, Parser, ParserEvent, Reply};
pub use registers::{Access, BAUD_CODES, Models, REGISTERS, Register, Unit, find, reg, torque};
pub use status::{Status, detail, error};

/// The longest packet.
pub const MAX_PACKET: usize = 223;
/// The shortest packet: a header and nothing else.
pub const MIN_PACKET: usize = 7;
/// The shortest reply: it ends in two status bytes.
pub const MIN_REPLY: usize = 9;
/// Addresses every servo at once.
pub const BROADCAST: u8 = 0xFE;
/// The id of a servo from the factory, and the last one that a servo can have.
pub const LAST_ID: u8 = 0xFD;
/// What makes a reply of a command.
pub const REPLY: u8 = 0x40;

//! Packets from the host, built in a fixed buffer.

use super::{MAX_PACKET, MIN_PACKET};

/// Commands; a reply is the command with [`super::REPLY`] set.
pub mod command {
    /// Writes the memory that survives a power cut.
    pub const EEP_WRITE: u8 = 1;
    /// Reads the memory that survives a power cut.
    pub const EEP_READ: u8 = 2;
    /// Writes the working memory.
    pub const RAM_WRITE: u8 = 3;
    /// Reads the working memory.
    pub const RAM_READ: u8 = 4;
    /// Moves servos, each with a playtime of its own.
    pub const I_JOG: u8 = 5;
    /// Moves servos, all with one playtime.
    pub const S_JOG: u8 = 6;
    /// Asks for the status; always answered.
    pub const STAT: u8 = 7;
    /// Back to factory settings.
    pub const ROLLBACK: u8 = 8;
    /// Starts the servo anew; its RAM is lost.
    pub const REBOOT: u8 = 9;
}

/// Which of a servo's two memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Settings that survive a power cut.
    Eep,
    /// The working copy, and what the servo measures.
    Ram,
}

impl Memory {
    /// The command that reads it.
    pub const fn read(self) -> u8 {
        match self {
            Memory::Eep => command::EEP_READ,
            Memory::Ram => command::RAM_READ,
        }
    }
    /// The command that writes it.
    pub const fn write(self) -> u8 {
        match self {
            Memory::Eep => command::EEP_WRITE,
            Memory::Ram => command::RAM_WRITE,
        }
    }
}

/// The data would make a packet longer than the protocol has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a packet has room for {} bytes of data", MAX_PACKET - MIN_PACKET)
    }
}
impl std::error::Error for TooLong {}

/// Both checksum bytes: cs1 = (size ^ id ^ cmd ^ data…) & 0xFE, cs2 = ~cs1 & 0xFE. `parts` is size, id, cmd and data in any
/// grouping. Bit 0 of every byte is outside the sum: the protocol cannot see it flip.
pub fn checksum(parts: &[&[u8]]) -> (u8, u8) {
    let xor = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum ^ byte);
    let sum = parts.iter().fold(0, |sum, part| sum ^ xor(part)) & 0xFE;
    (sum, !sum & 0xFE)
}

/// One packet in a buffer of its own; every method builds a new packet in place of the old one.
#[derive(Clone, Debug)]
pub struct Frame {
    bytes: [u8; MAX_PACKET],
    len: usize,
}

impl Default for Frame {
    fn default() -> Self {
        Frame { bytes: [0xFF; MAX_PACKET], len: 0 }
    }
}

impl Frame {
    /// The whole packet, header and checksums included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Any command with any data.
    pub fn packet(&mut self, id: u8, command: u8, data: &[u8]) -> Result<&[u8], TooLong> {
        self.begin(id, command);
        for byte in data {
            self.push(*byte)?;
        }
        Ok(self.seal())
    }

    /// A reply, as a servo builds it: the command's reply bit and both status bytes are added.
    pub fn reply(
        &mut self,
        id: u8,
        command: u8,
        data: &[u8],
        status: super::Status,
    ) -> Result<&[u8], TooLong> {
        self.begin(id, command | super::REPLY);
        for byte in data.iter().copied().chain([status.error, status.detail]) {
            self.push(byte)?;
        }
        Ok(self.seal())
    }

    /// Asks for `len` bytes from `address` on.
    pub fn read(&mut self, id: u8, memory: Memory, address: u8, len: u8) -> &[u8] {
        self.begin(id, memory.read());
        self.put(&[address, len]);
        self.seal()
    }

    /// Writes `values` from `address` on.
    pub fn write(&mut self, id: u8, memory: Memory, address: u8, values: &[u8]) -> Result<&[u8], TooLong> {
        let len = u8::try_from(values.len()).map_err(|_| TooLong)?;
        self.begin(id, memory.write());
        self.put(&[address, len]);
        for value in values {
            self.push(*value)?;
        }
        Ok(self.seal())
    }

    /// Asks for the status.
    pub fn stat(&mut self, id: u8) -> &[u8] {
        self.begin(id, command::STAT);
        self.seal()
    }

    /// Starts the servo anew.
    pub fn reboot(&mut self, id: u8) -> &[u8] {
        self.begin(id, command::REBOOT);
        self.seal()
    }

    /// Back to factory settings; `keep_id` and `keep_baud` leave those two as they are.
    pub fn rollback(&mut self, id: u8, keep_id: bool, keep_baud: bool) -> &[u8] {
        self.begin(id, command::ROLLBACK);
        self.put(&[keep_id.into(), keep_baud.into()]);
        self.seal()
    }

    pub(super) fn begin(&mut self, id: u8, command: u8) {
        self.bytes[3] = id;
        self.bytes[4] = command;
        self.len = MIN_PACKET;
    }

    fn push(&mut self, byte: u8) -> Result<(), TooLong> {
        *self.bytes.get_mut(self.len).ok_or(TooLong)? = byte;
        self.len += 1;
        Ok(())
    }

    /// Adds data of which the caller knows that there is room for it; what does not fit is left out.
    pub(super) fn put(&mut self, data: &[u8]) {
        let room = (MAX_PACKET - self.len).min(data.len());
        self.bytes[self.len..self.len + room].copy_from_slice(&data[..room]);
        self.len += room;
    }

    /// Adds one record of `N` bytes per item, as far as there is room.
    pub(super) fn put_each<T, const N: usize>(&mut self, items: &[T], record: impl Fn(&T) -> [u8; N]) {
        let places = self.bytes[self.len..].chunks_exact_mut(N);
        let mut used = 0;
        for (place, item) in places.zip(items) {
            place.copy_from_slice(&record(item));
            used += N;
        }
        self.len += used;
    }

    pub(super) fn seal(&mut self) -> &[u8] {
        self.bytes[2] = self.len as u8;
        let (cs1, cs2) = checksum(&[&self.bytes[2..5], &self.bytes[MIN_PACKET..self.len]]);
        (self.bytes[5], self.bytes[6]) = (cs1, cs2);
        &self.bytes[..self.len]
    }
}

//! The records of an mcap file that matter here, cut out of bytes that may be damaged (<https://mcap.dev/spec>).

use std::collections::BTreeMap;

/// Opcodes.
pub(crate) mod op {
    pub(crate) const FOOTER: u8 = 0x02;
    pub(crate) const SCHEMA: u8 = 0x03;
    pub(crate) const CHANNEL: u8 = 0x04;
    pub(crate) const MESSAGE: u8 = 0x05;
    pub(crate) const CHUNK: u8 = 0x06;
}

/// How a file begins and ends.
pub(crate) const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";
/// Bytes in a message record before its data: channel, sequence, log time, publish time.
pub(crate) const MESSAGE_HEADER: usize = 2 + 4 + 8 + 8;

/// What a schema record says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Schema {
    pub id: u16,
    pub name: String,
    pub encoding: String,
    pub data: Vec<u8>,
}

/// What a channel record says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChannelRecord {
    pub id: u16,
    pub schema: u16,
    pub topic: String,
    pub encoding: String,
    pub metadata: BTreeMap<String, String>,
}

/// Takes fields off the front of a record; None where it ends too early.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (number, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*number)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.number()?) as usize;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

impl Schema {
    pub(crate) fn read(record: &[u8]) -> Option<Self> {
        let mut fields = Fields(record);
        let id = u16::from_le_bytes(fields.number()?);
        Some(Self { id, name: fields.text()?, encoding: fields.text()?, data: fields.bytes()?.to_vec() })
    }
}

impl ChannelRecord {
    pub(crate) fn read(record: &[u8]) -> Option<Self> {
        let mut fields = Fields(record);
        let (id, schema) = (u16::from_le_bytes(fields.number()?), u16::from_le_bytes(fields.number()?));
        let (topic, encoding) = (fields.text()?, fields.text()?);
        let mut pairs = Fields(fields.bytes()?);
        let mut metadata = BTreeMap::new();
        while !pairs.0.is_empty() {
            metadata.insert(pairs.text()?, pairs.text()?);
        }
        Some(Self { id, schema, topic, encoding, metadata })
    }
}

/// What stands before the records of a chunk: sizes unpacked and packed, how it is packed, and the bytes that this took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChunkHeader {
    pub unpacked: u64,
    /// Bytes of the name of the compression, which follows; then comes the packed size.
    pub name: u32,
}

impl ChunkHeader {
    /// Bytes up to and with the length of the compression's name: times, size, checksum, length.
    pub(crate) const SIZE: usize = 8 + 8 + 8 + 4 + 4;

    pub(crate) fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let mut unpacked = [0; 8];
        unpacked.copy_from_slice(&bytes[16..24]);
        let name = u32::from_le_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]);
        Self { unpacked: u64::from_le_bytes(unpacked), name }
    }
}

//! One mcap file, read from front to end as it was written.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, bail};
use mcap::records::{Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};

use super::bag::{Ending, Recorded, Visit};
use super::topics::{Role, Topics};

/// Bytes in a message record before its data: channel, sequence, log time, publish time.
const MESSAGE_HEADER: usize = 2 + 4 + 8 + 8;
/// No message is larger; keeps a damaged length from filling the memory.
const LONGEST_RECORD: usize = 1 << 28;
const BLOCK: usize = 1 << 18;

/// Counts what is read of a file, compressed or not.
struct Counted {
    file: File,
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

enum Source {
    Plain(Counted),
    Zstd(zstd::Decoder<'static, std::io::BufReader<Counted>>),
}

impl Source {
    fn open(path: &Path, zstd: bool) -> anyhow::Result<(Self, f64)> {
        let file = File::open(path).context("cannot be opened")?;
        let size = file.metadata().map_or(1.0, |metadata| metadata.len().max(1) as f64);
        let counted = Counted { file, read: 0 };
        let source = if zstd { Self::Zstd(zstd::Decoder::new(counted)?) } else { Self::Plain(counted) };
        Ok((source, size))
    }

    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Zstd(decoder) => decoder.read(buffer),
        }
    }

    fn behind(&self) -> f64 {
        match self {
            Self::Plain(file) => file.read as f64,
            Self::Zstd(decoder) => decoder.get_ref().get_ref().read as f64,
        }
    }
}

/// Reads the messages of one file in the order of the file.
pub(crate) fn read(
    path: &Path,
    zstd: bool,
    topics: &mut Topics,
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let (mut source, size) = Source::open(path, zstd)?;
    let options = LinearReaderOptions::default().with_record_length_limit(LONGEST_RECORD);
    let mut reader = LinearReader::new_with_options(options);
    let mut schemas: HashMap<u16, String> = HashMap::new();
    let mut channels: HashMap<u16, (Role, String)> = HashMap::new();
    let mut begun = false;
    while let Some(event) = reader.next_event() {
        let (data, opcode) = match event {
            Ok(LinearReadEvent::Record { data, opcode }) => (data, opcode),
            Ok(LinearReadEvent::ReadRequest(wanted)) => {
                let buffer = reader.insert(wanted.clamp(1, LONGEST_RECORD).max(BLOCK));
                match source.read(buffer) {
                    Ok(count) => reader.notify_read(count),
                    Err(e) if begun => return Ok(Ending::Early(e.to_string())),
                    Err(e) => return Err(e.into()),
                }
                continue;
            }
            Err(e) if begun => return Ok(Ending::Early(e.to_string())),
            Err(e) => bail!("is no mcap file: {e}"),
        };
        begun = true;
        if opcode == op::MESSAGE {
            let Some((header, message)) = data.split_at_checked(MESSAGE_HEADER) else {
                return Ok(Ending::Early("a message record is damaged".into()));
            };
            let channel = u16::from_le_bytes([header[0], header[1]]);
            let Some((role, topic)) = channels.get(&channel) else { continue };
            let mut time = [0; 8];
            time.copy_from_slice(&header[6..14]);
            let log_time = u64::from_le_bytes(time).cast_signed();
            visit(&Recorded { role: *role, topic, log_time, share: source.behind() / size, data: message })?;
            continue;
        }
        if opcode != op::SCHEMA && opcode != op::CHANNEL {
            continue;
        }
        match mcap::parse_record(opcode, data) {
            Ok(Record::Schema { header, .. }) => {
                schemas.insert(header.id, header.name);
            }
            Ok(Record::Channel(channel)) => {
                let kind = schemas.get(&channel.schema_id).map_or("", String::as_str);
                let Some(role) = topics.role(&channel.topic, kind)? else { continue };
                if channel.message_encoding != "cdr" {
                    bail!("topic {} is encoded as {}, not as cdr", channel.topic, channel.message_encoding);
                }
                channels.insert(channel.id, (role, channel.topic));
            }
            Ok(_) => {}
            Err(e) => return Ok(Ending::Early(e.to_string())),
        }
    }
    Ok(Ending::Whole)
}

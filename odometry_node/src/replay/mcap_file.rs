//! One mcap file, read from front to end as it was written; nothing is reserved by what its lengths claim.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context as _, bail};

use super::bag::{Channel, Ending, Recorded, Visit};
use super::limits::{BLOCK, Bounded, allowed, fill, skip, zstd_reader};
use super::mcap_records::{ChannelRecord, ChunkHeader, MAGIC, MESSAGE_HEADER, Schema, op};
use super::topics::Topics;

/// Names of compressions are as short as "zstd".
const LONGEST_NAME: u32 = 32;

/// Counts what is read of a file, packed or not.
struct Counted {
    file: File,
    read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

/// Why reading ends before the file does.
enum Halt {
    /// The rest cannot be read: it is cut off or damaged.
    Early(String),
    /// Nothing more is wanted.
    Fatal(anyhow::Error),
}

impl From<io::Error> for Halt {
    fn from(e: io::Error) -> Self {
        Self::Early(match e.kind() {
            io::ErrorKind::UnexpectedEof => "it is cut off".into(),
            _ => e.to_string(),
        })
    }
}

fn damaged(what: &str) -> Halt {
    Halt::Early(format!("{what} is damaged"))
}

/// Reads the messages of one file in the order of the file.
pub(crate) fn read(
    path: &Path,
    zstd: bool,
    topics: &mut Topics,
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let file = File::open(path).context("cannot be opened")?;
    let size = file.metadata().map_or(1, |metadata| metadata.len().max(1));
    let read = Rc::new(Cell::new(0));
    let counted = Counted { file, read: read.clone() };
    let mut source: Box<dyn BufRead> = match zstd {
        true => Box::new(zstd_reader(counted, size)?),
        false => Box::new(BufReader::with_capacity(BLOCK, counted)),
    };
    let mut magic = [0; MAGIC.len()];
    match source.read_exact(&mut magic) {
        Ok(()) if magic == MAGIC => {}
        Ok(()) => bail!("is no mcap file: it does not begin like one"),
        Err(e) => bail!("is no mcap file: {e}"),
    }
    let (schemas, channels) = (HashMap::new(), HashMap::new());
    let mut walk = Walk { topics, visit, schemas, channels, room: vec![], read, size: size as f64 };
    match walk.records(&mut *source, Within::File) {
        Ok(()) => Ok(Ending::Whole),
        Err(Halt::Early(reason)) => Ok(Ending::Early(reason)),
        Err(Halt::Fatal(e)) => Err(e),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    File,
    Chunk,
}

struct Walk<'a, 'v> {
    topics: &'a mut Topics,
    visit: &'a mut Visit<'v>,
    schemas: HashMap<u16, Schema>,
    channels: HashMap<u16, Arc<Channel>>,
    room: Vec<u8>,
    read: Rc<Cell<u64>>,
    size: f64,
}

impl Walk<'_, '_> {
    /// Reads records to the end of the chunk, or to the file's footer.
    fn records(&mut self, from: &mut dyn BufRead, within: Within) -> Result<(), Halt> {
        loop {
            if within == Within::Chunk && from.fill_buf()?.is_empty() {
                return Ok(());
            }
            let mut head = [0; 9];
            from.read_exact(&mut head)?;
            let [opcode, length @ ..] = head;
            let length = u64::from_le_bytes(length);
            match opcode {
                op::MESSAGE => self.message(from, length)?,
                op::SCHEMA => {
                    fill(from, length, &mut self.room)?;
                    let schema = Schema::read(&self.room).ok_or_else(|| damaged("a schema"))?;
                    self.schemas.insert(schema.id, schema);
                }
                op::CHANNEL => {
                    fill(from, length, &mut self.room)?;
                    let channel = ChannelRecord::read(&self.room).ok_or_else(|| damaged("a channel"))?;
                    self.channel(channel).map_err(Halt::Fatal)?;
                }
                op::CHUNK if within == Within::File => self.chunk(from, length)?,
                op::FOOTER if within == Within::File => {
                    skip(from, length)?;
                    let mut magic = [0; MAGIC.len()];
                    from.read_exact(&mut magic)?;
                    return if magic == MAGIC { Ok(()) } else { Err(damaged("its end")) };
                }
                _ => skip(from, length)?,
            }
        }
    }

    fn message(&mut self, from: &mut dyn BufRead, length: u64) -> Result<(), Halt> {
        let Some(length) = length.checked_sub(MESSAGE_HEADER as u64) else {
            return Err(damaged("a message record"));
        };
        let mut header = [0; MESSAGE_HEADER];
        from.read_exact(&mut header)?;
        let id = u16::from_le_bytes([header[0], header[1]]);
        let Some(channel) = self.channels.get(&id) else { return Ok(skip(from, length)?) };
        fill(from, length, &mut self.room)?;
        let mut time = [0; 8];
        time.copy_from_slice(&header[6..14]);
        let log_time = u64::from_le_bytes(time).cast_signed();
        let share = self.read.get() as f64 / self.size;
        (self.visit)(&Recorded { channel, log_time, share, data: &self.room }).map_err(Halt::Fatal)
    }

    fn channel(&mut self, channel: ChannelRecord) -> anyhow::Result<()> {
        let ChannelRecord { id, schema, topic, encoding, metadata } = channel;
        let blank = Schema::default();
        let schema = self.schemas.get(&schema).unwrap_or(&blank);
        let Some(wanted) = self.topics.wanted(&topic, &schema.name)? else { return Ok(()) };
        if wanted.role.is_some() && encoding != "cdr" {
            bail!("topic {topic} is encoded as {encoding}, not as cdr");
        }
        let channel = Channel {
            topic,
            kind: schema.name.clone(),
            encoding,
            definition: schema.data.clone(),
            definition_encoding: schema.encoding.clone(),
            metadata,
            wanted,
        };
        self.channels.insert(id, Arc::new(channel));
        Ok(())
    }

    fn chunk(&mut self, from: &mut dyn BufRead, length: u64) -> Result<(), Halt> {
        let mut header = [0; ChunkHeader::SIZE];
        from.read_exact(&mut header)?;
        let header = ChunkHeader::read(&header);
        if header.name > LONGEST_NAME {
            return Err(damaged("a chunk"));
        }
        let mut name = vec![0; header.name as usize];
        from.read_exact(&mut name)?;
        let mut packed = [0; 8];
        from.read_exact(&mut packed)?;
        let packed = u64::from_le_bytes(packed);
        let before = ChunkHeader::SIZE as u64 + u64::from(header.name) + 8;
        let behind = length.checked_sub(before).and_then(|rest| rest.checked_sub(packed));
        let behind = behind.ok_or_else(|| damaged("a chunk"))?;
        let mut records = from.take(packed);
        let missing = match name.as_slice() {
            b"" => {
                self.records(&mut records, Within::Chunk)?;
                0
            }
            b"zstd" => self.unpacked(zstd_reader(&mut records, packed)?, header.unpacked)?,
            b"lz4" => {
                let decoder = Bounded::new(lz4::Decoder::new(&mut records)?, allowed(packed));
                self.unpacked(BufReader::with_capacity(BLOCK, decoder), header.unpacked)?
            }
            _ => {
                let name = String::from_utf8_lossy(&name).into_owned();
                return Err(Halt::Early(format!("a chunk is packed with \"{name}\", not zstd or lz4")));
            }
        };
        if missing > 0 {
            return Err(Halt::Early("it is cut off".into()));
        }
        let rest = records.limit();
        skip(from, rest)?;
        Ok(skip(from, behind)?)
    }

    /// Reads as many bytes of records as the chunk says; how many were missing.
    fn unpacked(&mut self, from: impl BufRead, size: u64) -> Result<u64, Halt> {
        let mut records = from.take(size);
        self.records(&mut records, Within::Chunk)?;
        Ok(records.limit())
    }
}

//! A recording being written: an mcap file that `ros2 bag`, Foxglove and `odometry_replay` open.
//!
//! It has its name only when it is whole; what was cut off by a failing battery lies beside as `.NAME.part`, which `mcap recover` mends.

use anyhow::Context as _;
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions, Writer};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Large enough to read back fast, small enough to lose little of a file that is cut off.
const CHUNK: u64 = 1 << 20;

/// What a topic is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its full name.
    pub name: String,
    /// Its type, `package/msg/Name`.
    pub kind: String,
    /// The text of its type; empty where it is not to be had.
    pub definition: String,
}

impl Topic {
    /// A topic of a type, whose text it is.
    pub fn new(name: &str, kind: &str, definition: String) -> Topic {
        Topic { name: name.into(), kind: kind.into(), definition }
    }
}

/// A file that is written.
pub struct Bag {
    file: Writer<BufWriter<File>>,
    channels: HashMap<usize, u16>,
    part: PathBuf,
    path: PathBuf,
    messages: u64,
    bytes: u64,
    sequence: u32,
}

impl Bag {
    /// Begins a file, in a folder that is made if there is none. What is there already is left alone. `library` says who writes.
    pub fn create(path: &Path, library: &str) -> anyhow::Result<Bag> {
        let cannot = || format!("cannot record into {}", path.display());
        let name = path.file_stem().with_context(cannot)?.to_string_lossy();
        let part = path.with_file_name(format!(".{name}.part"));
        path.parent().map_or(Ok(()), fs::create_dir_all).with_context(cannot)?;
        anyhow::ensure!(!path.exists(), "there is a file {} already", path.display());
        // It may have been cut off long ago, and its name begins with a dot.
        let cut_off = "is of a recording that is under way or was cut off (`mcap recover` mends it)";
        anyhow::ensure!(!part.exists(), "{}: {} {cut_off}", cannot(), part.display());
        let file = BufWriter::new(File::create_new(&part).with_context(cannot)?);
        // LZ4: a robot has better things to do than to compress well.
        let options = WriteOptions::new().profile("ros2").library(library).chunk_size(Some(CHUNK));
        let file = options.compression(Some(Compression::Lz4)).create(file).with_context(cannot)?;
        Ok(Bag {
            file,
            channels: HashMap::new(),
            part,
            path: path.into(),
            messages: 0,
            bytes: 0,
            sequence: 0,
        })
    }

    /// Writes the bytes of a message of topic `number`, as they came at a time, ns.
    pub fn write(&mut self, number: usize, topic: &Topic, time: u64, data: &[u8]) -> anyhow::Result<()> {
        let channel_id = match self.channels.get(&number) {
            Some(id) => *id,
            None => {
                let schema = self.file.add_schema(&topic.kind, "ros2msg", topic.definition.as_bytes())?;
                let id = self.file.add_channel(schema, &topic.name, "cdr", &BTreeMap::new())?;
                self.channels.insert(number, id);
                id
            }
        };
        self.sequence = self.sequence.wrapping_add(1);
        let header =
            MessageHeader { channel_id, sequence: self.sequence, log_time: time, publish_time: time };
        self.file
            .write_to_known_channel(&header, data)
            .with_context(|| format!("cannot write {}", self.part.display()))?;
        self.messages += 1;
        self.bytes += data.len() as u64;
        Ok(())
    }

    /// Messages so far.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Bytes of messages so far; the file has less, as it is compressed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> anyhow::Result<PathBuf> {
        let cannot = || format!("cannot write {}", self.path.display());
        self.file.finish().with_context(cannot)?;
        let mut file = self.file.into_inner();
        file.flush().with_context(cannot)?;
        // Else a power cut could leave the name without the content.
        file.get_ref().sync_all().with_context(cannot)?;
        drop(file);
        fs::rename(&self.part, &self.path).with_context(cannot)?;
        Ok(self.path)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_is_read_back_as_it_came() {
        let folder = std::env::temp_dir().join(format!("gaitway_bag_{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let topics = ["/joints", "/odom"].map(|name| Topic {
            name: name.into(),
            kind: "std_msgs/msg/String".into(),
            definition: "string data\n".into(),
        });
        let path = folder.join("walk.mcap");
        let mut bag = Bag::create(&path, "a test").unwrap();
        let refused = Bag::create(&path, "a test").err().map(|e| format!("{e:#}")).unwrap_or_default();
        assert!(
            refused.contains(".walk.part"),
            "two cannot write one file, and the culprit is named: {refused}"
        );
        for k in 0..1000u64 {
            let number = (k % 2) as usize;
            bag.write(number, &topics[number], 1_000 + k, &k.to_le_bytes()).unwrap();
        }
        assert!(!path.exists(), "it has its name only when it is whole");
        assert_eq!((bag.messages(), bag.bytes()), (1000, 8000));
        let path = bag.finish().unwrap();
        let bytes = fs::read(&path).unwrap();
        let read: Vec<_> = mcap::MessageStream::new(&bytes).unwrap().map(Result::unwrap).collect();
        assert_eq!(read.len(), 1000);
        for (k, message) in read.iter().enumerate() {
            let topic = &topics[k % 2];
            assert_eq!(
                (message.channel.topic.as_str(), message.log_time),
                (topic.name.as_str(), 1_000 + k as u64)
            );
            assert_eq!(message.data.as_ref(), (k as u64).to_le_bytes());
            let schema = message.channel.schema.as_ref().unwrap();
            assert_eq!(
                (schema.name.as_str(), schema.data.as_ref()),
                ("std_msgs/msg/String", b"string data\n".as_slice())
            );
        }
        assert!(Bag::create(&path, "a test").is_err(), "what is there is left alone");
        fs::remove_dir_all(folder).unwrap();
    }
}

//! A recording being written: an mcap file that `ros2 bag`, Foxglove and `odometry_replay` open.
//!
//! It has its name only when it is whole; what was cut off by a failing battery lies beside as `.NAME.part`, which `mcap recover` mends.

use anyhow::Context as _;
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions, Writer};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::BufWriter;
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
    /// Begins `name`.mcap in a folder, which is made if there is none. What is there already is left alone.
    pub fn create(folder: &Path, name: &str) -> anyhow::Result<Bag> {
        let (path, part) = (folder.join(format!("{name}.mcap")), folder.join(format!(".{name}.part")));
        let cannot = || format!("cannot record into {}", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        anyhow::ensure!(!path.exists(), "there is a recording {name}.mcap already");
        let file = BufWriter::new(File::create_new(&part).with_context(cannot)?);
        // LZ4: a robot has better things to do than to compress well.
        let options =
            WriteOptions::new().profile("ros2").library("gaitway page_node").chunk_size(Some(CHUNK));
        let file = options.compression(Some(Compression::Lz4)).create(file).with_context(cannot)?;
        Ok(Bag { file, channels: HashMap::new(), part, path, messages: 0, bytes: 0, sequence: 0 })
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
        drop(self.file);
        fs::rename(&self.part, &self.path).with_context(cannot)?;
        Ok(self.path)
    }
}

/// The name of a recording that begins at a time, s since 1970, in UTC: `2026-11-18_01-02-03`, behind a label if there is one.
pub fn name_of(label: &str, seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let stamp = format!(
        "{year:04}-{month:02}-{day:02}_{:02}-{:02}-{:02}",
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    );
    if label.is_empty() { stamp } else { format!("{label}_{stamp}") }
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar: 400 years have 146 097 days, counted from a first of March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_when_a_recording_began() {
        // Of `date -u -d @N +%F_%H-%M-%S`.
        for (seconds, name) in [
            (0, "1970-01-01_00-00-00"),
            (951_782_399, "2000-02-28_23-59-59"),
            (951_782_400, "2000-02-29_00-00-00"),
            (1_735_689_599, "2024-12-31_23-59-59"),
            (1_795_000_000, "2026-11-18_11-06-40"),
            (4_107_542_400, "2100-03-01_00-00-00"),
        ] {
            assert_eq!(name_of("", seconds), name);
        }
        assert_eq!(name_of("walk", 0), "walk_1970-01-01_00-00-00");
    }

    #[test]
    fn what_is_recorded_is_read_back_as_it_came() {
        let folder = std::env::temp_dir().join(format!("gaitway_bag_{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let topics = ["/joints", "/odom"].map(|name| Topic {
            name: name.into(),
            kind: "std_msgs/msg/String".into(),
            definition: "string data\n".into(),
        });
        let mut bag = Bag::create(&folder, "walk").unwrap();
        assert!(Bag::create(&folder, "walk").is_err(), "two cannot write one file");
        for k in 0..1000u64 {
            let number = (k % 2) as usize;
            bag.write(number, &topics[number], 1_000 + k, &k.to_le_bytes()).unwrap();
        }
        assert!(!folder.join("walk.mcap").exists(), "it has its name only when it is whole");
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
        assert!(Bag::create(&folder, "walk").is_err(), "what is there is left alone");
        fs::remove_dir_all(folder).unwrap();
    }
}

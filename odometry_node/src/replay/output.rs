//! The mcap file that a replay writes, alone or in a folder that is a rosbag2.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bag_lib::schemas;
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};

use super::bag::Channel;
use super::encode::Messages;
use super::metadata::{self, TopicCount};
use super::scratch::Scratch;
use crate::{Estimate, OdometryParams, Outputs};

/// Large enough to read back fast, small enough to lose little of an interrupted file.
const CHUNK: u64 = 1 << 20;
const QOS: &str = "offered_qos_profiles";

/// An estimate with what it was made of, or a message that is passed on.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// When its joints, or the message, were recorded, ns.
    pub log_time: i64,
    /// The control cycle.
    pub cycle: u32,
    pub estimate: Estimate,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    /// The topic of a message that is passed on.
    pub passed: Option<Arc<Channel>>,
    /// That message.
    pub data: Vec<u8>,
}

/// Writes estimates. The file has its name only when it is whole.
pub(crate) struct Output {
    file: mcap::Writer<BufWriter<File>>,
    part: Scratch,
    path: PathBuf,
    /// Name of the storage file when a folder is written.
    storage: Option<String>,
    force: bool,
    channels: [u16; 5],
    /// Channels of what is passed on, by topic.
    passed: HashMap<String, u16>,
    counts: BTreeMap<u16, TopicCount>,
    times: Option<(u64, u64)>,
    sequence: u32,
    cdr: Messages,
}

impl Output {
    /// `namespace` is that of the joints' topic: empty, or `/robot`. `options` say whether to compress, and to replace what is there.
    pub(crate) fn create(
        path: &Path,
        namespace: &str,
        outputs: Outputs,
        params: &OdometryParams,
        (compress, force): (bool, bool),
    ) -> anyhow::Result<Self> {
        let (part, file, storage) = if path.extension().is_some_and(|extension| extension == "mcap") {
            let (part, file) = Scratch::beside(path)?;
            (part, file, None)
        } else {
            let part = Scratch::folder_beside(path)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let storage = format!("{name}_0.mcap");
            let file = File::create_new(part.path().join(&storage)).with_context(|| cannot_write(path))?;
            (part, file, Some(storage))
        };
        let options = WriteOptions::new()
            .profile("ros2")
            .library("gaitway odometry_replay")
            .chunk_size(Some(CHUNK))
            .compression(compress.then_some(Compression::Zstd))
            .compression_threads(0)
            // Every chunk has a checksum of its own.
            .calculate_data_section_crc(false);
        let file = options.create(BufWriter::with_capacity(CHUNK as usize, file))?;
        let mut output = Self {
            file,
            part,
            path: path.to_owned(),
            storage,
            force,
            channels: [0; 5],
            passed: HashMap::new(),
            counts: BTreeMap::new(),
            times: None,
            sequence: 0,
            cdr: Messages::new(outputs, params.clone()),
        };
        let about = BTreeMap::from([(QOS.to_owned(), String::new())]);
        for (number, (topic, kind, definition)) in topics(namespace, params).into_iter().enumerate() {
            let schema = output.file.add_schema(kind, "ros2msg", definition.as_bytes())?;
            output.channels[number] = output.channel(schema, &topic, kind, "cdr", &about)?;
        }
        Ok(output)
    }

    /// Names of the topics that it writes.
    pub(crate) fn topics(namespace: &str, params: &OdometryParams) -> Vec<String> {
        topics(namespace, params).into_iter().map(|(topic, ..)| topic).collect()
    }

    fn channel(
        &mut self,
        schema: u16,
        topic: &str,
        kind: &str,
        encoding: &str,
        about: &BTreeMap<String, String>,
    ) -> anyhow::Result<u16> {
        let channel = self.file.add_channel(schema, topic, encoding, about)?;
        let qos = about.get(QOS).cloned().unwrap_or_default();
        let (name, kind, encoding) = (topic.to_owned(), kind.to_owned(), encoding.to_owned());
        self.counts.insert(channel, TopicCount { name, kind, encoding, qos, messages: 0 });
        Ok(channel)
    }

    /// Writes one estimate under the time at which its joints were recorded, or passes a message on.
    pub(crate) fn write(&mut self, entry: &Entry) -> anyhow::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        if let Some(channel) = &entry.passed {
            let id = self.passed_channel(channel)?;
            return self.send_to(id, entry.log_time, Some(&entry.data));
        }
        self.cdr.body(&entry.estimate);
        self.send(0, entry)?;
        self.cdr.odom(&entry.estimate);
        self.send(1, entry)?;
        if self.cdr.tf(entry) > 0 {
            self.send(2, entry)?;
        }
        self.cdr.support(entry);
        self.send(3, entry)?;
        if self.cdr.limbs(entry) {
            self.send(4, entry)?;
        }
        Ok(())
    }

    fn passed_channel(&mut self, channel: &Channel) -> anyhow::Result<u16> {
        if let Some(id) = self.passed.get(&channel.topic) {
            return Ok(*id);
        }
        let Channel { topic, kind, encoding, definition, definition_encoding, metadata, .. } = channel;
        // Schema 0 is none.
        let schema = match kind.is_empty() {
            true => 0,
            false => self.file.add_schema(kind, definition_encoding, definition)?,
        };
        let id = self.channel(schema, topic, kind, encoding, metadata)?;
        self.passed.insert(topic.clone(), id);
        Ok(id)
    }

    /// Ends the file and gives it its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.file.finish().with_context(|| cannot_write(&self.path))?;
        drop(self.file);
        if let Some(storage) = &self.storage {
            let topics: Vec<TopicCount> = self.counts.into_values().collect();
            std::fs::write(
                self.part.path().join("metadata.yaml"),
                metadata::write(storage, &topics, self.times),
            )
            .with_context(|| cannot_write(&self.path))?;
        }
        self.part.keep_as(&self.path, self.force)
    }

    fn send(&mut self, channel: usize, entry: &Entry) -> anyhow::Result<()> {
        self.send_to(self.channels[channel], entry.log_time, None)
    }

    /// Writes these bytes, or else what was made in `cdr`.
    fn send_to(&mut self, channel_id: u16, log_time: i64, data: Option<&[u8]>) -> anyhow::Result<()> {
        let time = u64::try_from(log_time).unwrap_or(0);
        let header =
            MessageHeader { channel_id, sequence: self.sequence, log_time: time, publish_time: time };
        if let Some(count) = self.counts.get_mut(&channel_id) {
            count.messages += 1;
        }
        self.times = Some(self.times.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
        self.file
            .write_to_known_channel(&header, data.unwrap_or(self.cdr.message()))
            .with_context(|| cannot_write(&self.path))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Topics, types and definitions of what is written.
fn topics(namespace: &str, params: &OdometryParams) -> Vec<(String, &'static str, String)> {
    let named = |name: &str| format!("{namespace}/{name}");
    let mut topics = vec![
        (named("body"), "sensor_msgs/msg/MultiDOFJointState", schemas::multi_dof()),
        (named("odom"), "nav_msgs/msg/Odometry", schemas::odometry()),
        ("/tf".to_owned(), "tf2_msgs/msg/TFMessage", schemas::tf()),
        (named("support_out"), "gait_msgs/msg/SupportState", schemas::support()),
    ];
    if params.publish_limb_poses {
        topics.push((named("limb_poses"), "sensor_msgs/msg/MultiDOFJointState", schemas::multi_dof()));
    }
    topics
}

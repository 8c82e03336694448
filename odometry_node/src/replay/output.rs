//! The mcap file that a replay writes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};

use super::cdr::Writer;
use super::schemas;
use super::scratch::Scratch;
use crate::{Estimate, OdometryParams, Outputs, numbers};

/// Large enough to read back fast, small enough to lose little of an interrupted file.
const CHUNK: u64 = 1 << 20;

/// An estimate with what it was made of.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// When its joints were recorded, ns.
    pub log_time: i64,
    /// The control cycle.
    pub cycle: u32,
    pub estimate: Estimate,
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
}

/// Writes estimates. The file has its name only when it is whole.
pub(crate) struct Output {
    file: mcap::Writer<BufWriter<File>>,
    part: Scratch,
    path: PathBuf,
    channels: [u16; 5],
    sequence: u32,
    cdr: Writer,
    outputs: Outputs,
    params: OdometryParams,
}

impl Output {
    /// `namespace` is that of the joints' topic: empty, or `/robot`.
    pub(crate) fn create(
        path: &Path,
        namespace: &str,
        outputs: Outputs,
        params: &OdometryParams,
        compress: bool,
    ) -> anyhow::Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let (part, file) = Scratch::create(part.into())?;
        let options = WriteOptions::new()
            .profile("ros2")
            .library("gaitway odometry_replay")
            .chunk_size(Some(CHUNK))
            .compression(compress.then_some(Compression::Zstd))
            .compression_threads(0)
            // Every chunk has a checksum of its own.
            .calculate_data_section_crc(false);
        let mut file = options.create(BufWriter::with_capacity(CHUNK as usize, file))?;
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
        let about = BTreeMap::from([("offered_qos_profiles".to_owned(), String::new())]);
        let mut channels = [0; 5];
        for (channel, (topic, kind, definition)) in channels.iter_mut().zip(&topics) {
            let schema = file.add_schema(kind, "ros2msg", definition.as_bytes())?;
            *channel = file.add_channel(schema, topic, "cdr", &about)?;
        }
        Ok(Self {
            file,
            part,
            path: path.to_owned(),
            channels,
            sequence: 0,
            cdr: Writer::default(),
            outputs,
            params: params.clone(),
        })
    }

    /// Writes one estimate under the time at which its joints were recorded.
    pub(crate) fn write(&mut self, entry: &Entry) -> anyhow::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        self.body(&entry.estimate);
        self.send(0, entry)?;
        self.odom(&entry.estimate);
        self.send(1, entry)?;
        if self.tf(entry) > 0 {
            self.send(2, entry)?;
        }
        self.support(entry);
        self.send(3, entry)?;
        if self.params.publish_limb_poses {
            self.limbs(entry);
            self.send(4, entry)?;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.file.finish().with_context(|| self.part.cannot_write())?;
        drop(self.file);
        self.part.keep_as(&self.path)
    }

    fn send(&mut self, channel: usize, entry: &Entry) -> anyhow::Result<()> {
        let time = u64::try_from(entry.log_time).unwrap_or(0);
        let header = MessageHeader {
            channel_id: self.channels[channel],
            sequence: self.sequence,
            log_time: time,
            publish_time: time,
        };
        self.file
            .write_to_known_channel(&header, self.cdr.message())
            .with_context(|| self.part.cannot_write())
    }

    fn body(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.params.odom_frame);
        cdr.u32(1).text(&self.params.base_frame);
        cdr.u32(1).f64s(&numbers(&estimate.pose));
        cdr.u32(1).f64s(estimate.twist_in_odom().0.as_slice()).u32(0);
    }

    fn odom(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.params.odom_frame);
        cdr.text(&self.params.base_frame);
        cdr.f64s(&numbers(&estimate.pose)).f64s(estimate.pose_covariance.as_slice());
        cdr.f64s(estimate.twist.0.as_slice()).f64s(estimate.twist_covariance.as_slice());
    }

    /// The number of transforms.
    fn tf(&mut self, entry: &Entry) -> usize {
        let frames = self.outputs.frames(&entry.estimate, &entry.q, &self.params);
        let count = frames.iter().map(|frames| frames.len()).sum();
        let cdr = self.cdr.begin().u32(count as u32);
        for frame in frames.into_iter().flatten() {
            cdr.header(entry.estimate.stamp, &frame.parent).text(&frame.child).f64s(&numbers(&frame.pose));
        }
        count
    }

    fn support(&mut self, entry: &Entry) {
        let legs = self.outputs.supports(&entry.estimate);
        let count = legs.len() as u32;
        let cdr = self.cdr.begin().header(entry.estimate.stamp, &self.params.odom_frame);
        cdr.u32(entry.cycle).u32(count);
        legs.clone().for_each(|leg| {
            cdr.text(leg.chain);
        });
        cdr.u32(count);
        legs.clone().for_each(|leg| {
            cdr.text(leg.contact);
        });
        cdr.u32(count);
        legs.for_each(|leg| {
            cdr.f64s(&[leg.weight]);
        });
    }

    fn limbs(&mut self, entry: &Entry) {
        let limbs = self.outputs.limbs(&entry.q, &entry.qd);
        let count = limbs.len() as u32;
        let cdr = self.cdr.begin().header(entry.estimate.stamp, &self.params.base_frame).u32(count);
        for limb in limbs {
            cdr.text(&limb.name);
        }
        cdr.u32(count);
        for limb in limbs {
            cdr.f64s(&numbers(&limb.pose));
        }
        cdr.u32(count);
        for limb in limbs {
            cdr.f64s(limb.twist.0.as_slice());
        }
        cdr.u32(0);
    }
}

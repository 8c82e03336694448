//! The mcap file that a replay writes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use filters_lib::Twist;
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};
use nalgebra::Isometry3;
use robot_model_lib::RobotModel;

use super::cdr::Writer;
use super::schemas;
use crate::{Estimate, OdometryParams};

/// Large enough to read back fast, small enough to lose little of an interrupted file.
const CHUNK: u64 = 1 << 20;

/// Writes estimates. The file has its name only when it is whole.
pub(crate) struct Output {
    file: mcap::Writer<BufWriter<File>>,
    path: PathBuf,
    part: PathBuf,
    channels: [u16; 4],
    sequence: u32,
    cdr: Writer,
    legs: Vec<(String, String)>,
    contacts: Vec<String>,
    odom_frame: String,
    base_frame: String,
    publish_tf: bool,
    publish_footprint: bool,
}

impl Output {
    /// `namespace` is that of the joints' topic: empty, or `/robot`.
    pub(crate) fn create(
        path: &Path,
        namespace: &str,
        model: &RobotModel,
        params: &OdometryParams,
        compress: bool,
    ) -> anyhow::Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part).with_context(|| format!("cannot write {}", part.display()))?;
        let options = WriteOptions::new()
            .profile("ros2")
            .library("gaitway odometry_replay")
            .chunk_size(Some(CHUNK))
            .compression(compress.then_some(Compression::Zstd))
            .compression_threads(0);
        let mut file = options.create(BufWriter::with_capacity(1 << 18, file))?;
        let named = |name: &str| format!("{namespace}/{name}");
        let topics = [
            (named("body"), "sensor_msgs/msg/MultiDOFJointState", schemas::multi_dof()),
            (named("odom"), "nav_msgs/msg/Odometry", schemas::odometry()),
            ("/tf".to_owned(), "tf2_msgs/msg/TFMessage", schemas::tf()),
            (named("support_out"), "gait_msgs/msg/SupportState", schemas::support()),
        ];
        let about = BTreeMap::from([("offered_qos_profiles".to_owned(), String::new())]);
        let mut channels = [0; 4];
        for (channel, (topic, kind, definition)) in channels.iter_mut().zip(&topics) {
            let schema = file.add_schema(kind, "ros2msg", definition.as_bytes())?;
            *channel = file.add_channel(schema, topic, "cdr", &about)?;
        }
        let leg = |chain: &robot_model_lib::Chain| {
            let contact = &model.contacts()[chain.default_contact?];
            Some((chain.name.clone(), contact.name.clone()))
        };
        Ok(Self {
            file,
            path: path.to_owned(),
            part,
            channels,
            sequence: 0,
            cdr: Writer::default(),
            legs: model.chains().iter().filter_map(leg).collect(),
            contacts: model.contacts().iter().map(|contact| contact.name.clone()).collect(),
            odom_frame: params.odom_frame.clone(),
            base_frame: params.base_frame.clone(),
            publish_tf: params.publish_tf,
            publish_footprint: params.publish_footprint,
        })
    }

    /// Writes one estimate under the time at which its joints were recorded.
    pub(crate) fn write(&mut self, log_time: i64, cycle: u32, estimate: &Estimate) -> anyhow::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        self.body(estimate);
        self.send(0, log_time)?;
        self.odom(estimate);
        self.send(1, log_time)?;
        if self.publish_tf || self.publish_footprint {
            self.tf(estimate);
            self.send(2, log_time)?;
        }
        self.support(estimate, cycle);
        self.send(3, log_time)
    }

    /// Ends the file and gives it its name.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.file.finish().with_context(|| format!("cannot write {}", self.part.display()))?;
        drop(self.file);
        std::fs::rename(&self.part, &self.path)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn send(&mut self, channel: usize, log_time: i64) -> anyhow::Result<()> {
        let time = u64::try_from(log_time).unwrap_or(0);
        let header = MessageHeader {
            channel_id: self.channels[channel],
            sequence: self.sequence,
            log_time: time,
            publish_time: time,
        };
        self.file
            .write_to_known_channel(&header, self.cdr.message())
            .with_context(|| format!("cannot write {}", self.part.display()))
    }

    fn body(&mut self, estimate: &Estimate) {
        let twist = estimate.twist_in_odom();
        let cdr = self.cdr.begin().header(estimate.stamp, &self.odom_frame);
        cdr.u32(1).text(&self.base_frame);
        cdr.u32(1).f64s(&numbers(&estimate.pose));
        cdr.u32(1).f64s(rates(&twist)).u32(0);
    }

    fn odom(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.odom_frame).text(&self.base_frame);
        cdr.f64s(&numbers(&estimate.pose)).f64s(estimate.pose_covariance.as_slice());
        cdr.f64s(rates(&estimate.twist)).f64s(estimate.twist_covariance.as_slice());
    }

    fn tf(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin();
        cdr.u32(u32::from(self.publish_tf) + u32::from(self.publish_footprint));
        if self.publish_tf {
            cdr.header(estimate.stamp, &self.odom_frame)
                .text(&self.base_frame)
                .f64s(&numbers(&estimate.pose));
        }
        if self.publish_footprint {
            let footprint = numbers(&estimate.footprint());
            cdr.header(estimate.stamp, &self.odom_frame).text("base_footprint").f64s(&footprint);
        }
    }

    fn support(&mut self, estimate: &Estimate, cycle: u32) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.odom_frame).u32(cycle);
        cdr.u32(self.legs.len() as u32);
        for (name, _) in &self.legs {
            cdr.text(name);
        }
        cdr.u32(self.legs.len() as u32);
        for (leg, (_, default)) in estimate.legs.iter().zip(&self.legs) {
            cdr.text(leg.footing.map_or(default, |footing| &self.contacts[footing.contact]));
        }
        cdr.u32(self.legs.len() as u32);
        for leg in &estimate.legs {
            cdr.f64s(&[leg.footing.map_or(0.0, |footing| footing.weight)]);
        }
    }
}

/// Translation, then x y z w.
fn numbers(pose: &Isometry3<f64>) -> [f64; 7] {
    let (p, q) = (&pose.translation, &pose.rotation);
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}

fn rates(twist: &Twist) -> &[f64] {
    twist.0.as_slice()
}

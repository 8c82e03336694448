//! From a bag to estimates: one thread reads and estimates, another writes.

use std::path::PathBuf;
use std::thread::{Scope, scope};

use anyhow::{Context as _, bail};
use robot_model_lib::RobotModel;

use super::bag::{Bag, Recorded};
use super::limits;
use super::messages::{BodyMessage, ImuMessage, JointReader, SupportMessage, SyncMessage};
use super::output::Output;
use super::sink::Sink;
use super::summary::Summary;
use super::survey::joints_topic;
use super::topics::{Role, Topics};
use crate::{Feed, OdometryParams};

/// What is replayed, and where to.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The bag.
    pub bag: Bag,
    /// Its topics.
    pub topics: Topics,
    /// The robot.
    pub model: RobotModel,
    /// The node's parameters.
    pub params: OdometryParams,
    /// The mcap file to write or, when the name does not end in .mcap, the folder.
    pub out: Option<PathBuf>,
    /// Whether it is compressed.
    pub compress: bool,
    /// Whether what is there may be replaced.
    pub force: bool,
    /// The part of the bag that is replayed.
    pub window: Window,
}

/// Seconds since the first joints, by the times of recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// First.
    pub from: f64,
    /// Last.
    pub to: f64,
}

impl Default for Window {
    /// All.
    fn default() -> Self {
        Self { from: 0.0, to: f64::INFINITY }
    }
}

/// Replays a bag: its summary, and warnings of what could not be read. `progress` gets the share that is done.
pub fn replay(replay: &Replay, mut progress: impl FnMut(f64)) -> anyhow::Result<(Summary, Vec<String>)> {
    let feed = Feed::new(&replay.model, &replay.params)?;
    let legs = feed.estimate().legs.iter().map(|leg| replay.model.chains()[leg.chain].name.clone());
    let summary = Summary::new(legs.collect());
    let mut topics = replay.topics.clone();
    let mut namespace = None;
    if topics.passes() {
        let joints = joints_topic(&replay.bag, &topics)?.with_context(|| topics.no_joints())?;
        let found = namespace_of(&joints);
        topics.keep_apart(Output::topics(found, &replay.params))?;
        namespace = Some(found.to_owned());
    }
    scope(|threads| {
        let joints = JointReader::default();
        let mut run =
            Run { replay, threads, feed, joints, summary, namespace, sink: None, origin: None, room: vec![] };
        let read = replay.bag.read(&mut topics, &mut |message| {
            progress(message.share);
            run.take(message)
        });
        let Run { mut summary, sink, feed, .. } = run;
        // When nothing more could be written, the writer knows why.
        sink.map_or(Ok(()), |sink| sink.finish(read.is_ok() && summary.cycles > 0))?;
        let mut warnings = read?;
        if summary.cycles == 0 {
            match &summary.first_refusal {
                Some(reason) => bail!("no joints could be used; the first refusal was {reason}"),
                None if topics.found(Role::Joints).is_some() && replay.window != Window::default() => {
                    bail!("no joints were recorded between --from and --to")
                }
                None => bail!(topics.no_joints()),
            }
        }
        warnings
            .extend(topics.not_passed().map(|topic| format!("--pass {topic}: the bag has no such topic")));
        summary.resets = feed.resets();
        summary.finish();
        Ok((summary, warnings))
    })
}

fn namespace_of(topic: &str) -> &str {
    topic.rsplit_once('/').map_or("", |(namespace, _)| namespace)
}

struct Run<'scope, 'env> {
    replay: &'env Replay,
    threads: &'scope Scope<'scope, 'env>,
    feed: Feed,
    joints: JointReader,
    summary: Summary,
    /// Where the outputs go, when that is known before the first joints.
    namespace: Option<String>,
    sink: Option<Sink<'scope>>,
    /// When the first joints were recorded, ns.
    origin: Option<i64>,
    /// Room for a message that is unpacked.
    room: Vec<u8>,
}

/// Where a message lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Within,
    After,
}

impl Run<'_, '_> {
    /// Uses a message; one that cannot be used is counted. An error means that nothing more can be written.
    fn take(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        let place = self.place(message);
        let mut room = std::mem::take(&mut self.room);
        let taken = self.take_at(place, message, &mut room);
        self.room = room;
        taken
    }

    fn take_at(&mut self, place: Place, message: &Recorded<'_>, room: &mut Vec<u8>) -> anyhow::Result<()> {
        let wanted = message.channel.wanted;
        // Supports and the clock hold on: those from before count.
        let state = matches!(wanted.role, Some(Role::Support | Role::Sync));
        if place == Place::After || place == Place::Before && !state {
            return Ok(());
        }
        let data = match limits::message(message.data, room) {
            Ok(data) => data,
            Err(reason) => {
                self.summary.refuse(&message.channel.topic, reason);
                return Ok(());
            }
        };
        let message = Recorded { data, ..*message };
        if wanted.pass && place == Place::Within {
            self.pass(&message)?;
        }
        let Some(role) = wanted.role else { return Ok(()) };
        match self.feed(role, &message) {
            Ok(()) if role == Role::Joints => return self.write(&message),
            Ok(()) => {}
            Err(reason) => self.summary.refuse(role.name(), reason),
        }
        Ok(())
    }

    fn place(&mut self, message: &Recorded<'_>) -> Place {
        if message.channel.wanted.role == Some(Role::Joints) {
            self.origin.get_or_insert(message.log_time);
        }
        let Window { from, to } = self.replay.window;
        let since = self.origin.map_or(0.0, |origin| message.log_time.saturating_sub(origin) as f64 * 1e-9);
        match since {
            since if since > to => Place::After,
            // What comes before the first joints belongs to the beginning.
            since if since < from && from > 0.0 => Place::Before,
            _ => Place::Within,
        }
    }

    fn feed(&mut self, role: Role, message: &Recorded<'_>) -> anyhow::Result<()> {
        match role {
            Role::Joints => {
                self.joints.read(message.data)?;
                let JointReader { stamp, name, position, velocity, .. } = &self.joints;
                // Without a stamp of its own a message belongs to the time at which it was recorded.
                let stamp = if *stamp == 0 { message.log_time } else { *stamp };
                self.summary.add(self.feed.joints(stamp, name, position, velocity)?);
            }
            Role::Support => {
                let support = SupportMessage::read(message.data)?;
                self.feed.support(support.stamp, &support.name, &support.contact, &support.support)?;
            }
            Role::Body => {
                let body = BodyMessage::read(message.data)?;
                if !self.feed.body(body.stamp, body.body(&self.replay.params)?) {
                    bail!("it comes after the joints of its cycle");
                }
            }
            Role::Sync => {
                let step = SyncMessage::read(message.data)?;
                self.feed.sync(step.cycle, step.stamp, step.period);
            }
            Role::Imu => {
                let imu = ImuMessage::read(message.data)?;
                let stamp = if imu.stamp == 0 { message.log_time } else { imu.stamp };
                let frame = self.replay.params.robot.0.own_frame(imu.frame);
                self.feed.imu(stamp, frame, imu.gyro, imu.accel)?;
            }
            Role::Truth => self.summary.truth.take(message, &self.replay.params, &mut vec![])?,
            Role::Description => {}
        }
        Ok(())
    }

    /// Sends the estimate to be written, if it is to be.
    fn write(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        if self.replay.out.is_none() {
            return Ok(());
        }
        self.open(namespace_of(&message.channel.topic))?;
        let Some(sink) = &mut self.sink else { return Ok(()) };
        sink.give_estimate(message.log_time, &self.feed)
    }

    /// Sends a message to be written as it is.
    fn pass(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        if self.replay.out.is_none() {
            return Ok(());
        }
        let namespace = self.namespace.take().unwrap_or_default();
        self.open(&namespace)?;
        self.namespace = Some(namespace);
        let Some(sink) = &mut self.sink else { return Ok(()) };
        sink.give_message(message)
    }

    /// Begins the output with the first that is to be written.
    fn open(&mut self, namespace: &str) -> anyhow::Result<()> {
        if self.sink.is_none() {
            self.sink = Sink::open(self.replay, namespace, &self.feed, self.threads)?;
        }
        Ok(())
    }
}

//! From a bag to estimates: one thread reads and estimates, another writes.

use std::path::PathBuf;
use std::thread::{Scope, ScopedJoinHandle, scope};

use anyhow::{anyhow, bail};
use robot_model_lib::RobotModel;

use super::bag::{Bag, Recorded};
use super::messages::{BodyMessage, JointReader, SupportMessage, SyncMessage};
use super::output::{Entry, Output};
use super::relay::{Giver, relay};
use super::summary::Summary;
use super::topics::{Role, Topics};
use crate::{Feed, OdometryParams, Outputs};

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
    /// The mcap file to write.
    pub out: Option<PathBuf>,
    /// Whether it is compressed.
    pub compress: bool,
}

/// Replays a bag: its summary, and warnings of what could not be read. `progress` gets the share that is done.
pub fn replay(replay: &Replay, mut progress: impl FnMut(f64)) -> anyhow::Result<(Summary, Vec<String>)> {
    let feed = Feed::new(&replay.model, &replay.params)?;
    let legs = feed.estimate().legs.iter().map(|leg| replay.model.chains()[leg.chain].name.clone());
    let summary = Summary::new(legs.collect());
    let mut topics = replay.topics.clone();
    scope(|threads| {
        let joints = JointReader::default();
        let mut run = Run { replay, threads, feed, joints, summary, sink: None };
        let read = replay.bag.read(&mut topics, &mut |message| {
            progress(message.share);
            run.take(message)
        });
        let Run { mut summary, sink, feed, .. } = run;
        // When nothing more could be written, the writer knows why.
        sink.map_or(Ok(()), |sink| sink.finish(read.is_ok()))?;
        let warnings = read?;
        if summary.cycles == 0 {
            match &summary.first_refusal {
                Some(reason) => bail!("no joints could be used; the first refusal was {reason}"),
                None => bail!(topics.no_joints()),
            }
        }
        summary.resets = feed.resets();
        summary.finish();
        Ok((summary, warnings))
    })
}

/// The thread that writes, and the way to it.
struct Sink<'scope> {
    entries: Giver<Entry>,
    thread: ScopedJoinHandle<'scope, anyhow::Result<Output>>,
}

impl Sink<'_> {
    /// Waits until everything is written; only what is whole gets its name.
    fn finish(self, whole: bool) -> anyhow::Result<()> {
        drop(self.entries);
        let output = self.thread.join().map_err(|_| anyhow!("the writing thread ended"))??;
        if whole { output.finish() } else { Ok(()) }
    }
}

struct Run<'scope, 'env> {
    replay: &'env Replay,
    threads: &'scope Scope<'scope, 'env>,
    feed: Feed,
    joints: JointReader,
    summary: Summary,
    sink: Option<Sink<'scope>>,
}

impl Run<'_, '_> {
    /// Uses a message; one that cannot be used is counted. An error means that nothing more can be written.
    fn take(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        match self.feed(message) {
            Ok(()) if message.role == Role::Joints => return self.write(message),
            Ok(()) => {}
            Err(reason) => self.summary.refuse(message.role.name(), reason),
        }
        Ok(())
    }

    fn feed(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        match message.role {
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
        }
        Ok(())
    }

    /// Sends the estimate to be written, if it is to be.
    fn write(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        let Some(path) = &self.replay.out else { return Ok(()) };
        let (estimate, (q, qd), cycle) = (self.feed.estimate(), self.feed.posture(), self.feed.cycle());
        // What goes to another processor costs by its size.
        let OdometryParams { publish_link_tf, publish_limb_poses, .. } = self.replay.params;
        let posture_too = publish_link_tf || publish_limb_poses;
        let sink = match &mut self.sink {
            Some(sink) => sink,
            None => {
                let Replay { model, params, compress, .. } = self.replay;
                let namespace = message.topic.rsplit_once('/').map_or("", |(namespace, _)| namespace);
                let outputs = Outputs::new(model.clone(), params);
                let mut output = Output::create(path, namespace, outputs, params, *compress)?;
                let (log_time, estimate) = (message.log_time, estimate.clone());
                let (q, qd) = (q.to_vec(), qd.to_vec());
                let (entries, taker) = relay(&Entry { log_time, cycle, estimate, q, qd });
                let thread = self.threads.spawn(move || {
                    taker.each(|entry| output.write(entry))?;
                    Ok(output)
                });
                self.sink.insert(Sink { entries, thread })
            }
        };
        let taken = sink.entries.give(|entry| {
            (entry.log_time, entry.cycle) = (message.log_time, cycle);
            entry.estimate.copy(estimate);
            if posture_too {
                entry.q.copy_from_slice(q);
                entry.qd.copy_from_slice(qd);
            }
        });
        if taken { Ok(()) } else { bail!("nothing more can be written") }
    }
}

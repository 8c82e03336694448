//! From a bag to estimates.

use std::path::PathBuf;

use anyhow::bail;
use robot_model_lib::RobotModel;

use super::bag::{Bag, Recorded};
use super::messages::{BodyMessage, JointMessage, SupportMessage, SyncMessage};
use super::output::Output;
use super::summary::Summary;
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
    /// The mcap file to write.
    pub out: Option<PathBuf>,
    /// Whether it is compressed.
    pub compress: bool,
}

struct Run<'a> {
    replay: &'a Replay,
    feed: Feed,
    summary: Summary,
    output: Option<Output>,
}

/// Replays a bag: its summary, and warnings of what could not be read. `progress` gets the share that is done.
pub fn replay(replay: &Replay, mut progress: impl FnMut(f64)) -> anyhow::Result<(Summary, Vec<String>)> {
    let feed = Feed::new(&replay.model, &replay.params)?;
    let legs = feed.estimate().legs.iter().map(|leg| replay.model.chains()[leg.chain].name.clone());
    let summary = Summary::new(legs.collect());
    let mut run = Run { replay, feed, summary, output: None };
    let mut topics = replay.topics.clone();
    let warnings = replay.bag.read(&mut topics, &mut |message, topics, share| {
        progress(share);
        run.take(message, topics)
    })?;
    if run.summary.cycles == 0 {
        match &run.summary.first_refusal {
            Some(reason) => bail!("no joints could be used; the first refusal was {reason}"),
            None => bail!(topics.no_joints()),
        }
    }
    if let Some(output) = run.output {
        output.finish()?;
    }
    run.summary.resets = run.feed.resets();
    run.summary.finish();
    Ok((run.summary, warnings))
}

impl Run<'_> {
    fn take(&mut self, message: &Recorded<'_>, topics: &Topics) -> anyhow::Result<()> {
        let feed = &mut self.feed;
        match message.role {
            Role::Joints => return self.joints(message, topics),
            Role::Support => match SupportMessage::read(message.data) {
                Ok(m) => {
                    if let Err(e) = feed.support(m.stamp, &m.name, &m.contact, &m.support) {
                        self.summary.refuse("support", e);
                    }
                }
                Err(e) => self.summary.refuse("support", e),
            },
            Role::Body => match BodyMessage::read(message.data, &self.replay.params.base_frame) {
                Ok(BodyMessage { stamp, body: Some(body) }) => {
                    feed.body(stamp, body);
                }
                Ok(_) => self.summary.refuse("body_in", "it says nothing of the base that can be used"),
                Err(e) => self.summary.refuse("body_in", e),
            },
            Role::Sync => match SyncMessage::read(message.data) {
                Ok(step) => feed.sync(step.cycle, step.stamp, step.period),
                Err(e) => self.summary.refuse("sync", e),
            },
        }
        Ok(())
    }

    fn joints(&mut self, message: &Recorded<'_>, topics: &Topics) -> anyhow::Result<()> {
        let joints = match JointMessage::read(message.data) {
            Ok(joints) => joints,
            Err(e) => {
                self.summary.refuse("joints", e);
                return Ok(());
            }
        };
        // Without a stamp of its own a message belongs to the time at which it was recorded.
        let stamp = if joints.stamp == 0 { message.log_time } else { joints.stamp };
        let cycle = match self.feed.joints(stamp, &joints.name, &joints.position, &joints.velocity) {
            Ok(estimate) => {
                self.summary.add(estimate);
                self.feed.cycle()
            }
            Err(e) => {
                self.summary.refuse("joints", e);
                return Ok(());
            }
        };
        let Some(path) = &self.replay.out else { return Ok(()) };
        let output = match &mut self.output {
            Some(output) => output,
            None => {
                let Replay { model, params, compress, .. } = self.replay;
                self.output.insert(Output::create(path, topics.namespace(), model, params, *compress)?)
            }
        };
        output.write(message.log_time, cycle, self.feed.estimate())
    }
}

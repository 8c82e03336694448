//! The thread that writes, and the way to it.

use std::thread::{Scope, ScopedJoinHandle};

use anyhow::{anyhow, bail};

use super::bag::Recorded;
use super::output::{Entry, Output};
use super::relay::{Giver, relay};
use super::run::Replay;
use crate::{Feed, OdometryParams, Outputs};

/// Where results go to be written by another thread.
pub(crate) struct Sink<'scope> {
    entries: Giver<Entry>,
    thread: ScopedJoinHandle<'scope, anyhow::Result<Output>>,
    /// Whether the posture is written as well: what goes to another processor costs by its size.
    posture_too: bool,
}

impl<'scope> Sink<'scope> {
    /// Begins the output; None when there is none.
    pub(crate) fn open(
        replay: &Replay,
        namespace: &str,
        feed: &Feed,
        threads: &'scope Scope<'scope, '_>,
    ) -> anyhow::Result<Option<Self>> {
        let Replay { model, params, out: Some(path), compress, force, .. } = replay else { return Ok(None) };
        let outputs = Outputs::new(model.clone(), params);
        let mut output = Output::create(path, namespace, outputs, params, (*compress, *force))?;
        let (q, qd) = feed.posture();
        let blank = Entry {
            log_time: 0,
            cycle: 0,
            estimate: feed.estimate().clone(),
            q: q.to_vec(),
            qd: qd.to_vec(),
            passed: None,
            data: vec![],
        };
        let (entries, taker) = relay(&blank);
        let thread = threads.spawn(move || {
            taker.each(|entry| output.write(entry))?;
            Ok(output)
        });
        let OdometryParams { publish_link_tf, publish_limb_poses, .. } = *params;
        Ok(Some(Self { entries, thread, posture_too: publish_link_tf || publish_limb_poses }))
    }

    /// Hands over the last estimate, made of joints that were recorded then.
    pub(crate) fn give_estimate(&mut self, log_time: i64, feed: &Feed) -> anyhow::Result<()> {
        let posture_too = self.posture_too;
        let taken = self.entries.give(|entry| {
            (entry.log_time, entry.cycle, entry.passed) = (log_time, feed.cycle(), None);
            entry.estimate.copy(feed.estimate());
            if posture_too {
                let (q, qd) = feed.posture();
                entry.q.copy_from_slice(q);
                entry.qd.copy_from_slice(qd);
            }
        });
        if taken { Ok(()) } else { bail!("nothing more can be written") }
    }

    /// Hands over a message that is written as it is.
    pub(crate) fn give_message(&mut self, message: &Recorded<'_>) -> anyhow::Result<()> {
        let taken = self.entries.give(|entry| {
            (entry.log_time, entry.passed) = (message.log_time, Some(message.channel.clone()));
            entry.data.clear();
            entry.data.extend_from_slice(message.data);
        });
        if taken { Ok(()) } else { bail!("nothing more can be written") }
    }

    /// Waits until everything is written; only what is whole gets its name.
    pub(crate) fn finish(self, whole: bool) -> anyhow::Result<()> {
        drop(self.entries);
        let output = self.thread.join().map_err(|_| anyhow!("the writing thread ended"))??;
        if whole { output.finish() } else { Ok(()) }
    }
}

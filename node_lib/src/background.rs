//! Messages that no cycle waits for and no neighbour reads: published in the background, from any thread.

use crate::log::Throttle;
use crate::setup::{Node, Setup};
use r2r::{QosProfile, WrappedTypesupport};
use tokio::sync::mpsc::{Sender, channel};

/// Messages of a topic that may wait.
const WAITING: usize = 16;

/// Publishes in the background.
#[derive(Clone, Debug)]
pub struct Background<M>(Sender<M>);

impl<M> Background<M> {
    /// Never waits: with too many before it, a message is lost.
    pub fn send(&self, message: M) {
        let _ = self.0.try_send(message);
    }
}

impl<N: Node> Setup<N> {
    /// Publishes on a topic in the background.
    pub fn background<M>(&mut self, topic: &str, qos: QosProfile) -> anyhow::Result<Background<M>>
    where
        M: WrappedTypesupport + Send + 'static,
    {
        let publisher = self.inner.node.create_publisher::<M>(topic, qos);
        let publisher = publisher.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
        let (sender, mut waiting) = channel::<M>(WAITING);
        let (log, topic) = (self.log(), topic.to_string());
        tokio::spawn(async move {
            let unsent = Throttle::seconds(5);
            while let Some(message) = waiting.recv().await {
                if let Err(e) = publisher.publish(&message) {
                    log.error_throttled(&unsent, || format!("could not publish {topic}: {e}"));
                }
            }
        });
        Ok(Background(sender))
    }
}

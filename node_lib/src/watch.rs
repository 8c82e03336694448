//! Topics for those who only look on: their messages never come near the thread of the cycle.

use crate::setup::{Node, Setup};
use futures::{FutureExt, StreamExt};
use r2r::{QosProfile, WrappedTypesupport};

impl<N: Node> Setup<N> {
    /// Listens to a topic on the thread that waits for DDS. Unlike [`Setup::on`] it has no part in the node's state and none in the
    /// cycle: also what nodes of the same process publish comes over DDS. `take` must not wait.
    pub fn watch<M>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut take: impl FnMut(M) + Send + 'static,
    ) -> anyhow::Result<()>
    where
        M: WrappedTypesupport + Send + 'static,
    {
        let topic = topic.to_string();
        self.subscriptions.push(Box::new(move |inner, forwards| {
            let stream = inner.node.subscribe::<M>(&topic, qos);
            let mut messages = stream.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
            forwards.push(Box::new(move || {
                while let Some(Some(message)) = messages.next().now_or_never() {
                    take(message);
                }
            }));
            Ok(())
        }));
        Ok(())
    }
}

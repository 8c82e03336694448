//! Messages on their way to a node: from DDS, from a neighbour in the process, from a thread of the node's own.

use crate::bus::Inlet;
use crate::executor::Waker;
use crate::outside::Echo;
use crate::setup::{Node, Setup};
use crate::spinner::{Forward, Inner};
use futures::{FutureExt, StreamExt};
use r2r::{QosProfile, WrappedTypesupport};

/// Messages of a topic that may wait for the node.
const WAITING: usize = 256;

/// Where a thread of a node's own puts what the node is to know.
pub struct Inbox<T> {
    waiting: rtrb::Producer<T>,
    waker: Waker,
}

impl<T> Inbox<T> {
    /// Never waits: what does not fit any more comes back.
    pub fn post(&mut self, news: T) -> Result<(), T> {
        let posted = self.waiting.push(news).map_err(|rtrb::PushError::Full(news)| news);
        self.waker.wake_for_message();
        posted
    }
}

impl<N: Node> Setup<N> {
    /// Takes what a thread of the node's own posts; at most `capacity` items wait.
    pub fn inbox<T: 'static>(
        &mut self,
        capacity: usize,
        mut take: impl FnMut(&mut N, T) + 'static,
    ) -> Inbox<T> {
        let (waiting, mut posted) = rtrb::RingBuffer::new(capacity);
        self.inputs.push(Box::new(move |state| {
            let mut any = false;
            while let Ok(news) = posted.pop() {
                take(state, news);
                any = true;
            }
            any
        }));
        Inbox { waiting, waker: self.waker() }
    }

    pub(crate) fn listen<M>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut take: impl FnMut(&mut N, &M) + 'static,
        any_source: bool,
    ) -> anyhow::Result<()>
    where
        M: WrappedTypesupport + PartialEq + Send + 'static,
    {
        let newest = qos.depth == 1;
        let (waiting, mut received) = rtrb::RingBuffer::new(WAITING);
        let resolved = self.names.resolve(topic);
        let mut inlet: Option<Inlet<M>> = self.bus.as_ref().map(|bus| bus.inlet(&resolved)).transpose()?;
        self.inputs.push(Box::new(move |state| {
            let mut any =
                inlet.as_mut().is_some_and(|inlet| inlet.read(newest, |message| take(state, message)));
            while let Ok(message) = received.pop() {
                any = true;
                if !newest || received.is_empty() {
                    take(state, &message);
                }
            }
            any
        }));
        let (bus, topic) = (self.bus.clone(), topic.to_string());
        self.subscriptions.push(Box::new(move |inner, forwards| {
            let has_neighbour = bus.as_ref().is_some_and(|bus| bus.is_published(&resolved));
            let echo = match &bus {
                Some(bus) if has_neighbour && any_source => Some(bus.listen_to_echo::<M>(&resolved)?),
                _ => None,
            };
            if !has_neighbour || any_source {
                forwards.push(subscribe(inner, &topic, qos, waiting, echo)?);
            }
            Ok(())
        }));
        Ok(())
    }
}

/// Passes on what comes over DDS, but for our own echo.
fn subscribe<M: WrappedTypesupport + PartialEq + Send + 'static>(
    inner: &mut Inner,
    topic: &str,
    qos: QosProfile,
    mut waiting: rtrb::Producer<M>,
    echo: Option<Echo<M>>,
) -> anyhow::Result<Forward> {
    let qos_depth = qos.depth;
    let stream = inner.node.subscribe::<M>(topic, qos);
    let mut messages = stream.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
    let (waker, newest) = (inner.waker.clone(), qos_depth == 1);
    // Where only the newest counts, it is the one that must not be lost when the node is far behind.
    let mut rest = None;
    Ok(Box::new(move || {
        while let Some(Some(message)) = messages.next().now_or_never() {
            if echo.as_ref().is_some_and(|echo| echo.is_own(&message)) {
                continue;
            }
            if let Err(rtrb::PushError::Full(message)) = waiting.push(message) {
                rest = Some(message);
            } else {
                rest = None;
            }
            waker.wake_for_message();
        }
        if let Some(message) = rest.take().filter(|_| newest)
            && let Err(rtrb::PushError::Full(message)) = waiting.push(message)
        {
            rest = Some(message);
        }
    }))
}

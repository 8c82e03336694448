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

/// Messages on their way from DDS to the node, as far as there is room.
struct Mailbox<M> {
    waiting: rtrb::Producer<M>,
    newest: bool,
    rest: Option<M>,
}

impl<M> Mailbox<M> {
    /// Where only the newest counts, it is the one that must not be lost when the node is far behind.
    fn put(&mut self, message: M) {
        let unfit = self.waiting.push(message).err().map(|rtrb::PushError::Full(message)| message);
        self.rest = unfit.filter(|_| self.newest);
    }

    /// There may be room by now for what there was none before.
    fn settle(&mut self) {
        if let Some(message) = self.rest.take() {
            self.put(message);
        }
    }
}

/// Passes on what comes over DDS, but for our own echo.
fn subscribe<M: WrappedTypesupport + PartialEq + Send + 'static>(
    inner: &mut Inner,
    topic: &str,
    qos: QosProfile,
    waiting: rtrb::Producer<M>,
    echo: Option<Echo<M>>,
) -> anyhow::Result<Forward> {
    let mut mailbox = Mailbox { waiting, newest: qos.depth == 1, rest: None };
    let stream = inner.node.subscribe::<M>(topic, qos);
    let mut messages = stream.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
    let waker = inner.waker.clone();
    Ok(Box::new(move || {
        while let Some(Some(message)) = messages.next().now_or_never() {
            if echo.as_ref().is_none_or(|echo| !echo.is_own(&message)) {
                mailbox.put(message);
                waker.wake_for_message();
            }
        }
        mailbox.settle();
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_was_far_behind_gets_the_newest_word_where_that_is_what_counts() {
        for newest in [true, false] {
            let (waiting, mut received) = rtrb::RingBuffer::new(4);
            let mut mailbox = Mailbox { waiting, newest, rest: None };
            (0..10).for_each(|k| mailbox.put(k));
            mailbox.settle();
            let mut all = |mailbox: &mut Mailbox<i32>| {
                let got: Vec<i32> = std::iter::from_fn(|| received.pop().ok()).collect();
                mailbox.settle();
                got
            };
            assert_eq!(all(&mut mailbox), [0, 1, 2, 3]);
            assert_eq!(all(&mut mailbox), if newest { vec![9] } else { vec![] });
            mailbox.put(10);
            assert_eq!(all(&mut mailbox), [10]);
        }
    }
}

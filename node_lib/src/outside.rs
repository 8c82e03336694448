//! The thread that talks to the world for the one that owns the nodes: publishes their messages, writes their log.

use crate::bus::Exit;
use crate::log::Line;
use crate::stop::Stop;
use r2r::{Publisher, WrappedTypesupport};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

/// It looks by itself this often, should nobody wake it.
const LOOK: Duration = Duration::from_millis(50);
/// Messages that are remembered in order to know their echo from what others say.
const REMEMBERED: usize = 256;

/// What is to be published on one topic; gives whether there was anything.
pub(crate) type Relay = Box<dyn FnMut() -> bool + Send>;

/// How other threads reach it.
#[derive(Clone)]
pub(crate) struct Outside {
    lines: Sender<Line>,
    thread: Arc<OnceLock<Thread>>,
}

impl Outside {
    /// Before the thread starts: lines wait for it.
    pub(crate) fn new() -> (Outside, Receiver<Line>) {
        let (lines, waiting) = channel();
        (Outside { lines, thread: Arc::default() }, waiting)
    }

    pub(crate) fn write(&self, line: Line) {
        // It ends last; after that there is nobody to read a log.
        let _ = self.lines.send(line);
        self.wake();
    }

    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Starts the thread; it ends when told so, after everything has gone out.
    pub(crate) fn start(
        &self,
        lines: Receiver<Line>,
        mut relays: Vec<Relay>,
        end: Stop,
    ) -> std::io::Result<JoinHandle<()>> {
        let thread = std::thread::Builder::new().name("outside".into()).spawn(move || {
            loop {
                let ending = end.is_stopped();
                let mut any = false;
                for line in lines.try_iter() {
                    line.write();
                    any = true;
                }
                for relay in &mut relays {
                    any |= relay();
                }
                match (any, ending) {
                    (false, true) => return,
                    (false, false) => std::thread::park_timeout(LOOK),
                    (true, _) => {}
                }
            }
        })?;
        let _ = self.thread.set(thread.thread().clone());
        Ok(thread)
    }
}

/// What this process itself has lately published on a topic that it also listens to: DDS brings it back.
pub(crate) struct Echo<M>(Arc<Mutex<VecDeque<M>>>);

impl<M> Clone for Echo<M> {
    fn clone(&self) -> Self {
        Echo(self.0.clone())
    }
}

impl<M> Default for Echo<M> {
    fn default() -> Self {
        Echo(Arc::default())
    }
}

impl<M: PartialEq> Echo<M> {
    /// Whether this is our own message. Somebody else's that is the same to the last bit has nothing to add.
    pub(crate) fn is_own(&self, message: &M) -> bool {
        let own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        own.iter().rev().any(|sent| sent == message)
    }
}

impl<M> Echo<M> {
    /// Remembers a message.
    fn remember(&self, message: M) {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if own.len() == REMEMBERED {
            own.pop_front();
        }
        own.push_back(message);
    }
}

/// Whom a topic is published for.
#[derive(Clone, Copy)]
pub(crate) enum Audience {
    /// Also for those who come later.
    Latched,
    /// For those who listen, this many of which are this process itself.
    Present { own: usize },
}

impl Audience {
    fn is_there<M: WrappedTypesupport + 'static>(self, publisher: &Publisher<M>) -> bool {
        match self {
            Audience::Latched => true,
            Audience::Present { own } => {
                publisher.get_inter_process_subscription_count().map_or(true, |n| n > own)
            }
        }
    }
}

/// Publishes what comes out of the process on one topic. With nobody listening but this process, nothing is sent.
pub(crate) fn relay<M: WrappedTypesupport + Send + 'static>(
    mut exit: Exit<M>,
    publisher: Publisher<M>,
    audience: Audience,
    echo: Option<Echo<M>>,
    mut failed: impl FnMut(r2r::Error) + Send + 'static,
) -> Relay {
    Box::new(move || {
        let mut any = false;
        while let Ok(message) = exit.sent.pop() {
            any = true;
            if audience.is_there(&publisher) {
                // Remembered before it is sent, or its echo could be faster.
                echo.iter().for_each(|echo| echo.remember((*message).clone()));
                publisher.publish(&message).unwrap_or_else(&mut failed);
            }
            // A box too many is dropped.
            let _ = exit.used.push(message);
        }
        any
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An echo may come back late: as many messages later as can be on their way out, and then some.
    #[test]
    fn an_echo_is_known_after_many_other_messages_and_a_strangers_word_is_not_one() {
        let echo = Echo::default();
        (0..200).for_each(|k| echo.remember(k));
        assert!((0..200).all(|k| echo.is_own(&k)));
        assert!(!echo.is_own(&200));
        (200..1000).for_each(|k| echo.remember(k));
        assert!(!echo.is_own(&0) && echo.is_own(&999));
    }
}

//! The thread that owns a node's end of DDS: waits for events and passes them on.

use crate::executor::Waker;
use crate::log::Log;
use crate::stop::Stop;
use crate::time::RosClock;
use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::rosgraph_msgs::msg::Clock as ClockMsg;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a spin may wait; the end is noticed that much later at the most.
const SPIN: Duration = Duration::from_millis(50);

/// How often is looked whether a thread has ended.
const LOOK: Duration = Duration::from_millis(2);

/// Passes on what has come on a topic.
pub(crate) type Forward = Box<dyn FnMut() + Send>;
/// Something to be done on the thread that owns the node.
pub(crate) type Command = Box<dyn FnOnce(&mut Inner) + Send>;

/// The part of a node that does not know its state.
pub(crate) struct Inner {
    pub(crate) node: r2r::Node,
    pub(crate) full_name: String,
    pub(crate) log: Log,
    pub(crate) clock: RosClock,
    pub(crate) waker: Waker,
    clock_topic: Option<Box<dyn Stream<Item = ClockMsg> + Unpin + Send>>,
}

impl Inner {
    pub(crate) fn new(node: r2r::Node, full_name: String, log: Log, clock: RosClock, waker: Waker) -> Inner {
        Inner { node, full_name, log, clock, waker, clock_topic: None }
    }

    /// Makes the clock follow `/clock`, or the system again.
    pub(crate) fn follow_clock_topic(&mut self, simulated: bool) -> r2r::Result<()> {
        if simulated && self.clock_topic.is_none() {
            let qos = QosProfile::default().best_effort().keep_last(1);
            self.clock_topic = Some(Box::new(self.node.subscribe::<ClockMsg>("/clock", qos)?));
        }
        if !simulated {
            self.clock_topic = None;
        }
        self.clock.simulate(simulated);
        self.waker.wake();
        Ok(())
    }

    fn poll_clock(&mut self) {
        while let Some(Some(Some(msg))) = self.clock_topic.as_mut().map(|t| t.next().now_or_never()) {
            self.clock.set_simulated(&msg.clock);
            self.waker.wake();
        }
    }
}

/// A running node on its thread.
pub(crate) struct Spinner {
    thread: JoinHandle<()>,
}

/// Where commands for the node's thread go.
pub(crate) fn commands() -> (Sender<Command>, Receiver<Command>) {
    channel()
}

impl Spinner {
    /// r2r takes at most one message per topic and spin, and hands it over through a queue of ten; here that is emptied
    /// right after each spin, so that nothing is lost on the way.
    pub(crate) fn start(
        mut inner: Inner,
        mut forwards: Vec<Forward>,
        commands: Receiver<Command>,
        end: Stop,
    ) -> std::io::Result<Spinner> {
        let thread = std::thread::Builder::new().name("spin".into()).spawn(move || {
            while !end.is_stopped() {
                inner.node.spin_once(SPIN);
                inner.poll_clock();
                forwards.iter_mut().for_each(|forward| forward());
                commands.try_iter().for_each(|command| command(&mut inner));
            }
        })?;
        Ok(Spinner { thread })
    }

    /// Waits until the nodes have said good-bye to the graph, for no longer than `limit`; whether they have.
    pub(crate) fn join_all(spinners: &[Spinner], limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let has_ended = |spinner: &Spinner| {
            // A thread whose node panicked in r2r has ended as well.
            while !spinner.thread.is_finished() && Instant::now() < deadline {
                std::thread::sleep(LOOK);
            }
            spinner.thread.is_finished()
        };
        spinners.iter().all(has_ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_never_ends_is_not_waited_for() {
        let (keep, wait) = channel::<()>();
        let spinner = |body: Box<dyn FnOnce() + Send>| Spinner { thread: std::thread::spawn(body) };
        let panics = || spinner(Box::new(|| panic!("as r2r may")));
        let ends = || spinner(Box::new(|| {}));
        assert!(Spinner::join_all(&[ends(), panics(), ends()], Duration::from_secs(60)));
        let hangs = spinner(Box::new(move || {
            let _ = wait.recv();
        }));
        assert!(!Spinner::join_all(&[ends(), hangs, panics()], Duration::from_millis(50)));
        drop(keep);
    }
}

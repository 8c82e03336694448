//! A node's state from afar: what services and parameters want of it is done on the thread that owns it, between cycles.

use crate::executor::{Job, Waker};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Requests that may wait for a state.
const WAITING: usize = 64;

pub(crate) struct Remote<S> {
    jobs: Arc<Mutex<rtrb::Producer<Job<S>>>>,
    waker: Waker,
}

impl<S> Clone for Remote<S> {
    fn clone(&self) -> Self {
        Remote { jobs: self.jobs.clone(), waker: self.waker.clone() }
    }
}

impl<S: 'static> Remote<S> {
    /// And the end that the state's thread empties.
    pub(crate) fn new(waker: Waker) -> (Remote<S>, rtrb::Consumer<Job<S>>) {
        let (jobs, waiting) = rtrb::RingBuffer::new(WAITING);
        (Remote { jobs: Arc::new(Mutex::new(jobs)), waker }, waiting)
    }

    /// Does something with the state; `None` when the node is ending.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> R + Send + 'static,
    ) -> Option<R> {
        let (answer, answered) = oneshot::channel();
        let mut job: Job<S> = Box::new(move |state| {
            // Whoever asked may have gone.
            let _ = answer.send(work(state));
        });
        loop {
            let put = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).push(job);
            match put {
                Ok(()) => break,
                Err(rtrb::PushError::Full(back)) => job = back,
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.waker.wake();
        answered.await.ok()
    }
}

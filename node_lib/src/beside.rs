//! Work that takes longer than a cycle may: done beside the control thread, its result handed back between two cycles.

use crate::listen::Inbox;
use crate::{Node, Setup};
use std::sync::{Arc, Mutex, PoisonError};

/// Results that wait for a node which is behind; more are dropped.
const WAITING: usize = 256;

/// Where work goes.
pub struct Beside<T>(Arc<Mutex<Inbox<T>>>);

impl<T: Send + 'static> Beside<T> {
    /// Has it done. Several at once may end in any order.
    pub fn run(&self, work: impl FnOnce() -> T + Send + 'static) {
        let inbox = self.0.clone();
        // By way of a task: a thread that the control thread started itself would inherit its real-time priority.
        tokio::spawn(async move {
            if let Ok(result) = tokio::task::spawn_blocking(work).await {
                // Only those beside each other wait for the lock.
                let _ = inbox.lock().unwrap_or_else(PoisonError::into_inner).post(result);
            }
        });
    }
}

impl<N: Node> Setup<N> {
    /// Takes the results of work that is done beside the control thread.
    pub fn beside<T: Send + 'static>(&mut self, take: impl FnMut(&mut N, T) + 'static) -> Beside<T> {
        Beside(Arc::new(Mutex::new(self.inbox(WAITING, take))))
    }
}

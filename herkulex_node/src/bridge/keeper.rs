//! The thread that writes orders down: a disk may take its time, the line does not wait for it.

use crate::bus::Undelivered;
use crate::order_file::OrderFile;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an order that cannot be carried out yet waits until it is written down, before it is answered.
const WAIT: Duration = Duration::from_secs(5);

struct Job {
    orders: Undelivered,
    done: Option<SyncSender<()>>,
}

/// Keeps a file of orders.
#[derive(Debug)]
pub(super) struct Keeper {
    jobs: Option<Sender<Job>>,
    failures: Receiver<io::Error>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    pub fn start(file: OrderFile) -> io::Result<Keeper> {
        let (jobs, work) = mpsc::channel::<Job>();
        let (failed, failures) = mpsc::channel();
        let thread = std::thread::Builder::new().name("order file".into()).spawn(move || {
            while let Ok(mut job) = work.recv() {
                let mut waiting = Vec::from_iter(job.done.take());
                // Only the newest is of use.
                while let Ok(newer) = work.try_recv() {
                    waiting.extend(newer.done);
                    job.orders = newer.orders;
                }
                if let Err(e) = file.write(&job.orders) {
                    // Nobody listens any more: the end.
                    let _ = failed.send(e);
                }
                for done in waiting {
                    // Whoever waited may have given up.
                    let _ = done.try_send(());
                }
            }
        })?;
        Ok(Keeper { jobs: Some(jobs), failures, thread: Some(thread) })
    }

    /// Writes these orders down; with `wait`, before it comes back.
    pub fn keep(&self, orders: Undelivered, wait: bool) {
        let Some(jobs) = &self.jobs else { return };
        let (done, written) = mpsc::sync_channel(1);
        // Fails only when the thread is gone, and it ends with us.
        if jobs.send(Job { orders, done: wait.then_some(done) }).is_ok() && wait {
            let _ = written.recv_timeout(WAIT);
        }
    }

    /// Why something could not be written down.
    pub fn failure(&self) -> Option<io::Error> {
        self.failures.try_recv().ok()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

//! SIGINT, SIGTERM, SIGHUP and SIGQUIT end a process in order, so that it leaves no ghost in the graph and no servo with torque:
//! a terminal that is closed is no reason to leave a robot standing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{SignalKind, signal};

/// Says when to stop; shared by all threads of a process.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops on these signals. More of them change nothing: what has to be done at the end is done.
    pub(crate) fn on_signals() -> std::io::Result<Stop> {
        let stop = Stop::default();
        let kinds =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        for kind in kinds {
            let (mut signals, stop) = (signal(kind)?, stop.clone());
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    stop.stop();
                }
            });
        }
        Ok(stop)
    }

    /// Asks everything that shares it to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it is time to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

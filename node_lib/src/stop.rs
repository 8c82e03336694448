//! SIGINT and SIGTERM end a node in order, so that it leaves no ghost in the graph.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says when to stop; shared by all threads of a node.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops on SIGINT and SIGTERM; a second signal ends the process at once, for a node that hangs.
    pub(crate) fn on_signals() -> std::io::Result<Stop> {
        let stop = Stop::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down, the second finds it up.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, stop.0.clone())?;
            signal_hook::flag::register(signal, stop.0.clone())?;
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

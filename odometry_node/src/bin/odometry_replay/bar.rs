//! Progress, on a terminal only.

use std::io::{IsTerminal as _, Write as _};

/// A bar that grows.
pub(crate) struct Bar {
    /// Permille shown; the largest number when there is no terminal.
    shown: u32,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { shown: if quiet || !std::io::stderr().is_terminal() { u32::MAX } else { 0 } }
    }

    pub(crate) fn show(&mut self, share: f64) {
        let permille = (share * 1000.0) as u32;
        if self.shown == u32::MAX || permille <= self.shown {
            return;
        }
        self.shown = permille;
        let full = (permille / 25).min(40) as usize;
        eprint!("\r[{}{}] {:5.1} %", "█".repeat(full), "░".repeat(40 - full), share * 100.0);
        // A terminal that is gone is no reason to stop.
        let _ = std::io::stderr().flush();
    }

    pub(crate) fn clear(&self) {
        if self.shown != u32::MAX && self.shown > 0 {
            eprint!("\r{:60}\r", "");
        }
    }
}

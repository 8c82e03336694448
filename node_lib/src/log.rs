//! The log: the console as rcl formats it, and `/rosout`, which r2r leaves out.

use crate::log_budget::{Budgets, cut};
use crate::outside::Outside;
use crate::time::{RosClock, system_ns};
use r2r::rcl_interfaces::msg::Log as LogMsg;
use r2r::{LogSeverity, Publisher, QosProfile};
use rustix::time::ClockId;
use std::fmt::Display;
use std::panic::Location;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// As rclcpp and rclpy publish it.
pub(crate) const ROSOUT: QosProfile =
    QosProfile::default().reliable().transient_local().keep_last(1000).lifespan(Duration::from_secs(10));

/// Writes to the console and to `/rosout`. Clone it for each thread: none of them waits for either.
#[derive(Clone)]
pub struct Log {
    node: Arc<LoggedNode>,
    clock: RosClock,
    outside: Outside,
}

struct LoggedNode {
    name: String,
    rosout: Mutex<Publisher<LogMsg>>,
    budgets: Budgets,
}

/// A line on its way.
pub(crate) struct Line {
    node: Arc<LoggedNode>,
    severity: LogSeverity,
    message: LogMsg,
}

impl Line {
    /// Writes it, on the thread that may wait.
    pub(crate) fn write(self) {
        let LogMsg { msg, file, line, .. } = &self.message;
        r2r::log(msg, &self.node.name, file, *line, self.severity);
        // Without a log there is nobody to tell that the log failed.
        let _ = self.node.rosout.lock().unwrap_or_else(PoisonError::into_inner).publish(&self.message);
    }
}

impl Log {
    pub(crate) fn new(name: &str, clock: RosClock, rosout: Publisher<LogMsg>, outside: Outside) -> Log {
        let node = Arc::new(LoggedNode {
            name: name.into(),
            rosout: Mutex::new(rosout),
            budgets: Budgets::default(),
        });
        Log { node, clock, outside }
    }

    /// Something worth knowing.
    #[track_caller]
    pub fn info(&self, text: impl Display) {
        self.write(LogSeverity::Info, 20, text.to_string(), Location::caller());
    }

    /// Something is off; the node goes on.
    #[track_caller]
    pub fn warn(&self, text: impl Display) {
        self.write(LogSeverity::Warn, 30, text.to_string(), Location::caller());
    }

    /// Something was refused or failed; the node goes on.
    #[track_caller]
    pub fn error(&self, text: impl Display) {
        self.write(LogSeverity::Error, 40, text.to_string(), Location::caller());
    }

    /// A warning that may come with every message: `throttle` lets one through from time to time. The text is made only
    /// then, and says how many were held back.
    #[track_caller]
    pub fn warn_throttled<T: Display>(&self, throttle: &Throttle, text: impl FnOnce() -> T) {
        if let Some(held_back) = throttle.pass() {
            self.write(LogSeverity::Warn, 30, with_count(text(), held_back), Location::caller());
        }
    }

    /// Like [`Log::warn_throttled`], for errors.
    #[track_caller]
    pub fn error_throttled<T: Display>(&self, throttle: &Throttle, text: impl FnOnce() -> T) {
        if let Some(held_back) = throttle.pass() {
            self.write(LogSeverity::Error, 40, with_count(text(), held_back), Location::caller());
        }
    }

    fn write(&self, severity: LogSeverity, level: u8, text: String, at: &'static Location<'static>) {
        let Some(held_back) = self.node.budgets.spend(at, system_ns(ClockId::Monotonic)) else { return };
        let text = with_count(cut(text), held_back);
        let message = LogMsg {
            stamp: self.clock.now(),
            level,
            name: self.node.name.clone(),
            // A C string ends at the first NUL, and r2r panics on one.
            msg: text.replace('\0', "\u{fffd}"),
            file: at.file().into(),
            line: at.line(),
            ..LogMsg::default()
        };
        self.outside.write(Line { node: self.node.clone(), severity, message });
    }
}

fn with_count(text: impl Display, held_back: u64) -> String {
    if held_back == 0 {
        text.to_string()
    } else {
        format!("{text} ({held_back} more since the last such line)")
    }
}

/// Lets one of many pass: a warning per period, however often its cause comes.
///
/// ```
/// use node_lib::Throttle;
/// static TOO_OLD: Throttle = Throttle::seconds(2);
/// ```
#[derive(Debug)]
pub struct Throttle {
    period_ns: i64,
    next_ns: AtomicI64,
    held_back: AtomicU64,
}

impl Throttle {
    /// One every `seconds`.
    pub const fn seconds(seconds: u32) -> Throttle {
        Throttle {
            period_ns: seconds as i64 * 1_000_000_000,
            next_ns: AtomicI64::new(0),
            held_back: AtomicU64::new(0),
        }
    }

    fn pass(&self) -> Option<u64> {
        self.pass_at(system_ns(ClockId::Monotonic))
    }

    /// How many were held back since the last that passed, if this one passes.
    fn pass_at(&self, now_ns: i64) -> Option<u64> {
        let next = self.next_ns.load(Ordering::Relaxed);
        let passes = now_ns >= next
            && self
                .next_ns
                .compare_exchange(next, now_ns + self.period_ns, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if passes {
            return Some(self.held_back.swap(0, Ordering::Relaxed));
        }
        self.held_back.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_passes_per_period_and_tells_how_many_did_not() {
        let throttle = Throttle::seconds(2);
        let passed: Vec<_> = [1, 2, 3, 2_000_000_001, 2_000_000_002].map(|ns| throttle.pass_at(ns)).to_vec();
        assert_eq!(passed, [Some(0), None, None, Some(2), None]);
    }
}

//! ROS time: the system's, or what `/clock` says when `use_sim_time` is set.

use r2r::builtin_interfaces::msg::Time;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// The node's clock. Cheap to clone; reading it takes no lock.
#[derive(Clone, Debug, Default)]
pub struct RosClock(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    simulated: AtomicBool,
    /// The last `/clock`, ns; 0 before the first, as everywhere in ROS 2.
    simulated_ns: AtomicI64,
}

/// Nanoseconds on one of the system's clocks.
pub(crate) fn system_ns(clock: ClockId) -> i64 {
    let t = clock_gettime(clock);
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

impl RosClock {
    /// Nanoseconds since the epoch (or of the simulation).
    pub fn now_ns(&self) -> i64 {
        if self.is_simulated() {
            self.0.simulated_ns.load(Ordering::Acquire)
        } else {
            system_ns(ClockId::Realtime)
        }
    }

    /// Now, as messages have it.
    pub fn now(&self) -> Time {
        Self::stamp(self.now_ns())
    }

    /// Nanoseconds as messages have them.
    pub fn stamp(ns: i64) -> Time {
        Time { sec: ns.div_euclid(1_000_000_000) as i32, nanosec: ns.rem_euclid(1_000_000_000) as u32 }
    }

    /// A stamp in nanoseconds.
    pub fn ns(stamp: &Time) -> i64 {
        i64::from(stamp.sec) * 1_000_000_000 + i64::from(stamp.nanosec)
    }

    /// Time of a message: its stamp, or now when it has none.
    pub fn ns_or_now(&self, stamp: &Time) -> i64 {
        match Self::ns(stamp) {
            0 => self.now_ns(),
            ns => ns,
        }
    }

    /// Whether it follows `/clock`.
    pub fn is_simulated(&self) -> bool {
        self.0.simulated.load(Ordering::Acquire)
    }

    pub(crate) fn simulate(&self, on: bool) {
        self.0.simulated.store(on, Ordering::Release);
    }

    pub(crate) fn set_simulated(&self, stamp: &Time) {
        self.0.simulated_ns.store(Self::ns(stamp), Ordering::Release);
    }
}

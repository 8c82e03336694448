//! The bus as a state machine: the time and bytes in, bytes and events out. It owns no port and reads no clock, so tests
//! drive a minute of bus in a moment; [`crate::bridge`] drives it from a thread that owns the port.
//!
//! One cycle: one broadcast jog for all servos that follow goals, then reads in turn for as long as they fit before the
//! next jog is expected, then whatever services asked for. Every servo goes through the same steps before it gets torque
//! (see [`Phase`]), after every way of losing it.

mod config;
mod exchange;
mod joint;
mod machine;
mod orders;
mod plan;
mod servo;
mod statistics;
mod watchdog;

pub use config::{Budget, BusConfig, Release, ServoConfig, Tuning};
pub use joint::Joint;
pub use machine::{Action, Bus, Event, GoalPoint};
pub use orders::{Order, Outcome, What};
pub use servo::{Measured, Phase, Servo, Torque};
pub use statistics::{BusWindow, ServoStatistics};
pub use watchdog::Watch;

/// Nanoseconds on a clock that only goes forward.
pub type Ns = u64;

/// Seconds as [`Ns`]; negative and not a number are 0.
pub fn ns(seconds: f64) -> Ns {
    (seconds * 1e9).max(0.0) as Ns
}

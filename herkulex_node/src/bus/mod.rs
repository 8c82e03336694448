//! The bus as a state machine: the time and bytes in, bytes and events out. It owns no port and reads no clock, so tests
//! drive a minute of bus in a moment; [`crate::bridge`] drives it from a thread that owns the port.
//!
//! | file | |
//! |---|---|
//! | `phase` | one servo: (state, input) → (state, change), and what to ask next |
//! | `torque` | standing orders, and the marks that carry them over a restart |
//! | `proof` | what an answer proves |
//! | `watchdog` | old goals of one joint |
//! | `path` | the way of one joint to its goal, in short jogs |
//! | `wire` | requests under way, answers matched to them, the line's time |
//! | `scheduler` | whose turn it is |
//! | `orders` | what services ask for, until it is done |
//! | `machine` | all of them together |

mod config;
mod joint;
mod machine;
mod orders;
mod path;
pub mod phase;
mod proof;
mod scheduler;
mod servo;
mod statistics;
pub mod torque;
mod traffic;
mod watchdog;
mod wire;

pub use config::{Budget, BusConfig, Release, ServoConfig, Tuning};
pub use joint::Joint;
pub use machine::{Action, Bus, Event, GoalPoint};
pub use orders::{Command, Order, Outcome};
pub use path::REACH;
pub use phase::{Phase, Refusal};
pub use servo::{Measured, Reading, Servo};
pub use statistics::{BusWindow, ServoStatistics};
pub use torque::{Standing, Torque};
pub use watchdog::Watch;

/// Nanoseconds on a clock that only goes forward.
pub type Ns = u64;

/// Seconds as [`Ns`]; negative and not a number are 0.
pub fn ns(seconds: f64) -> Ns {
    (seconds * 1e9).max(0.0) as Ns
}

//! The bus as a state machine: the time and bytes in, bytes and events out. It owns no port and reads no clock, so tests
//! drive a minute of bus in a moment; [`crate::bridge`] drives it from a thread that owns the port.
//!
//! | file | |
//! |---|---|
//! | `phase`, `fsm` | one servo: (state, input) → (state, change), and what to ask next |
//! | `proof` | what an answer proves |
//! | `torque`, `standing` | orders that stand, the marks that carry them over a restart, what follows for each servo |
//! | `orders`, `texts` | what services ask for, until it is done, and in words |
//! | `survey` | what is found at the start, and what becomes of it |
//! | `undelivered` | orders that have not reached their servos, over a restart |
//! | `watchdog`, `path`, `follow` | old goals of one joint; its way to a goal in short jogs; both for all joints |
//! | `wire`, `reply` | requests under way, answers matched to them, the line's time |
//! | `scheduler` | whose turn it is |
//! | `ask`, `answer` | what is sent and what comes back |
//! | `machine` | all of them together |

mod answer;
mod ask;
mod config;
mod follow;
pub mod fsm;
mod joint;
mod machine;
mod orders;
mod path;
pub mod phase;
mod proof;
mod reply;
mod scheduler;
mod servo;
mod standing;
mod statistics;
mod stream;
mod survey;
mod texts;
pub mod torque;
mod undelivered;
mod watchdog;
mod wire;

pub use config::{Budget, BusConfig, Release, ServoConfig, Tuning};
pub use follow::GoalPoint;
pub use joint::Joint;
pub use machine::{Action, Bus, Event};
pub use orders::{Command, Order, Outcome};
pub use path::REACH;
pub use phase::{Phase, Refusal};
pub use servo::{Measured, Reading, Servo};
pub use statistics::{BusWindow, ServoStatistics};
pub use torque::{Standing, Torque};
pub use undelivered::Undelivered;
pub use watchdog::Watch;

/// Nanoseconds on a clock that only goes forward.
pub type Ns = u64;

/// Seconds as [`Ns`]; negative and not a number are 0.
pub fn ns(seconds: f64) -> Ns {
    (seconds * 1e9).max(0.0) as Ns
}

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod beat;
mod grid;
mod lateness;
mod tracker;

pub use beat::Beat;
pub use grid::{Grid, PERIODS, period_ns};
pub use lateness::Lateness;
pub use tracker::{Cycles, STALL, SyncRelation};

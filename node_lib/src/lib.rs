#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod about;
mod convert;
mod cycle;
mod diagnostics;
mod log;
mod param_server;
mod robot;
mod run;
mod setup;
mod stop;
mod time;

pub use about::{About, Port};
pub use cycle::{Cycle, CycleClock, CycleCount};
pub use diagnostics::{Level, Report};
pub use log::{Log, Throttle};
pub use param_lib;
pub use r2r;
pub use run::run;
pub use setup::Setup;
pub use stop::Stop;
pub use time::RosClock;

/// How messages travel, by what they mean.
pub mod qos {
    pub use r2r::QosProfile;

    /// Every message counts: orders, cycles, parameters. Reliable, with room for a reader that was away for a moment.
    pub const EVENTS: QosProfile = QosProfile::default().reliable().keep_last(100);
    /// Only the newest counts: measured state. A slow reader skips what is old.
    pub const NEWEST: QosProfile = QosProfile::default().reliable().keep_last(1);
    /// Kept for readers that come later, as `/robot_description` and `/tf_static` are.
    pub const LATCHED: QosProfile = QosProfile::default().reliable().transient_local().keep_last(1);
}

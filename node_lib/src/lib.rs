#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod about;
mod action;
mod action_setup;
mod background;
mod beat;
mod beside;
mod bus;
mod client;
mod convert;
mod diagnostics;
mod executor;
mod listen;
mod log;
mod log_budget;
mod names;
mod outside;
mod own_params;
mod param_server;
mod port;
mod realtime;
mod remote;
mod robot;
mod run;
mod seat;
mod service_task;
mod setup;
mod spinner;
mod stop;
mod strays;
mod time;
mod watch;

pub use about::{About, Endpoint, action, input, output, service};
pub use action::{ActionServer, ActionType, GoalEnd, GoalId};
pub use action_setup::ActionNode;
pub use background::Background;
pub use beat::{BeatControl, Tick};
pub use beside::Beside;
pub use client::{CallError, Client};
pub use convert::{from_msg as parameter_from_msg, to_msg as parameter_to_msg};
pub use diagnostics::{Level, Report};
pub use listen::Inbox;
pub use log::{Log, Throttle};
pub use own_params::OwnParams;
pub use param_lib;
pub use port::{Port, fill, fill_names};
pub use r2r;
pub use realtime::Realtime;
pub use run::{Member, compose, run};
pub use setup::{Node, Setup};
pub use stop::Stop;
pub use time::RosClock;
pub use tokio::sync::oneshot;

/// How messages travel, by what they mean.
pub mod qos {
    pub use r2r::QosProfile;

    /// Every message counts: orders, parts of a pose. Reliable, with room for a reader that was away for a moment. Whoever
    /// publishes offers this, so that a recorder gets everything.
    pub const EVENTS: QosProfile = QosProfile::default().reliable().keep_last(100);
    /// Only the newest counts: cycles, whole poses, measured state. A reader that was away skips what is old.
    pub const NEWEST: QosProfile = QosProfile::default().reliable().keep_last(1);
    /// For a reader of sensors, whose drivers publish best effort as often as reliably: it takes both.
    pub const SENSOR: QosProfile = QosProfile::default().best_effort().keep_last(20);
    /// Kept for readers that come later, as `/robot_description` and `/tf_static` are.
    pub const LATCHED: QosProfile = QosProfile::default().reliable().transient_local().keep_last(1);
}

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

mod agregator;
mod approach;
mod bounds;
mod given;
mod input;
mod joint;
mod kept;
mod last_given;
mod note;
mod params;
mod pose;
mod stamps;
mod support;
mod time;

pub use agregator::{Agregator, Taken};
pub use cycle_lib::SyncRelation;
pub use input::{JointArrays, LimbArrays, SupportArrays};
pub use note::{Note, Refusal};
pub use params::{
    AgregatorParams, CycleMismatch, Differentiation, LimitPolicy, Priority, PublishOn, Quadrature,
    UpdateMethod,
};
pub use pose::Pose;
pub use support::Support;
pub use time::CycleTime;

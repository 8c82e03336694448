#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

mod catalog;
mod convert;
mod imu;
mod joints;
mod params;
mod pipeline;
mod read;
mod running;
pub mod tf;
mod wrench;

pub use catalog::markdown as catalog_markdown;
pub use imu::{ImuChain, ImuSample};
pub use joints::{JointArrays, JointChains, JointFault};
pub use params::{ChainParams, ChainType, FilterParams, Reliability};
pub use pipeline::{Pipeline, set_all};
pub use running::RunningChain;
pub use wrench::{Dropped, Pushed, WrenchChain, WrenchSample};

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

mod catalog;
mod convert;
mod joints;
mod line;
mod live;
mod params;
mod read;
pub mod tf;
mod wrench;

pub use catalog::markdown as catalog_markdown;
pub use joints::{JointArrays, JointChains, JointFault};
pub use line::{Line, set_all};
pub use live::LiveChain;
pub use params::{ChainParams, ChainType, FilterParams, Reliability};
pub use wrench::{Dropped, Pushed, WrenchChain, WrenchSample};

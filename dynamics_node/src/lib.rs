#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

mod attitude;
mod error;
mod inverse;
mod lean;
mod params;
mod pose;
mod supports;
mod time;
mod transfer;

pub use error::Refused;
pub use inverse::{Held, InverseDynamics, Summary};
pub use params::DynamicsParams;
pub use pose::PoseArrays;

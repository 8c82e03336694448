#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

pub mod bounds;
pub mod desired;
mod history;
pub mod ident;
pub mod inverse;
pub mod joints;
pub mod lead;
pub mod model;
pub mod notice;
pub mod params;
pub mod save;
mod sent;
mod settings;
mod supply;
pub mod timing;
pub mod tracking;

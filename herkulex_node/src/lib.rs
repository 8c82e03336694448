#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;
#[cfg(feature = "ros")]
pub mod sim_node;

pub mod alive;
pub mod bridge;
pub mod bus;
pub mod codec;
pub mod goals;
pub mod health;
pub mod order_file;
pub mod params;
pub mod port;
pub mod posture;
pub mod pty;
pub mod sim;
pub mod sim_params;
pub mod tool;
pub mod virtual_line;

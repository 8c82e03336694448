#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod drive;
mod error;
mod fall;
mod imu;
#[cfg(feature = "lockstep")]
mod lockstep;
mod mjcf;
#[cfg(any(feature = "ros", test))]
mod moments;
#[cfg(feature = "ros")]
pub mod node;
#[cfg(any(feature = "ros", test))]
mod orders;
pub mod params;
mod scene;
mod truth;

#[cfg(feature = "physics")]
mod world;

pub use drive::Drive;
pub use error::SimError;
pub use fall::{Fall, FallRules};
pub use imu::{Imu, ImuNoise, ImuSample};
#[cfg(feature = "lockstep")]
pub use lockstep::{Lockstep, Measured, PERIOD, Recording, RobotFiles};
pub use mjcf::mjcf;
pub use scene::{Base, Payload, Scene, Terrain};
pub use truth::{FootTruth, Truth};
#[cfg(feature = "physics")]
pub use world::World;

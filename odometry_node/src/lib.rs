#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;

mod covariance;
mod error;
mod estimate;
mod feed;
mod filter;
pub mod fit;
mod imu;
mod joints;
mod odometry;
mod outputs;
mod params;
pub mod replay;
mod rest;
pub mod search;
mod supports;
mod svd3;
mod told;
mod trust;
pub mod velocity;
mod waiting;

pub use error::Refused;
pub use estimate::{Estimate, Footing, Leg, Method, Warning};
pub use feed::{Feed, TIME_JUMP};
pub use joints::JointIntake;
pub use odometry::{Footings, Odometry, Posture};
pub use outputs::{Frame, Limb, Outputs, Support};
pub use params::{Estimator, Ground, OdometryParams};
pub use supports::SupportIntake;
pub use told::{Body, numbers, placed};

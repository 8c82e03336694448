//! The filters of the ROS package `control_filters`.

mod exponential;
mod gravity;
mod low_pass;

pub use exponential::{ExponentialFilter, ExponentialParams};
pub use gravity::{GravityCompensation, GravityFrames, GravityParams};
pub use low_pass::{LowPassFilter, LowPassParams};

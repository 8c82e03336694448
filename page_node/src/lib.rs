#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod access;
pub mod body_pose;
pub mod drive;
pub mod health;
mod heard;
pub mod joint_tracks;
pub mod json;
pub mod log_lines;
pub mod meshes;
#[cfg(feature = "ros")]
pub mod node;
mod params;
pub mod protocol;
pub mod recording_name;
pub mod recordings;
pub mod request;
pub mod scene;
pub mod snapshot;
pub mod stop;
pub mod tuning;

pub use params::PageParams;

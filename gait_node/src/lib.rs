#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;
#[cfg(feature = "ros")]
pub mod sync_node;

mod activity;
mod brake;
mod first_pose;
mod gestures;
mod ground;
mod guard;
mod joint_move;
mod legs;
mod motion;
mod motion_file;
mod note;
mod params;
mod pattern;
mod polynomial;
mod posture;
mod segment;
mod settings;
mod stepper;
mod swing;
pub mod sync;
mod tempo;
mod walker;

pub use activity::Activity;
pub use first_pose::Source;
pub use ground::Velocity;
pub use motion::{Channel, Interpolation, Motion, MotionError, Score};
pub use motion_file::read_motion;
pub use note::Note;
pub use params::{GaitParams, GestureParams, PatternParams};
pub use tempo::{CycleStep, Tempo};
pub use walker::Walker;

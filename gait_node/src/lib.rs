#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

#[cfg(feature = "ros")]
pub mod node;
#[cfg(feature = "ros")]
pub mod sync_node;

mod activity;
mod balance;
mod battery;
mod body_pose;
mod brake;
mod first_pose;
mod follow;
mod foot;
mod foot_reach;
mod gait_speed;
mod gestures;
mod ground;
mod guard;
mod joint_command;
mod joint_move;
mod legs;
mod lesson;
mod locomotion;
mod mass_centre;
mod measured;
mod motion;
mod motion_error;
mod motion_file;
mod motion_fit;
mod motion_folder;
mod motion_rules;
mod note;
mod pace;
mod params;
mod pattern;
mod play;
mod polynomial;
mod posture;
mod room;
mod segment;
mod settings;
mod stability;
mod stances;
mod stepper;
mod steps;
mod stride;
mod support_polygon;
mod sway;
mod swing;
mod swing_probe;
pub mod sync;
mod tempo;
mod torque;
mod trajectory;
mod trajectory_file;
mod trajectory_points;
mod turns;
mod walker;
mod yaml_pieces;

pub use activity::Activity;
pub use body_pose::BodyPose;
pub use first_pose::Source;
pub use follow::{Follow, Tolerance, Verdict, Violation};
pub use ground::Velocity;
pub use lesson::{Learned, Lesson};
pub use measured::Measured;
pub use motion::Motion;
pub use motion_error::MotionError;
pub use motion_file::read_motion;
pub use motion_folder::motion_of_folder;
pub use motion_rules::{Adjustments, MotionLimits, MotionRules};
pub use note::Note;
pub use pace::GaitLimits;
pub use params::{GaitParams, GestureParams, PatternParams, PostureParams};
pub use play::{DropReason, PlayId, PlayState, Progress};
pub use stability::Stability;
pub use tempo::{CycleStep, Tempo};
pub use trajectory::{Interpolation, JointTrack, Trajectory};
pub use trajectory_points::{TrajectoryPoint, trajectory_through};
pub use walker::Walker;

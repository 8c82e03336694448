#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod base_motion;
mod compact;
mod config;
mod contact;
mod dynamics;
mod dynamics_plan;
mod error;
mod frame;
mod ground_forces;
mod ik;
mod ik_descent;
mod ik_goal;
mod ik_step;
mod inertia;
mod joint_message;
mod joint_reader;
mod kinematics;
mod lanes;
mod limits;
mod links;
mod mimic;
mod model;
mod names;
mod newton_euler;
mod params;
mod plan;
mod report;
mod sincos;
mod sorted;
mod support_reader;
mod tree;
mod whole_body;
mod wrench_share;
mod xml_depth;

pub use base_motion::{BaseMotion, Efforts, Wrench};
pub use compact::compact_xml;
pub use config::{ChainConfig, ContactConfig, ContactKind, ModelConfig};
pub use contact::Contact;
pub use dynamics::Dynamics;
pub use error::ModelError;
pub use ground_forces::{GroundForces, PointForce, StandingContact};
pub use ik::{ChainIk, IkOptions, IkResult, IkStatus};
pub use ik_goal::IkGoal;
pub use joint_message::{Field, LARGEST, LONGEST_NAME, MOST_JOINTS, MessageError, check_fields, check_names};
pub use joint_reader::JointReader;
pub use kinematics::{ContactPose, Kinematics, Twist};
pub use limits::Limits;
pub use links::{LinkPoses, fixed_pose};
pub use model::{Chain, Joint, JointKind, JointSlot, RobotModel};
pub use names::NameCache;
pub use params::{ChainParams, ContactParams, RobotParams};
pub use report::fixed;
pub use support_reader::{SupportError, SupportReader};
pub use tree::MAX_DEPTH_FOR_K;
pub use whole_body::WholeBody;

pub use nalgebra;

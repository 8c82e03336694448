#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg(feature = "ros")]

use agregator_node::node::AgregatorNode;
use dynamics_node::node::DynamicsNode;
use gait_node::node::GaitNode;
use gait_node::sync_node::SyncNode;
use herkulex_node::node::HerkulexNode;
use node_lib::Member;
use odometry_node::node::OdometryNode;
use page_node::node::PageNode;
use servo_inv_node::node::lead::LeadNode;
use servo_inv_node::node::param::ParamNode;

/// What `--help` says.
pub const PURPOSE: &str = "All nodes of the control path in one process, one after the other on one thread, as if each were alone:\n\
                       the same names, topics, services and parameters, without DDS between them.";

/// In the order in which a cycle goes through them: odometry waits until the goals are out. The page has no part in it.
pub const MEMBERS: [Member; 9] = [
    Member::of::<SyncNode>(),
    Member::of::<GaitNode>(),
    Member::of::<AgregatorNode>(),
    Member::of::<DynamicsNode>(),
    Member::of::<LeadNode>(),
    Member::of::<ParamNode>(),
    Member::of::<HerkulexNode>(),
    Member::of::<OdometryNode>(),
    Member::of::<PageNode>(),
];

/// Those that run unless others are named.
pub const DEFAULT: [&str; 6] =
    ["sync_node", "gait_node", "agregator_node", "servo_inv_lead", "herkulex_node", "odometry_node"];

//! The nodes around the core: parameters, topics, log.

mod goal_port;
pub mod ident;
pub mod lead;
pub mod param;

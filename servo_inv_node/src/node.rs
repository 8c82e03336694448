//! The nodes around the core: parameters, topics, log.

mod goals;
pub mod ident;
pub mod lead;
pub mod param;

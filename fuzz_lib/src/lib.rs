#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod choices;
mod corpus;
mod mutate;
mod runner;
mod targets;

pub use choices::Choices;
pub use corpus::corpus;
pub use mutate::Mutator;
pub use runner::{Found, Report, run};
pub use targets::{Target, targets};

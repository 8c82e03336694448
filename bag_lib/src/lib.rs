#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod bag;
mod cdr;
pub mod schemas;

pub use bag::{Bag, Topic};
pub use cdr::{CdrError, Reader, Writer};

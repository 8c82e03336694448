#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod bag;
mod cdr;
mod definition;
mod find;
pub mod schemas;

pub use bag::{Bag, Topic};
pub use cdr::{CdrError, Reader, Writer};
pub use definition::{definition, installed};
pub use find::{first_message, is_mcap};

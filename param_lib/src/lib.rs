#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod args;
mod current;
mod error;
mod field;
mod inside;
mod macros;
mod print;
mod slider;
mod spec;
mod stray;
mod table;
mod tuning;
mod value;
mod yaml;
mod yaml_tree;

pub use args::{Override, Overrides, matches};
pub use current::{assert_config_is_current, assert_readme_is_current, printed_again};
pub use error::ParamError;
pub use field::{Field, Flat, Group, Nested, Params};
pub use inside::{InsideError, read_inside};
pub use print::to_markdown;
pub use slider::Slider;
pub use spec::Spec;
pub use stray::StrayFile;
pub use table::Table;
pub use value::{Kind, Value};
pub use yaml::{Section, read_file, read_value};
pub use yaml_tree::{Node, Tree, read_tree};

//! What the tests share.
#![allow(clippy::unwrap_used, dead_code, missing_docs)]

use filter_node::FilterParams;
use param_lib::{Override, Overrides, ParamError, Params, Table};

/// A parameter file of the node, as overrides.
pub fn overrides(yaml: &str) -> Vec<Override> {
    Overrides::from_text(yaml).unwrap().for_node("/filter_node")
}

/// The declared parameters of a file.
pub fn table(yaml: &str) -> Result<Table, ParamError> {
    let overrides = overrides(yaml);
    Table::declare_all(FilterParams::specs_for(&overrides)?, &overrides)
}

/// The parameters of a file.
pub fn params(yaml: &str) -> Result<FilterParams, ParamError> {
    FilterParams::read(&table(yaml)?)
}

/// The body of a file under the node's name, indented by two.
pub fn file(body: &str) -> String {
    let indented: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("filter_node:\n  ros__parameters:\n{indented}")
}

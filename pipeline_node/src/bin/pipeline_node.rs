//! `pipeline_node`: the control path in one process.

use pipeline_node::{DEFAULT, MEMBERS, PURPOSE};

fn main() -> std::process::ExitCode {
    node_lib::compose("pipeline_node", PURPOSE, &MEMBERS, &DEFAULT)
}

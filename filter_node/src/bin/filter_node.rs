//! The filter node: topics, parameters and transforms around the core.

fn main() -> std::process::ExitCode {
    node_lib::run::<filter_node::node::FilterNode>()
}

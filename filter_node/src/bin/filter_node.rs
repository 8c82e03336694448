//! The filter node: topics, parameters and transforms around the core.

fn main() -> std::process::ExitCode {
    filter_node::node::run()
}

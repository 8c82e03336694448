//! `agregator_node`: one complete pose from many partial sources.

fn main() -> std::process::ExitCode {
    node_lib::run::<agregator_node::node::AgregatorNode>()
}

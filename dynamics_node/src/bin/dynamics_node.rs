//! `dynamics_node`: the effort of a pose.

fn main() -> std::process::ExitCode {
    node_lib::run::<dynamics_node::node::DynamicsNode>()
}

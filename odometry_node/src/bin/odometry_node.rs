//! `odometry_node`: where the body is, from the joints alone.

fn main() -> std::process::ExitCode {
    node_lib::run::<odometry_node::node::OdometryNode>()
}

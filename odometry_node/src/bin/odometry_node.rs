//! `odometry_node`: where the body is, from the joints alone.

fn main() -> std::process::ExitCode {
    odometry_node::node::run()
}

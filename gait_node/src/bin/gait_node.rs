//! `gait_node`: walks the robot, and plays motions.

fn main() -> std::process::ExitCode {
    node_lib::run::<gait_node::node::GaitNode>()
}

//! `gait_node`: walks the robot, and plays motions.

fn main() -> std::process::ExitCode {
    gait_node::node::run()
}

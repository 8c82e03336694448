//! `sync_node`: publishes the control cycle.

fn main() -> std::process::ExitCode {
    gait_node::sync_node::run()
}

//! `sync_node`: publishes the control cycle.

fn main() -> std::process::ExitCode {
    node_lib::run::<gait_node::sync_node::SyncNode>()
}

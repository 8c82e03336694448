//! `agregator_node`: one complete pose from many partial sources.

fn main() -> std::process::ExitCode {
    agregator_node::node::run()
}

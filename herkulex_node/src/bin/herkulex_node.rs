//! `herkulex_node`: goals to servos, measurements back.

fn main() -> std::process::ExitCode {
    herkulex_node::node::run()
}

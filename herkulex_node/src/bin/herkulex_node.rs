//! `herkulex_node`: goals to servos, measurements back.

fn main() -> std::process::ExitCode {
    node_lib::run::<herkulex_node::node::HerkulexNode>()
}

//! `herkulex_sim`: a bus of HerkuleX servos on a pseudo-terminal.

fn main() -> std::process::ExitCode {
    herkulex_node::sim_node::run()
}

//! `robot_sim`: the robot on a floor, with weight.

fn main() -> std::process::ExitCode {
    node_lib::run::<sim_node::node::RobotSim>()
}

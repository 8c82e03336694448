//! What people read must be what the node declares.

use sim_node::params::RobotSimParams;

#[test]
fn the_config_file_is_that_which_the_parameters_print() {
    let file = include_str!("../../config/robot_sim.yaml");
    param_lib::assert_config_is_current::<RobotSimParams>("robot_sim", file);
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    param_lib::assert_readme_is_current::<RobotSimParams>("robot_sim", include_str!("../README.md"));
}

//! What people read must be what the node declares.

use dynamics_node::DynamicsParams;

#[test]
fn the_config_file_is_the_one_that_the_parameters_print() {
    param_lib::assert_config_is_current::<DynamicsParams>(
        "dynamics_node",
        include_str!("../../config/dynamics.yaml"),
    );
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    param_lib::assert_readme_is_current::<DynamicsParams>("dynamics_node", include_str!("../README.md"));
}

//! What people read must be what the nodes declare.

use herkulex_node::params::BridgeParams;
use herkulex_node::sim_params::SimParams;

#[test]
fn the_config_files_are_those_that_the_parameters_print() {
    let bridge = include_str!("../../config/herkulex.yaml");
    param_lib::assert_config_is_current::<BridgeParams>("herkulex_node", bridge);
    let sim = include_str!("../../config/herkulex_sim.yaml");
    param_lib::assert_config_is_current::<SimParams>("herkulex_sim", sim);
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    let readme = include_str!("../README.md");
    param_lib::assert_readme_is_current::<BridgeParams>("herkulex_node", readme);
    param_lib::assert_readme_is_current::<SimParams>("herkulex_sim", readme);
}

#[test]
fn the_example_robot_fits_into_its_cycle() {
    use param_lib::{Overrides, Params, Table};
    let file = include_str!("../../config/herkulex.yaml");
    let overrides = Overrides::from_text(file).unwrap().for_node("/herkulex_node");
    let table = Table::declare_all(BridgeParams::specs(), &overrides).unwrap();
    let budget = BridgeParams::read(&table).unwrap().config().bus.budget();
    assert!(budget.fits() && budget.reads() >= 5, "{budget}");
}

//! What people read must be what the nodes declare.

use param_lib::{assert_config_is_current, assert_readme_is_current};
use servo_inv_node::params::{IdentParams, InverseParams, LeadParams};

#[test]
fn the_config_files_are_the_ones_that_the_parameters_print() {
    assert_config_is_current::<LeadParams>("servo_inv_lead", include_str!("../../config/servo_lead.yaml"));
    assert_config_is_current::<InverseParams>("servo_inv_param", include_str!("../../config/servo_inv.yaml"));
    assert_config_is_current::<IdentParams>("servo_ident", include_str!("../../config/servo_ident.yaml"));
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    let readme = include_str!("../README.md");
    assert_readme_is_current::<LeadParams>("servo_inv_lead", readme);
    assert_readme_is_current::<InverseParams>("servo_inv_param", readme);
    assert_readme_is_current::<IdentParams>("servo_ident", readme);
}
